from . import evaluation_tables as evaluation_tables
from . import inputs as inputs
from . import inspecting as inspecting
from . import library as library
from . import outputs as outputs
from . import predicting as predicting
from . import reporting as reporting
from . import running as running
from . import searching as searching
from . import stores as stores
from . import tables as tables
from . import watching as watching

def main() -> None: ...
