"""Self-contained HTML pages of records, and the drawings on them as SVG and HTML text."""

from ldslearn.report.eigenvalues import draw_eigenvalues
from ldslearn.report.evaluation_page import render_evaluation_page
from ldslearn.report.images import encode_png, format_film, format_image
from ldslearn.report.line_charts import Series, draw_lines
from ldslearn.report.matrices import draw_matrix
from ldslearn.report.reproduction_page import render_reproduction_page

__all__ = [
    "Series",
    "draw_eigenvalues",
    "draw_lines",
    "draw_matrix",
    "encode_png",
    "format_film",
    "format_image",
    "render_evaluation_page",
    "render_reproduction_page",
]
