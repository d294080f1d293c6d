"""Lines of answers as people, chats and programs write them: the good are kept, the bad each get a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compendio.codebook import Codebook
from compendio.jury.answers import Answers, read_answers
from compendio.jury.batches import Request, make_request

BOOK = Codebook.model_validate(
    {
        "titulo": "t",
        "versao": "1",
        "variaveis": {
            "cor": {
                "tipo": "categorica",
                "pergunta": "Que cor?",
                "categorias": {
                    "azul": {"definicao": "azul"},
                    "nenhuma": {"definicao": "não diz", "dispensa_evidencia": True},
                },
            }
        },
    }
)
CANDIDATES = [{"valor": "azul", "evidencias": []}, {"valor": "nenhuma", "evidencias": []}]
ONE = make_request("d1", BOOK.variaveis["cor"], "O céu estava muito azul naquela manhã de maio.", CANDIDATES)
TWO = make_request(
    "d2", BOOK.variaveis["cor"], "O mar, ao contrário, parecia azul escuro de longe.", CANDIDATES
)
REQUESTS: dict[str, Request] = {ONE["id"]: ONE, TWO["id"]: TWO}


def line(request: Request = ONE, **changes: object) -> str:
    answer = {"id": request["id"], "escolha": 1, "evidencia": "estava muito azul", "justificativa": "j"}
    return json.dumps({**answer, **changes}, ensure_ascii=False)


def read(tmp_path: Path, content: str | bytes, requests: dict[str, Request] = REQUESTS) -> Answers:
    data = content.encode() if isinstance(content, str) else content
    (tmp_path / "r.jsonl").write_bytes(data)
    return read_answers(tmp_path, requests, BOOK, dispensada=False)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("{isto não é json", "linha 2: não é JSON"),
        ("[1, 2]", "falta o «id»"),
        (line(escolha=3), "a escolha «3» não existe; use de 1 a 2"),
        (line(escolha=True), "a escolha «True» não existe"),
        (line(escolha="azul"), "a escolha «azul» não existe"),
        (json.dumps({"id": ONE["id"]}), "falta «escolha»"),
        (line(evidencia=""), "falta a evidência"),
        (line(evidencia="estava quase azul"), "não está no texto"),
        (line(evidencia=7), "«evidencia» deve ser texto"),
        (line(TWO, evidencia="parecia azul escuro"), "já foi respondido em r.jsonl, linha 1"),
    ],
)
def test_a_bad_line_is_said_and_the_good_one_kept(tmp_path: Path, bad: str, says: str) -> None:
    answers = read(tmp_path, line(TWO, evidencia="parecia azul escuro") + "\n" + bad + "\n")
    assert list(answers.boas) == [TWO["id"]]
    assert len(answers.problemas) == 1
    assert says in answers.problemas[0]
    assert answers.problemas[0].startswith("r.jsonl, linha 2")


def test_unknown_id_is_a_notice_since_it_may_answer_an_older_question(tmp_path: Path) -> None:
    answers = read(tmp_path, line(id="abc"))
    assert not answers.boas
    assert not answers.problemas
    assert "«abc» não é de nenhum pedido" in answers.avisos[0]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + line().encode() + b"\r\n",
        "```json\n" + line() + "\n```\n",
        "\n\n" + line() + "\n\n",
        "[" + line() + "]",
        line(escolha="1"),
        line(evidencia="ESTAVA  muito\nazul"),
        line(escolha=2, evidencia=""),  # an exempt value needs no quote
        line(escolha="nenhum_adequado", evidencia=""),
    ],
)
def test_forms_that_are_read_all_the_same(tmp_path: Path, content: str | bytes) -> None:
    answers = read(tmp_path, content)
    assert list(answers.boas) == [ONE["id"]]
    assert answers.problemas == []


def test_a_line_separator_inside_a_justification_ends_no_line(tmp_path: Path) -> None:
    answers = read(tmp_path, line(justificativa="uma\u2028duas"))
    assert list(answers.boas) == [ONE["id"]]


def test_without_texts_no_evidence_is_checked(tmp_path: Path) -> None:
    bare = make_request("d1", BOOK.variaveis["cor"], "", CANDIDATES)
    answers = read(tmp_path, line(bare, evidencia=""), {bare["id"]: bare})
    assert list(answers.boas) == [bare["id"]]


def test_another_encoding_is_said(tmp_path: Path) -> None:
    answers = read(tmp_path, line(justificativa="é").encode("latin-1"))
    assert not answers.boas
    assert "não está em UTF-8" in answers.problemas[0]


def test_no_folder_is_no_answer(tmp_path: Path) -> None:
    assert read_answers(tmp_path / "nada", REQUESTS, BOOK, dispensada=False).boas == {}
