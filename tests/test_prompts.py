"""Messages: one prefix for all documents, one evidence rule, nothing that tells who answered."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from jury_builders import categorical, codebook, multiple, text
from small_study import ESTUDO, write_study

from compendio.classify import classification_calls
from compendio.prompts import (
    answer_order,
    classification_messages,
    deliberation_message,
    describe_answer,
    evidence_rule,
    system_message,
)
from compendio.study import load_study

BOOK = codebook(
    cor=categorical("azul", "verde", "outra", exempt=["outra"]),
    fontes=multiple("jornais", "leis"),
    periodo=text("não informado"),
)
COR, FONTES, PERIODO = BOOK.variaveis.values()


def given(
    valor: str, evidencia: str | None = "um trecho", nivel: str = "exata", inicio: int | None = 5
) -> dict:
    return {"valor": valor, "evidencia": evidencia, "nivel_evidencia": nivel, "inicio": inicio}


@pytest.mark.parametrize("chamadas", ["por_documento", "por_variavel"])
def test_the_prefix_is_the_same_for_all_documents_and_members(tmp_path: Path, chamadas: str) -> None:
    study = load_study(write_study(tmp_path / "e", {"estudo.yaml": f"{ESTUDO}chamadas: {chamadas}\n"}))
    ids = [*study.documents()["id"]]
    calls = [c for m in study.membros for c in classification_calls(study, m.nome, ids)]
    groups = {c.variaveis for c in calls}
    assert len(groups) == (1 if chamadas == "por_documento" else 3)
    for group in groups:
        mine = [c for c in calls if c.variaveis == group]
        assert len({c.messages[0]["content"].encode() for c in mine}) == 1
        assert len({str(c.schema) for c in mine}) == 1
        # The document is what differs, and it begins the second message.
        assert len({c.messages[1]["content"] for c in mine}) == len(ids)
        assert all(c.messages[1]["content"].startswith("# Texto\n\n") for c in mine)
    text_of = study.documents().set_index("id")["texto"]
    assert all(text_of[c.documento] in c.messages[1]["content"] for c in calls)
    assert not any(
        m.nome in message["content"] for c in calls for message in c.messages for m in study.membros
    )


def test_the_prefix_says_the_whole_codebook() -> None:
    content = system_message([COR, FONTES, PERIODO])["content"]
    for variable in BOOK.variaveis.values():
        assert f"## {variable.nome}\n{variable.pergunta}" in content
        assert all(f"- {name}: {c.definicao}" in content for name, c in variable.categorias.items())
    assert "Se o texto não diz, responda: não informado" in content
    assert "até 60 caracteres" in content
    order = [content.index(f"## {name}") for name in BOOK.variaveis]
    assert order == sorted(order) and content.index("# Livro de códigos") < order[0]


def test_the_rule_that_is_told_is_the_rule_that_is_applied() -> None:
    rule = evidence_rule([COR, FONTES, PERIODO])
    for variable, values in ((COR, ["azul", "verde", "outra"]), (PERIODO, ["não informado", "1990"])):
        for value in values:
            assert (f"{variable.nome}: {value}" in rule) == variable.dispensa(value)
    assert "fontes" not in rule
    assert "dispensam" not in evidence_rule([FONTES])
    assert "não exige evidência" in evidence_rule([COR], dispensada=True)
    assert evidence_rule([COR]) in system_message([COR])["content"]
    assert evidence_rule([COR], True) in system_message([COR], True)["content"]
    assert evidence_rule([COR], True) in classification_messages([COR], "texto", True)[0]["content"]


def test_one_question_is_repeated_after_the_text() -> None:
    assert classification_messages([COR], "abc")[1]["content"].endswith("# Pergunta\n\nQual?")
    assert classification_messages([COR, FONTES], "abc")[1]["content"].endswith(
        "Responda a todas as perguntas."
    )


def test_answers_in_words() -> None:
    assert describe_answer(COR, given("azul")) == "azul; evidência: «um trecho»"
    assert describe_answer(COR, given("azul", nivel="nao_encontrada")) == (
        "azul; evidência: «um trecho» (trecho não encontrado no texto)"
    )
    assert describe_answer(COR, given("outra", None, "dispensada", None)) == "outra; sem evidência"
    several = given(
        '["jornais", "leis"]', '{"jornais": "a b", "leis": ""}', '{"jornais": "nao_encontrada"}', None
    )
    assert describe_answer(FONTES, several) == (
        "jornais (evidência: «a b» (trecho não encontrado no texto)); leis (sem evidência)"
    )
    assert describe_answer(FONTES, given("[]", "{}", "{}", None)) == "nenhuma categoria"


def test_letters_follow_codebook_order_then_place_of_the_quote() -> None:
    votes = [
        given("verde", "tarde", inicio=90),
        given("verde", "cedo", inicio=3),
        given("verde", "inventado", "nao_encontrada", None),
        given("azul", "fim", inicio=200),
        given("outra", None, "dispensada", None),
    ]
    expected = [
        "- Modelo A: azul; evidência: «fim»",
        "- Modelo B: verde; evidência: «cedo»",
        "- Modelo C: verde; evidência: «tarde»",
        "- Modelo D: verde; evidência: «inventado» (trecho não encontrado no texto)",
        "- Modelo E: outra; sem evidência",
    ]
    contents = set()
    for order in itertools.permutations(votes):
        contents.add(deliberation_message([COR], {"cor": order})["content"])
    (content,) = contents  # whoever comes first in the tables changes no byte
    assert [line for line in content.splitlines() if line.startswith("- Modelo")] == expected


def test_letters_start_anew_for_each_variable() -> None:
    others = {"cor": [given("azul")], "fontes": [given('["leis"]', '{"leis": "x"}', "{}", None)]}
    content = deliberation_message([COR, FONTES], others)["content"]
    assert content.count("Modelo A:") == 2 and "Modelo B" not in content
    assert content.index("## cor") < content.index("## fontes")
    assert content.endswith("só para: cor, fontes.")


def test_order_of_sets_is_that_of_the_codebook() -> None:
    sets = ['["leis"]', '["jornais", "leis"]', "[]", '["jornais"]']
    ordered = sorted(sets, key=lambda valor: answer_order(FONTES, given(valor, "{}", "{}", None)))
    assert ordered == ["[]", '["jornais"]', '["jornais", "leis"]', '["leis"]']
