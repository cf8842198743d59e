"""Data sets: readers for the files of the field, a catalogue, writing them back, splits and generators."""

from bncc.datasets.arff import read_arff
from bncc.datasets.bundled import BundledSet, BundledTable, bundled
from bncc.datasets.catalogue import Entry, Figures, catalogue
from bncc.datasets.dataset import Dataset, fingerprint, make_dataset
from bncc.datasets.delimited import read_csv
from bncc.datasets.errors import MalformedFile
from bncc.datasets.extreme import read_extreme
from bncc.datasets.frames import read_table
from bncc.datasets.generate import (
    SCENES,
    TrueNetwork,
    make_features,
    make_network_data,
    make_power_law_labels,
    make_scenes,
)
from bncc.datasets.genes import FUNCTIONS, make_genes
from bncc.datasets.json_lines import read_json_lines
from bncc.datasets.libsvm import read_libsvm
from bncc.datasets.load import available, load
from bncc.datasets.mat import read_mat
from bncc.datasets.numpy_archive import read_numpy
from bncc.datasets.openml import fetch, fetchable
from bncc.datasets.parquet import read_parquet
from bncc.datasets.save import save
from bncc.datasets.songs import MOODS, make_songs
from bncc.datasets.splits import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
    multilabel_train_test_split,
)
from bncc.datasets.text_blocks import TextBlock, read_text, read_text_blocks
from bncc.datasets.tickets import make_tickets

__all__ = [
    "FUNCTIONS",
    "MOODS",
    "SCENES",
    "BundledSet",
    "BundledTable",
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
    "bundled",
    "catalogue",
    "fetch",
    "fetchable",
    "fingerprint",
    "load",
    "make_dataset",
    "make_features",
    "make_genes",
    "make_network_data",
    "make_power_law_labels",
    "make_scenes",
    "make_songs",
    "make_tickets",
    "multilabel_train_test_split",
    "read_arff",
    "read_csv",
    "read_extreme",
    "read_json_lines",
    "read_libsvm",
    "read_mat",
    "read_numpy",
    "read_parquet",
    "read_table",
    "read_text",
    "read_text_blocks",
    "save",
]
