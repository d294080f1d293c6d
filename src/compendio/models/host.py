"""Where the Ollama server is: OLLAMA_HOST as people write it → one base address.

OLLAMA_HOST serves the server (where to listen) and the client (whom to call), so that it often holds an
address nobody can call, such as 0.0.0.0, or no scheme. Source: Ollama's FAQ and the official client.
"""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from compendio.erros import ErroDeEstudo

PORTA = 11434


def server_url(host: str | None = None) -> str:
    """Base address without a final slash, such as `http://127.0.0.1:11434`.

    Parameters
    ----------
    host
        The address; by default the variable OLLAMA_HOST, and this machine where that is empty.

    Raises
    ------
    ErroDeEstudo
        When it cannot be read as an address.
    """
    given = host if host is not None else os.environ.get("OLLAMA_HOST", "")
    text = given.strip().strip("\"'").strip()
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "http", text
    default = {"http": 80, "https": 443}.get(scheme.lower()) if separator else PORTA
    try:
        if default is None:
            raise ValueError(scheme)
        parts = urlsplit(f"{scheme.lower()}://{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port or default
    except ValueError:
        raise ErroDeEstudo(
            f"OLLAMA_HOST={given!r} não é um endereço que se possa ler; escreva, por exemplo, "
            "OLLAMA_HOST=http://127.0.0.1:11434, ou apague a variável."
        ) from None
    return f"{scheme.lower()}://{_callable_name(name)}:{port}{parts.path.rstrip('/')}"


def _callable_name(name: str) -> str:
    """0.0.0.0 and :: mean "every address of this machine" to a server; a client must call one."""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return f"[{name}]" if address.version == 6 else name


def is_local(url: str) -> bool:
    """Whether the address is this machine, which no proxy of the network should stand before."""
    name = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
