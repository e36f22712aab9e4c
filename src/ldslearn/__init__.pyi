from . import auto as auto
from . import classify as classify
from . import cluster as cluster
from . import coding as coding
from . import datasets as datasets
from . import demo as demo
from . import dictionary as dictionary
from . import evaluate as evaluate
from . import geometry as geometry
from . import models as models
from . import paper as paper
from . import persist as persist
from . import plot as plot
from . import random_systems as random_systems
from . import report as report
from . import scale as scale
from . import sequences as sequences
from . import video as video
from .auto import AutoLDSClassifier as AutoLDSClassifier
from .classify import LDSSVC as LDSSVC
from .classify import DictionaryClassifier as DictionaryClassifier
from .classify import NearestLDSClassifier as NearestLDSClassifier
from .classify import SparseCodingClassifier as SparseCodingClassifier
from .cluster import LDSKMeans as LDSKMeans
from .coding import SparseCoder as SparseCoder
from .coding import sparse_code as sparse_code
from .dictionary import FiniteDictionary as FiniteDictionary
from .dictionary import LDSDictionary as LDSDictionary
from .models import LDS as LDS
from .models import LDSEncoder as LDSEncoder
from .persist import load as load
from .persist import save as save
from .random_systems import RandomSystems as RandomSystems
from .random_systems import RandomSystemsClassifier as RandomSystemsClassifier

__all__: list[str]
__version__: str
