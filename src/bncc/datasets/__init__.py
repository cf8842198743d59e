"""Data sets: readers for the files of the field, a catalogue, writing them back, splits and generators."""

from bncc.datasets.arff import read_arff
from bncc.datasets.catalogue import Entry, Figures, catalogue
from bncc.datasets.dataset import Dataset, fingerprint, make_dataset
from bncc.datasets.delimited import read_csv
from bncc.datasets.errors import MalformedFile
from bncc.datasets.extreme import read_extreme
from bncc.datasets.generate import (
    SCENES,
    TrueNetwork,
    make_features,
    make_network_data,
    make_power_law_labels,
    make_scenes,
)
from bncc.datasets.libsvm import read_libsvm
from bncc.datasets.load import available, load
from bncc.datasets.mat import read_mat
from bncc.datasets.numpy_archive import read_numpy
from bncc.datasets.openml import fetch, fetchable
from bncc.datasets.parquet import read_parquet
from bncc.datasets.save import save
from bncc.datasets.splits import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
    multilabel_train_test_split,
)
from bncc.datasets.text_blocks import TextBlock, read_text, read_text_blocks
from bncc.datasets.tickets import make_tickets

__all__ = [
    "SCENES",
    "Dataset",
    "Entry",
    "Figures",
    "MalformedFile",
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "TextBlock",
    "TrueNetwork",
    "available",
    "catalogue",
    "fetch",
    "fetchable",
    "fingerprint",
    "load",
    "make_dataset",
    "make_features",
    "make_network_data",
    "make_power_law_labels",
    "make_scenes",
    "make_tickets",
    "multilabel_train_test_split",
    "read_arff",
    "read_csv",
    "read_extreme",
    "read_libsvm",
    "read_mat",
    "read_numpy",
    "read_parquet",
    "read_text",
    "read_text_blocks",
    "save",
]
