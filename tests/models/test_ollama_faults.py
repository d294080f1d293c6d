"""Every known trap of a server or a model ends as its named failure: never as a label, never as a crash."""

from __future__ import annotations

import json

import pytest
from model_calls import OPCOES, SCHEMA, VALIDA, call
from servidor_ollama import Resposta, ServidorOllama

from compendio.models.base import Reply
from compendio.models.ollama import OllamaModel
from compendio.models.store import Store, reply_key

OUTSIDE = '{"b": 3}'
UNKNOWN_CATEGORY = '{"a": {"evidencia": "o gato", "valor": "talvez"}}'
FOREIGN = '{"a": {"evidencia": "the cat sleeps", "valor": "sim"}}'
LONG = json.dumps({"a": {"evidencia": "o gato " * 1500, "valor": "sim"}})
LOOP = '{"a": {"evidencia": "' + "o gato " * 300

FAULTS = {
    "erro 500": (Resposta(status=500, erro="llama runner process has terminated"), "sem_resposta"),
    "erro 500 sem corpo": (Resposta(status=500, cortar=0), "sem_resposta"),
    "erro 502 de um proxy": (Resposta(status=502, corpo=b"Bad Gateway"), "sem_resposta"),
    "erro 500 com lista": (Resposta(status=500, corpo=b'["erro"]'), "sem_resposta"),
    "modelo apagado no meio": (Resposta(status=404, erro="model 'm' not found"), "sem_resposta"),
    "ligação cortada no meio": (Resposta(VALIDA, cortar=40), "sem_resposta"),
    "ligação cortada antes": (Resposta(VALIDA, cortar=0), "sem_resposta"),
    "página de um proxy": (Resposta(corpo=b"<html>Acesso negado</html>"), "sem_resposta"),
    "corpo vazio": (Resposta(corpo=b""), "sem_resposta"),
    "JSON que não é do protocolo": (Resposta(corpo=b'{"ok": true}'), "sem_resposta"),
    "lista no lugar do protocolo": (Resposta(corpo=b"[1, 2]"), "sem_resposta"),
    "resposta inacabada": (Resposta(VALIDA, extra={"done": False}), "sem_resposta"),
    "tempo": (Resposta(VALIDA, espera=2.5), "tempo_esgotado"),
    "vazia": (Resposta(""), "recusa"),
    "só espaços": (Resposta(" \n\t"), "recusa"),
    "só pensamento": (Resposta("", thinking="Vejamos…"), "recusa"),
    "think no conteúdo": (Resposta(f"<think>Vejamos…</think>{VALIDA}"), "json_invalido"),
    "não é JSON": (Resposta("Sim, o gato dorme."), "json_invalido"),
    "JSON pela metade": (Resposta('{"a": {"evidencia": "o ga'), "json_invalido"),
    "cerca de código": (Resposta(f"```json\n{VALIDA}\n```"), "json_invalido"),
    "chave repetida": (Resposta('{"a": {"valor": "sim", "valor": "não"}}'), "json_invalido"),
    "meio par substituto": (Resposta('{"a": {"evidencia": "\\ud83d", "valor": "sim"}}'), "json_invalido"),
    "meio par substituto cru": (Resposta('{"a": {"evidencia": "\ud83d", "valor": "sim"}}'), "json_invalido"),
    "limite de tokens": (Resposta('{"a": {"evid', done_reason="length", eval_count=100), "limite_de_tokens"),
    "repetição sem fim": (Resposta(LOOP, done_reason="length", eval_count=100), "limite_de_tokens"),
    "texto cortado": (Resposta(VALIDA, prompt_eval_count=4096), "texto_truncado"),
    "texto cortado e resposta no limite": (
        Resposta('{"a', prompt_eval_count=4096, done_reason="length"),
        "texto_truncado",
    ),
    "resposta passa do contexto": (Resposta(VALIDA, prompt_eval_count=4090, eval_count=20), "texto_truncado"),
    "texto recusado pelo tamanho": (
        Resposta(status=400, erro="the input length exceeds the context length"),
        "texto_truncado",
    ),
}

#: JSON that is an answer as a whole: what its values are worth is judged against the codebook and the text.
ANSWERS = {
    "JSON fora do esquema": OUTSIDE,
    "categoria fora do livro de códigos": UNKNOWN_CATEGORY,
    "evidência em outra língua": FOREIGN,
    "evidência de 10 kB": LONG,
}


def ask(answer: Resposta, tempo_limite: float = 60) -> Reply:
    with ServidorOllama(lambda body, n: answer) as server:
        model = OllamaModel("m", host=server.url, tempo_limite=tempo_limite)
        return model.ask(call().messages, SCHEMA, OPCOES)


@pytest.mark.parametrize(("answer", "failure"), FAULTS.values(), ids=FAULTS)
def test_trap_ends_as_its_named_failure(answer: Resposta, failure: str) -> None:
    reply = ask(answer, tempo_limite=1.0 if failure == "tempo_esgotado" else 60)
    assert reply.falha == failure
    assert reply.conteudo is None
    assert 0 < len(reply.detalhe) <= 2000
    with Store(":memory:") as store:
        key = reply_key("a" * 64, call())
        assert store.put(key, "m", call(), reply, 1) == reply


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_a_whole_json_object_is_kept_exactly_as_it_came(text: str) -> None:
    reply = ask(Resposta(text, eval_count=90))
    assert reply.falha is None and reply.conteudo == text


def test_the_raw_text_of_a_failure_is_not_lost() -> None:
    assert "Sim, o gato dorme." in ask(Resposta("Sim, o gato dorme.")).detalhe
    assert "<think>Vejamos" in ask(Resposta("<think>Vejamos</think>{}")).detalhe
    assert "Vejamos…" in ask(Resposta("", thinking="Vejamos…")).detalhe
    assert '"\\ud83d"' in ask(Resposta('{"a": "\ud83d"}')).detalhe


def test_a_failure_keeps_what_the_server_measured() -> None:
    reply = ask(Resposta('{"a', done_reason="length", eval_count=100))
    assert (reply.tokens, reply.geracao_segundos, reply.segundos) == (100, 1.0, 1.5)


def test_a_model_gone_from_the_server_says_which_pull() -> None:
    assert "ollama pull m" in ask(Resposta(status=404)).detalhe


def test_a_server_that_stops_is_no_crash() -> None:
    with ServidorOllama() as server:
        model = OllamaModel("m", host=server.url)
    reply = model.ask(call().messages, SCHEMA, OPCOES)
    assert reply.falha == "sem_resposta" and reply.detalhe.startswith("sem ligação")


def test_one_token_under_the_context_is_an_answer_and_no_num_ctx_is_no_guess() -> None:
    # 4,075 read and 20 written are 4,095 of 4,096.
    assert ask(Resposta(VALIDA, prompt_eval_count=4075, eval_count=20)).falha is None
    with ServidorOllama(lambda body, n: Resposta(VALIDA, prompt_eval_count=10**6)) as server:
        reply = OllamaModel("m", host=server.url).ask(call().messages, SCHEMA, {"temperature": 0})
    assert reply.falha is None


def test_a_text_that_cannot_be_sent_is_a_failure_too() -> None:
    with ServidorOllama() as server:
        broken = call(texto="meio par \ud83d")
        assert OllamaModel("m", host=server.url).ask(broken.messages, SCHEMA, OPCOES).falha == "sem_resposta"
