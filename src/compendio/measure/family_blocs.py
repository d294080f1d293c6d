"""Do families vote as blocs at all? Asked of every model whose votes a study holds, not of its jury alone.

A jury of three cannot answer. `modelos.csv` (modelo, familia) of a study of votes names many models, whose answers
stand in votos/*.csv; they go through the same tables as a jury (`error_correlation.pair_table`, `family_test`).

Models that are right as often as each other err alike, whoever made them (Kim, Garg, Peng and Garg 2025, Correlated
Errors in Large Language Models, ICML), and models of one family often are; so the test is also made like with like,
its labels moving only among models of similar accuracy (`accuracy_strata`; a stratified permutation test).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from compendio.contract import nome_de_arquivo
from compendio.csv_file import clean, csv_files, read_csv
from compendio.erros import ErroDeEstudo
from compendio.imported_votes import read_votes
from compendio.jury.decide import round_votes
from compendio.measure.blocs import Blocs, right_votes
from compendio.measure.coders import Coders
from compendio.measure.error_correlation import DENTRO, ENTRE, FamilyTest, family_test
from compendio.measure.votes_matrix import votes_matrix
from compendio.study import Study

ARQUIVO = "modelos.csv"
#: Models in a stratum of like accuracy: enough to shuffle among, few enough to be alike.
POR_ESTRATO = 10


def gather_models(coders: Coders, fora: Collection[str] = ()) -> Blocs | None:
    """The round-1 votes of every model of modelos.csv, on the decisions of the study's jury.

    Parameters
    ----------
    fora
        Families to leave out, such as one of another kind than the rest.

    Returns
    -------
    Blocs without a second round; None where the study has no modelos.csv. A model listed without a file of votes
    is left out (of the public benchmark, some copies hold fewer models).

    Raises
    ------
    ErroDeEstudo
        A table or a file of votes that is not sound, a family that is missing, or that estudo.yaml says otherwise;
        a family in `fora` that no model has.
    """
    study = coders.study
    path = study.pasta / ARQUIVO
    if not path.is_file():
        return None
    problemas: list[str] = []
    familias = _families(study, problemas)
    unknown = [family for family in fora if family not in familias.values()]
    problemas += [f"{ARQUIVO}: nenhum modelo é da família «{family}»; tire-a de fora." for family in unknown]
    familias = {name: family for name, family in familias.items() if family not in fora}
    folder = study.pasta / "votos"
    there = {file.stem for file in csv_files(folder, [])}
    familias = {name: family for name, family in familias.items() if nome_de_arquivo(name) in there}
    rows = read_votes(folder, list(familias), study.codebook, problemas, []) if familias else None
    if problemas or rows is None:
        raise ErroDeEstudo(problemas or f"{ARQUIVO}: nenhum destes modelos tem votos em {folder.name}/.")
    index = coders.values.index
    votes = votes_matrix(round_votes(rows, list(familias), 1), study.codebook, list(familias)).reindex(index)
    return Blocs(familias, votes, votes, coders.truth, pd.Series(False, index=index))


def _families(study: Study, problemas: list[str]) -> dict[str, str]:
    """Model → family, in the order of the file."""
    file = read_csv(study.pasta / ARQUIVO, problemas, [], required=["modelo", "familia"])
    members = {member.nome: member.familia for member in study.membros}
    familias: dict[str, str] = {}
    for row, line in enumerate(file.linhas if file else []):
        assert file is not None
        model, family = clean(line["modelo"]), clean(line["familia"])
        if not model or not family:
            problemas.append(f"{file.where(row)}: falta o modelo ou a família; preencha os dois.")
        elif model in familias:
            problemas.append(f"{file.where(row)}: o modelo «{model}» já está acima; deixe uma linha só.")
        elif members.get(model, family) != family:
            problemas.append(
                f"{file.where(row)}: a família de «{model}» é «{family}» aqui e «{members[model]}» em estudo.yaml; "
                "corrija uma das duas."
            )
        familias.setdefault(model, family)
    return familias


def accuracy(blocs: Blocs) -> dict[str, float]:
    """Member → share of the decisions with a reference value that it gets right; a missing vote is wrong."""
    right = right_votes(blocs.first, blocs.truth)[blocs.truth.notna().to_numpy()]
    return {str(name): float(share) for name, share in right.mean().items()}


def accuracy_strata(exatidao: Mapping[str, float], por_estrato: int = POR_ESTRATO) -> dict[str, int]:
    """Member → stratum, from the least accurate (0): strata as equal in size as can be, of `por_estrato` or more.

    Equal accuracies are put in order of name, so the same members give the same strata.
    """
    order = sorted(exatidao, key=lambda name: (exatidao[name], name))
    parts = np.array_split(np.arange(len(order)), max(1, len(order) // por_estrato))
    return {order[place]: stratum for stratum, part in enumerate(parts) for place in part}


def like_with_like(
    pairs: pd.DataFrame,
    familias: Mapping[str, str],
    exatidao: Mapping[str, float],
    medidas: Sequence[str],
    permutacoes: int,
    semente: int,
) -> dict[str, FamilyTest]:
    """Measure → `family_test` of these members' pairs, labels moving inside `accuracy_strata` alone."""
    own = pairs[pairs["a"].isin(familias.keys()) & pairs["b"].isin(familias.keys())]
    strata = accuracy_strata({name: exatidao[name] for name in familias})
    return {name: family_test(own, familias, name, permutacoes, semente, strata) for name in medidas}


def distinct_models(pairs: pd.DataFrame, familias: Mapping[str, str], limite: float) -> dict[str, str]:
    """Member → family, without near copies: of members that agree in a share of `limite` or more, the first stays.

    In the members' order; one is left out if it nearly copies one that stays. Meant as a severe check: it takes
    the most similar pairs away, whatever their families.
    """
    close = pairs[pairs["concordancia"] >= limite]
    copies = {frozenset(pair) for pair in zip(close["a"], close["b"], strict=True)}
    kept: dict[str, str] = {}
    for name, family in familias.items():
        if not any(frozenset((name, other)) in copies for other in kept):
            kept[name] = family
    return kept


def family_table(
    pairs: pd.DataFrame, familias: Mapping[str, str], exatidao: Mapping[str, float], column: str
) -> pd.DataFrame:
    """Each family with two members or more: the mean of `column` over its own pairs, and over its pairs with others.

    Returns
    -------
    DataFrame
        `familia, membros, exatidao` (mean of its members), `dentro, entre, diferenca`; largest difference first.
        Pairs whose `column` is NaN are left out; a mean of none is NaN.
    """
    one, two = pairs["a"].map(familias), pairs["b"].map(familias)
    rows = []
    for family in dict.fromkeys(familias.values()):
        members = [name for name, its in familias.items() if its == family]
        if len(members) < 2:
            continue
        concerned = (one == family) | (two == family)
        means = [pairs.loc[concerned & (pairs["relacao"] == kind), column].mean() for kind in (DENTRO, ENTRE)]
        share = float(np.mean([exatidao[name] for name in members]))
        rows.append((family, len(members), share, *means, means[0] - means[1]))
    columns = ["familia", "membros", "exatidao", "dentro", "entre", "diferenca"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("diferenca", ascending=False, kind="stable", ignore_index=True)


def error_tree(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hierarchical clustering of members by a symmetric matrix of correlations (or of agreement).

    Average linkage on the distance 1 − r (`scipy.cluster.hierarchy.linkage`), leaves ordered so that neighbours are
    as near as they can be. An undefined correlation counts as none.

    Returns
    -------
    (N − 1, 4) linkage matrix. Raises ValueError for fewer than two members.
    """
    distance = 1 - np.nan_to_num(matrix, nan=0.0)
    np.fill_diagonal(distance, 0)
    return linkage(squareform(distance, checks=False), method="average", optimal_ordering=True)
