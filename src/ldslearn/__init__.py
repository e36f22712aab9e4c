"""Learning on collections of sequences by treating each one as a linear dynamical system."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldslearn import (
        auto,
        classify,
        cluster,
        coding,
        datasets,
        dictionary,
        distributed,
        evaluate,
        geometry,
        models,
        persist,
        plot,
        sequences,
        video,
    )
    from ldslearn.auto import AutoLDSClassifier
    from ldslearn.classify import (
        LDSSVC,
        DictionaryClassifier,
        NearestLDSClassifier,
        SparseCodingClassifier,
    )
    from ldslearn.cluster import LDSKMeans
    from ldslearn.coding import SparseCoder, sparse_code
    from ldslearn.dictionary import FiniteDictionary, LDSDictionary
    from ldslearn.models import LDS, LDSEncoder
    from ldslearn.persist import load, save

__version__ = "0.1.0"
__all__ = [
    "LDS",
    "LDSSVC",
    "AutoLDSClassifier",
    "DictionaryClassifier",
    "FiniteDictionary",
    "LDSDictionary",
    "LDSEncoder",
    "LDSKMeans",
    "NearestLDSClassifier",
    "SparseCoder",
    "SparseCodingClassifier",
    "__version__",
    "auto",
    "classify",
    "cluster",
    "coding",
    "datasets",
    "dictionary",
    "distributed",
    "evaluate",
    "geometry",
    "load",
    "models",
    "persist",
    "plot",
    "save",
    "sequences",
    "sparse_code",
    "video",
]

# Names are imported when they are first used: `ldslearn --help` need not wait for scikit-learn.
_HOMES = {
    "ldslearn.auto": ("AutoLDSClassifier",),
    "ldslearn.classify": (
        "LDSSVC",
        "DictionaryClassifier",
        "NearestLDSClassifier",
        "SparseCodingClassifier",
    ),
    "ldslearn.cluster": ("LDSKMeans",),
    "ldslearn.coding": ("SparseCoder", "sparse_code"),
    "ldslearn.dictionary": ("FiniteDictionary", "LDSDictionary"),
    "ldslearn.models": ("LDS", "LDSEncoder"),
    "ldslearn.persist": ("load", "save"),
}
_MODULES = (
    "auto",
    "classify",
    "cluster",
    "coding",
    "datasets",
    "dictionary",
    "distributed",
    "evaluate",
    "geometry",
    "models",
    "persist",
    "plot",
    "sequences",
    "video",
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"ldslearn.{name}")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'ldslearn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
