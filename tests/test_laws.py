"""The public answers about the Brazilian laws, through the ordinary pipeline: the figures known of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from laws_project import laws_project

from compendio.import_laws import SHA256, import_laws
from compendio.measure import validation as v
from compendio.measure.agreement import cohen_kappa
from compendio.measure.coders import Coders, gather_coders
from compendio.measure.error_correlation import family_test, pair_table
from compendio.measure.family_blocs import accuracy, distinct_models, gather_models, like_with_like
from compendio.pipeline import classify, decisions
from compendio.study import load_study

pytestmark = pytest.mark.dados


@pytest.fixture
def root(dados: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder with the laws imported."""
    folder = laws_project(tmp_path / "projeto")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(folder))
    file = dados / "leis-br" / "policy_PT.csv"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == SHA256
    told = import_laws(file)
    assert "368 leis e 83 modelos" in told and "68 das 30544 respostas" in told
    assert "sha256" not in told and "Sem família" not in told
    return folder


def coders_of_laws() -> Coders:
    study = load_study("leis-br")
    votos, _ = classify(study, "respostas", progress=False)
    return gather_coders(study, votos, decisions(study, votos))


def kappas(coders: Coders, rows: pd.Series | None = None, answered_only: bool = False) -> dict[str, str]:
    """Coder → its kappa with the official code, as printed."""
    categories = list(coders.variaveis[0].categorias)
    values = coders.values if rows is None else coders.values[rows]
    truth = coders.truth if rows is None else coders.truth[rows]
    return {
        coder: f"{cohen_kappa(truth, values[coder], categories, answered_only=answered_only).value:.3f}"
        for coder in values
    }


def test_kappas_and_decisions_of_three_models(root: Path) -> None:
    coders = coders_of_laws()
    assert coders.reference is not None and coders.reference.codificador == "codigo-oficial"
    assert coders.reference.documentos == 368
    assert coders.familias["codigo-oficial"] == {"humana"}
    main = kappas(coders)
    assert [main[m] for m in ("qwen2.5_14b", "qwen2.5_32b", "gemma2_27b")] == ["0.498", "0.481", "0.492"]
    states = coders.decisions["juri"]["estado"]
    assert states.value_counts().to_dict() == {"unanime": 196, "maioria": 145, "sem_maioria": 27}
    # Without a majority there is no value: the main kappa counts it as wrong.
    assert coders.values["juri"].isna().sum() == 27
    assert main["juri"] == "0.500"
    assert kappas(coders, states != "sem_maioria")["juri"] == "0.544"
    assert kappas(coders, answered_only=True)["juri"] == "0.544"
    # No deliberation: both juries are one.
    pd.testing.assert_series_equal(coders.values["juri"], coders.values["juri-r1"], check_names=False)


def test_kappa_with_the_fallback_to_the_main_model(root: Path) -> None:
    path = root / "data" / "leis-br" / "estudo.yaml"
    text = path.read_text(encoding="utf-8")
    assert "sem_maioria: ausente" in text
    path.write_text(text.replace("sem_maioria: ausente", "sem_maioria: principal"), encoding="utf-8")
    coders = coders_of_laws()
    assert coders.decisions["juri"]["recuo"].sum() == 27
    assert kappas(coders)["juri"] == "0.520"


def test_prevalence_where_the_whole_corpus_has_an_official_code(root: Path) -> None:
    coders = coders_of_laws()
    who = v.who_coded(coders)
    assert (who.fonte, who.sorteio, who.corpus, who.circular) == ("juri", "todos", 368, False)
    table = v.prevalence_table(who).set_index(["categoria", "estimador"])
    # 133 of 368 laws are of public administration; the jury says so of 46 of the 341 that it decided.
    assert table.loc[("administracao_publica", "referencia"), "proporcao"] == pytest.approx(133 / 368)
    assert table.loc[("administracao_publica", "ingenua"), "proporcao"] == pytest.approx(46 / 341)
    assert table.xs("corrigida", level="estimador")["proporcao"].isna().all()
    # Half of the official codes hidden, 200 times: 21 topics.
    found = v.rehearsal_table(who, coders.study.validacao.semente).set_index("estimador")
    assert set(found["categorias"]) == {21}
    assert found.loc["ingenua", "contem"] < 0.1
    assert (
        0.92 <= found.loc["corrigida", "contem"] <= 0.97 and 0.92 <= found.loc["referencia", "contem"] <= 0.97
    )
    assert found.loc["corrigida", "distancia"] < found.loc["referencia", "distancia"]
    assert found.loc["corrigida", "largura"] < found.loc["referencia", "largura"]


def test_the_live_study_holds_the_same_laws(root: Path, dados: Path) -> None:
    study = load_study("leis-vivo")
    raw = pd.read_csv(dados / "leis-br" / "policy_PT.csv", dtype="str")
    assert study.documents()["texto"].tolist() == raw["text"].tolist()
    assert len(study.sample_ids()) == 60
    assert study.references()["codigo-oficial"]["valor"].value_counts()["administracao_publica"] == 133


def test_families_of_the_83_models(root: Path, dados: Path) -> None:
    coders = coders_of_laws()
    blocs = gather_models(coders)
    assert blocs is not None and len(blocs.familias) == 83 and len(set(blocs.familias.values())) == 18
    # The jury's members give the same votes here as there.
    assert blocs.first[coders.membros].equals(coders.values[coders.membros])
    assert blocs.first.isna().sum().sum() == 68
    pairs = pair_table(blocs.first, blocs.truth, blocs.familias)
    assert pairs["relacao"].value_counts().to_dict() == {"famílias diferentes": 3097, "mesma família": 306}
    # Independent of the package: plain numpy over the published codes, missing and unknown ones wrong.
    raw = pd.read_csv(dados / "leis-br" / "policy_PT.csv", dtype="str")
    wrong = np.column_stack([(raw[name] != raw["gold"]).astype(float) for name in blocs.familias])
    phi = np.corrcoef(wrong, rowvar=False)
    family = np.array(list(blocs.familias.values()))
    i, j = np.triu_indices(83, 1)
    same = family[i] == family[j]
    test = family_test(pairs, blocs.familias, permutacoes=999)
    assert test.dentro == pytest.approx(phi[i, j][same].mean()) and test.entre == pytest.approx(
        phi[i, j][~same].mean()
    )
    assert (f"{test.dentro:.3f}", f"{test.entre:.3f}", test.p) == ("0.574", "0.447", 1 / 1000)
    # Models as accurate as each other already err alike: that is 0.075 of the 0.127.
    exatidao = accuracy(blocs)
    columns = ["correlacao_erros", "mesmo_erro"]
    fair = like_with_like(pairs, blocs.familias, exatidao, columns, 999, 2026)
    assert [round(fair[name].esperada, 2) for name in columns] == [0.08, 0.09]
    assert all(test.p <= 0.005 for test in fair.values())
    distinct = distinct_models(pairs, blocs.familias, 0.9)
    fair = like_with_like(pairs, distinct, exatidao, columns, 999, 2026)
    assert len(distinct) == 75 and all(test.p < 0.05 for test in fair.values())
    # Without the two classifiers, which err like nobody else, only the same wrong value stays more frequent.
    chat = {name: family for name, family in distinct.items() if family != "xlm-roberta"}
    fair = like_with_like(pairs, chat, exatidao, columns, 999, 2026)
    assert len(chat) == 73 and fair["correlacao_erros"].p > 0.05 > fair["mesmo_erro"].p
