"""The closest known name, for messages about a name that nobody knows."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable


def _bare(name: str) -> str:
    folded = unicodedata.normalize("NFD", name.casefold())
    return "".join(c for c in folded if not unicodedata.combining(c))


def closest(name: str, known: Iterable[str], cutoff: float = 0.6, short: bool = True) -> str | None:
    """The known name most like `name`, case and accents aside; None where none is like it.

    Parameters
    ----------
    cutoff
        Least similarity (difflib's ratio, 0 to 1).
    short
        Whether the beginning of a name stands for it (`doc` for `documento`), however unlike they are.
    """
    by_bare = {_bare(option): option for option in known}
    found = difflib.get_close_matches(_bare(name), list(by_bare), n=1, cutoff=cutoff)
    if found:
        return by_bare[found[0]]
    bare = _bare(name)
    begun = [o for o in by_bare if min(len(bare), len(o)) >= 3 and (o.startswith(bare) or bare.startswith(o))]
    return by_bare[begun[0]] if short and begun else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to do about an unknown name: the closest known one, else the list of those known (Portuguese)."""
    options = list(known)
    if near := closest(name, options):
        return f"você quis dizer «{near}»?"
    if not options:
        return "não há nenhum conhecido."
    more = f" e mais {len(options) - 12}" if len(options) > 12 else ""
    return f"os conhecidos são: {', '.join(options[:12])}{more}."
