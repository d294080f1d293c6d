"""What an Ollama server says of itself: version, models, what they can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import ollama

from compendio.erros import ErroDeEstudo
from compendio.models.host import is_local, server_url

#: Seconds for a question that needs no model.
ESPERA = 10.0

#: What the official client raises for what network and server do. TypeError and AttributeError: a body
#: that is JSON, but not an object, is unpacked by the client without a look at it.
CLIENT_ERRORS = (
    ollama.ResponseError,
    httpx.HTTPError,
    ConnectionError,
    ValueError,
    TypeError,
    AttributeError,
)


@dataclass(frozen=True)
class Installed:
    """A model on the server: its name there, the digest of its weights, its size in bytes."""

    nome: str
    digest: str
    tamanho: int


class Server:
    """One Ollama server. Its methods raise ErroDeEstudo, in one sentence, when it does not answer."""

    def __init__(self, host: str | None = None) -> None:
        self.url = server_url(host)

    def client(self, timeout: Any = ESPERA) -> ollama.Client:
        """The official client. No proxy stands before this machine's own server."""
        return ollama.Client(host=self.url, timeout=timeout, trust_env=not is_local(self.url))

    def version(self) -> str:
        """The server's version, such as 0.13.5."""
        try:
            answer = httpx.get(f"{self.url}/api/version", timeout=ESPERA, trust_env=not is_local(self.url))
            return str(answer.raise_for_status().json()["version"])
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise self._silent(error) from None

    def models(self) -> dict[str, Installed]:
        """The models that are there, by name as Ollama lists them (`:latest` included)."""
        try:
            with self.client() as client:
                listed = client.list().models
        except CLIENT_ERRORS as error:
            raise self._silent(error) from None
        found = [Installed(m.model or "", m.digest or "", int(m.size or 0)) for m in listed]
        return {model.nome: model for model in found}

    def require(self, modelos: Sequence[str]) -> dict[str, Installed]:
        """The models asked for, by the names given; ErroDeEstudo with every `ollama pull` that is missing."""
        there = self.models()
        found = {name: there.get(name) or there.get(f"{name}:latest") for name in modelos}
        problems = [
            f"O modelo «{name}» não está no servidor {self.url}; baixe-o com: ollama pull {name}"
            for name, model in found.items()
            if model is None
        ]
        if problems:
            raise ErroDeEstudo(problems)
        return {name: model for name, model in found.items() if model is not None}

    def capabilities(self, modelo: str) -> list[str]:
        """What the model can do (`completion`, `thinking`, …); empty where the server does not say."""
        try:
            with self.client() as client:
                return list(client.show(modelo).capabilities or [])
        except ollama.ResponseError:
            return []
        except CLIENT_ERRORS as error:
            raise self._silent(error) from None

    def unload(self, modelo: str) -> None:
        """Put the model out of the server's memory, and its cache with it."""
        try:
            with self.client(timeout=60.0) as client:
                client.generate(modelo, keep_alive=0)
        except CLIENT_ERRORS as error:
            raise self._silent(error) from None

    def _silent(self, error: Exception) -> ErroDeEstudo:
        return ErroDeEstudo(
            f"O servidor do Ollama não responde em {self.url} ({type(error).__name__}); abra o Ollama (ou "
            "rode: ollama serve) e confira a variável OLLAMA_HOST."
        )
