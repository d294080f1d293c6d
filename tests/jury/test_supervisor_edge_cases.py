"""Answers as people, chats and programs write them: good ones are kept, each bad one gets a sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jury_builders import categorical, codebook, multiple, text

from compendio.jury.answer_lines import read_lines
from compendio.jury.answers import Reading, read_answers
from compendio.jury.batches import Request, Tipo, instructions, make_request

BOOK = codebook(
    cor=categorical("azul", "verde", "nenhuma", exempt=["nenhuma"]),
    fontes=multiple("falas", "midia", "leis", exempt=["leis"]),
    ano=text("não diz"),
)
CEU = "O céu estava muito azul naquela manhã de maio, disseram jornais e moradores."
MAR = "O mar, ao contrário, parecia verde escuro de longe."


def request(documento: str, variavel: str, texto: str, values: Sequence[str | None], **more: Any) -> Request:
    tipo: Tipo = more.pop("tipo", "supervisor")
    shown = [(value, []) for value in values]
    return make_request(tipo, documento, texto, BOOK.variaveis[variavel], shown, values, **more)


ONE = request("d1", "cor", CEU, ["azul", "nenhuma"])
TWO = request("d2", "cor", MAR, ["azul", "verde"])
SET = request("d1", "fontes", CEU, ['["falas", "midia"]', '["midia", "leis"]', "[]", '["leis"]'])
LIST = request("d2", "fontes", CEU, ["leis", "falas", "midia"], tipo="auditoria", varias=True)


def line(asked: Request = ONE, **changes: Any) -> str:
    quote = {"d1": "estava muito azul", "d2": "parecia verde escuro"}[asked.documento]
    answer = {"id": asked.id, "escolha": 1, "evidencia": quote, "justificativa": "É o que diz."}
    return json.dumps({**answer, **changes}, ensure_ascii=False)


GOOD = line(TWO, escolha=2)


def read(folder: Path, content: str | bytes, *requests: Request, dispensada: bool = False) -> Reading:
    folder.mkdir(exist_ok=True)
    (folder / "r.jsonl").write_bytes(content.encode() if isinstance(content, str) else content)
    return read_answers(folder, requests or (ONE, TWO), BOOK, dispensada)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("{isto não é json", "o JSON está quebrado"),
        (line()[:-1], "falta uma vírgula ou a chave do fim"),
        (line()[:-10], "as aspas não fecham"),
        ("Claro! Aqui estão as respostas:", "não é uma resposta em JSON"),
        (line(id=None), "falta o «id»"),
        (line(id="0123456789abcdef"), "o «id» não é de nenhum pedido de agora"),
        (line(escolha=0), "a escolha 0 não existe nesse pedido; use o número de um candidato (de 1 a 2)"),
        (line(escolha=3), "a escolha 3 não existe"),
        (line(escolha=-1), "a escolha -1 não existe"),
        (line(escolha=1.5), "a escolha 1.5 não existe"),
        (line(escolha=True), "a escolha true não existe"),
        (line(escolha=[1]), "a escolha [1] não existe"),
        (line(escolha="azul"), 'a escolha "azul" não existe'),
        (line(escolha="9" * 5000), "não existe"),
        (line(escolha=None), "falta «escolha»"),
        (line(evidencia=""), "falta a evidência de «azul»"),
        (line(evidencia="estava quase azul"), "«estava quase azul» não está no texto"),
        (line(evidencia="céu"), "«céu» não está no texto, ou é curta"),
        (line(evidencia=7), "«evidencia» deve ser um trecho do texto"),
        (line(justificativa=" "), "falta «justificativa»"),
        (line(justificativa=["x"]), "«justificativa» deve ser uma frase"),
        (line().replace("{", '{"escolha": 2, ', 1), "o campo «escolha» está repetido"),
        (line(justificativa="\ud800").encode("ascii", "backslashreplace").decode(), "caractere incompleto"),
        (line().replace(": 1", ": NaN"), "«NaN» não é um valor de JSON"),
        ('{"a":' * 100_000, "o JSON"),
    ],
)
def test_a_bad_line_is_said_with_its_place_and_the_good_one_kept(tmp_path: Path, bad: str, says: str) -> None:
    reading = read(tmp_path, f"{GOOD}\n{bad}\n")
    assert list(reading.respostas) == [TWO.id]
    assert len(reading.problemas) == 1, reading.problemas
    assert reading.problemas[0].startswith(f"{tmp_path.name}/r.jsonl, linha 2: ")
    assert says in reading.problemas[0]
    assert reading.problemas[0].endswith(".") and reading.linhas == 2
    assert [r.id for r in reading.missing((ONE, TWO))] == [ONE.id]
    # And the same with the bad line first.
    assert list(read(tmp_path, f"{bad}\n{GOOD}\n").respostas) == [TWO.id]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + f"{line()}\r\n{GOOD}\r\n".encode(),
        f"{line()}\r{GOOD}",
        f"```json\n{line()}\n{GOOD}\n```\n",
        f"```\n{line()}\n```\n\n```\n{GOOD}\n```",
        f"```json {line()}\n{GOOD} ```",
        f"\n\n{line()}\n\n   \n{GOOD}\n\n",
        f"[{line()}, {GOOD}]",
        f"[\n  {line()},\n  {GOOD}\n]",
        f"{line()},\n{GOOD},\n",
        f"{line()}{GOOD}",
        json.dumps([json.loads(line()), json.loads(GOOD)], indent=2),
        f"{line(escolha='1')}\n{GOOD}",
        f"{line(id=f' {ONE.id} ')}\n{GOOD}",
        f"{line(evidencia='ESTAVA  muito azul')}\n{GOOD}",
        f"{line(escolha=2, evidencia='')}\n{GOOD}",  # an exempt value needs no quote
        f"{line(escolha='nenhum_adequado', evidencia='')}\n{GOOD}",
        f"{line(escolha='Nenhum adequado', evidencia='o que for')}\n{GOOD}",
        f"{line(justificativa='uma' + chr(0x2028) + 'duas', observacao='mais um campo')}\n{GOOD}",
        f"{line()}\n{GOOD}".encode("cp1252"),
    ],
)
def test_forms_that_are_read_all_the_same(tmp_path: Path, content: str | bytes) -> None:
    reading = read(tmp_path, content)
    assert reading.problemas == []
    assert set(reading.respostas) == {ONE.id, TWO.id}


def test_line_numbers_hold_after_fences_breaks_and_indented_answers(tmp_path: Path) -> None:
    indented = json.dumps(json.loads(GOOD), indent=2)
    content = f"```json\r\n\r\n{indented}\r\n{line(escolha=9)}\r\n```\r\n"
    # Fence, empty line, six lines of the indented answer: the bad one is on line 9.
    assert "linha 9:" in read(tmp_path, content).problemas[0]


def test_words_after_a_broken_answer_are_one_problem(tmp_path: Path) -> None:
    broken = '{\n  "id": "x"\n  "escolha": 1\n}\nEspero ter ajudado.\n'
    reading = read(tmp_path, broken + GOOD)
    assert list(reading.respostas) == [TWO.id]
    assert len(reading.problemas) == 1 and "linha 1:" in reading.problemas[0]


def test_two_answers_that_differ_cancel_each_other_and_equal_ones_count_once(tmp_path: Path) -> None:
    reading = read(tmp_path, f"{line()}\n{line(escolha=2)}\n{GOOD}\n{GOOD}")
    assert list(reading.respostas) == [TWO.id]
    assert (
        "linha 1: o mesmo pedido" in reading.problemas[0] and "linha 2; nenhuma conta" in reading.problemas[0]
    )
    assert "linha 3: a mesma resposta está repetida" in reading.avisos[0]


def test_a_corrected_answer_may_stand_beside_the_bad_one(tmp_path: Path) -> None:
    (tmp_path / "depois.jsonl").write_text(line(), encoding="utf-8")
    reading = read(tmp_path, f"{line(escolha=9)}\n{line()[:-1]}\n{GOOD}")
    assert set(reading.respostas) == {ONE.id, TWO.id} and reading.problemas == []
    assert reading.arquivos == 2
    assert all("tem outra resposta, que conta" in notice for notice in reading.avisos)
    assert [notice.split(": ")[0][-7:] for notice in reading.avisos] == ["linha 1", "linha 2"]


def test_the_same_problem_on_many_lines_is_said_once(tmp_path: Path) -> None:
    lines = "\n".join(line(id=f"{k:016x}") for k in range(30))
    (problem,) = read(tmp_path, lines).problemas
    assert "linhas 1, 2, 3, 4, 5 e mais 25: o «id» não é de nenhum pedido" in problem


def test_other_files_are_told_and_hidden_ones_passed_over(tmp_path: Path) -> None:
    for name in ("lote.json", "lote.jsonl.txt", "escolhas.csv", "LEIAME.md", ".DS_Store", "~lote.jsonl"):
        (tmp_path / name).write_text(line(), encoding="utf-8")
    reading = read(tmp_path, GOOD)
    assert list(reading.respostas) == [TWO.id]
    assert [notice.split(":")[0].split("/")[1] for notice in reading.avisos] == [
        "lote.json",
        "lote.jsonl.txt",
    ]


def test_a_file_that_is_no_text_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GOOD.encode("utf-16"))
    reading = read(tmp_path, line())
    assert list(reading.respostas) == [ONE.id]
    assert len(reading.problemas) == 1 and "UTF-16" in reading.problemas[0]


def test_no_folder_and_an_empty_file_are_no_answer(tmp_path: Path) -> None:
    assert read_answers(tmp_path / "nada", (ONE,), BOOK, False).respostas == {}
    assert read(tmp_path, "").linhas == read(tmp_path, "\n```json\n[]\n```\n").linhas == 0


@pytest.mark.parametrize(
    ("escolha", "evidencia", "says"),
    [
        (1, "céu estava muito azul", "escreva um trecho para cada uma"),
        (1, {"falas": "céu estava muito azul"}, "falta a evidência de «midia»"),
        (1, {"falas": "disseram jornais", "midia": "não há isto"}, "«não há isto» não está no texto"),
        (1, {"falas": "e moradores", "leis": "disseram jornais"}, "traz «leis», que não está na escolha"),
        (1, {"falas": 3}, "deve estar entre aspas"),
        (1, ["disseram jornais"], "«evidencia» deve ser um trecho"),
        (2, "", "falta a evidência de «midia»"),
    ],
)
def test_a_set_needs_a_quote_for_each_category(
    tmp_path: Path, escolha: int, evidencia: Any, says: str
) -> None:
    reading = read(tmp_path, line(SET, escolha=escolha, evidencia=evidencia), SET)
    assert not reading.respostas and says in reading.problemas[0]


@pytest.mark.parametrize(
    ("escolha", "evidencia", "valor", "quotes", "exempt"),
    [
        (1, {"falas": "e moradores", "midia": "disseram jornais"}, '["falas", "midia"]',
         {"falas": "e moradores", "midia": "disseram jornais"}, False),
        # One quote will do where only one category needs it.
        (2, "disseram jornais", '["midia", "leis"]', {"midia": "disseram jornais"}, True),
        (3, "", "[]", {}, False),
        (4, "", '["leis"]', {}, True),
        (4, "disseram jornais", '["leis"]', {"leis": "disseram jornais"}, False),
    ],
)  # fmt: skip
def test_sets_that_are_good(
    tmp_path: Path, escolha: int, evidencia: Any, valor: str, quotes: dict[str, str], exempt: bool
) -> None:
    reading = read(tmp_path, line(SET, escolha=escolha, evidencia=evidencia), SET)
    answer = reading.respostas[SET.id]
    assert answer.valor == valor and answer.evidencia is not None
    assert json.loads(answer.evidencia) == quotes and answer.por_isencao == exempt
    assert answer.inicio is None


@pytest.mark.parametrize(
    ("escolha", "evidencia", "valor"),
    [
        ([3, 1], {"midia": "disseram jornais"}, '["midia", "leis"]'),
        (["3", 1], "disseram jornais", '["midia", "leis"]'),
        (3, "disseram jornais", '["midia"]'),
        ([], "", "[]"),
        ("nenhum_adequado", "", "[]"),
    ],
)
def test_a_list_of_numbers_is_a_set_in_codebook_order(
    tmp_path: Path, escolha: Any, evidencia: Any, valor: str
) -> None:
    reading = read(tmp_path, line(LIST, escolha=escolha, evidencia=evidencia), LIST)
    assert reading.problemas == [] and reading.respostas[LIST.id].valor == valor


@pytest.mark.parametrize(("escolha", "says"), [([1, 1], "repete um número"), ([4], "a escolha 4 não existe")])
def test_a_list_of_numbers_that_is_bad(tmp_path: Path, escolha: Any, says: str) -> None:
    assert says in read(tmp_path, line(LIST, escolha=escolha), LIST).problemas[0]


def test_free_text_is_confirmed_with_a_quote_and_rejected_without(tmp_path: Path) -> None:
    given = {"tipo": "auditoria", "pergunta": "Que ano? A resposta dada foi «maio»."}
    asked = request("d1", "ano", CEU, ["maio", None], **given)
    absent = request("d2", "ano", CEU, ["Não diz.", None], **given)
    assert "falta a evidência" in read(tmp_path, line(asked, evidencia=""), asked).problemas[0]
    good = "\n".join([line(asked, evidencia="manhã de maio"), line(absent, evidencia="")])
    answers = read(tmp_path, good, asked, absent).respostas
    assert [answers[r.id].valor for r in (asked, absent)] == ["maio", "Não diz."]
    assert answers[absent.id].por_isencao
    rejected = read(tmp_path, line(asked, escolha=2, evidencia="", justificativa=""), asked)
    assert rejected.respostas[asked.id].valor is None and rejected.problemas == []


def test_a_study_that_asks_for_no_evidence_gets_none(tmp_path: Path) -> None:
    reading = read(tmp_path, line(evidencia=None), dispensada=True)
    assert reading.respostas[ONE.id].nivel_evidencia == "dispensada"


def test_the_instructions_say_only_what_the_batch_needs() -> None:
    cor, fontes = BOOK.variaveis["cor"], BOOK.variaveis["fontes"]
    plain = instructions("supervisor", [cor], destino="data/x/supervisor")
    assert "várias escolhas" not in plain and "cor: nenhuma" in plain and "errada" not in plain
    several = instructions("auditoria", [cor, fontes], destino="x", aviso="Textos fictícios.")
    assert "`[1, 3]`" in several and "> Textos fictícios." in several and "«errada»" in several
    bare = instructions("supervisor", [cor], destino="x", dispensada=True, textos=False)
    assert "não exige evidência" in bare and "não é conferida" in bare
    # Without texts there is none that could leave the machine.
    assert "não traz os textos" in bare and "internet" in plain and "internet" not in bare


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='{}[]",:\\`\n\r 1aé~', max_size=60))
def test_any_text_is_read_to_its_end_and_a_good_answer_after_it_is_found(noise: str) -> None:
    lines = list(read_lines(f"{noise}\n\n{GOOD}\n"))
    assert all((entry.objeto is None) == (entry.problema is not None) for entry in lines)
    assert any(entry.id == TWO.id for entry in lines)
    assert [entry.numero for entry in lines] == sorted(entry.numero for entry in lines)
