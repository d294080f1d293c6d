"""Which coder is the reference, by the rule of the study's design, and the reason in words.

The rule: `validacao.referencia` overrides. Otherwise a person with at least 50 documents of the sample
becomes the reference by itself; of two, the one with more; a tie asks for `validacao.referencia`. Where no
person has that many, the only coder there is, or the only one that is no person, is the reference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from compendio.erros import ErroDeEstudo
from compendio.measure.families import HUMANA

#: Documents of the sample that make a person's coding the reference.
MINIMO_HUMANO = 50


@dataclass(frozen=True)
class Reference:
    """The reference, how many documents of the sample it coded, and why it was chosen (Portuguese)."""

    codificador: str
    documentos: int
    motivo: str


def documents_coded(references: Mapping[str, pd.DataFrame], sample: Collection[str]) -> dict[str, int]:
    """Coder → documents of the sample for which it has at least one value."""
    ids = list(sample)
    return {
        coder: int(rows.loc[rows["valor"].notna() & rows["documento"].isin(ids), "documento"].nunique())
        for coder, rows in references.items()
    }


def choose_reference(
    documentos: Mapping[str, int], familias: Mapping[str, str], pedida: str | None = None
) -> Reference | None:
    """The reference among the coders of `documentos` (coder → documents of the sample it coded).

    Parameters
    ----------
    familias
        Coder → family; people are `humana`. A coder may be missing here.
    pedida
        `validacao.referencia`.

    Returns
    -------
    Reference, or None where nobody coded any document of the sample.

    Raises
    ------
    ErroDeEstudo
        The rule does not say which; or the one asked for has no document of the sample.
    """
    if pedida is not None:
        if not documentos.get(pedida):
            raise ErroDeEstudo(
                f"validacao.referencia: «{pedida}» não codificou nenhum documento da amostra; acrescente as "
                f"codificações em referencia/{pedida}.csv ou escolha outra referência."
            )
        return Reference(pedida, documentos[pedida], "o estudo a escolhe em validacao.referencia")
    there = {coder: n for coder, n in documentos.items() if n > 0}
    people = {c: n for c, n in there.items() if familias.get(c) == HUMANA}
    enough = {c: n for c, n in people.items() if n >= MINIMO_HUMANO}
    if enough:
        best = [c for c, n in enough.items() if n == max(enough.values())]
        if len(best) > 1:
            raise _ask(f"{' e '.join(best)} codificaram o mesmo número de documentos ({enough[best[0]]})")
        coded = f"{enough[best[0]]:,}".replace(",", ".")
        reason = f"é pessoa e codificou {coded} documentos da amostra ({MINIMO_HUMANO} bastam)"
        if len(enough) > 1:
            reason += ", mais que as outras pessoas"
        return Reference(best[0], enough[best[0]], reason)
    candidates = there if len(there) == 1 else {c: n for c, n in there.items() if c not in people}
    if not there:
        return None
    if len(candidates) != 1:
        raise _ask(f"nenhuma pessoa codificou {MINIMO_HUMANO} documentos da amostra, e há {', '.join(there)}")
    name, n = next(iter(candidates.items()))
    reason = "é a única codificação da amostra"
    if people and name not in people:
        reason = f"nenhuma pessoa codificou {MINIMO_HUMANO} documentos da amostra, e é a única outra"
    elif name in people:
        reason += f" (uma pessoa, com menos de {MINIMO_HUMANO} documentos: os intervalos serão largos)"
    return Reference(name, n, reason)


def _ask(problem: str) -> ErroDeEstudo:
    return ErroDeEstudo(
        f"A regra não diz qual é a referência: {problem}; escreva validacao.referencia no estudo.yaml."
    )
