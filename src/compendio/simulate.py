"""Juries with a known truth: before any figure is believed, a simulated one must be recovered.

Nothing here stands for a real model: whoever shows it says that it is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from compendio.contract import conform


@dataclass(frozen=True)
class SimulatedMember:
    """A member that is right with a known probability.

    Attributes
    ----------
    nome, familia
        Members of one family can err together.
    acuracia
        Probability that a vote is the truth; an error is one of the other categories, each as likely.
    encontrada
        Probability that a vote's quote is found in the text.
    falha
        Probability that there is no vote.
    """

    nome: str
    familia: str
    acuracia: float
    encontrada: float = 1.0
    falha: float = 0.0


@dataclass(frozen=True)
class SimulatedJury:
    """`verdade`: documento, valor; `votos`: contract rows of round 1, one for each document and member."""

    verdade: pd.DataFrame
    votos: pd.DataFrame


def simulate_jury(
    n: int,
    categorias: Sequence[str],
    membros: Sequence[SimulatedMember],
    *,
    correlacao: float = 0.0,
    semente: int,
    variavel: str = "simulada",
    prevalencia: Sequence[float] | None = None,
) -> SimulatedJury:
    """Draw the truth of `n` documents and the members' votes on one categorical variable.

    Parameters
    ----------
    correlacao
        Probability, for each document and family, that the family answers as one: its members share one
        draw of luck and one wrong category, so those of equal accuracy vote alike. Each member's own
        accuracy stays what it is; the correlation between two members of equal accuracy of one family
        being right is `correlacao`, and 0 between families.
    semente
        Seed; the same arguments give the same tables.
    prevalencia
        Share of each category among the truths; equal by default.

    Raises
    ------
    ValueError
        Fewer than 2 categories, repeated names, or probabilities outside 0 to 1.
    """
    _check(categorias, membros, correlacao)
    rng = np.random.default_rng(semente)
    k = len(categorias)
    names = np.array(categorias, dtype=object)
    documents = np.array([f"s{i:0{len(str(max(n - 1, 0)))}d}" for i in range(n)], dtype=object)
    truth = rng.choice(k, size=n, p=prevalencia)

    families = sorted({member.familia for member in membros})
    as_one = {name: rng.random(n) < correlacao for name in families}
    shared = {name: (rng.random(n), rng.integers(1, k, size=n)) for name in families}
    parts = []
    for member in membros:
        luck, shift = rng.random(n), rng.integers(1, k, size=n)
        together = as_one[member.familia]
        luck = np.where(together, shared[member.familia][0], luck)
        shift = np.where(together, shared[member.familia][1], shift)
        vote = np.where(luck < member.acuracia, truth, (truth + shift) % k)
        failed = rng.random(n) < member.falha
        found = rng.random(n) < member.encontrada
        start = rng.integers(0, 1000, size=n)
        part = pd.DataFrame(
            {
                "documento": documents,
                "variavel": variavel,
                "rodada": 1,
                "valor": names[vote],
                "evidencia": [f"trecho simulado {place}" for place in start],
                "nivel_evidencia": np.where(found, "exata", "nao_encontrada"),
                "inicio": pd.array(start, dtype="Int64"),
                "fim": pd.array(start + 10, dtype="Int64"),
                "falha": pd.array([None] * n, dtype="str"),
                "fonte": member.nome,
            }
        )
        part.loc[~found, ["inicio", "fim"]] = pd.NA
        part.loc[failed, ["valor", "evidencia", "nivel_evidencia", "inicio", "fim"]] = pd.NA
        part.loc[failed, "falha"] = "json_invalido"
        parts.append(part)
    verdade = pd.DataFrame({"documento": documents, "valor": names[truth]}, dtype="str")
    return SimulatedJury(verdade, conform(pd.concat(parts, ignore_index=True)))


def _check(categorias: Sequence[str], membros: Sequence[SimulatedMember], correlacao: float) -> None:
    if len(categorias) < 2 or len(set(categorias)) < len(categorias):
        raise ValueError(f"two or more different categories are needed: {list(categorias)}")
    names = [member.nome for member in membros]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"different members are needed: {names}")
    chances = [correlacao, *(p for m in membros for p in (m.acuracia, m.encontrada, m.falha))]
    if not all(0 <= p <= 1 for p in chances):
        raise ValueError(f"probabilities lie between 0 and 1: {chances}")
