"""Settings of the documentation site; `make docs` builds it."""

import os
import re
import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

import ldslearn

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("MPLBACKEND", "Agg")

project = "ldslearn"
author = "The ldslearn developers"
copyright = "The ldslearn developers, BSD-3-Clause"
version = release = ldslearn.__version__

extensions = [
    "myst_parser",
    "name_links",  # docs/name_links.py
    "numpydoc",
    "public_names",  # docs/public_names.py
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/**/GALLERY_HEADER.rst", "evidence"]
templates_path = ["_templates"]
default_role = "code"

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"  # docstrings name the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template of a class lists them

GROUPS = ["systems", "geometry", "learning", "data"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("ldslearn",),
    "download_all_examples": False,
    "min_reported_time": 5,
    "remove_config_comments": True,
    "subsection_order": ExplicitOrder([f"../examples/{name}" for name in GROUPS]),
    "within_subsection_order": "FileNameSortKey",
    "show_signature": False,
    "write_computation_times": False,
}

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "ldslearn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
toc_object_entries_show_parents = "hide"  # methods without the name of their class
html_theme_options = {
    "github_url": "https://github.com/ldslearn/ldslearn",
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 1,
    "show_toc_level": 2,
    "use_edit_page_button": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "changelog": []}


def keep_text_of_references(app, what, name, obj, options, lines):
    """Replace references of inherited docstrings to pages of scikit-learn by their text."""
    lines[:] = [re.sub(r":ref:`([^<`]+?) *<[^>]+>`", r"\1", line) for line in lines]


def setup(app):
    """Connect what is above to Sphinx."""
    app.connect("autodoc-process-docstring", keep_text_of_references)
