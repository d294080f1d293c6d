"""Ollama through its official client: one call, one reply or one named failure.

The traps guarded against (measured against Ollama 0.13.5): a prompt longer than `num_ctx` is cut in
silence and answered with status 200 and exactly `num_ctx` prompt tokens; an answer that runs past the
context loses the start of the prompt while it is written; `format` is no promise of valid JSON.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import ollama
import pydantic

from compendio.models.answers import RespostaInvalida, detail, max_context, parse_answer
from compendio.models.base import Falha, Message, Reply, Schema
from compendio.models.host import server_url
from compendio.models.server import CLIENT_ERRORS, Server

#: Start of the `detalhe` of a call that reached no server at all.
SEM_LIGACAO = "sem ligação com o servidor"


class OllamaModel:
    """One member of the jury, served by Ollama.

    Parameters
    ----------
    nome
        The member's name in the study.
    modelo
        Ollama's name of the model; by default the member's.
    tempo_limite
        Seconds a call may take.
    host
        Server; by default OLLAMA_HOST. On a cluster leave it out: each worker calls its own.

    Raises
    ------
    ErroDeEstudo
        When the server does not answer or does not hold the model (with the `ollama pull` to run).

    Notes
    -----
    `pensar` among a call's options is sent as the client's `think`; without it, thinking is switched
    off where the model can think, and not mentioned where it cannot.
    """

    def __init__(
        self, nome: str, modelo: str | None = None, *, tempo_limite: float = 120, host: str | None = None
    ) -> None:
        self.nome, self.modelo = nome, modelo or nome
        self.tempo_limite, self.host = float(tempo_limite), host
        server = Server(host)
        self.digest = server.require([self.modelo])[self.modelo].digest
        self.servidor = server.version()
        self.pensa = "thinking" in server.capabilities(self.modelo)
        self._client: ollama.Client | None = None

    def __getstate__(self) -> dict[str, Any]:
        # An open connection cannot travel to a worker; each opens its own.
        return {**self.__dict__, "_client": None}

    def ask(self, messages: Sequence[Message], schema: Schema, options: Mapping[str, Any]) -> Reply:
        """Ask once. `options` are Ollama's, plus `pensar`. Never raises for what model or network do."""
        sent = {name: value for name, value in options.items() if name != "pensar"}
        think = options.get("pensar", False if self.pensa else None)
        start = time.monotonic()
        try:
            response = self._open().chat(
                model=self.modelo,
                messages=[dict(message) for message in messages],
                format=dict(schema),
                options=sent,
                think=think,
                stream=False,
            )
        except CLIENT_ERRORS as error:
            falha, detalhe = name_error(error, self.modelo)
            return self._reply(None, falha, detalhe, {}, time.monotonic() - start)
        conteudo, falha_ou_nada, detalhe = read_response(response, max_context(options))
        return self._reply(conteudo, falha_ou_nada, detalhe, response, time.monotonic() - start)

    def unload(self) -> None:
        """Put the model out of the server's memory, so that the next call starts with an empty cache."""
        Server(self.host).unload(self.modelo)

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> ollama.Client:
        if self._client is None:
            url = server_url(self.host)
            # A server that cannot even be reached is told from a model that takes long.
            timeout = httpx.Timeout(self.tempo_limite, connect=min(10.0, self.tempo_limite))
            self._client = Server(url).client(timeout)
        return self._client

    def _reply(
        self, conteudo: str | None, falha: Falha | None, detalhe: str, seen: Any, elapsed: float
    ) -> Reply:
        """`segundos` is the server's own measure where it gives one: it leaves out waiting in line."""
        return Reply(
            conteudo=conteudo,
            falha=falha,
            detalhe=detalhe,
            digest=self.digest,
            servidor=self.servidor,
            prompt_tokens=seen.get("prompt_eval_count"),
            tokens=seen.get("eval_count"),
            prompt_segundos=_seconds(seen.get("prompt_eval_duration")),
            geracao_segundos=_seconds(seen.get("eval_duration")),
            segundos=_seconds(seen.get("total_duration")) or round(elapsed, 4),
        )


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else round(nanoseconds / 1e9, 4)


def read_response(response: Any, num_ctx: int | None) -> tuple[str | None, Falha | None, str]:
    """(conteudo, falha, detalhe) of a response with status 200.

    Parameters
    ----------
    response
        Mapping in the form of `ollama.ChatResponse`.
    num_ctx
        Tokens of the context that were asked for; None when unknown.
    """
    text = response["message"].get("content") or ""
    prompt, written = response.get("prompt_eval_count"), response.get("eval_count") or 0
    if num_ctx is not None and prompt is not None:
        if prompt >= num_ctx:
            reason = f"o servidor leu {prompt} tokens com num_ctx {num_ctx}: cortou o texto"
            return None, "texto_truncado", detail(reason, text)
        if prompt + written > num_ctx:
            reason = f"{prompt} tokens lidos e {written} escritos passam de num_ctx {num_ctx}"
            return None, "texto_truncado", detail(reason, text)
    if response.get("done_reason") == "length":
        return None, "limite_de_tokens", detail(f"a resposta parou no limite, com {written} tokens", text)
    if response.get("done") is False:
        return None, "sem_resposta", detail("o servidor deu a resposta por inacabada", text)
    if not text.strip():
        thought = response["message"].get("thinking") or ""
        return None, "recusa", detail("resposta vazia" + (", só pensamento" if thought else ""), thought)
    try:
        parse_answer(text)
    except RespostaInvalida as error:
        return None, "json_invalido", detail(str(error), text)
    return text, None, ""


def name_error(error: Exception, modelo: str) -> tuple[Falha, str]:
    """The failure and its detail for a call that brought no response of the protocol."""
    if isinstance(error, (httpx.ConnectTimeout, ConnectionError, httpx.ConnectError)):
        return "sem_resposta", detail(f"{SEM_LIGACAO}: {error}")
    if isinstance(error, httpx.TimeoutException):
        return "tempo_esgotado", detail(f"{type(error).__name__}: {error}")
    if isinstance(error, ollama.ResponseError):
        if error.status_code == 400 and "context" in str(error.error):
            return "texto_truncado", detail(f"o servidor recusou o tamanho do texto: {error.error}")
        hint = f" (ollama pull {modelo})" if error.status_code == 404 else ""
        return "sem_resposta", detail(f"o servidor respondeu {error.status_code}: {error.error}{hint}")
    if isinstance(error, pydantic.ValidationError):
        broken = next((e for e in error.errors() if e["type"] == "string_unicode"), None)
        if broken is not None:
            return "json_invalido", detail("meio par substituto", str(broken.get("input", "")))
    # A connection cut in the middle, or a body that is not Ollama's.
    return "sem_resposta", detail(f"{type(error).__name__}: {error}")
