"""Every public name has a docstring that an API reference can print."""

import dataclasses
import doctest
import importlib
import inspect
import re
from types import ModuleType

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from sklearn.base import BaseEstimator

import ldslearn
from ldslearn._parallel import Engine
from ldslearn.models import encoder_gaps
from ldslearn.models.blocks import StoredSystems

from support.public_names import find_public

WITH_MATHEMATICS = ("ldslearn.coding.", "ldslearn.geometry.", "ldslearn.models.")
#: Names whose mathematics is that of other names, to which their docstrings refer.
WITHOUT_FORMULAS = {
    "ldslearn.auto.ChannelScaler",
    "ldslearn.classify.DictionaryClassifier",
    "ldslearn.classify.NearestLDSClassifier",
    "ldslearn.coding.SparsePath",
}
#: Names of this library, not of a publication.
WITHOUT_REFERENCES = {
    "ldslearn.auto.ChannelScaler",
    "ldslearn.geometry.deviation_kernel",
    "ldslearn.geometry.mean_kernel",
    "ldslearn.geometry.pairwise_distance",
    "ldslearn.geometry.pairwise_kernel",
}

PUBLIC = find_public()
CALLABLE = {name: value for name, value in PUBLIC.items() if callable(value)}
CONSTANTS = sorted(PUBLIC.keys() - CALLABLE.keys())
FUNCTIONS = sorted(name for name, value in CALLABLE.items() if not inspect.isclass(value))
CLASSES = sorted(CALLABLE.keys() - set(FUNCTIONS))
ESTIMATORS = [name for name in CLASSES if issubclass(PUBLIC[name], BaseEstimator)]
MATHEMATICS = sorted(
    {name for name in CALLABLE if name.startswith(WITH_MATHEMATICS)} | set(ESTIMATORS)
)
DECORATED = [name for name in FUNCTIONS if hasattr(PUBLIC[name], "__wrapped__")]


def is_documented(owner):
    """Whether pages show the members of a class: not of engines and abstract bases within."""
    return owner.__module__.startswith("ldslearn.") and owner not in (Engine, StoredSystems)


def list_members(kind):
    """Return public methods or properties of public classes, each counted once."""
    found = {}
    for name in CLASSES:
        for owner in PUBLIC[name].__mro__:
            if is_documented(owner):
                members = {key: x for key, x in vars(owner).items() if not key.startswith("_")}
                found |= {f"{owner.__qualname__}.{k}": x for k, x in members.items() if kind(x)}
    return found


def is_method(member):
    # `available_if` of scikit-learn hides a method behind a descriptor that holds it as `fn`.
    return inspect.isfunction(unbind(member)) and not isinstance(member, property)


def unbind(member):
    return getattr(member, "__func__", None) or getattr(member, "fn", member)


METHODS = {name: unbind(x) for name, x in list_members(is_method).items()}
PROPERTIES = list_members(lambda x: isinstance(x, property))


def parse(name):
    value = PUBLIC[name]
    if inspect.isclass(value):
        return ClassDoc(value, config={"show_class_members": False})
    return FunctionDoc(value)


def list_documented(doc, *sections):
    """Return the names in sections; ``X, Y : LDS`` documents two."""
    entries = [entry.name for section in sections for entry in doc[section]]
    return [name.strip().lstrip("*") for entry in entries for name in entry.split(",")]


def list_parameters(function):
    signature = inspect.signature(function)
    names = [name for name in signature.parameters if name not in ("self", "cls")]
    return [name for name in names if not name.startswith("_")]  # fields that are private


def test_there_are_names_of_every_kind():
    assert len(FUNCTIONS) > 20
    assert len(ESTIMATORS) > 10
    assert len(METHODS) > 30
    assert {"SystemDictionary.partial_fit", "DictionaryClassifier.predict_proba"} <= set(METHODS)


def test_names_of_the_top_level_belong_to_packages():
    values = [getattr(ldslearn, name) for name in ldslearn.__all__]
    names = [value.__name__ for value in values if not isinstance(value, ModuleType)]
    assert len(names) > 10
    assert {name.rpartition(".")[2] for name in PUBLIC} >= set(names)


@pytest.mark.parametrize("name", sorted(CALLABLE))
def test_the_summary_is_one_sentence(name):
    summary = parse(name)["Summary"]
    assert len(summary) == 1, "the summary must be one line"
    assert summary[0].endswith(".")


@pytest.mark.parametrize("name", sorted(CALLABLE))
def test_every_parameter_is_documented(name):
    doc, value = parse(name), PUBLIC[name]
    # Fields of a dataclass may be attributes alone, where users do not construct it.
    sections = ("Parameters", "Attributes") if dataclasses.is_dataclass(value) else ("Parameters",)
    documented, parameters = list_documented(doc, *sections), list_parameters(value)
    assert [name for name in parameters if name not in documented] == [], "not documented"
    if not dataclasses.is_dataclass(value):
        assert [name for name in documented if name not in parameters] == [], "no such parameter"


@pytest.mark.parametrize("name", sorted(CALLABLE))
def test_every_parameter_and_attribute_has_a_type(name):
    doc = parse(name)
    entries = [*doc["Parameters"], *doc["Attributes"]]
    assert [entry.name for entry in entries if not entry.type] == []
    assert [entry.name for entry in entries if ", default " in entry.type] == []  # default=


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_return(name):
    returns_nothing = inspect.signature(PUBLIC[name]).return_annotation in (None, "None")
    doc = parse(name)
    assert bool(doc["Returns"] or doc["Yields"]) != returns_nothing


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fitted_attributes_are_documented(name):
    owners = [x for x in PUBLIC[name].__mro__ if x.__module__.startswith("ldslearn.")]
    source = "\n".join(inspect.getsource(owner) for owner in owners)
    fitted = set(re.findall(r"self\.([a-zA-Z]\w*_)\b", source))
    if PUBLIC[name].__name__ == "LDSEncoder":  # which learns about gaps in a file of its own
        source = inspect.getsource(encoder_gaps)
        fitted |= set(re.findall(r"encoder\.([a-zA-Z]\w*_)\b", source))
    assert fitted
    assert fitted == set(list_documented(parse(name), "Attributes"))


@pytest.mark.parametrize("name", MATHEMATICS)
def test_mathematics_has_formulas_and_references(name):
    doc = parse(name)
    notes = "\n".join(doc["Notes"])
    assert (":math:" in notes or ".. math::" in notes) != (name in WITHOUT_FORMULAS)
    assert bool(doc["References"]) != (name in WITHOUT_REFERENCES)


@pytest.mark.parametrize("name", sorted(CALLABLE))
def test_there_is_an_example(name):
    assert any(line.startswith(">>> ") for line in parse(name)["Examples"])


@pytest.mark.parametrize("name", DECORATED)
def test_examples_of_decorated_functions(name):
    """doctest.testmod, which test_documents.py uses, skips functions behind a decorator."""
    function = inspect.unwrap(PUBLIC[name])
    tests = doctest.DocTestFinder().find(function, name, globs={})
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.summarize().attempted > 0
    assert runner.summarize().failed == 0


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_say_what_they_take_and_return(name):
    method = METHODS[name]
    doc = FunctionDoc(method)
    assert len(doc["Summary"]) == 1
    assert doc["Summary"][0].endswith(".")
    assert list_documented(doc, "Parameters") == list_parameters(method)
    assert [entry.name for entry in doc["Parameters"] if ", default " in entry.type] == []
    annotation = inspect.signature(method).return_annotation
    if annotation not in (None, "None"):
        assert doc["Returns"] or doc["Summary"][0].startswith(("Return ", "Yield "))


@pytest.mark.parametrize("name", sorted(PROPERTIES))
def test_properties_have_a_summary(name):
    assert (inspect.getdoc(PROPERTIES[name]) or "").endswith(".")


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_described(name):
    """By a comment ``#:`` above the assignment, which Sphinx reads in the package itself."""
    package, _, constant = name.rpartition(".")
    source = inspect.getsource(importlib.import_module(package))
    assert re.search(rf"^#: .*\n{constant}\b.* = ", source, re.MULTILINE)
