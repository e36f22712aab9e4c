"""A store as plain values."""

import hashlib
from typing import Any

from ldslearn.scale.store import LDSStore


def summarize_store(store: LDSStore) -> dict[str, Any]:
    """Return the sizes of a store, the items that were skipped, and what it was made from."""
    return {
        "path": str(store.path),
        "n_sequences": len(store),
        "n_channels": store.n_channels,
        "n_states": store.n_states,
        "n_shards": len(store.shards),
        "n_bytes": store.n_bytes,
        "skipped": [list(pair) for pair in store.skipped],
        **store.about,
    }


def identify_store(store: LDSStore) -> dict[str, Any]:
    """Return the sizes of a store and a fingerprint of its shards."""
    digests = "".join(shard.sha256 for shard in store.shards if shard.length)
    return {
        "store": store.path.name,
        "n_sequences": len(store),
        "n_channels": store.n_channels,
        "n_states": store.n_states,
        "fingerprint": hashlib.sha256(digests.encode()).hexdigest(),
    }
