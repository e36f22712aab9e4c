"""The connection to a Dask cluster that blocks of work are sent to."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ldslearn import _errors
from ldslearn._parallel import use_engine
from ldslearn.scale.dask_cluster import Cluster
from ldslearn.scale.dask_tasks import describe_no_workers, name_lost_scheduler

_TIMEOUT = 10.0  # seconds to find a scheduler, or its first worker
_QUIET = {"distributed.admin.large-graph-warning-threshold": "1 GiB"}
_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://.+:\d+|inproc://.+")


@contextmanager
def use_cluster(where: Any = None) -> Iterator[Cluster]:
    """Let everything inside the block that works in blocks do so on a Dask cluster.

    Parameters
    ----------
    where : str, distributed.Client, a Dask cluster or None, default=None
        Address of a scheduler, such as ``"tcp://host:8786"``; a client; a cluster such as
        ``distributed.LocalCluster``; None for the active client.

    Yields
    ------
    Cluster
        Its ``summary()`` counts repeated blocks and lost workers.

    Examples
    --------
    A cluster in this process; in earnest, give the address of a scheduler.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from distributed import LocalCluster
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import make_lds_sequences
    >>> from ldslearn.scale import use_cluster, write_kernel
    >>> systems = LDSEncoder(4).fit_transform(make_lds_sequences(2, 3, random_state=0)[0])
    >>> local = LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0")
    >>> with tempfile.TemporaryDirectory() as folder, local, use_cluster(local) as cluster:
    ...     K = write_kernel(Path(folder) / "kernel.npy", systems)
    ...     print(K.shape, cluster.summary()["blocks"])
    (6, 6) 1
    """
    try:
        import dask
        import distributed  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"a cluster needs the packages dask and distributed; got: {error}. "
            "Install them with: pip install 'ldslearn[dask]'"
        ) from None
    client, is_own = _find_client(where)
    try:
        with dask.config.set(_QUIET), name_lost_scheduler(client):
            try:
                client.wait_for_workers(1, timeout=_TIMEOUT)
            except TimeoutError:
                warnings.warn(describe_no_workers(client.scheduler.address), stacklevel=3)
            events = client.get_events("all")
            last = events[-1][0] if events else 0.0
            engine = Cluster(client, _last_event=last, _n_processes=len(client.nthreads()))
            with use_engine(engine):
                yield engine
    finally:
        if is_own:
            client.close(timeout=5)


def _find_client(where: Any) -> tuple[Any, bool]:
    """Return a client of what the user named, and whether it is to be closed in the end."""
    from distributed import Client, default_client

    if where is None:
        try:
            return default_client(), False  # type: ignore[no-untyped-call]
        except ValueError:
            raise ValueError(
                "use_cluster() must be given an address or a client, or find an active "
                "client; got none. Pass the scheduler's address, such as 'tcp://host:8786'."
            ) from None
    if isinstance(where, Client):
        return where, False
    if isinstance(where, str) and not _ADDRESS.fullmatch(where):  # Dask would wait for long
        raise _no_scheduler(where, "it must look like tcp://HOST:PORT")
    if not isinstance(where, str) and not hasattr(where, "scheduler_address"):
        rule = "be an address, a Client, a Dask cluster or None"
        raise _errors.invalid_parameter("where", rule, where)
    try:
        return Client(where, timeout=_TIMEOUT, set_as_default=False), True  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise _no_scheduler(where, error) from error


def _no_scheduler(address: str, reason: object) -> ConnectionError:
    return ConnectionError(
        f"cluster must be the address of a running Dask scheduler; got {address!r}: {reason}. "
        "Start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
    )
