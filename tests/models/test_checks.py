"""The checks before a run, and those for a newcomer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from model_calls import OPCOES, VALIDA, call
from servidor_ollama import ServidorOllama

from compendio.erros import ErroDeEstudo
from compendio.models import checks
from compendio.models.base import Reply
from compendio.models.checks import Item, check_models, check_prompts, check_server, total_memory, verificar
from compendio.models.run import ask_all
from compendio.models.scripted import ScriptedModel
from compendio.models.server import Installed
from compendio.models.store import Store


def test_a_server_that_answers_is_named_with_its_version() -> None:
    with ServidorOllama() as server:
        assert check_server(server.url) == f"Ollama 0.13.5 em {server.url}"
        url = server.url
    with pytest.raises(ErroDeEstudo, match="ollama serve"):
        check_server(url)


@pytest.mark.parametrize(
    ("version", "old"), [("0.4.7", True), ("0.5.0", False), ("0.0.0", False), ("1.0.0-rc1", False)]
)
def test_a_server_too_old_for_a_schema_is_told(version: str, old: bool) -> None:
    with ServidorOllama(versao=version) as server:
        if old:
            with pytest.raises(ErroDeEstudo, match=f"versão {version}.*0.5.0"):
                check_server(server.url)
        else:
            assert version in check_server(server.url)


def test_all_missing_models_are_told_at_once() -> None:
    with ServidorOllama() as server:
        found = check_models(["m", "outro:latest"], server.url)
        assert found["m"].digest == "a" * 64 and found["outro:latest"].digest == "b" * 64
        with pytest.raises(ErroDeEstudo) as caught:
            check_models(["m", "x:1b", "y"], server.url)
        assert [problem.split("baixe-o com: ")[1] for problem in caught.value.problemas] == [
            "ollama pull x:1b",
            "ollama pull y",
        ]


def test_a_model_that_cannot_think_is_told_only_when_it_is_asked_to() -> None:
    with ServidorOllama() as server:
        assert check_models(["m"], server.url, pensar=False)
        with pytest.raises(ErroDeEstudo, match="pensar"):
            check_models(["m"], server.url, pensar=True)
    with ServidorOllama(capacidades=("completion", "thinking")) as server:
        assert check_models(["m"], server.url, pensar=True)


def test_the_longest_prompt_fits_may_not_fit_or_cannot_fit() -> None:
    options = {**OPCOES, "num_ctx": 1024, "num_predict": 100}

    def say(size: int) -> str:
        # "Responda em JSON." has 17 characters.
        asked = [
            replace(call("curto"), options=options),
            replace(call("longo", "x" * (size - 17)), options=options),
        ]
        return check_prompts(asked)

    # 2,000 characters are at most 800 tokens (2.5 characters each): 900 with the answer.
    assert "(longo, 2000 caracteres" in say(2000) and "cabe em num_ctx 1024" in say(2000)
    # 3,000 are between 500 and 1,200; 1,300 with the answer round up to 2,048.
    assert "pode não caber" in say(3000) and "num_ctx: 2048" in say(3000)
    # 6,200 are at least 1,034.
    with pytest.raises(ErroDeEstudo, match=r"pelo menos 1034 tokens.*opcoes.num_ctx: 3072"):
        say(6200)


def test_the_servers_own_count_is_used_where_there_is_one() -> None:
    options = {**OPCOES, "num_ctx": 1024}
    with Store(":memory:") as store:
        # 29 characters in 10 tokens: 2.9 characters a token; another model's count says nothing.
        ask_all(ScriptedModel("m", [Reply(VALIDA, prompt_tokens=10)]), [call()], store, progress=False)
        ask_all(
            ScriptedModel("n", [Reply(VALIDA, prompt_tokens=29)], digest="n"), [call()], store, progress=False
        )
        long = replace(call("longo", "x" * (3480 - 17)), options=options)
        # 3,480 / 2.9 = 1,200 tokens.
        with pytest.raises(ErroDeEstudo, match="pelo menos 1200 tokens"):
            check_prompts([long], store, "roteiro")
        assert "pode não caber" in check_prompts([long], store, "desconhecido")


def test_without_num_ctx_it_says_that_it_did_not_look() -> None:
    assert "não foi conferido" in check_prompts([replace(call(), options={})])
    assert "não foi conferido" in check_prompts([])


@dataclass
class Member:
    modelo: str


@dataclass
class Study:
    pasta: Path
    nome: str = "demo"
    membros: list[Member] = field(default_factory=lambda: [Member("m"), Member("ausente")])
    avisos: list[str] = field(default_factory=lambda: ["corpus.csv: lido como Windows-1252."])


def failing(items: list[Item]) -> list[Item]:
    return [item for item in items if not item.ok]


def test_verificar_lists_what_is_there_and_how_to_mend_the_rest(tmp_path: Path) -> None:
    with ServidorOllama() as server:
        items = verificar(lambda: Study(tmp_path), server.url)
    assert [item.como_consertar for item in failing(items)] == ["ollama pull ausente"]
    text = "\n".join(item.texto for item in items)
    for word in (
        "Python 3.",
        "Estudo «demo»",
        "atenção: corpus.csv: lido como Windows-1252.",
        "Ollama 0.13.5",
        "Modelo m (0,0 GB)",
        "Memória",
        "Disco",
    ):
        assert word in text
    (tmp_path / "respostas.jsonl").touch()
    with ServidorOllama() as server:
        assert any(
            "respostas gravadas" in item.texto for item in verificar(lambda: Study(tmp_path), server.url)
        )


def test_verificar_goes_on_when_the_study_and_the_server_are_broken() -> None:
    def broken() -> Study:
        raise ErroDeEstudo(["estudo.yaml, linha 1: um", "estudo.yaml, linha 2: dois"])

    with ServidorOllama() as server:
        url = server.url
    items = verificar(broken, url)
    mends = [item.como_consertar for item in failing(items)]
    assert mends[:2] == ["estudo.yaml, linha 1: um", "estudo.yaml, linha 2: dois"]
    assert "não responde" in mends[2] and len(mends) == 3
    assert any(item.ok and item.texto.startswith("Memória") for item in items)
    assert all(item.como_consertar for item in failing(items))


@pytest.mark.parametrize(("total", "ok"), [(16e9, True), (4e9, False), (None, True)])
def test_memory_for_the_largest_model(
    total: float | None, ok: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checks, "total_memory", lambda: total)
    there = {"m": Installed("m", "a", 3_000_000_000), "p": Installed("p", "b", 100)}
    monkeypatch.setattr(checks.Server, "models", lambda self: there)
    with ServidorOllama() as server:
        items = verificar(lambda: Study(tmp_path, membros=[Member("p"), Member("m")]), server.url)
    (memory,) = [item for item in items if item.texto.startswith("Memória")]
    # 3 GB of weights, 1 for the context, 2 for the system.
    assert memory.ok is ok and "m, pede 6,0 GB" in memory.texto


def test_this_machine_has_memory() -> None:
    total = total_memory()
    assert total is None or total > 5e8


def test_a_full_disk_and_another_python_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = checks.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda folder: usage._replace(free=10**8))
    monkeypatch.setattr(checks.sys, "version_info", (3, 9, 1))
    with ServidorOllama() as server:
        items = verificar(lambda: Study(tmp_path, membros=[Member("m")]), server.url)
    assert [item.texto for item in failing(items)] == ["Python 3.9.1", "Disco: 0,1 GB livres"]
