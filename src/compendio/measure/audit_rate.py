"""The blind audit of unanimous decisions: how often the auditor diverges, and what the reference says there."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from compendio.erros import ErroDeEstudo
from compendio.jury.decide import PAR
from compendio.measure.agreement import wilson_interval
from compendio.measure.coders import Coders
from compendio.study import Study

#: What the audit leaves, beside the other tables: one row a judged decision.
ARQUIVO = "auditoria.csv"
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class AuditRate:
    """Rate of divergence between auditor and jury among the unanimous decisions drawn.

    Attributes
    ----------
    judged, wrong
        Decisions judged, and those in which the auditor diverges from the jury.
    rate, low, high
        Their share with Wilson's interval, which covers the sampling only, not the auditor's own errors.
    with_reference, reference_wrong, both_wrong
        Of those judged: how many have a value in the reference; in how many of these the reference diverges
        from the jury; in how many both do.
    """

    judged: int
    wrong: int
    rate: float
    low: float
    high: float
    with_reference: int
    reference_wrong: int
    both_wrong: int


def audit_rate(coders: Coders, judged: pd.DataFrame) -> AuditRate:
    """The rate from `judged`: `documento, variavel, confirmada` (whether the auditor agrees with the jury).

    Raises ErroDeEstudo where a decision is none of the jury's unanimous ones: the audit is of another run.
    """
    index = pd.MultiIndex.from_frame(judged[PAR])
    state = coders.decisions["juri"]["estado"].reindex(index)
    foreign = index[(state != "unanime").fillna(True).to_numpy()]
    if len(foreign):
        documento, variavel = foreign[0]
        raise ErroDeEstudo(
            f"A auditoria julga {len(foreign)} decisões que não são unânimes (a primeira: «{variavel}» de "
            f"«{documento}»); ela é de outra rodada do júri: rode de novo o notebook 3-auditoria."
        )
    wrong = ~judged["confirmada"].to_numpy(dtype=bool)
    known = pd.Series(coders.known, coders.values.index).reindex(index).to_numpy(dtype=bool)
    right = pd.Series(coders.right("juri"), coders.values.index).reindex(index).to_numpy(dtype=bool)
    k, n = int(wrong.sum()), len(judged)
    low, high = wilson_interval(k, n)
    return AuditRate(
        judged=n,
        wrong=k,
        rate=k / n if n else float("nan"),
        low=low,
        high=high,
        with_reference=int(known.sum()),
        reference_wrong=int((known & ~right).sum()),
        both_wrong=int((known & ~right & wrong).sum()),
    )


def read_audit(study: Study) -> pd.DataFrame | None:
    """The judged decisions as notebook 3 wrote them (`tabelas/auditoria.csv`); None where there are none yet.

    Raises ErroDeEstudo where the file lacks a column, or `confirmada` is neither true nor false.
    """
    path = study.relatorios / "tabelas" / ARQUIVO
    if not path.exists():
        return None
    table = pd.read_csv(path, dtype="str")
    missing = [name for name in [*PAR, "confirmada"] if name not in table]
    if missing:
        raise ErroDeEstudo(
            f"{path}: falta a coluna {', '.join(missing)}; rode de novo o notebook 3-auditoria."
        )
    answers = table["confirmada"].str.lower().map(_TRUTHS)
    if answers.isna().any():
        raise ErroDeEstudo(
            f"{path}: «confirmada» deve ser true ou false em cada linha; rode de novo o notebook 3-auditoria."
        )
    return table.assign(confirmada=answers.astype(bool))
