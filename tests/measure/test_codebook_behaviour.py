"""Behavioural tests of a codebook: what is altered, how answers are read back, and what counts as changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jury_builders import categorical, codebook, multiple, text, vote, votes
from pytest import approx
from servidor_ollama import Resposta, ServidorOllama
from small_study import write_study

from compendio.erros import ErroDeEstudo
from compendio.measure import codebook_behaviour as b
from compendio.measure.inference import wilson_interval
from compendio.pipeline import classify
from compendio.study import Study, load_study

BOOK = codebook(cor=categorical("a", "b", "c", exempt=["c"]), fontes=multiple("x", "y", "z"), ano=text())
MODELOS = {name: name[0] * 64 for name in ("alfa", "beta", "gama")}


def test_another_order_keeps_everything_but_the_order() -> None:
    altered = b.with_other_order(BOOK, semente=1).codebook
    for name, variable in BOOK.variaveis.items():
        other = altered.variaveis[name].categorias
        assert dict(other) == dict(variable.categorias)
        assert not other or list(other) != list(variable.categorias)
    assert altered == b.with_other_order(BOOK, semente=1).codebook
    assert {tuple(b.with_other_order(BOOK, s).codebook.variaveis["cor"].categorias) for s in range(20)} > {
        ("b", "c", "a")
    }


def test_neutral_labels_keep_definitions_order_and_exemptions() -> None:
    altered = b.with_neutral_labels(BOOK)
    new = altered.codebook.variaveis["cor"]
    assert list(new.categorias) == ["opcao_1", "opcao_2", "opcao_3"]
    assert new.categorias["opcao_3"] == BOOK.variaveis["cor"].categorias["c"] and new.dispensa("opcao_3")
    assert altered.rotulos["cor"]["opcao_2"] == "b" and altered.rotulos["ano"] == {}


def test_answers_are_read_back_in_the_categories_in_force() -> None:
    altered = b.with_neutral_labels(BOOK)
    given = votes(
        vote("m", "opcao_2"),
        vote("m", '["opcao_3", "opcao_1"]', variavel="fontes"),
        vote("m", "1990", variavel="ano"),
        vote("m", None, documento="d2"),
    )
    back = b.read_back(given, altered, BOOK).set_index(["documento", "variavel"])["valor"]
    assert back["d1", "cor"] == "b" and json.loads(back["d1", "fontes"]) == ["x", "z"]
    assert back["d1", "ano"] == "1990" and back.isna()["d2", "cor"]


def test_changed_answers_by_member_and_variable() -> None:
    before = votes(*(vote("m", v, documento=f"d{k}") for k, v in enumerate("aabb")))
    after = votes(
        *(vote("m", v, documento=f"d{k}") for k, v in enumerate(["a", "b", "b", None])),
        vote("m", "1990–2010", documento="d0", variavel="ano"),
    )
    before = votes(*before.to_dict("records"), vote("m", "1990 a 2010", documento="d0", variavel="ano"))
    table = b.changed_answers(before, after, BOOK).set_index("variavel")
    cor = table.loc["cor"]
    # d3 has no second answer: three compared, d1 changed.
    assert (cor["n"], cor["sem_resposta"], cor["mudaram"], cor["parte"]) == (3, 1, 1, approx(1 / 3))
    assert (cor["ic_inf"], cor["ic_sup"]) == approx(wilson_interval(1, 3))
    assert table.loc["ano", "mudaram"] == 0  # the same years, written in two ways


def test_tests_run_on_request_only() -> None:
    assert b.asked_tests("") == [] and b.asked_tests(" ordem , rotulos") == ["ordem", "rotulos"]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """The small study of three documents, its members served by whatever runs at OLLAMA_HOST."""
    write_study(tmp_path / "data" / "pequeno")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    return load_study("pequeno")


def first_listed(body: dict[str, Any], number: int) -> Resposta:
    """A model that reads nothing: of every variable the first category that the schema lists."""
    answer = {}
    for name, schema in body["format"]["properties"].items():
        if name == "fontes":
            answer[name] = []
        elif name == "periodo":
            answer[name] = {"evidencia": "", "valor": "1998"}
        else:
            answer[name] = {"evidencia": "", "valor": schema["properties"]["valor"]["enum"][0]}
    return Resposta(content=json.dumps(answer))


def test_a_model_that_answers_by_position_is_found_out(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with ServidorOllama(first_listed, modelos=MODELOS) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        votos, _ = classify(study, "ollama", progress=False)
        order = b.run_test(study, "ordem", votos, 2, semente=1).set_index(["membro", "variavel"])
        labels = b.run_test(study, "rotulos", votos, 2, semente=1).set_index(["membro", "variavel"])
    # Another category stands first, so every answer about `abordagem` changes; a new name for the first changes none.
    assert order["n"].tolist() == labels["n"].tolist() == [2] * 9
    for member in ("alfa", "beta", "gama"):
        assert order.loc[(member, "abordagem"), "mudaram"] == 2
        assert labels.loc[(member, "abordagem"), "mudaram"] == 0
    assert order["mudaram"].sum() == 6 and labels["mudaram"].sum() == 0
    assert next(iter(study.codebook.variaveis["abordagem"].categorias)) == "qualitativa"  # as it was


def test_an_unknown_test_and_a_study_without_texts_are_told(study: Study) -> None:
    with pytest.raises(ErroDeEstudo, match="«orden» não existe"):
        b.run_test(study, "orden", votes(vote("m", "a")), 2, 1)
    with pytest.raises(ErroDeEstudo, match="só tem votos"):
        b.run_test(study.model_copy(update={"textos": False}), "ordem", votes(vote("m", "a")), 2, 1)
