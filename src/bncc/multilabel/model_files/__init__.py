"""Models in files: what they hold, how they are written, and every check that stands before a model is made."""

from bncc.multilabel.model_files.saved_models import FORMAT, SavedModel, load_model, open_model, save_model

__all__ = ["FORMAT", "SavedModel", "load_model", "open_model", "save_model"]
