"""Every source of a study on the same decisions: what all tables of the validation are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from compendio.codebook import Variable
from compendio.contract import nome_de_arquivo, read_classification
from compendio.erros import ErroDeEstudo
from compendio.jury.decide import PAR, has_vote, round_votes
from compendio.measure.families import JURIS, families_of
from compendio.measure.pooled import Bools, shares
from compendio.measure.reference import Reference, choose_reference, documents_coded
from compendio.measure.votes_matrix import comparable
from compendio.pipeline import read_votes
from compendio.study import Study

#: Stands in the column `variavel` of rows over all variables.
TODAS = "todas"


@dataclass(frozen=True)
class Coders:
    """The jury's decisions with the values of every coder.

    Attributes
    ----------
    study
        The study.
    reference
        Who the reference is, and why; None where nobody coded the sample.
    truth
        (decisions,) the reference's values, by `documento, variavel`; missing where it has none. All values
        here are in the form in which they compare: free text in its normal form, several choices as a
        JSON list in codebook order.
    values
        (decisions, coders) on the same index: members at round 1, juries, other codings, in this order.
    decisions
        Jury source → its columns of decisions (`estado`, `recuo`, `mudou`, `por_isencao`) on that index.
    votos
        The members' contract rows, both rounds and repetitions.
    """

    study: Study
    reference: Reference | None
    truth: pd.Series
    values: pd.DataFrame
    decisions: dict[str, pd.DataFrame]
    votos: pd.DataFrame

    @property
    def membros(self) -> list[str]:
        """Members, in the study's order."""
        return [member.nome for member in self.study.membros]

    @property
    def juris(self) -> list[str]:
        """The jury sources that are there."""
        return list(self.decisions)

    @cached_property
    def familias(self) -> dict[str, frozenset[str | None]]:
        """Coder → its families, the reference included."""
        named = [self.reference.codificador] if self.reference else []
        return families_of(self.study, [*self.values.columns, *named])

    @cached_property
    def variaveis(self) -> list[Variable]:
        """The variables that were decided, in codebook order."""
        there = set(self.values.index.get_level_values("variavel"))
        return [v for name, v in self.study.codebook.variaveis.items() if name in there]

    @property
    def known(self) -> Bools:
        """(decisions,) whether the reference has a value."""
        return self.truth.notna().to_numpy()

    def rows(self, variavel: str) -> Bools:
        """(decisions,) whether each is about the variable; all of them for `TODAS`."""
        if variavel == TODAS:
            return np.ones(len(self.values), dtype=bool)
        return np.asarray(self.values.index.get_level_values("variavel") == variavel)

    def right(self, coder: str) -> Bools:
        """(decisions,) whether the coder gives the reference's value; a missing value does not."""
        return same(self.values[coder], self.truth)

    def shares(self, columns: Sequence[tuple[Bools, Bools]]) -> pd.DataFrame:
        """Shares of decisions with their intervals (`pooled.shares`), by the study's seed and resamples."""
        check = self.study.validacao
        documents = self.values.index.get_level_values("documento")
        return shares(documents, columns, check.reamostras, check.semente)

    @property
    def tipos(self) -> pd.Series:
        """(decisions,) the type of each decision's variable."""
        types = {v.nome: v.tipo for v in self.variaveis}
        names = self.values.index.get_level_values("variavel")
        return pd.Series([types[name] for name in names], index=self.values.index, dtype="str")


def same(one: pd.Series, other: pd.Series) -> Bools:
    """Where two columns have a value each, and the same."""
    equal = one.notna().to_numpy() & other.notna().to_numpy()
    return np.asarray(equal & (one.to_numpy(dtype=object) == other.to_numpy(dtype=object)), dtype=bool)


def gather_coders(study: Study, votos: pd.DataFrame, juris: Mapping[str, pd.DataFrame]) -> Coders:
    """Put every source on the decisions of `juri`.

    Parameters
    ----------
    votos
        The members' contract rows.
    juris
        Jury source → its contract rows; `juri-r1` and `juri` at least.
    """
    order = {ident: k for k, ident in enumerate(study.sample_ids())}
    place = {name: k for k, name in enumerate(study.codebook.variaveis)}
    pairs = juris["juri"][PAR]
    pairs = pairs[pairs["documento"].isin(list(order))]
    pairs = pairs.sort_values(PAR, key=lambda c: c.map(order if c.name == "documento" else place))
    index = pd.MultiIndex.from_frame(pairs)

    def column(rows: pd.DataFrame) -> pd.Series:
        rows = rows[has_vote(rows)]
        values = comparable(rows["valor"], rows["variavel"], study.codebook)
        return pd.Series(values.to_numpy(), pd.MultiIndex.from_frame(rows[PAR]), dtype="str").reindex(index)

    references = study.references()
    chosen = choose_reference(
        documents_coded(references, order), study.validacao.familias, study.validacao.referencia
    )
    first = round_votes(votos, [m.nome for m in study.membros], 1)
    columns = {m.nome: column(first[first["fonte"] == m.nome]) for m in study.membros}
    columns |= {name: column(juris[name]) for name in JURIS if name in juris}
    others = [name for name in references if chosen is None or name != chosen.codificador]
    columns |= {name: column(references[name]) for name in others}
    empty = pd.Series(pd.NA, index=index, dtype="str")
    kept = ["estado", "recuo", "mudou", "por_isencao"]
    return Coders(
        study=study,
        reference=chosen,
        truth=column(references[chosen.codificador]) if chosen else empty,
        values=pd.DataFrame(columns),
        decisions={n: juris[n].set_index(PAR)[kept].reindex(index) for n in JURIS if n in juris},
        votos=votos,
    )


def read_coders(study: Study) -> Coders:
    """The study's sources as notebooks 1 to 3 wrote them.

    Raises ErroDeEstudo where the votes or the jury's decisions are not there yet. `juri-supervisor` is
    left out where it has not been written.
    """
    votos = read_votes(study)
    juris = {}
    for name in JURIS:
        path = study.relatorios / "classificacoes" / f"{nome_de_arquivo(name)}.parquet"
        if path.exists():
            juris[name] = read_classification(path)
        elif name != JURIS[-1]:
            raise ErroDeEstudo(
                f"{path} não existe: rode antes o notebook 2-juri (make analise ESTUDO={study.nome})."
            )
    return gather_coders(study, votos, juris)
