"""How the systems of a store were read, in words."""

from ldslearn.datasets.formats.time_columns import NONE
from ldslearn.datasets.rates import describe_time, parse_rates
from ldslearn.scale.store import LDSStore


def describe_time_of_store(store: LDSStore) -> str | None:
    """What was taken as time in the tables of a store, in one line; None without any."""
    reading = store.about["reading"]
    if reading["time"] in (None, NONE):
        return None
    files = {name.partition("#")[0] for name in store.texts("names") or ()}
    rates = parse_rates(store.texts("rates"))
    channels, n_channels = reading["channels"], store.n_channels
    return describe_time(reading["time"], len(files), rates, (), channels, n_channels)
