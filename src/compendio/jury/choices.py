"""Several choices: every category of the codebook is a yes/no vote of its own."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pandas as pd

from compendio.codebook import Codebook, Variable
from compendio.contract import ENCONTRADA, NIVEIS
from compendio.erros import ErroDeEstudo
from compendio.jury.ballots import Ballots, Ints, outside_codebook

_WEAKEST = ["unanime", "maioria"]

#: One member's vote: its categories, quote by category, level by category.
Choice = tuple[frozenset[str], dict[str, str], dict[str, str]]


def count_choices(ballots: Ballots, which: Ints, codebook: Codebook, dispensada: bool) -> pd.DataFrame:
    """Decide the decisions `which` (positions in `ballots`) of several-choice variables.

    Yes needs more than N/2 of the members and one quote found (or an exempt category), no needs more
    than N/2; a member without a vote says neither. A decision is `sem_maioria` if any category is, else
    `sem_evidencia` if any is, else it has the weaker state of its categories. Returns the columns of
    `votar` that say what was decided, one row for each of `which`; spans are missing, as in the votes.
    """
    columns = ["valor", "evidencia", "nivel_evidencia", "estado", "por_isencao"]
    rows = []
    for k in which:
        variable = codebook.variaveis[ballots.variaveis[ballots.variavel[k]]]
        votes = [
            _choice(ballots, line, code)
            for line, code in zip(ballots.linha[k], ballots.codigo[k], strict=True)
        ]
        rows.append(_decide(votes, variable, dispensada))
    return pd.DataFrame(rows, columns=columns)


def _choice(ballots: Ballots, line: int, code: int) -> Choice | None:
    if code < 0:
        return None
    row = ballots.votos.iloc[line]
    return (
        frozenset(read_set(ballots.valores[code])),
        _object(row["evidencia"]),
        _object(row["nivel_evidencia"]),
    )


@lru_cache(maxsize=4096)
def read_set(valor: str) -> tuple[str, ...]:
    """The categories of a several-choice value (a JSON list); ErroDeEstudo if it is none."""
    try:
        found = json.loads(valor)
    except json.JSONDecodeError:
        found = None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ErroDeEstudo(
            f"O voto '{valor}' de uma variável de escolha múltipla não é uma lista JSON de categorias."
        )
    return tuple(found)


def _object(text: Any) -> dict[str, str]:
    return json.loads(text) if isinstance(text, str) and text else {}


def _decide(votes: list[Choice | None], variable: Variable, dispensada: bool) -> list[Any]:
    _check(votes, variable)
    n, states = len(votes), []
    chosen: dict[str, tuple[str | None, str]] = {}
    by_exemption = False
    for name in variable.categorias:
        yes = [vote for vote in votes if vote is not None and name in vote[0]]
        no = sum(vote is not None for vote in votes) - len(yes)
        if 2 * no > n:
            states.append(_WEAKEST[no < n])
        elif 2 * len(yes) > n:
            quote = _best_quote(name, yes)
            found = quote[1] in ENCONTRADA
            if found or variable.dispensa(name, dispensada):
                states.append(_WEAKEST[len(yes) < n])
                chosen[name] = quote
                by_exemption |= not found
            else:
                states.append("sem_evidencia")
        else:
            states.append("sem_maioria")
    for estado in ("sem_maioria", "sem_evidencia"):
        if estado in states:
            return [pd.NA, pd.NA, pd.NA, estado, False]
    quotes = {name: quote for name, (quote, _) in chosen.items() if quote is not None}
    levels = {name: nivel for name, (_, nivel) in chosen.items()}
    texts = [json.dumps(item, ensure_ascii=False) for item in (list(chosen), quotes, levels)]
    return [*texts, "maioria" if "maioria" in states else "unanime", by_exemption]


def _best_quote(name: str, yes: list[Choice]) -> tuple[str | None, str]:
    """The supporting quote with the best level, then the first by code points; its level."""
    options = [(evidence.get(name), levels.get(name) or "ausente") for _, evidence, levels in yes]
    return min(options, key=lambda option: (NIVEIS.index(option[1]), option[0] is None, option[0] or ""))


def _check(votes: list[Choice | None], variable: Variable) -> None:
    used = frozenset().union(*(vote[0] for vote in votes if vote is not None))
    unknown = sorted(used - variable.categorias.keys())
    if unknown:
        raise ErroDeEstudo([outside_codebook(variable.nome, name) for name in unknown])
