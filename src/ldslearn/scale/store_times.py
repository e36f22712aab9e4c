"""The times of the tables that a store was made from, in words."""

from ldslearn.datasets.formats.time_columns import NONE
from ldslearn.datasets.rates import describe_time, parse_rates
from ldslearn.scale.store import LDSStore


def describe_time_of_store(store: LDSStore) -> str | None:
    """Return a line about the time column of the tables of a store; None without one."""
    reading = store.about["reading"]
    if reading["time"] in (None, NONE):
        return None
    files = {name.partition("#")[0] for name in store.read_texts("names") or ()}
    rates = parse_rates(store.read_texts("rates"))
    channels, n_channels = reading["channels"], store.n_channels
    return describe_time(reading["time"], len(files), rates, (), channels, n_channels)
