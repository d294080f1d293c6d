"""Suggestions of a reader: what goes out, what comes back line by line, and the proposal, which nothing applies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from jury_builders import categorical, codebook, text, vote, votes

from compendio.codebook import Codebook, diff_codebooks, load_codebook
from compendio.measure.codebook_requests import MUDANCAS, Request, codebook_requests, write_requests
from compendio.measure.codebook_suggestions import propose, read_suggestions
from compendio.measure.codebook_targets import target_kappas
from compendio.measure.divergence import category_pairs, divergences
from compendio.report.codebook_proposal import AMOSTRA, PAGINA, YAML, codebook_yaml, write_proposal

BOOK = codebook(cor=categorical("a", "b", "c", exempt=["c"]), par=categorical("s", "n"), ano=text())


def rows(fonte: str, **values: list[str | None]) -> pd.DataFrame:
    return votes(
        *(
            vote(fonte, v, documento=f"d{k}", variavel=name)
            for name, column in values.items()
            for k, v in enumerate(column, start=1)
        )
    )


REF = rows("ref", cor=["a", "a", "b"], par=["s", "s", "n"], ano=["1990", "1991", "1992"])
OWN = rows("m", cor=["c", "c", "b"], par=["s", "s", "n"], ano=["1990", None, "1992"])
PAIRS = category_pairs(OWN, REF, BOOK, "cor").assign(variavel="cor")


@pytest.fixture
def requests() -> list[Request]:
    texts = {"d1": "texto um", "d2": "texto dois", "d3": ""}
    return codebook_requests(divergences(OWN, REF, BOOK), PAIRS, texts, BOOK)


def answer(pasta: Path, *lines: dict[str, Any]) -> None:
    pasta.mkdir(exist_ok=True)
    content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (pasta / "leitor.jsonl").write_text(content, encoding="utf-8")


def line(request: Request, mudanca: str, **more: Any) -> dict[str, Any]:
    return {"id": request["id"], "mudanca": mudanca, "motivo": "ajuda", **more}


def test_one_request_a_variable_with_divergences_and_all_of_them(requests: list[Request]) -> None:
    assert [r["variavel"] for r in requests] == ["cor", "ano"]  # `par` has none
    assert requests[0]["pares"] == [{"referencia": "a", "codificador": "c", "n": 2}]
    assert [c["documento"] for c in requests[0]["casos"]] == ["d1", "d2"]
    assert requests[0]["casos"][0]["texto"] == "texto um"
    assert requests[1]["casos"][0]["codificador"] == {"valor": None, "evidencia": None}


def test_no_name_of_a_model_goes_out(requests: list[Request], tmp_path: Path) -> None:
    path = write_requests(requests, tmp_path, "teste")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 and json.loads(lines[0])["id"] == requests[0]["id"]
    assert all('"m"' not in text and '"ref"' not in text for text in lines)
    told = (tmp_path / "INSTRUCOES.md").read_text(encoding="utf-8")
    assert "manda os textos para fora" in told.split("\n\n")[1].replace("\n", " ")
    assert "data/teste/codebook/" in told and all(f"`{name}`" in told for name in MUDANCAS)


def test_without_texts_nothing_is_said_of_texts_that_go_out(tmp_path: Path) -> None:
    write_requests(codebook_requests(divergences(OWN, REF, BOOK), PAIRS, {}, BOOK), tmp_path, "teste")
    told = (tmp_path / "INSTRUCOES.md").read_text(encoding="utf-8").replace("\n", " ")
    assert "não traz os textos" in told and "manda os textos" not in told


def test_an_id_hangs_on_the_content(requests: list[Request]) -> None:
    again = codebook_requests(
        divergences(OWN, REF, BOOK), PAIRS, {"d1": "texto um", "d2": "texto dois", "d3": ""}, BOOK
    )
    other = codebook_requests(divergences(OWN, REF, BOOK), PAIRS, {"d1": "mudou"}, BOOK)
    assert [r["id"] for r in again] == [r["id"] for r in requests]
    assert other[0]["id"] != requests[0]["id"]


def test_every_change_in_a_proposal(requests: list[Request], tmp_path: Path) -> None:
    cor = requests[0]
    answer(
        tmp_path / "r",
        line(cor, "orientacao", texto="Primeiro a, depois b."),
        line(cor, "definicao", categoria="a", texto="nova", casos=["d1"]),
        line(cor, "fronteira", categoria="a", texto="não é c"),
        line(cor, "exemplo", categoria="a", texto="um"),
        line(cor, "exemplo", categoria="a", texto="dois"),
        line(cor, "exigir_evidencia", categoria="c"),
        line(cor, "dispensar_evidencia", categoria="b"),
        line(cor, "nova_categoria", categoria="d", texto="outra coisa"),
        line(cor, "fundir", categoria="b", com="c", texto="b e c"),
        line(cor, "meta", texto="0,55 a 0,65"),
    )
    found, problems = read_suggestions(tmp_path / "r", requests, BOOK)
    proposal = propose(BOOK, found, problems)
    assert proposal.problemas == [] and len(proposal.sugestoes) == 10
    new = proposal.codebook.variaveis["cor"]
    assert list(new.categorias) == ["a", "b", "d"] and new.orientacao == "Primeiro a, depois b."
    assert new.categorias["a"].definicao == "nova" and new.categorias["a"].exemplos == ["um", "dois"]
    assert new.categorias["b"].dispensa_evidencia and new.categorias["b"].definicao == "b e c"
    assert proposal.metas == {"cor": "0,55 a 0,65"} and proposal.codebook.versao == "1-sugerido"
    # The one in force is as it was.
    assert (
        list(BOOK.variaveis["cor"].categorias) == ["a", "b", "c"] and BOOK.variaveis["cor"].orientacao is None
    )


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"id": "0000"}, "não é de nenhum pedido"),
        ({"mudanca": "fronteiras"}, "«fronteira»"),
        ({"texto": ""}, "falta «texto»"),
        ({"categoria": ""}, "falta «categoria»"),
        ({"motivo": ""}, "falta «motivo»"),
        ({"texto": 3}, "deve ser texto"),
        ({"casos": "d1"}, "lista de documentos"),
        ({"casos": ["d3"]}, "«d3» não é documento"),
        ({"categoria": "z"}, "não há a categoria «z»"),
    ],
)
def test_a_bad_line_is_told_and_the_others_kept(
    requests: list[Request], tmp_path: Path, bad: dict[str, Any], told: str
) -> None:
    good = line(requests[0], "fronteira", categoria="a", texto="não é c")
    answer(tmp_path / "r", {**line(requests[0], "definicao", categoria="a", texto="x"), **bad}, good)
    proposal = propose(BOOK, *read_suggestions(tmp_path / "r", requests, BOOK))
    (problem,) = proposal.problemas
    assert problem.startswith("leitor.jsonl, linha 1: ") and told in problem
    assert [s.mudanca for s in proposal.sugestoes] == ["fronteira"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"mudanca": "nova_categoria", "categoria": "a", "texto": "x"}, "já existe"),
        ({"mudanca": "nova_categoria", "categoria": "a|b", "texto": "x"}, "«|»"),
        ({"mudanca": "fundir", "categoria": "a", "com": "a"}, "não há outra categoria"),
        ({"mudanca": "fundir", "categoria": "a", "com": "z"}, "não há outra categoria"),
    ],
)
def test_what_cannot_be_carried_out_is_left_out(
    requests: list[Request], tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    answer(tmp_path / "r", line(requests[0], **change))
    proposal = propose(BOOK, *read_suggestions(tmp_path / "r", requests, BOOK))
    assert told in proposal.problemas[0] and proposal.codebook == BOOK


def test_free_text_has_no_categories_and_two_cannot_become_one(
    requests: list[Request], tmp_path: Path
) -> None:
    answer(tmp_path / "r", line(requests[1], "nova_categoria", categoria="x", texto="y"))
    assert "texto livre" in propose(BOOK, *read_suggestions(tmp_path / "r", requests, BOOK)).problemas[0]
    two = codebook(cor=categorical("a", "b"))
    other = codebook_requests(divergences(OWN, REF, BOOK), PAIRS, {}, BOOK)
    answer(tmp_path / "r", line(other[0], "fundir", categoria="a", com="b"))
    assert "só há duas" in propose(two, *read_suggestions(tmp_path / "r", other, two)).problemas[0]


def test_the_same_change_twice_keeps_the_first(requests: list[Request], tmp_path: Path) -> None:
    answer(
        tmp_path / "r",
        line(requests[0], "definicao", categoria="a", texto="primeira"),
        line(requests[0], "definicao", categoria="a", texto="segunda"),
    )
    proposal = propose(BOOK, *read_suggestions(tmp_path / "r", requests, BOOK))
    assert proposal.codebook.variaveis["cor"].categorias["a"].definicao == "primeira"
    assert "linha 2" in proposal.problemas[0]


def test_the_proposal_as_files(requests: list[Request], tmp_path: Path) -> None:
    answer(tmp_path / "r", line(requests[0], "fronteira", categoria="a", texto="não é c", casos=["d1"]))
    proposal = propose(BOOK, *read_suggestions(tmp_path / "r", requests, BOOK))
    goals = target_kappas(OWN, REF, BOOK, PAIRS)
    written = write_proposal(tmp_path / "p", BOOK, proposal, goals, ["d8", "d9"], 7, "Fictício.")
    assert [path.name for path in written] == [PAGINA, YAML, AMOSTRA]
    page = written[0].read_text(encoding="utf-8")
    assert "Fictício." in page and "nada foi aplicado" in page and "semente 7" in page
    assert all(f"- {change}" in page for change in diff_codebooks(BOOK, proposal.codebook))
    assert load_codebook(written[1]) == proposal.codebook
    assert written[2].read_text(encoding="utf-8") == "documento\nd8\nd9\n"
    # Without suggestions and without documents: the page says both, and the earlier files are gone.
    (left,) = write_proposal(tmp_path / "p", BOOK, propose(BOOK, []), goals, [], 7)
    page = left.read_text(encoding="utf-8")
    assert "Ainda não há sugestões" in page and "não tem documentos fora da amostra" in page
    assert not (tmp_path / "p" / YAML).exists() and not (tmp_path / "p" / AMOSTRA).exists()


def test_a_codebook_survives_being_written(tmp_path: Path) -> None:
    book = Codebook.model_validate(
        {
            "titulo": "Título: com dois-pontos",
            "versao": "1.0",
            "variaveis": {
                "v": {
                    "tipo": "multipla",
                    "pergunta": "Qual? # não é comentário",
                    "categorias": {
                        "sim": {"definicao": "é", "exemplos": ["a: b", "não"]},
                        "1990": {"definicao": "ano", "dispensa_evidencia": True},
                    },
                },
                "t": {"tipo": "texto", "pergunta": "Quando?", "limite": 12, "valor_ausente": "não"},
            },
        }
    )
    path = tmp_path / "c.yaml"
    path.write_text(codebook_yaml(book), encoding="utf-8")
    assert load_codebook(path) == book
