"""Batches for a reader (person, chat or program): requests out, one folder a batch, no names of models.

A request carries all that is needed to answer it. Its `id` is a hash of its content, so that an answer
survives a rerun, and stops fitting when the question changes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from compendio.codebook import Variable

NENHUM = "nenhum_adequado"
Request = dict[str, Any]  # id, documento, variavel, pergunta, definicoes, texto, candidatos


def make_request(
    documento: str, variable: Variable, texto: str, candidatos: Sequence[Mapping[str, Any]]
) -> Request:
    """One request; `candidatos` have `valor` and `evidencias` (quotes, marked where not found) and get numbers."""
    body: Request = {
        "documento": documento,
        "variavel": variable.nome,
        "pergunta": variable.pergunta,
        "definicoes": {name: _definition(category) for name, category in variable.categorias.items()},
        "texto": texto,
        "candidatos": [{"numero": k, **candidate} for k, candidate in enumerate(candidatos, start=1)],
    }
    if variable.orientacao:
        body["pergunta"] += f" {variable.orientacao}"
    text = json.dumps(body, ensure_ascii=False, sort_keys=True)
    return {"id": hashlib.sha256(text.encode()).hexdigest()[:16], **body}


def _definition(category: Any) -> str:
    parts = [category.definicao]
    if category.fronteira:
        parts.append(f"Atenção: {category.fronteira}")
    if category.exemplos:
        parts.append(f"Ex.: {'; '.join(category.exemplos)}")
    return ". ".join(parts)


def write_batches(
    requests: Sequence[Request], pasta: Path, prefixo: str, tamanho: int, instrucoes: str
) -> list[Path]:
    """Write `<pasta>/<prefixo>-NN/{INSTRUCOES.md,pedidos.jsonl}`; earlier batches of that prefix go away."""
    for old in sorted(pasta.glob(f"{prefixo}-[0-9][0-9]*")):
        shutil.rmtree(old)
    folders = []
    for number, start in enumerate(range(0, len(requests), tamanho), start=1):
        folder = pasta / f"{prefixo}-{number:02d}"
        folder.mkdir(parents=True)
        (folder / "INSTRUCOES.md").write_text(instrucoes, encoding="utf-8")
        lines = [json.dumps(r, ensure_ascii=False) for r in requests[start : start + tamanho]]
        (folder / "pedidos.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        folders.append(folder)
    return folders


def instructions(regra: str, textos: bool, auditoria: bool) -> str:
    """INSTRUCOES.md: what to do with a batch, and first of all what pasting it somewhere means."""
    task = (
        "Cada linha de `pedidos.jsonl` é uma pergunta sobre um texto. Leia o texto e as definições e escolha, entre os "
        "candidatos numerados, o que o texto sustenta."
    )
    if auditoria:
        task += (
            " Os candidatos são todas as categorias, em ordem sorteada. Em resposta livre ou de várias escolhas, a "
            "pergunta traz uma resposta pronta, a confirmar ou rejeitar."
        )
    else:
        task += (
            " Os candidatos são respostas que já foram dadas, com as evidências de quem as deu, que podem "
            "estar erradas."
        )
    evidence = (
        f"{regra} Vale também para a sua escolha: o trecho é conferido no texto."
        if textos
        else "Este estudo não tem os textos: a evidência pode ficar vazia e não é conferida."
    )
    return f"""# Instruções

**Antes de tudo:** colar este lote num serviço pela internet (um chat, por exemplo) manda os textos para fora
deste computador. Só faça isso se puder.

{task}

{evidence}

Responda com uma linha de JSON por pedido, num arquivo `.jsonl`:

    {{"id": "o id do pedido", "escolha": 2, "evidencia": "trecho copiado do texto", "justificativa": "uma frase"}}

- `escolha` é o número de um candidato, ou `"{NENHUM}"` se nenhum serve (então `evidencia` pode ficar vazia).
- Responda a todos os pedidos, um por vez, sem olhar os outros. Não invente candidatos.
- Guarde o arquivo em `data/<estudo>/supervisor/`, com qualquer nome terminado em `.jsonl`, e confira com
  `make supervisor-ler`.
"""


def by_id(requests: Iterable[Request]) -> dict[str, Request]:
    """Requests by their id."""
    return {request["id"]: request for request in requests}
