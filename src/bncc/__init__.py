"""Multi-label learning: how labels depend on each other, and classifier chains ordered by it."""

from bncc.structure import LabelNetwork, learn_network

__version__ = "0.1.0"

__all__ = ["LabelNetwork", "__version__", "learn_network"]
