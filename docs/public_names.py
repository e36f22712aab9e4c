"""A Sphinx extension that writes the pages of the API reference from the lists of public names.

The packages are those of `ldslearn/__init__.pyi`, the names those of their `__all__`. A name that
two packages export has one page, under the package that comes first.
"""

import importlib
import inspect
from pathlib import Path

import ldslearn

TITLE = "API reference"
TEXT = """\
Every public name, by package. Names that are imported from `ldslearn` itself are the estimators and
functions that most programs need.
"""


def list_packages():
    """Return the public packages, `ldslearn` first."""
    names = [name for name in ldslearn.__all__ if inspect.ismodule(getattr(ldslearn, name))]
    return [ldslearn, *(importlib.import_module(f"ldslearn.{name}") for name in sorted(names))]


def list_names(package):
    """Return the public names of a package that are no modules."""
    names = getattr(package, "__all__", [])
    return [name for name in names if not inspect.ismodule(getattr(package, name))]


def assign_pages():
    """Return (package, names with a page, names whose page is elsewhere) for every package."""
    pages, places = [], {}
    for package in list_packages():
        own, elsewhere = [], {}
        for name in list_names(package):
            value = getattr(package, name)
            place = places.setdefault(_identify(value, name), f"{package.__name__}.{name}")
            if place == f"{package.__name__}.{name}":
                own.append(name)
            else:
                elsewhere[name] = place
        if own or elsewhere:
            pages.append((package, own, elsewhere))
    return pages


def _identify(value, name):
    if inspect.isclass(value) or inspect.isfunction(value):
        return (value.__module__, value.__qualname__)
    return (id(value), name)


def write_pages(folder):
    """Write `index.rst` and one page per package to a folder."""
    folder.mkdir(exist_ok=True)
    pages = assign_pages()
    index = [_underline(TITLE, "="), TEXT, _indent(".. toctree::", ":maxdepth: 1", "")]
    index += [f"   {package.__name__}" for package, _, _ in pages]
    _write(folder / "index.rst", index)
    for package, own, elsewhere in pages:
        lines = [_underline(f"``{package.__name__}``", "="), read_first_paragraph(package), ""]
        lines += [f".. currentmodule:: {package.__name__}", ""]
        if own:
            lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
            lines += [f"   {name}" for name in own]
        if elsewhere:
            lines += ["", "Also here, documented under another package:", ""]
            lines += [f"- :obj:`{name} <{place}>`" for name, place in elsewhere.items()]
        _write(folder / f"{package.__name__}.rst", lines)


def read_first_paragraph(package):
    """Return the first paragraph of a docstring; the others are for readers of the code."""
    return (inspect.getdoc(package) or "").split("\n\n")[0]


def _underline(text, mark):
    return f"{text}\n{mark * len(text)}\n"


def _indent(first, *lines):
    return "\n".join([first, *(f"   {line}".rstrip() for line in lines)])


def _write(path: Path, lines):
    text = "\n".join(lines) + "\n"
    # Unchanged pages are not built again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app):
    """Write the pages before Sphinx looks for sources."""
    app.connect(
        "config-inited", lambda app, config: write_pages(Path(app.srcdir) / "api"), priority=1
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
