"""Data larger than memory: stores of systems, kernel matrices in files, encoding on clusters."""

from ldslearn.scale.dask_cluster import Cluster
from ldslearn.scale.dask_connection import use_cluster
from ldslearn.scale.encoding import encode_folder
from ldslearn.scale.feature_files import FolderFeatures, write_features
from ldslearn.scale.kernel_files import write_kernel
from ldslearn.scale.store import LDSStore

__all__ = [
    "Cluster",
    "FolderFeatures",
    "LDSStore",
    "encode_folder",
    "use_cluster",
    "write_features",
    "write_kernel",
]
