"""What the search does not decide: order of the documents, free text, seconds, and the auditor's answers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import metas
import numpy as np

DOCUMENTOS = [f"p{i:03d}" for i in range(1, 201)]
AUSENTE = "não informado"

# Variables whose reference values go together in one document, so that no document is absurd (a survey
# in a theoretical essay): both are sorted by these orders and laid side by side.
LADO_A_LADO = [
    {
        "abordagem": ["qualitativa", "mista", "quantitativa", "teorica"],
        "tecnica_principal": [
            "entrevistas", "observacao", "documentos", "estudo_de_caso", "nao_informado", "questionario",
            "dados_secundarios", "bibliografia",
        ],
    },
    {
        "brasil_como_caso": ["unico", "comparado", "ausente"],
        "recorte_geografico": ["municipal", "estadual", "nacional", "internacional", "sem_recorte"],
    },
]  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """One variable of one document: the reference, three first votes, three second votes (main first)."""

    reference: str
    first: tuple[str, str, str]
    second: tuple[str, str, str]
    deliberated: bool

    @property
    def unanimous(self) -> bool:
        return len(set(self.first)) == 1


def documents_in_order(goals: metas.Metas, found: np.ndarray, seed: int) -> dict[str, list[Decision]]:
    """Variable → its 200 decisions, so arranged that place i of every variable is one document."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[Decision]] = {}
    for v, name in enumerate(goals.variables):
        names = goals.categories[v]
        rows = found[v * len(DOCUMENTOS) : (v + 1) * len(DOCUMENTOS)]
        columns[name] = []
        for row in rows[rng.permutation(len(rows))]:
            value = [names[k] for k in row]
            first, second = (value[1], value[2], value[3]), (value[4], value[5], value[6])
            columns[name].append(Decision(value[0], first, second, len(set(first)) > 1))
    for group in LADO_A_LADO:
        order = rng.permutation(len(DOCUMENTOS))  # one for the group, so that groups do not go together
        for name, ranks in group.items():
            side = [d for value in ranks for d in columns[name] if d.reference == value]
            columns[name] = [side[i] for i in order]
    return columns


def free_text(published: dict[str, Any], right: dict[str, int], seed: int) -> list[Decision]:
    """200 decisions on the period: unanimous, majority, none; `right` of each agree with the reference."""
    rng = np.random.default_rng([seed, 1])
    ones, twos = published["unanimes"]["valor"], published["maioria"]["valor"]
    kinds = ["unanimes"] * ones + ["maioria"] * twos + ["sem"] * published["sem_maioria"]
    decisions = []
    left = dict(right)
    for kind in kinds:
        pool = _periods(rng)
        good = left[kind] > 0
        left[kind] -= good
        if kind == "unanimes":
            votes, decided = [pool[0]] * 3, pool[0]
        elif kind == "maioria":
            votes, decided = [pool[0]] * 3, pool[0]
            votes[rng.integers(3)] = pool[1]
        else:
            votes, decided = pool[:3], pool[0]
        others = [v for v in dict.fromkeys([*votes, pool[3]]) if v != decided]
        reference = decided if good else others[rng.integers(len(others))]
        first = (votes[0], votes[1], votes[2])
        decisions.append(Decision(reference, first, first, False))
    return [decisions[i] for i in rng.permutation(len(decisions))]


def _periods(rng: np.random.Generator) -> list[str]:
    """Four different answers about one document, as models give them: the span, parts of it, none."""
    start = int(rng.integers(1946, 2018))
    end = int(rng.integers(start + 2, min(start + 30, 2025) + 1))
    answers = [f"{start}–{end}", f"{start + 1}–{end}", f"{start}", AUSENTE]
    return [answers[i] for i in rng.permutation(4)]


def seconds(
    study: dict[str, list[Decision]], members: list[str], published: dict[str, Any], seed: int
) -> dict[tuple[str, int, int, str], str]:
    """(member, round, place, variable) → seconds of a call, once a call: on its first variable.

    A call is one document in one round. Its length is drawn (lognormal) and scaled so that the member's
    minutes in the round are the published ones.
    """
    rng = np.random.default_rng([seed, 2])
    time = {}
    for rodada, stage in ((1, "rodada_1"), (2, "deliberacao")):
        calls = []
        for i in range(len(DOCUMENTOS)):
            asked = [name for name, column in study.items() if rodada == 1 or column[i].deliberated]
            if asked:
                calls.append((i, asked[0]))
        for member in members:
            total = 6000 * published[stage]["por_membro"][member]  # hundredths of a second
            drawn = rng.lognormal(0, 0.25, len(calls))
            ends = np.round(np.cumsum(drawn) / drawn.sum() * total).astype(int)
            for (i, name), cost in zip(calls, np.diff(ends, prepend=0), strict=True):
                time[member, rodada, i, name] = f"{cost / 100:.2f}"
    return time


def draw_audit(study: dict[str, list[Decision]], settings: dict[str, Any]) -> list[tuple[int, str]]:
    """The (place, variable) pairs that the study's audit draws among unanimous decisions."""
    n, seed = settings["auditoria"]["n"], settings["auditoria"]["semente"]
    unanimous = [
        (i, name) for i in range(len(DOCUMENTOS)) for name, column in study.items() if column[i].unanimous
    ]
    ranks = {
        (i, name): hashlib.sha256(f"{seed}:{DOCUMENTOS[i]}:{name}".encode()).hexdigest()
        for i, name in unanimous
    }
    return sorted(sorted(unanimous, key=lambda pair: ranks[pair])[:n])


def audit(
    study: dict[str, list[Decision]], drawn: list[tuple[int, str]]
) -> list[tuple[str, str, str, str]] | None:
    """The auditor's answers (documento, variavel, confirmada, opiniao); None where the draw does not fit.

    Two are judged wrong: a theoretical essay that all members call nao_informado, and another
    categorical decision in which the reference differs from the jury, too. The opinion is the
    reference's value. The rest is confirmed, whatever the reference says.
    """
    differing = [
        (i, name) for i, name in drawn
        if name != "periodo_analisado" and study[name][i].first[0] != study[name][i].reference
    ]  # fmt: skip
    essays = [
        (i, name) for i, name in differing
        if name == "tecnica_principal"
        and (study[name][i].first[0], study[name][i].reference) == ("nao_informado", "bibliografia")
    ]  # fmt: skip
    rest = [pair for pair in differing if pair not in essays]
    if not essays or not rest:
        return None
    wrong = {essays[0], rest[0]}
    answers = []
    for i, name in drawn:
        decision = study[name][i]
        confirmed, opinion = (
            ("false", decision.reference) if (i, name) in wrong else ("true", decision.first[0])
        )
        answers.append((DOCUMENTOS[i], name, confirmed, opinion))
    return answers
