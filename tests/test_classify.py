"""From a reply to votes: every way a reply can be wrong has a name, and none becomes a category."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_study import ESTUDO, write_study

from compendio.classify import Reader, call_options, classification_calls, variable_groups, votes_table
from compendio.codebook import LIMITE_EVIDENCIA
from compendio.models.base import Falha, Reply
from compendio.study import Study, load_study

GOOD: dict[str, Any] = {
    "abordagem": {"evidencia": "Ouvimos vinte feirantes", "valor": "qualitativa"},
    "fontes": [{"evidencia": "lemos jornais", "categoria": "midia"}],
    "periodo": {"evidencia": "em 1998", "valor": "1998"},
}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return load_study(write_study(tmp_path / "e"))


def read(study: Study, answer: Any) -> dict[str, dict[str, Any]]:
    """Variable → its vote, for an answer about d1 («Ouvimos vinte feirantes em 1998, e lemos jornais da época.»)."""
    reply = answer if isinstance(answer, Reply) else Reply(json.dumps(answer, ensure_ascii=False))
    call = classification_calls(study, "alfa", ["d1"])[0]
    return {row["variavel"]: row for row in Reader(study).votes(call, reply)}


def changed(name: str, value: Any) -> dict[str, Any]:
    return {**GOOD, name: value}


def test_a_good_answer(study: Study) -> None:
    rows = read(study, GOOD)
    assert not any(row.get("falha") for row in rows.values())
    one = rows["abordagem"]
    assert (one["valor"], one["nivel_evidencia"], one["inicio"], one["fim"]) == (
        "qualitativa",
        "exata",
        0,
        23,
    )
    assert rows["fontes"]["valor"] == '["midia"]'
    assert json.loads(rows["fontes"]["evidencia"]) == {"midia": "lemos jornais"}
    assert json.loads(rows["fontes"]["nivel_evidencia"]) == {"midia": "exata"}
    assert (rows["periodo"]["valor"], rows["periodo"]["nivel_evidencia"]) == ("1998", "exata")


@pytest.mark.parametrize(
    ("name", "value", "falha"),
    [
        ("abordagem", {"evidencia": "Ouvimos vinte", "valor": "etnografica"}, "fora_do_codebook"),
        ("abordagem", {"evidencia": "Ouvimos vinte", "valor": "Qualitativa"}, "fora_do_codebook"),
        ("abordagem", {"evidencia": "Ouvimos vinte", "valor": ""}, "json_invalido"),
        ("abordagem", {"evidencia": "Ouvimos vinte", "valor": "  "}, "json_invalido"),
        ("abordagem", {"evidencia": "Ouvimos vinte", "valor": 3}, "json_invalido"),
        ("abordagem", {"evidencia": "Ouvimos vinte", "valor": None}, "json_invalido"),
        ("abordagem", {"evidencia": "Ouvimos vinte", "valor": ["qualitativa"]}, "json_invalido"),
        ("abordagem", {"evidencia": None, "valor": "qualitativa"}, "json_invalido"),
        ("abordagem", {"valor": "qualitativa"}, "json_invalido"),
        ("abordagem", {"evidencia": "Ouvimos vinte"}, "json_invalido"),
        ("abordagem", {"evidencia": "x" * 10_000, "valor": "qualitativa"}, "json_invalido"),
        ("abordagem", "qualitativa", "json_invalido"),
        ("abordagem", None, "json_invalido"),
        ("abordagem", [], "json_invalido"),
        ("fontes", {"evidencia": "jornais", "categoria": "midia"}, "json_invalido"),
        ("fontes", ["midia"], "json_invalido"),
        ("fontes", [{"evidencia": "jornais"}], "json_invalido"),
        ("fontes", [{"evidencia": "jornais", "valor": "midia"}], "json_invalido"),
        ("fontes", [{"evidencia": "jornais", "categoria": "radio"}], "fora_do_codebook"),
        (
            "fontes",
            [{"evidencia": "lemos jornais", "categoria": "midia"}, {"evidencia": "a", "categoria": "radio"}],
            "fora_do_codebook",
        ),
        ("fontes", None, "json_invalido"),
        ("periodo", {"evidencia": "em 1998", "valor": "1998 " * 10}, "fora_do_codebook"),  # limite: 30
        ("periodo", {"evidencia": "em 1998", "valor": 1998}, "json_invalido"),
        ("periodo", {"evidencia": "em 1998", "valor": ""}, "json_invalido"),
    ],
)
def test_a_wrong_part_fails_alone(study: Study, name: str, value: Any, falha: str) -> None:
    rows = read(study, changed(name, value))
    assert rows[name] == {"documento": "d1", "rodada": 1, "repeticao": 0, "variavel": name, "falha": falha}
    assert [n for n, row in rows.items() if row.get("falha")] == [name]


def test_a_variable_left_out_and_one_made_up(study: Study) -> None:
    answer = {k: v for k, v in GOOD.items() if k != "periodo"} | {"inventada": {"valor": "x"}}
    rows = read(study, answer)
    assert list(rows) == ["abordagem", "fontes", "periodo"]
    assert rows["periodo"]["falha"] == "json_invalido" and "falha" not in rows["abordagem"]


@pytest.mark.parametrize(
    "texto",
    [
        "não sei",
        "",
        "[]",
        "null",
        "```json\n{}\n```",
        "<think>hum</think>{}",
        '{"abordagem": 1, "abordagem": 2}',
        '{"abordagem": {"evidencia": "\\ud800", "valor": "qualitativa"}}',
        '{"abordagem": NaN}',
    ],
)
def test_what_is_no_json_object_fails_whole(study: Study, texto: str) -> None:
    rows = read(study, Reply(texto))
    assert [row["falha"] for row in rows.values()] == ["json_invalido"] * 3
    assert not any("valor" in row for row in rows.values())


@pytest.mark.parametrize(
    "falha",
    ["sem_resposta", "tempo_esgotado", "json_invalido", "texto_truncado", "limite_de_tokens", "recusa"],
)
def test_a_failed_call_gives_every_variable_its_failure(study: Study, falha: Falha) -> None:
    rows = read(study, Reply(None, falha))
    assert [row["falha"] for row in rows.values()] == [falha] * 3
    call = classification_calls(study, "alfa", ["d1"])[0]
    assert Reader(study).failed(call, Reply(None, falha))
    assert not Reader(study).failed(call, Reply(json.dumps(GOOD)))


@pytest.mark.parametrize(
    ("valor", "quote", "nivel"),
    [
        ("qualitativa", "OUVIMOS  vinte feirantes", "normalizada"),
        ("qualitativa", "Ouvimos trinta feirantes", "nao_encontrada"),
        ("qualitativa", "interpreta", "nao_encontrada"),  # the codebook's words, not the text's
        ("qualitativa", "We heard twenty vendors", "nao_encontrada"),
        ("qualitativa", "", "ausente"),
        ("nao_informada", "", "dispensada"),
    ],
)
def test_levels_of_evidence(study: Study, valor: str, quote: str, nivel: str) -> None:
    row = read(study, changed("abordagem", {"evidencia": quote, "valor": valor}))["abordagem"]
    assert (row["valor"], row["nivel_evidencia"]) == (valor, nivel)
    assert row["evidencia"] == (quote or None)
    assert (row["inicio"] is None) == (nivel != "normalizada")


def test_the_free_text_that_says_nothing_needs_no_evidence(study: Study) -> None:
    row = read(study, changed("periodo", {"evidencia": "", "valor": " Não informado. "}))["periodo"]
    assert (row["valor"], row["nivel_evidencia"]) == ("Não informado.", "dispensada")


def test_a_study_without_evidence_exempts_every_value(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path / "e", {"estudo.yaml": ESTUDO + "evidencia: dispensada\n"}))
    rows = read(study, changed("abordagem", {"evidencia": "", "valor": "qualitativa"}))
    assert rows["abordagem"]["nivel_evidencia"] == "dispensada"


def test_several_choices_in_codebook_order_each_once_with_its_best_quote(study: Study) -> None:
    given = [
        {"evidencia": "não está lá", "categoria": "midia"},
        {"evidencia": "Ouvimos vinte", "categoria": "falas"},
        {"evidencia": "lemos jornais", "categoria": "midia"},
    ]
    row = read(study, changed("fontes", given))["fontes"]
    assert row["valor"] == '["falas", "midia"]'
    assert json.loads(row["evidencia"]) == {"falas": "Ouvimos vinte", "midia": "lemos jornais"}
    assert json.loads(row["nivel_evidencia"]) == {"falas": "exata", "midia": "exata"}
    assert read(study, changed("fontes", []))["fontes"]["valor"] == "[]"


def test_the_longest_quote_that_the_schema_allows(study: Study) -> None:
    fits = {"evidencia": "x" * LIMITE_EVIDENCIA, "valor": "qualitativa"}
    assert "falha" not in read(study, changed("abordagem", fits))["abordagem"]


def test_table_of_votes(study: Study) -> None:
    calls = classification_calls(study, "alfa", ["d1", "d3"])
    table = votes_table(Reader(study), "alfa", calls, [Reply(json.dumps(GOOD)), Reply(None, "recusa")])
    assert table["documento"].tolist() == ["d1"] * 3 + ["d3"] * 3
    assert (table["fonte"] == "alfa").all() and str(table["inicio"].dtype) == "Int64"
    assert table.loc[table["documento"] == "d3", "falha"].tolist() == ["recusa"] * 3
    assert (table["valor"].notna() ^ table["falha"].notna()).all()
    empty = votes_table(Reader(study), "alfa", [], [])
    assert empty.columns.tolist() == table.columns.tolist() and len(empty) == 0


def test_calls_by_document_and_by_variable(tmp_path: Path, study: Study) -> None:
    together = classification_calls(study, "alfa", ["d2", "d1"], repeticao=1)
    assert [(c.documento, c.variaveis, c.rodada, c.repeticao) for c in together] == [
        (ident, ("abordagem", "fontes", "periodo"), 1, 1) for ident in ("d2", "d1")
    ]
    apart = load_study(write_study(tmp_path / "v", {"estudo.yaml": ESTUDO + "chamadas: por_variavel\n"}))
    calls = classification_calls(apart, "alfa", ["d1", "d2"])
    # All documents of one variable, then those of the next: the prefix changes as seldom as possible.
    assert [(c.variaveis, c.documento) for c in calls] == [
        ((name,), ident) for name in ("abordagem", "fontes", "periodo") for ident in ("d1", "d2")
    ]
    assert [[v.nome for v in group] for group in variable_groups(apart, ["periodo", "abordagem"])] == [
        ["abordagem"],
        ["periodo"],
    ]


def test_options_of_a_member_over_those_of_the_study(tmp_path: Path) -> None:
    estudo = ESTUDO.replace("{nome: beta, familia: dois}", "{nome: beta, familia: dois, opcoes: {seed: 7}}")
    study = load_study(write_study(tmp_path / "e", {"estudo.yaml": estudo + "pensar: true\n"}))
    assert (call_options(study, "alfa")["seed"], call_options(study, "beta")["seed"]) == (1, 7)
    assert call_options(study, "alfa")["pensar"] is True
    plain = load_study(write_study(tmp_path / "p"))
    assert "pensar" not in call_options(plain, "alfa")
    assert isinstance(classification_calls(plain, "alfa", ["d1"])[0].messages, tuple)
    assert pd.Series(call_options(plain, "alfa")).notna().all()
