"""The study of `supervised_study.py` with its supervisor by API: three requests, and four of the audit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from servidor_anthropic import CHAVE, ServidorAnthropic
from supervised_study import QUOTE, jury_study

from compendio.jury.api_run import run_api
from compendio.models.ledger import Ledger
from compendio.study import Study

PRECOS = (
    "{entrada: 3, saida: 15, cache_escrita: 3.75, cache_leitura: 0.30, fator_lote: 0.5, moeda: USD, "
    "data: 2026-11-01}"
)


def keys(limite: str = "1.00", enviar: str = "true", precos: str = PRECOS, extra: str = "") -> str:
    return (
        "deliberacao: false\nauditoria: {n: 50, semente: 7}\nsupervisor:\n  modo: api\n  familia: claude\n"
        f"  modelo: modelo-de-teste\n  max_tokens: 200\n  limite_gasto: {limite}\n  enviar_textos: {enviar}\n"
        f"  precos: {precos}\n{extra}"
    )


def api_study(raiz: Path, monkeypatch: pytest.MonkeyPatch, **changes: str) -> Study:
    """The study under `raiz`, with the key in the environment."""
    monkeypatch.setenv("COMPENDIO_RAIZ", str(raiz))
    monkeypatch.setenv("ANTHROPIC_API_KEY", CHAVE)
    return jury_study(raiz, keys(**changes))


def answer(params: dict[str, Any]) -> str:
    """A good answer to any of the seven requests."""
    question = json.loads(params["messages"][0]["content"])
    documento, variavel = question["documento"], question["variavel"]
    schema = params["output_config"]["format"]["schema"]["properties"]
    quote = QUOTE[documento]
    escolha: Any = 1
    evidencia: Any = quote
    if variavel == "fontes":
        named = list(schema["evidencia"]["properties"])
        right = {"d1": "falas", "d3": "leis"}[documento]
        evidencia = {name: quote if name == right else "" for name in named}
        if schema["escolha"].get("type") == "array":
            escolha = [c["numero"] for c in question["candidatos"] if c["valor"] == right]
    elif variavel == "abordagem" and schema["escolha"] and documento == "d3":
        escolha = next(c["numero"] for c in question["candidatos"] if c["valor"] == "qualitativa")
    elif documento == "d2":
        escolha, evidencia = "nenhum_adequado", ""
    return json.dumps(
        {"evidencia": evidencia, "escolha": escolha, "justificativa": "É o que diz."}, ensure_ascii=False
    )


def run(study: Study, servidor: ServidorAnthropic, monkeypatch: pytest.MonkeyPatch, **options: Any) -> str:
    """`run_api` against the local server, confirmed, without waiting; all that it shows, and what it gives."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", servidor.endereco)
    shown: list[str] = []
    given: dict[str, Any] = {"confirmar_envio": True, "mostrar": shown.append, "dormir": lambda s: None}
    result = run_api(study, **{**given, **options})
    return "\n".join([*shown, result])


def billed(servidor: ServidorAnthropic, fator: str = "1") -> Decimal:
    """What the server billed, at the prices of PRECOS."""
    total = Decimal(0)
    for uso in servidor.cobradas:
        total += uso["entrada"] * Decimal("3") + uso["cache_escrita"] * Decimal("3.75")
        total += uso["cache_leitura"] * Decimal("0.30") + uso["saida"] * Decimal("15")
    return total * Decimal(fator) / 1_000_000


def rows(study: Study, where: str = "1") -> list[dict[str, Any]]:
    """The calls in the ledger of the study."""
    with Ledger(study.banco, Decimal(1), "USD") as book:
        return book.rows(where)


def spent(study: Study) -> Decimal:
    """What the ledger of the study has settled."""
    with Ledger(study.banco, Decimal(1), "USD") as book:
        return book.spent()


def verb(servidor: ServidorAnthropic, *options: str, **environment: str) -> subprocess.Popen[str]:
    """The verb `supervisor-api`, confirmed, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "compendio", "supervisor-api", "--estudo", "meu", "--confirmar-envio", *options],
        env={**os.environ, "ANTHROPIC_BASE_URL": servidor.endereco, **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
