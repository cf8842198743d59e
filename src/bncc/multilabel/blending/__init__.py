"""Blends: families of models, tried on the same folds, weighed by what they answer for rows held out."""
