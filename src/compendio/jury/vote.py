"""Votes in, decisions out: a strict majority of the configured members, with evidence.

Value v is decided when more than N/2 of the N configured members voted v and at least one of those votes
has evidence found in the text, or v is exempt from evidence. A member that failed, or has no row, votes
for nothing and counts in N. A tie is a tie: no order of members, rows or letters ever breaks one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.codebook import Codebook
from compendio.contract import ENCONTRADA, NIVEIS
from compendio.evidence import normal_form
from compendio.jury.ballots import Ballots, Ints, gather, level_ranks
from compendio.jury.choices import count_choices

Bools = NDArray[np.bool_]

COLUNAS_DO_VOTO = [
    "documento",
    "variavel",
    "valor",
    "evidencia",
    "nivel_evidencia",
    "inicio",
    "fim",
    "estado",
    "votos",
    "por_isencao",
]
#: Later than any place in a text.
_NOWHERE = 1 << 40
_FOUND = sorted(NIVEIS.index(nivel) for nivel in ENCONTRADA)[-1]


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

    Free text counts by `evidence.normal_form`; the value is the majority's most frequent original, then
    the first in code-point order.

    Raises ErroDeEstudo for a vote outside the codebook, ValueError for two votes of one member.
    """
    ballots = gather(votos, codebook, membros)
    decisions = _count_values(ballots, codebook, dispensada)
    multiple = np.flatnonzero(ballots.tipo == "multipla")
    if len(multiple):
        decisions = decisions.astype({"valor": object, "evidencia": object, "nivel_evidencia": object})
        counted = count_choices(ballots, multiple, codebook, dispensada)
        for name in counted:
            decisions.iloc[multiple, decisions.columns.get_loc(name)] = counted[name].to_numpy()
        decisions = decisions.astype({"valor": "str", "evidencia": "str", "nivel_evidencia": "str"})
    decisions["votos"] = _votes_as_json(ballots, membros)
    return decisions[COLUNAS_DO_VOTO]


def _count_values(ballots: Ballots, codebook: Codebook, dispensada: bool) -> pd.DataFrame:
    """Categorical and free-text decisions; the rows of several choices are left undecided."""
    n = ballots.linha.shape[1]
    codigo = _compared_codes(ballots)
    # A value of more than half of the members holds the middle of the sorted line.
    candidate = np.sort(codigo, axis=1)[:, n // 2]
    support = (codigo == candidate[:, None]) & (candidate >= 0)[:, None]
    count = support.sum(axis=1)
    majority = 2 * count > n

    votos = ballots.votos
    rank = np.append(level_ranks(votos), len(NIVEIS))[ballots.linha]
    found = (support & (rank <= _FOUND)).any(axis=1)
    valor = np.where(majority, candidate, -1)
    text = np.flatnonzero(majority & (ballots.tipo == "texto"))
    for k in text:
        valor[k] = _most_frequent(ballots.codigo[k][support[k]])
    exempt = _exempt(valor, ballots, codebook, dispensada)
    decided = majority & (found | exempt)

    estado = np.full(len(majority), "sem_maioria", dtype=object)
    estado[majority] = "sem_evidencia"
    estado[decided] = "maioria"
    estado[decided & (count == n)] = "unanime"
    best = _supporting_rows(ballots, support & decided[:, None], rank)
    valor[~decided] = -1
    return pd.DataFrame(
        {
            "documento": ballots.documento,
            "variavel": ballots.variavel,
            "valor": pd.array(ballots.valores, dtype="str").take(valor, allow_fill=True),
            **{
                name: votos[name].array.take(best, allow_fill=True)
                for name in ("evidencia", "nivel_evidencia", "inicio", "fim")
            },
            "estado": estado,
            "por_isencao": decided & ~found,
        }
    )


def _compared_codes(ballots: Ballots) -> Ints:
    """(P, N) codes that are equal where the votes count as equal; -1 for no vote and for several choices."""
    codigo = ballots.codigo.copy()
    codigo[ballots.tipo == "multipla"] = -1
    text = ballots.tipo == "texto"
    if text.any():
        used = np.unique(codigo[text])
        forms = {c: normal_form(ballots.valores[c]) for c in used if c >= 0}
        place = {form: k for k, form in enumerate(dict.fromkeys(forms.values()))}
        same = np.full(len(ballots.valores) + 1, -1, dtype=np.int64)
        for c, form in forms.items():
            same[c] = place[form]
        codigo[text] = same[codigo[text]]
    return codigo


def _most_frequent(codes: Ints) -> int:
    """The most frequent of some values, then the first: `valores` stands in code-point order."""
    return min(Counter(codes.tolist()).items(), key=lambda item: (-item[1], item[0]))[0]


def _exempt(valor: Ints, ballots: Ballots, codebook: Codebook, dispensada: bool) -> Bools:
    """(P,) whether the candidate needs no evidence: asked once for each different (variable, value)."""
    var, variables = pd.factorize(ballots.variavel)
    key = np.where(valor >= 0, var * (len(ballots.valores) + 1) + valor, -1)
    inverse, keys = pd.factorize(key)
    answers = []
    for k in keys:
        if k < 0:
            answers.append(False)
            continue
        which, value = divmod(int(k), len(ballots.valores) + 1)
        variable = codebook.variaveis[variables[which]]
        answers.append(variable.dispensa(ballots.valores[value], dispensada))
    return np.array(answers, dtype=bool)[inverse]


def _supporting_rows(ballots: Ballots, support: Bools, rank: Ints) -> Ints:
    """(P,) the position in `votos` of the row whose quote the decision carries; -1 where undecided."""
    inicio = ballots.votos["inicio"].astype("Int64").to_numpy(dtype=np.int64, na_value=_NOWHERE)
    key = np.where(
        support, rank * (2 * _NOWHERE) + np.append(inicio, 0)[ballots.linha], np.iinfo(np.int64).max
    )
    least = key.min(axis=1)
    chosen = key.argmin(axis=1)
    tied = support & (key == least[:, None])
    lines = np.flatnonzero(tied.sum(axis=1) > 1)
    if len(lines):
        chosen[lines] = _first_quote(ballots, lines, tied[lines])
    best = np.take_along_axis(ballots.linha, chosen[:, None], axis=1)[:, 0]
    return np.where(support.any(axis=1), best, -1)


def _first_quote(ballots: Ballots, lines: Ints, tied: Bools) -> Ints:
    """Among equally good and equally early votes, the member whose quote comes first by code points."""
    rows = ballots.linha[lines]
    flat = rows[tied]
    codes, quotes = pd.factorize(ballots.votos["evidencia"].array.take(flat))
    order = np.argsort(np.array(quotes, dtype=object))
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    place[-1] = len(order)  # no quote comes last
    position = np.full(rows.shape, len(order) + 1, dtype=np.int64)
    position[tied] = place[codes]
    return position.argmin(axis=1)


def _votes_as_json(ballots: Ballots, membros: Sequence[str]) -> pd.api.extensions.ExtensionArray:
    """(P,) each decision's votes; written once for each different combination."""
    pattern = np.zeros(len(ballots.codigo), dtype=np.int64)
    for column in ballots.codigo.T:
        # Numbering the combinations anew after each member keeps them small, whatever N.
        pattern = pd.factorize(pattern * (len(ballots.valores) + 1) + column + 1)[0]
    _, first = np.unique(pattern, return_index=True)
    texts = [
        json.dumps(
            {name: ballots.valores[c] if c >= 0 else None for name, c in zip(membros, codes, strict=True)},
            ensure_ascii=False,
        )
        for codes in ballots.codigo[first].tolist()
    ]
    return pd.array(texts, dtype="str").take(pattern)
