"""Seeded choice and order of documents: each one's place depends on its id and the seed alone.

Documents are ranked by a hash of seed and id, so reordering the corpus changes nothing, and a
document added elsewhere can push out at most the last of those chosen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence


def _rank(ident: str, semente: int) -> tuple[str, str]:
    # The id breaks the tie that a hash collision would leave to the order of the file.
    return hashlib.sha256(f"{semente}:{ident}".encode()).hexdigest(), ident


def seeded_order(ids: Iterable[str], semente: int) -> list[str]:
    """All ids in the order of their rank under the seed."""
    return sorted(ids, key=lambda ident: _rank(ident, semente))


def sample_ids(ids: Sequence[str], n: int, semente: int) -> list[str]:
    """The n ids of lowest rank under the seed (all, where there are fewer), in the order of `ids`."""
    chosen = set(seeded_order(ids, semente)[:n])
    return [ident for ident in ids if ident in chosen]
