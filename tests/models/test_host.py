"""OLLAMA_HOST as people write it."""

from __future__ import annotations

import pytest
from servidor_ollama import ServidorOllama

from compendio.erros import ErroDeEstudo
from compendio.models.host import is_local, server_url
from compendio.models.server import Server


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("  ", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://0.0.0.0:11434/", "http://127.0.0.1:11434"),
        ("[::]:11434", "http://[::1]:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("lab.exemplo.br", "http://lab.exemplo.br:11434"),
        ("lab.exemplo.br:5000", "http://lab.exemplo.br:5000"),
        (":5000", "http://127.0.0.1:5000"),
        ("http://lab.exemplo.br", "http://lab.exemplo.br:80"),
        ("HTTPS://lab.exemplo.br", "https://lab.exemplo.br:443"),
        ("https://lab.exemplo.br/ollama/", "https://lab.exemplo.br:443/ollama"),
        ("lab.exemplo.br/ollama", "http://lab.exemplo.br:11434/ollama"),
        ('"127.0.0.1:11434"', "http://127.0.0.1:11434"),
    ],
)
def test_addresses(given: str, url: str) -> None:
    assert server_url(given) == url


@pytest.mark.parametrize("given", ["http://lab:porta", "lab:99999999", "ftp://lab", "http://[::1"])
def test_what_is_no_address_is_one_sentence(given: str) -> None:
    with pytest.raises(ErroDeEstudo, match="OLLAMA_HOST"):
        server_url(given)


def test_the_variable_is_read_when_nothing_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0:4321")
    assert server_url() == "http://127.0.0.1:4321"
    monkeypatch.delenv("OLLAMA_HOST")
    assert server_url() == "http://127.0.0.1:11434"


def test_a_server_behind_a_path_and_a_host_of_zeros_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    with ServidorOllama(caminho="/ollama") as server:
        monkeypatch.setenv("OLLAMA_HOST", f"0.0.0.0:{server.port}/ollama/")
        assert Server().version() == "0.13.5"
        assert set(Server().require(["m"])) == {"m"}


def test_a_proxy_does_not_stand_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with ServidorOllama() as server:
        assert Server(server.url).version() == "0.13.5"
        assert "m" in Server(server.url).require(["m"])


def test_which_address_is_local() -> None:
    assert is_local("http://127.0.0.1:1") and is_local("http://[::1]:1") and is_local("http://localhost:1")
    assert not is_local("http://10.0.0.1:1") and not is_local("http://lab.exemplo.br:1")
