"""Multi-label learning: how labels depend on each other, and classifier chains ordered by it."""

__version__ = "0.1.0"

__all__ = ["__version__"]
