"""Self-contained HTML pages of records, and the drawings on them as SVG and HTML text."""

from ldslearn.report.evaluation_page import render_evaluation_page
from ldslearn.report.reproduction_page import render_reproduction_page
from ldslearn.report.watch_page import render_watch_page

__all__ = ["render_evaluation_page", "render_reproduction_page", "render_watch_page"]
