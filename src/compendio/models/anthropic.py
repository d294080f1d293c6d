"""The paid API, through its official SDK: calls that end as an outcome with a name, never as an exception.

Only `connect` makes a client, and nobody may call it before both consents (`jury.api_consent`). The SDK's
own retries are off: whoever retries asks the ledger first. The key comes from the environment, stays inside
the client, and is struck out of every text that comes back. Nothing is sent anywhere but to the address that was
shown: redirects are not followed, and the SDK's own tracing is off.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from compendio.erros import ErroDeEstudo
from compendio.models.answers import detail, printable
from compendio.models.billing import Usage

CHAVE, ENDERECO = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"
_PADRAO = "https://api.anthropic.com"
_SERVE = re.compile(r"(https?)://(([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?)(/[\w.~/-]*)?", re.ASCII)
_DAQUI = re.compile(r"(localhost|127\.[\d.]+|\[::1\])(:\d+)?")
#: What an HTTP header can carry, and JSON writes as it is; shorter ones are no keys, and may be part of a word.
_CHAVE_SERVE = re.compile(r"[!#-\[\]-~]{16,}")
#: More tokens than one message can bill: numbers beyond are no bill.
_TOKENS_DEMAIS = 1_000_000_000

FalhaPaga = Literal[
    "sem_resposta", "tempo_esgotado", "limite_de_uso", "sobrecarga", "erro_do_servidor",
    "chave_recusada", "sem_saldo", "modelo_desconhecido", "pedido_invalido",
    "limite_de_tokens", "recusa", "json_invalido", "resposta_recusada",
    "lote_expirado", "lote_cancelado", "nao_enviado",
]  # fmt: skip
#: Asked again in the same run, after a while; the next run asks again, too.
PASSAGEIRAS = ("sem_resposta", "tempo_esgotado", "limite_de_uso", "sobrecarga", "erro_do_servidor")
#: No other call can succeed: the run stops.
FATAIS = ("chave_recusada", "sem_saldo", "modelo_desconhecido")
#: The model's own result: paid, kept, and asked again only on request.
DO_MODELO = ("limite_de_tokens", "recusa", "json_invalido", "resposta_recusada")


@dataclass(frozen=True)
class Outcome:
    """What came of one call.

    Attributes
    ----------
    conteudo
        The text of the answer; None where there is a `falha`.
    uso
        The tokens billed; None where the API said none.
    talvez_cobrada
        No bill came, and the server may have made one: the call counts at its worst case.
    espera
        Seconds the server asks to wait before the next call.
    """

    conteudo: str | None = None
    falha: FalhaPaga | None = None
    detalhe: str = ""
    uso: Usage | None = None
    talvez_cobrada: bool = False
    espera: float | None = None


@dataclass(frozen=True)
class Batch:
    """A batch as the API tells it."""

    id: str
    acabou: bool
    pedidos: int
    criado: datetime
    arquivado: bool = False


def address() -> str:
    """The address of the API, or ANTHROPIC_BASE_URL. Opens nothing.

    Raises ErroDeEstudo, which does not repeat it (it may hold a password), where it is not one to send texts to.
    """
    if not _SERVE.fullmatch(_given(ENDERECO) or _PADRAO):
        raise ErroDeEstudo(
            f"A variável de ambiente {ENDERECO} não traz um endereço que sirva; escreva-o como https://servidor ou "
            "https://servidor:porta/caminho, sem usuário nem senha, ou apague a variável."
        )
    return _given(ENDERECO) or _PADRAO


def _given(name: str) -> str:
    """A variable of the environment. No error is raised where a variable holds it: tracebacks may show those."""
    return os.environ.get(name, "").strip()


def host() -> str:
    """To whom the texts would go, as it is shown."""
    found = _SERVE.fullmatch(address())
    assert found is not None
    scheme, where = found[1], found[2]
    return f"{where} (sem criptografia)" if scheme == "http" and not _DAQUI.fullmatch(where) else where


def check_extra() -> None:
    """Raise ErroDeEstudo unless the optional SDK is installed and the key is in the environment."""
    if importlib.util.find_spec("anthropic") is None:
        raise ErroDeEstudo(
            "O supervisor por API precisa da biblioteca «anthropic», que é opcional; instale-a: pip install "
            '"compendio[anthropic]" (na pasta do projeto: pip install -e ".[anthropic]").'
        )
    if not _given(CHAVE):
        raise ErroDeEstudo(
            f"Falta a chave da API: ponha-a na variável de ambiente {CHAVE} (nunca num arquivo do estudo) e rode "
            "de novo."
        )
    if not _CHAVE_SERVE.fullmatch(_given(CHAVE)):
        raise ErroDeEstudo(
            f"O que está na variável de ambiente {CHAVE} não é uma chave (espaço, acento, aspas ou quebra de linha no "
            "meio, ou menos de 16 caracteres); copie a chave inteira e rode de novo."
        )


class Connection:
    """A client of the API. To be made by `connect` alone."""

    def __init__(self, client: Any, sdk: Any, segredo: str) -> None:
        self._client, self._sdk, self._segredo = client, sdk, segredo

    def __repr__(self) -> str:
        return f"Connection({host()})"

    def close(self) -> None:
        """Close its sockets."""
        self._client.close()

    def ask(self, params: Mapping[str, Any]) -> Outcome:
        """One message. Never raises for what the API or the network does."""
        try:
            message = self._client.messages.create(**params)
        except Exception as error:
            return self._failure(error)
        return self.read(message)

    def count(self, params: Mapping[str, Any]) -> int | Outcome:
        """Prompt tokens of a message as the API counts them (free), or the failure."""
        asked = {name: value for name, value in params.items() if name != "max_tokens"}
        try:
            return int(self._client.messages.count_tokens(**asked).input_tokens)
        except Exception as error:
            return self._failure(error)

    def create_batch(self, requests: Sequence[tuple[str, Mapping[str, Any]]]) -> str | Outcome:
        """Send a batch of (custom id, parameters); its id, or the failure."""
        body = [{"custom_id": name, "params": dict(params)} for name, params in requests]
        try:
            ident = self._client.messages.batches.create(requests=body).id
        except Exception as error:
            outcome = self._failure(error)
            # A server that broke down may have taken the batch in: it is looked for before it is sent again.
            broke = outcome.falha == "erro_do_servidor"
            return replace(outcome, talvez_cobrada=outcome.talvez_cobrada or broke)
        if isinstance(ident, str) and ident:
            return ident
        return Outcome(falha="sem_resposta", detalhe="o lote veio sem nome", talvez_cobrada=True)

    def batch(self, ident: str) -> Batch | Outcome:
        """The state of one batch, or the failure."""
        try:
            return _batch(self._client.messages.batches.retrieve(ident))
        except Exception as error:
            return self._failure(error)

    def batches(self, desde: float) -> list[Batch] | Outcome:
        """The batches of this key since `desde` (seconds since the epoch), newest first, or the failure."""
        listed: list[Batch] = []
        try:
            for found in self._client.messages.batches.list(limit=100):  # the SDK asks for page after page
                batch = _batch(found)
                if batch.criado.timestamp() < desde:
                    break
                listed.append(batch)
        except Exception as error:
            return self._failure(error)
        return listed

    def results(self, ident: str) -> Iterator[tuple[str, Outcome] | Outcome]:
        """(custom id, outcome) of each request of a batch that has ended; a failure ends the stream."""
        try:
            for line in self._client.messages.batches.results(ident):
                yield line.custom_id, self._result(line.result)
        except Exception as error:
            yield self._failure(error)

    def read(self, message: Any) -> Outcome:
        """The outcome in one message of the API. Without a bill that can be read it counts at its worst case."""
        uso = _usage(getattr(message, "usage", None))
        unknown = uso is None
        try:
            text = "".join(block.text for block in message.content if block.type == "text")
            reason = message.stop_reason
        except (AttributeError, TypeError):
            told = "resposta fora do protocolo"
            return Outcome(falha="erro_do_servidor", detalhe=told, uso=uso, talvez_cobrada=unknown)
        text = self._struck(text)
        if reason in ("max_tokens", "model_context_window_exceeded"):
            told = detail(str(reason), text)
            return Outcome(falha="limite_de_tokens", detalhe=told, uso=uso, talvez_cobrada=unknown)
        if reason == "refusal":
            return Outcome(falha="recusa", detalhe=detail("refusal", text), uso=uso, talvez_cobrada=unknown)
        return Outcome(conteudo=text, uso=uso, talvez_cobrada=unknown)

    def _result(self, result: Any) -> Outcome:
        """Of a batch's results only those that succeeded are billed."""
        if result.type == "succeeded":
            return self.read(result.message)
        if result.type == "errored":
            kind = str(getattr(result.error.error, "type", "error"))
            falha: FalhaPaga = "pedido_invalido" if kind == "invalid_request_error" else "erro_do_servidor"
            return Outcome(falha=falha, detalhe=self._clean(kind))
        return Outcome(falha="lote_expirado" if result.type == "expired" else "lote_cancelado")

    def _failure(self, error: Exception) -> Outcome:
        sdk = self._sdk
        if isinstance(error, sdk.APITimeoutError):
            return Outcome(falha="tempo_esgotado", detalhe="o servidor não respondeu", talvez_cobrada=True)
        if isinstance(error, sdk.APIStatusError):
            status = error.status_code
            words = [f"HTTP {status}", str(error.type or ""), str(error.api_message or "")]
            if status < 400:
                words = [f"HTTP {status}, manda para outro endereço, e os textos não vão para lá"]
            # A gateway that gave up does not know what the API did; an error that the API names is not billed.
            unknown = status in (408, 504) or (status >= 500 and not error.type)
            told = self._clean(" ".join(filter(None, words)))
            return Outcome(
                falha=_named(status), detalhe=told, espera=_wait(error.response), talvez_cobrada=unknown
            )
        # Cut after the request was sent, or a reply that cannot be read: nobody knows whether it was billed.
        return Outcome(falha="sem_resposta", detalhe=type(error).__name__, talvez_cobrada=True)

    def _struck(self, text: str) -> str:
        return printable(text.replace(self._segredo, "[chave]"))

    def _clean(self, text: str) -> str:
        return detail(self._struck(text))


def connect(tempo_limite: float) -> Connection:
    """A client for the API, its key from the environment, its own retries off.

    Raises ErroDeEstudo without the SDK or the key, and where the environment's proxy or certificate is of no use.
    """
    check_extra()
    where = address()
    sdk = importlib.import_module("anthropic")
    try:
        client = sdk.Anthropic(
            api_key=_given(CHAVE),
            base_url=where,
            max_retries=0,
            timeout=tempo_limite,
            open_telemetry=False,
            http_client=sdk.DefaultHttpxClient(follow_redirects=False),
        )
    except Exception as error:
        why = type(error).__name__  # its words may hold the password of a proxy
    else:
        return Connection(client, sdk, _given(CHAVE))
    raise ErroDeEstudo(
        f"Não consegui preparar a conexão ({why}); confira as variáveis de ambiente do proxy (HTTPS_PROXY, HTTP_PROXY, "
        "ALL_PROXY) e dos certificados (SSL_CERT_FILE, SSL_CERT_DIR)."
    )


def _batch(found: Any) -> Batch:
    counts = found.request_counts
    total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
    if not isinstance(found.created_at, datetime):
        raise TypeError("created_at")
    results = found.results_url
    if results and urlsplit(results).netloc != urlsplit(address()).netloc:
        raise ValueError("results_url")  # the SDK would go there, and take the key with it
    ended = found.processing_status == "ended"
    return Batch(found.id, ended, total, found.created_at, ended and not results)


def _usage(told: Any) -> Usage | None:
    """The tokens billed; None where the API names none, or numbers that are no bill."""
    given: list[Any] = [getattr(told, name, None) for name in ("input_tokens", "output_tokens")]
    for name in ("cache_creation_input_tokens", "cache_read_input_tokens"):
        given.append(getattr(told, name, None) or 0)
    if not all(type(count) is int and 0 <= count <= _TOKENS_DEMAIS for count in given):
        return None
    entrada, saida, escrita, leitura = given
    return Usage(entrada, escrita, leitura, saida)


def _named(status: int) -> FalhaPaga:
    known: dict[int, FalhaPaga] = {
        401: "chave_recusada", 403: "chave_recusada", 402: "sem_saldo", 404: "modelo_desconhecido",
        408: "tempo_esgotado", 429: "limite_de_uso", 529: "sobrecarga", 503: "sobrecarga",
    }  # fmt: skip
    return known.get(status, "erro_do_servidor" if status >= 500 else "pedido_invalido")


def _wait(response: Any) -> float | None:
    try:
        return max(0.0, float(response.headers.get("retry-after")))
    except (TypeError, ValueError):
        return None
