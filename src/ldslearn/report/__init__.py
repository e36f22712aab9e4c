"""One self-contained HTML page from the record of a run, and the parts pages are made of."""

from ldslearn.report.eigenvalues import eigenvalue_chart
from ldslearn.report.evaluation import evaluation_page
from ldslearn.report.images import filmstrip, picture, png
from ldslearn.report.line_charts import Series, line_chart
from ldslearn.report.matrices import matrix_picture
from ldslearn.report.reproduction import reproduction_page

__all__ = [
    "Series",
    "eigenvalue_chart",
    "evaluation_page",
    "filmstrip",
    "line_chart",
    "matrix_picture",
    "picture",
    "png",
    "reproduction_page",
]
