"""The tables and figures of the paper from the data at hand, and what they say of its claims."""

from ldslearn.paper.plans import plan_names
from ldslearn.paper.reproduction import reproduce

__all__ = ["plan_names", "reproduce"]
