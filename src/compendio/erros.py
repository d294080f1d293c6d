"""The one exception for what a user can mend: every message is a clear sentence in Portuguese."""

from __future__ import annotations

from collections.abc import Sequence


class ErroDeEstudo(Exception):
    """One or more problems that the user can mend.

    Parameters
    ----------
    problemas
        One sentence each: what is wrong, where (file, line, key), how to mend it. All problems
        that were found together are reported together.
    """

    def __init__(self, problemas: str | Sequence[str]) -> None:
        self.problemas: list[str] = [problemas] if isinstance(problemas, str) else list(problemas)
        super().__init__("\n".join(self.problemas))
