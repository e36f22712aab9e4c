"""Learned dictionaries in one file, without a classifier, and without anything that is executed."""

from os import PathLike

from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._files import load_arrays, save_arrays
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.evaluate.packing import Arrays, pack, unpack

KIND, _VERSION = "ldslearn dictionary", 1


def save_dictionary(path: str | PathLike[str], dictionary: SystemDictionary) -> None:
    """Write a fitted dictionary to one file, whole or not at all."""
    check_is_fitted(dictionary)
    arrays: Arrays = {}
    save_arrays(path, KIND, _VERSION, {"dictionary": pack(dictionary, arrays)}, arrays)


def load_dictionary(path: str | PathLike[str]) -> SystemDictionary:
    """Read a dictionary; nothing in the file is executed."""
    header, arrays = load_arrays(path, KIND, _VERSION)
    try:
        dictionary = unpack(header.get("dictionary"), arrays)
        if not isinstance(dictionary, SystemDictionary):
            raise ValueError("it is no dictionary")
        check_is_fitted(dictionary)
    except Exception as error:  # whatever a hostile file makes of its parts
        raise _errors.damaged_contents(path, error) from error
    return dictionary
