"""Validation: what the jury's decisions are worth against a reference, and what they cost.

The whole of it in one import, for the notebook; the parts, in the order in which it reads them:

    coders              every source of a study on the same decisions
    reference           which coder is the reference, and why
    families            families of coders; comparisons that are circular
    kappa_tables        kappa per variable and coder, on shared resamples; AC1, alpha, prevalence
    set_and_text_tables several choices by category and as sets; free text
    against_main        McNemar against the main model; each single member against the jury
    decision_kinds      agreement by kind of decision; selective reliance
    deliberation_effect votes and decisions moved; the supervisor
    audit_rate          the blind audit of unanimous decisions
    cost                minutes, times the main model, the whole corpus
    stability           what changes when the same question is asked again
    prevalence          how much of each category the whole corpus holds, corrected for the machine's errors

How they are shown, printed and drawn: `report.validation_tables`, `prevalence_tables`, `validation_numbers`,
`validation_figures`.
"""

from __future__ import annotations

from compendio.measure.against_main import coder_summary, mcnemar_table, member_against_jury
from compendio.measure.audit_rate import AuditRate, audit_rate, read_audit
from compendio.measure.coders import TODAS, Coders, gather_coders, read_coders
from compendio.measure.cost import Cost, cost
from compendio.measure.decision_kinds import agreement_by_kind, composition_notes, selective_reliance
from compendio.measure.deliberation_effect import decision_moves, supervisor_effect, vote_moves
from compendio.measure.families import EXPLICACAO
from compendio.measure.kappa_tables import KappaTables, kappa_tables, prevalence_notes
from compendio.measure.prevalence import (
    MINIMO_ENSAIO,
    Coding,
    prevalence_table,
    rehearsal_table,
    who_coded,
)
from compendio.measure.set_and_text_tables import choice_table, set_table, text_table
from compendio.measure.stability import stability_table

__all__ = [
    "EXPLICACAO",
    "MINIMO_ENSAIO",
    "TODAS",
    "AuditRate",
    "Coders",
    "Coding",
    "Cost",
    "KappaTables",
    "agreement_by_kind",
    "audit_rate",
    "choice_table",
    "coder_summary",
    "composition_notes",
    "cost",
    "decision_moves",
    "gather_coders",
    "kappa_tables",
    "mcnemar_table",
    "member_against_jury",
    "prevalence_notes",
    "prevalence_table",
    "read_audit",
    "read_coders",
    "rehearsal_table",
    "selective_reliance",
    "set_table",
    "stability_table",
    "supervisor_effect",
    "text_table",
    "vote_moves",
    "who_coded",
]
