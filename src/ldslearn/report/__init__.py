"""One self-contained HTML page from the record of a run."""

from ldslearn.report.evaluation import evaluation_page

__all__ = ["evaluation_page"]
