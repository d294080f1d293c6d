"""Votes in, decisions out: a strict majority of the configured members, with evidence.

Value v is decided when more than N/2 of the N configured members voted v and at least one of those votes
has evidence found in the text, or v is exempt from evidence. A member that failed, or has no row, votes
for nothing and counts in N. A tie is a tie: no order of members, rows or letters ever breaks one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import ENCONTRADA, NIVEIS
from compendio.erros import ErroDeEstudo
from compendio.folding import normal_form
from compendio.jury.ballots import Ballots, Bools, Ints, gather, level_ranks, outside_codebook
from compendio.jury.choices import count_choices

#: Columns that a decision takes from the vote that supports it.
_CARRIED = ["evidencia", "nivel_evidencia", "inicio", "fim"]
#: Later than any place in a text.
_NOWHERE = 1 << 40
_LARGEST = np.iinfo(np.int64).max
_LAST_FOUND = max(NIVEIS.index(nivel) for nivel in ENCONTRADA)


def votar(
    votos: pd.DataFrame, codebook: Codebook, membros: Sequence[str], *, dispensada: bool = False
) -> pd.DataFrame:
    """The decisions of one round, with no fallback.

    Parameters
    ----------
    votos
        Contract rows of one round and one repetition, `fonte` = member; rows of other sources are left out.
    codebook
        Types, categories and evidence rules (`Variable.dispensa`).
    membros
        The N ≥ 2 configured members: the denominator, whoever answered.
    dispensada
        The study as a whole exempts values from evidence (`evidencia: dispensada`).

    Returns
    -------
    DataFrame
        One row for each (documento, variavel) with a row of any member, in that order:
        `valor` (missing where undecided; several choices: a JSON list in codebook order);
        `evidencia`, `nivel_evidencia`, `inicio`, `fim` of the supporting vote with the best level, then the
        earliest, then the first quote in code-point order (several choices: JSON objects, category → …);
        `estado`: `unanime` (all N voted it), `maioria`, `sem_evidencia` (a majority without evidence),
        `sem_maioria`; `votos`: JSON object member → vote as `valor` writes it, null for none, in the
        order of `membros`; `por_isencao`: decided, and only because the value is exempt.

    Free text counts by `folding.normal_form`; the value is the majority's most frequent original, then
    the first in code-point order.

    Raises ErroDeEstudo for a vote outside the codebook, ValueError for two votes of one member.
    """
    ballots = gather(votos, codebook, membros)
    ranks = None if votos["nivel_evidencia"].isna().all() else level_ranks(ballots.votos)
    decisions = _count(ballots, ranks, codebook, membros, dispensada)
    types = np.array([codebook.variaveis[name].tipo for name in ballots.variaveis], dtype=object)
    multiple = np.flatnonzero((types == "multipla")[ballots.variavel])
    if len(multiple):
        counted = count_choices(ballots, multiple, codebook, dispensada)
        for name in counted:
            column = decisions[name].astype(object)
            column.iloc[multiple] = counted[name].to_numpy()
            decisions[name] = column.astype(decisions[name].dtype)
    return decisions


def _count(
    ballots: Ballots, ranks: Ints | None, codebook: Codebook, membros: Sequence[str], dispensada: bool
) -> pd.DataFrame:
    """Count categorical and free text; the decisions of several choices are left undecided.

    A decision follows from its variable, the members' values and whether each one's evidence was found.
    There are far fewer such combinations than decisions, so each is counted once.
    """
    n = ballots.codigo.shape[1]
    cast, one_of_each = _combinations(ballots.variavel, ballots.codigo, len(ballots.valores))
    texts = _votes_as_json(ballots.codigo[one_of_each], ballots.valores, membros).take(cast)
    found = np.zeros(ballots.codigo.shape, dtype=bool)
    if ranks is not None:
        found = (ranks <= _LAST_FOUND)[ballots.linha]
        cast, one_of_each = _combinations(cast, found, 1)

    variable, codigo = ballots.variavel[one_of_each], ballots.codigo[one_of_each]
    compared = _compared_codes(codigo, variable, ballots, codebook)
    # A value of more than half of the members holds the middle of the sorted line.
    candidate = np.sort(compared, axis=1)[:, n // 2]
    support = (compared == candidate[:, None]) & (candidate >= 0)[:, None]
    count = support.sum(axis=1)
    majority = 2 * count > n
    valor = np.where(majority, candidate, -1)
    # Votes that count as equal are written alike, but for free text.
    for k in np.flatnonzero(majority & (codigo != compared).any(axis=1)):
        valor[k] = _most_frequent(codigo[k][support[k]])
    evidence = (support & found[one_of_each]).any(axis=1)
    decided = majority & (evidence | _exempt(variable, valor, ballots, codebook, dispensada))
    valor[~decided] = -1
    estado = np.select(
        [decided & (count == n), decided, majority], ["unanime", "maioria", "sem_evidencia"], "sem_maioria"
    )
    best = _supporting_rows(ballots, support & decided[:, None], cast, ranks)
    return pd.DataFrame(
        {
            "documento": pd.array(ballots.documento, dtype="str"),
            "variavel": pd.array(ballots.nome, dtype="str"),
            "valor": pd.array([*ballots.valores, None], dtype="str").take(valor).take(cast),
            **{name: _carried(ballots.votos[name], best) for name in _CARRIED},
            "estado": pd.array(estado, dtype="str").take(cast),
            "votos": texts,
            "por_isencao": (decided & ~evidence)[cast],
        }
    )


def _combinations(start: Ints, columns: Ints | Bools, highest: int) -> tuple[Ints, Ints]:
    """(P,) the number of each line's combination of `start` and `columns`; one line for each number.

    The columns hold -1 to `highest`.
    """
    number, largest = start, int(start.max(initial=0))
    for column in columns.T:
        if largest >= _LARGEST // (highest + 3):
            number = pd.factorize(number)[0]  # numbered anew, so that any number of members fits
            largest = len(number)
        number = number * (highest + 2) + column + 1
        largest = (largest + 1) * (highest + 2)
    number = pd.factorize(number)[0]
    one_of_each = np.empty(number.max(initial=-1) + 1, dtype=np.int64)
    one_of_each[number] = np.arange(len(number))
    return number, one_of_each


def _compared_codes(codigo: Ints, variable: Ints, ballots: Ballots, codebook: Codebook) -> Ints:
    """Codes that are equal where the votes count as equal; -1 for no vote and for several choices.

    Raises ErroDeEstudo for a vote that is no category of its variable.
    """
    compared, problems = codigo.copy(), []
    for k, name in enumerate(ballots.variaveis):
        lines, body = variable == k, codebook.variaveis[name]
        used = {c: ballots.valores[c] for c in np.unique(codigo[lines]).tolist() if c >= 0}
        if body.tipo == "multipla":
            compared[lines] = -1
        elif body.tipo == "texto":
            same, forms = np.full(len(ballots.valores) + 1, -1, dtype=np.int64), dict[str, int]()
            for c, value in used.items():
                same[c] = forms.setdefault(normal_form(value), c)
            compared[lines] = same[codigo[lines]]
        else:
            problems += [outside_codebook(name, v) for v in used.values() if v not in body.categorias]
    if problems:
        raise ErroDeEstudo(problems)
    return compared


def _most_frequent(codes: Ints) -> int:
    """The most frequent of some values, then the first: `valores` stands in code-point order."""
    return min(Counter(codes.tolist()).items(), key=lambda item: (-item[1], item[0]))[0]


def _exempt(variable: Ints, valor: Ints, ballots: Ballots, codebook: Codebook, dispensada: bool) -> Bools:
    """Whether each value needs no evidence: asked once for each different (variable, value)."""
    width = len(ballots.valores) + 1
    pairs, which = np.unique(variable * width + valor + 1, return_inverse=True)
    answers = [
        c > 0 and codebook.variaveis[ballots.variaveis[k]].dispensa(ballots.valores[c - 1], dispensada)
        for k, c in (divmod(pair, width) for pair in pairs.tolist())
    ]
    return np.array(answers, dtype=bool)[which]


def _carried(column: pd.Series, best: Ints) -> Any:
    """(P,) what each supporting row has in a column; missing where there is no such row."""
    if column.isna().all():
        return column.array[: len(best)]  # there is a row at least for every decision
    return column.array.take(best, allow_fill=True)


def _supporting_rows(ballots: Ballots, support: Bools, cast: Ints, ranks: Ints | None) -> Ints:
    """(P,) the position in `votos` of the row whose quote the decision carries; -1 where undecided.

    `support` says for each combination whose votes speak for its decision.
    """
    if ranks is None and all(ballots.votos[name].isna().all() for name in _CARRIED):
        return np.full(len(cast), -1, dtype=np.int64)  # a study of votes alone
    inicio = ballots.votos["inicio"].array.to_numpy(dtype=np.int64, na_value=_NOWHERE)
    # Level, then place, as one number a row; one more serves the line -1 of a missing row.
    key = np.append(inicio, _NOWHERE) + (0 if ranks is None else ranks * (2 * _NOWHERE))
    lines = ballots.linha.T  # members × decisions: what is compared stands side by side
    keys = np.where(support.T[:, cast], key[lines], _LARGEST)
    least = keys.min(axis=0)
    decided = least < _LARGEST
    best = np.where(decided, lines[keys.argmin(axis=0), np.arange(len(cast))], -1)
    equal = (keys == least) & decided
    tied = np.flatnonzero(np.count_nonzero(equal, axis=0) > 1)
    if len(tied):
        member, line = np.nonzero(equal[:, tied])
        rows = lines[member, tied[line]]
        order = np.lexsort((_quote_order(ballots.votos["evidencia"].array.take(rows)), line))[::-1]
        best[tied[line[order]]] = rows[order]  # the last to be written is the first quote
    return best


def _quote_order(quotes: Any) -> Ints:
    """The place of each quote in code-point order; no quote comes last."""
    codes, found = pd.factorize(quotes)
    place = np.empty(len(found) + 1, dtype=np.int64)
    place[np.argsort(np.array(found, dtype=object))] = np.arange(len(found))
    place[-1] = len(found)
    return place[codes]


def _votes_as_json(codigo: Ints, valores: list[str], membros: Sequence[str]) -> Any:
    """(lines,) each line's votes as a JSON object, member → value."""
    names = [json.dumps(name, ensure_ascii=False) for name in membros]
    words = [json.dumps(value, ensure_ascii=False) for value in [*valores, None]]
    texts = [
        f"{{{', '.join(f'{name}: {words[c]}' for name, c in zip(names, codes, strict=True))}}}"
        for codes in codigo.tolist()
    ]
    return pd.array(texts, dtype="str")
