"""One line of the table of claims, and the four verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

VALE, EM_PARTE, NAO_VALE, NAO_TESTAVEL = "vale", "vale em parte", "não vale", "não testável aqui"


@dataclass(frozen=True)
class Claim:
    """One line: `afirmacao` → `achado` → `veredito`; `valor` is the number that the finding rests on."""

    id: str
    afirmacao: str
    achado: str
    veredito: str
    valor: float = np.nan
