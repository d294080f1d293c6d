"""Answers that were paid for: none is lost, and none is paid again, whatever became of `api.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from api_study import answer, api_study, keys, run
from servidor_anthropic import ServidorAnthropic, servindo
from small_study import CODEBOOK, ESTUDO
from supervised_study import good, save_answers

from compendio.erros import ErroDeEstudo
from compendio.jury import supervisor
from compendio.study import Study, load_study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    return api_study(tmp_path, monkeypatch)


def file(study: Study) -> Path:
    return study.pasta / "supervisor" / "api.jsonl"


def first(**changes: Any) -> Callable[[dict[str, Any]], str]:
    """Good answers, that of the supervisor to (d1, abordagem) changed."""

    def respond(params: dict[str, Any]) -> str:
        given = json.loads(answer(params))
        question = json.loads(params["messages"][0]["content"])
        if (question["documento"], question["variavel"]) == ("d1", "abordagem"):
            given |= changes
        return json.dumps(given, ensure_ascii=False)

    return respond


@pytest.mark.parametrize(
    "changes",
    [
        {"justificativa": "É o que diz. " * 400},  # beyond what a failure's detail keeps
        {"justificativa": "É\u2028o que\x85diz\u2029."},  # what splits lines
        {"justificativa": "� NÃO, informaÃ§Ã£o"},  # what looks like a file of another encoding
        {"id": "0123456789abcdef"},  # an id of another request
        {"modelo": "outro", "x": 1},
    ],
    ids=["long", "lines", "encoding", "id", "more"],
)
def test_an_answer_counts_whatever_is_in_it_and_is_paid_once(
    study: Study, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    with servindo(ServidorAnthropic(first(**changes))) as servidor:
        assert "Nada falta" in run(study, servidor, monkeypatch)
        lines = file(study).read_text(encoding="utf-8").split("\n")
        # Written again by a later run, of which six lines are taken from the store.
        file(study).write_text(lines[0] + "\n", encoding="utf-8")
        assert "Nada falta" in run(study, servidor, monkeypatch)
        assert len(servidor.cobradas) == 7
    again = file(study).read_text(encoding="utf-8")
    assert sorted(again.split("\n")) == sorted(lines) and len(again.splitlines()) == 7
    reading = supervisor.load_supervision(study).leitura
    assert (reading.problemas, reading.avisos) == ([], [])
    assert {json.loads(line)["modelo"] for line in again.splitlines()} == {"modelo-de-teste"}


def broken(text: str, how: str) -> bytes:
    lines = text.splitlines()
    if how == "quote":
        lines[0] = lines[0][:-5]
    elif how == "choice":
        lines[0] = json.dumps({**json.loads(lines[0]), "escolha": 99}, ensure_ascii=False)
    elif how == "cut in the middle":
        return text.encode()[: len(text) // 2]
    elif how == "array":
        return ("[" + ",\n".join(lines[:-1]) + "]").encode()
    elif how == "CRLF":
        return "\r\n".join(lines[:-1]).encode()
    elif how == "BOM":
        return ("\n".join(lines[:-1])).encode("utf-8-sig")
    elif how == "Windows-1252":
        return "\n".join(lines[:-1]).encode("cp1252")
    elif how == "empty":
        return b""
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "how", ["quote", "choice", "cut in the middle", "array", "CRLF", "BOM", "Windows-1252", "empty"]
)
def test_a_file_broken_by_hand_is_mended_from_the_store_and_nothing_is_paid_again(
    study: Study, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
        file(study).write_bytes(broken(file(study).read_text(encoding="utf-8"), how))
        for _ in range(2):
            assert "Nada falta" in run(study, servidor, monkeypatch)
        assert len(servidor.cobradas) == 7
    assert supervisor.load_supervision(study).leitura.problemas == []


def test_a_file_that_cannot_be_read_is_a_sentence_and_stays(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
        strange = file(study).read_text(encoding="utf-8").encode("utf-16")
        file(study).write_bytes(strange)
        with pytest.raises(ErroDeEstudo, match=r"supervisor/api.jsonl: a codificação não é UTF-8"):
            run(study, servidor, monkeypatch)
        assert file(study).read_bytes() == strange and len(servidor.cobradas) == 7


def test_a_folder_that_takes_no_file_is_a_sentence_and_what_was_paid_waits(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = study.pasta / "supervisor"
    folder.write_text("um arquivo no lugar da pasta", encoding="utf-8")
    with servindo(ServidorAnthropic(answer)) as servidor:
        with pytest.raises(ErroDeEstudo, match=r"api.jsonl: não consigo escrever .* sem pagar de novo"):
            run(study, servidor, monkeypatch)
        folder.unlink()
        assert "Nada falta" in run(study, servidor, monkeypatch)
        assert len(servidor.cobradas) == 7 and [p.name for p in folder.iterdir()] == ["api.jsonl"]


def test_an_answer_that_another_file_contradicts_is_not_paid_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    (asked,) = [
        r
        for r in supervisor.load_supervision(study).pedidos["supervisor"]
        if (r.documento, r.variavel) == ("d1", "abordagem")
    ]
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
        save_answers(study, good(asked, 2), name="a-mao.jsonl")
        before = file(study).read_bytes()
        for _ in range(2):
            assert "1 não contam, porque outra linha as contradiz" in run(study, servidor, monkeypatch)
        assert len(servidor.cobradas) == 7 and file(study).read_bytes() == before


def test_an_edited_answer_that_is_good_stays_as_it_was_edited(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
        edited = file(study).read_text(encoding="utf-8").replace("É o que diz.", "Conferido à mão.")
        file(study).write_text(edited, encoding="utf-8")
        assert "Nada falta" in run(study, servidor, monkeypatch)
    assert file(study).read_text(encoding="utf-8") == edited


def test_what_stricter_rules_refuse_is_asked_again_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = api_study(tmp_path, monkeypatch, extra="evidencia: dispensada\n")
    bare = ServidorAnthropic(first(evidencia=""))
    with servindo(bare):
        assert "Nada falta" in run(study, bare, monkeypatch)
    (study.pasta / "estudo.yaml").write_text(ESTUDO + keys(), encoding="utf-8")
    study = load_study("meu")
    with servindo(ServidorAnthropic(answer)) as servidor:
        for _ in range(3):
            told = run(study, servidor, monkeypatch)
        assert "Nada a enviar" in told and "Nada falta" in told
        # The definitions say the same under both rules: only the answer without a quote is asked again.
        assert len(servidor.mensagens) == 1


def test_a_question_that_changed_under_a_batch_blocks_no_later_run(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    servidor = ServidorAnthropic(answer, falta_no_lote=lambda name, params: "json_quebrado")
    servidor.cortar_resultados_em = 0
    with servindo(servidor):
        with pytest.raises(ErroDeEstudo, match="foi cortada"):
            run(study, servidor, monkeypatch, em_lote=True)
        changed = CODEBOOK.replace("pergunta: ", "pergunta: Diga ")
        assert changed != CODEBOOK
        (study.pasta / "codebook.yaml").write_text(changed, encoding="utf-8")
        study = load_study("meu")
        servidor.cortar_resultados_em = None
        for _ in range(2):
            told = run(study, servidor, monkeypatch)
        assert "Nada falta" in told
        assert supervisor.load_supervision(study).leitura.problemas == []


def test_where_nothing_is_missing_neither_key_nor_extra_is_needed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        study.banco.unlink()  # as on another machine, with the study from git
        before = len(servidor.pedidos)
        assert "Nada falta" in run(study, servidor, monkeypatch, confirmar_envio=False)
        assert len(servidor.pedidos) == before


def test_what_is_there_and_does_not_count_is_told_before_it_is_paid_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
        study.banco.unlink()
        file(study).write_bytes(file(study).read_text(encoding="utf-8").encode("utf-16"))
        told = run(study, servidor, monkeypatch, confirmar_envio=False)
        assert told.startswith("Atenção: há respostas em data/meu/supervisor/ que não contam")
        assert len(servidor.cobradas) == 7
