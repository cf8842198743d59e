"""Data sets: readers for the files of the field, a catalogue of known sets, and writing them back."""

from bncc.datasets.arff import read_arff
from bncc.datasets.catalogue import Entry, Figures, catalogue
from bncc.datasets.dataset import Dataset, fingerprint, make_dataset
from bncc.datasets.delimited import read_csv
from bncc.datasets.errors import MalformedFile
from bncc.datasets.libsvm import read_libsvm
from bncc.datasets.load import available, load
from bncc.datasets.mat import read_mat
from bncc.datasets.numpy_archive import read_numpy
from bncc.datasets.openml import fetch, fetchable
from bncc.datasets.parquet import read_parquet
from bncc.datasets.save import save

__all__ = [
    "Dataset",
    "Entry",
    "Figures",
    "MalformedFile",
    "available",
    "catalogue",
    "fetch",
    "fetchable",
    "fingerprint",
    "load",
    "make_dataset",
    "read_arff",
    "read_csv",
    "read_libsvm",
    "read_mat",
    "read_numpy",
    "read_parquet",
    "save",
]
