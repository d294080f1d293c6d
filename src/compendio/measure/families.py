"""Families of coders, and the pairs of reference and coder that share one: circular comparisons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from compendio.settings import Settings

HUMANA = "humana"
SUPERVISIONADO = "juri-supervisor"
#: The synthetic sources of a jury, in the order in which they arise.
JURIS = ("juri-r1", "juri", SUPERVISIONADO)

#: What a circular comparison is; the mark that a table uses goes before it.
EXPLICACAO = (
    "a referência e o codificador (num júri, algum membro ou o supervisor) são da mesma família; "
    "podem errar juntos, e a concordância entre eles é um limite superior."
)


def families_of(settings: Settings, coders: Iterable[str]) -> dict[str, frozenset[str | None]]:
    """Coder → its families; None among them where one is not declared.

    A member has its own; a jury has those of all its members, and `juri-supervisor` the supervisor's too;
    anybody else what `validacao.familias` says.
    """
    members: dict[str, str | None] = {member.nome: member.familia for member in settings.membros}
    found: dict[str, frozenset[str | None]] = {}
    for coder in coders:
        if coder in JURIS:
            extra = [settings.supervisor.familia] if coder == SUPERVISIONADO else []
            found[coder] = frozenset([*members.values(), *extra])
        else:
            found[coder] = frozenset([members.get(coder, settings.validacao.familias.get(coder))])
    return found


def is_circular(one: Collection[str | None], other: Collection[str | None]) -> bool | None:
    """Whether two coders share a family; None where an undeclared family leaves it open.

    People are never circular with each other.
    """
    if (set(one) & set(other)) - {None, HUMANA}:
        return True
    return None if None in one or None in other else False


def mark_circular(
    table: pd.DataFrame,
    referencia: str,
    familias: Mapping[str, Collection[str | None]],
    column: str = "codificador",
    into: str = "circular",
) -> pd.DataFrame:
    """The table with a nullable truth column `into`: is the coder of `column` circular with the reference?"""
    marks = [is_circular(familias[referencia], familias[coder]) for coder in table[column]]
    return table.assign(**{into: pd.array(marks, dtype="boolean")})
