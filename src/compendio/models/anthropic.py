"""The paid API, through its official SDK: calls that end as an outcome with a name, never as an exception.

Only `connect` makes a client, and nobody may call it before both consents (`jury.api_consent`). The SDK's
own retries are off: whoever retries asks the ledger first. The key comes from the environment, stays inside
the client, and is struck out of every text that comes back.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from compendio.erros import ErroDeEstudo
from compendio.models.answers import detail
from compendio.models.billing import Usage

CHAVE, ENDERECO = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"
_PADRAO = "https://api.anthropic.com"

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


def host() -> str:
    """Where the texts would go: the host of the API, or of ANTHROPIC_BASE_URL. Opens nothing."""
    address = os.environ.get(ENDERECO) or _PADRAO
    return urlsplit(address).netloc or address


def check_extra() -> None:
    """Raise ErroDeEstudo unless the optional SDK is installed and the key is in the environment."""
    if importlib.util.find_spec("anthropic") is None:
        raise ErroDeEstudo(
            "O supervisor por API precisa da biblioteca «anthropic», que é opcional; instale-a: pip install "
            '"compendio[anthropic]" (na pasta do projeto: pip install -e ".[anthropic]").'
        )
    if not os.environ.get(CHAVE, "").strip():
        raise ErroDeEstudo(
            f"Falta a chave da API: ponha-a na variável de ambiente {CHAVE} (nunca num arquivo do estudo) e rode "
            "de novo."
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
            return str(self._client.messages.batches.create(requests=body).id)
        except Exception as error:
            return self._failure(error)

    def batch(self, ident: str) -> Batch | Outcome:
        """The state of one batch, or the failure."""
        try:
            return _batch(self._client.messages.batches.retrieve(ident))
        except Exception as error:
            return self._failure(error)

    def batches(self) -> list[Batch] | Outcome:
        """The latest batches of this key, newest first, or the failure."""
        try:
            return [_batch(found) for found in self._client.messages.batches.list(limit=100).data]
        except Exception as error:
            return self._failure(error)

    def results(self, ident: str) -> Iterator[tuple[str, Outcome] | Outcome]:
        """(custom id, outcome) of each request of a batch that has ended; a failure ends the stream."""
        try:
            for line in self._client.messages.batches.results(ident):
                yield line.custom_id, self._result(line.result)
        except Exception as error:
            yield self._failure(error)

    def read(self, message: Any) -> Outcome:
        """The outcome in one message of the API."""
        try:
            usage = message.usage
            uso = Usage(
                int(usage.input_tokens),
                int(usage.cache_creation_input_tokens or 0),
                int(usage.cache_read_input_tokens or 0),
                int(usage.output_tokens),
            )
            text = "".join(block.text for block in message.content if block.type == "text")
            reason = message.stop_reason
        except (AttributeError, TypeError, ValueError):
            return Outcome(
                falha="erro_do_servidor", detalhe="resposta fora do protocolo", talvez_cobrada=True
            )
        if reason in ("max_tokens", "model_context_window_exceeded"):
            return Outcome(falha="limite_de_tokens", detalhe=detail(str(reason), text), uso=uso)
        if reason == "refusal":
            return Outcome(falha="recusa", detalhe=detail("refusal", text), uso=uso)
        return Outcome(conteudo=self._clean(text), uso=uso)

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
        if isinstance(error, sdk.APIStatusError) and error.status_code >= 400:
            told = self._clean(f"HTTP {error.status_code} {error.type or ''} {error.api_message or ''}")
            return Outcome(falha=_named(error.status_code), detalhe=told, espera=_wait(error.response))
        # Cut after the request was sent, or a reply that cannot be read: nobody knows whether it was billed.
        return Outcome(falha="sem_resposta", detalhe=type(error).__name__, talvez_cobrada=True)

    def _clean(self, text: str) -> str:
        return detail(text.replace(self._segredo, "[chave]") if self._segredo else text)


def connect(tempo_limite: float) -> Connection:
    """A client for the API, its key from the environment, its own retries off.

    Raises ErroDeEstudo without the SDK or the key.
    """
    check_extra()
    sdk = importlib.import_module("anthropic")
    segredo = os.environ[CHAVE].strip()
    client = sdk.Anthropic(
        api_key=segredo,
        base_url=os.environ.get(ENDERECO) or _PADRAO,
        max_retries=0,
        timeout=tempo_limite,
    )
    return Connection(client, sdk, segredo)


def _batch(found: Any) -> Batch:
    counts = found.request_counts
    total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
    return Batch(found.id, found.processing_status == "ended", total, found.created_at)


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
