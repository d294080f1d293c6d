"""Which codings the analysis of divergences compares, and its tables over all variables of a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import nome_de_arquivo, read_classification
from compendio.erros import ErroDeEstudo
from compendio.jury.decide import round_votes
from compendio.measure.divergence import (
    PARES,
    POR_REFERENCIA,
    USO,
    category_pairs,
    category_use,
    reference_categories,
)
from compendio.measure.families import families_of, is_circular
from compendio.measure.reference import Reference, choose_reference, documents_coded
from compendio.pipeline import read_votes
from compendio.study import Study

PRINCIPAL, JURI = "principal", "juri"


@dataclass(frozen=True)
class Sources:
    """The codings compared, on the documents of the sample.

    Attributes
    ----------
    reference, truth
        Who the reference is and its contract rows; None where nobody coded the sample.
    coders
        `principal` (the main model at round 1) and `juri` → contract rows, one a decision.
    nomes
        The same two → the coder's name.
    circular
        The same two → whether it shares a family with the reference (None: an undeclared family leaves it open).
    deliberou
        Whether any member was asked again; where none was, `juri` is the vote of round 1 alone.
    """

    codebook: Codebook
    reference: Reference | None
    truth: pd.DataFrame | None
    coders: dict[str, pd.DataFrame]
    nomes: dict[str, str]
    circular: dict[str, bool | None]
    deliberou: bool

    def over(
        self,
        who: str,
        table: Callable[[pd.DataFrame, pd.DataFrame, Codebook, str], pd.DataFrame],
        columns: Sequence[str],
        *tipos: str,
    ) -> pd.DataFrame:
        """A table of one variable, with these columns, for each variable of these types; `variavel` goes first.

        Where the study has no such variable, the columns stand without a row.
        """
        assert self.truth is not None
        coded = set(self.truth.loc[self.truth["valor"].notna(), "variavel"])
        parts = [
            table(self.coders[who], self.truth, self.codebook, name).assign(variavel=name)
            for name, variable in self.codebook.variaveis.items()
            if variable.tipo in tipos and name in coded
        ]
        whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
        return whole.reindex(columns=["variavel", *columns])

    def pairs(self, who: str) -> pd.DataFrame:
        """`category_pairs` of every categorical variable."""
        return self.over(who, category_pairs, PARES, "categorica")

    def use(self, who: str) -> pd.DataFrame:
        """`category_use` of every variable with categories."""
        return self.over(who, category_use, USO, "categorica", "multipla")

    def by_reference(self, who: str) -> pd.DataFrame:
        """Divergences by the category in which the reference puts the document, and the kappa without it.

        Columns `variavel, referencia, n, kappa_sem`: `n` divergences where the reference says so; `kappa_sem` over
        the documents that the reference does not put there.
        """
        return self.over(who, reference_categories, POR_REFERENCIA, "categorica")


def read_sources(study: Study) -> Sources:
    """The study's codings as notebooks 1 and 2 wrote them, on the sample alone.

    Raises ErroDeEstudo where they are not there yet.
    """
    path = study.relatorios / "classificacoes" / f"{nome_de_arquivo(JURI)}.parquet"
    if not path.exists():
        raise ErroDeEstudo(
            f"{path} não existe: rode antes o notebook 2-juri (make analise ESTUDO={study.nome})."
        )
    juri = read_classification(path)
    votos = read_votes(study)
    first = round_votes(votos, [study.principal], 1)
    done = set(juri["documento"])
    references = study.references()
    chosen = choose_reference(
        documents_coded(references, done), study.validacao.familias, study.validacao.referencia
    )
    nomes = {PRINCIPAL: study.principal, JURI: JURI}
    circular: dict[str, bool | None] = dict.fromkeys(nomes, False)
    truth = None
    if chosen is not None:
        families = families_of(study, [chosen.codificador, *nomes.values()])
        own = families[chosen.codificador]
        circular = {who: is_circular(own, families[name]) for who, name in nomes.items()}
        truth = references[chosen.codificador]
        truth = truth[truth["documento"].isin(done)]
    return Sources(
        codebook=study.codebook,
        reference=chosen,
        truth=truth,
        coders={PRINCIPAL: first[first["documento"].isin(done)], JURI: juri},
        nomes=nomes,
        circular=circular,
        deliberou=bool((votos["rodada"] == 2).any()),
    )
