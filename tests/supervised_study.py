"""A study of three texts whose votes are fixed here, for the tests of supervisor and audit.

N = 3, so two votes are a majority; alfa is the main model. ✓ quote found, ✗ quote not found.

                 alfa                   beta                    gama
d1 abordagem     qualitativa ✓          quantitativa ✗          (failed)          sem_maioria
d2 abordagem     qualitativa ✗          qualitativa ✗           qualitativa ✗     sem_evidencia
d3 abordagem     qualitativa ✓          qualitativa ✓           qualitativa ✓     unanime
d1 fontes        falas ✓                falas ✓, midia ✗        (failed)          sem_maioria (midia: one yes, one no)
d2 fontes        (failed)               (failed)                (failed)          sem_maioria, nobody to ask about
d3 fontes        leis ✓                 leis ✓                  leis ✓            unanime
d1 periodo       1998 ✓                 1998 ✓                  1998 ✓            unanime
d2 periodo       1991 ✓                 1990 ✗                  não informado     sem_maioria, free text
d3 periodo       1985 ✓                 1985 ✓                  1985 ✓            unanime
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
from small_study import ESTUDO, write_study

from compendio.contract import write_classification
from compendio.jury.batches import Request
from compendio.pipeline import decisions, read_votes
from compendio.study import Study, load_study

QUOTE = {"d1": "Ouvimos vinte feirantes", "d2": "Medimos a renda", "d3": "Lemos a lei"}
LOST = "isto não está lá"
KEYS = "deliberacao: false\nsupervisor: {familia: humana}\nauditoria: {n: 50, semente: 7}\n"

_ABORDAGEM = {
    "alfa": [("qualitativa", True), ("qualitativa", False), ("qualitativa", True)],
    "beta": [("quantitativa", False), ("qualitativa", False), ("qualitativa", True)],
    "gama": [None, ("qualitativa", False), ("qualitativa", True)],
}
_FONTES: dict[str, list[dict[str, bool] | None]] = {
    "alfa": [{"falas": True}, None, {"leis": True}],
    "beta": [{"falas": True, "midia": False}, None, {"leis": True}],
    "gama": [None, None, {"leis": True}],
}
_PERIODO = {
    "alfa": [("1998", True), ("1991", True), ("1985", True)],
    "beta": [("1998", True), ("1990", False), ("1985", True)],
    "gama": [("1998", True), ("não informado", False), ("1985", True)],
}
FONTES_QUOTE = {"falas": "vinte feirantes", "midia": "jornais da época", "leis": "a lei de 1985"}


def write_votes(study: Study) -> None:
    """The members' votes and the two sources that the jury makes of them, where notebooks 1 and 2 write them."""
    folder = study.relatorios / "classificacoes"
    for member in study.membros:
        write_classification(member_votes(member.nome), folder, member.nome)
    for fonte, table in decisions(study, read_votes(study)).items():
        write_classification(table, folder, fonte)


def jury_study(raiz: Path, keys: str = KEYS, **files: str | bytes | None) -> Study:
    """The study at `<raiz>/data/meu`, its votes and its jury written."""
    write_study(raiz / "data" / "meu", {"estudo.yaml": ESTUDO + keys, **files})
    study = load_study("meu")
    write_votes(study)
    return study


def member_votes(membro: str) -> pd.DataFrame:
    rows = []
    for k, (documento, quote) in enumerate(QUOTE.items()):
        for variavel, given in (("abordagem", _ABORDAGEM[membro][k]), ("periodo", _PERIODO[membro][k])):
            row: dict[str, Any] = {"documento": documento, "variavel": variavel, "rodada": 1, "repeticao": 0}
            if given is None:
                rows.append({**row, "falha": "json_invalido"})
                continue
            valor, found = given
            level = "exata" if found else "nao_encontrada"
            row |= {"valor": valor, "evidencia": quote if found else LOST, "nivel_evidencia": level}
            rows.append({**row, "inicio": 0, "fim": len(quote)} if found else row)
        chosen = _FONTES[membro][k]
        row = {"documento": documento, "variavel": "fontes", "rodada": 1, "repeticao": 0}
        if chosen is None:
            rows.append({**row, "falha": "tempo_esgotado"})
            continue
        quotes = {name: FONTES_QUOTE[name] if found else LOST for name, found in chosen.items()}
        levels = {name: "exata" if found else "nao_encontrada" for name, found in chosen.items()}
        row |= {"valor": json.dumps(list(chosen)), "evidencia": json.dumps(quotes, ensure_ascii=False)}
        rows.append({**row, "nivel_evidencia": json.dumps(levels)})
    return pd.DataFrame(rows)


def good(request: Request, escolha: Any = 1, evidencia: Any = None) -> dict[str, Any]:
    """An answer to a request; its quote is one of the document's unless given."""
    quote = QUOTE[request.documento] if evidencia is None else evidencia
    return {"id": request.id, "escolha": escolha, "evidencia": quote, "justificativa": "É o que diz."}


def save_answers(study: Study, *lines: Any, name: str = "respostas.jsonl") -> None:
    """Write answers (objects, or lines as they are) to a file of the study."""
    folder = study.pasta / "supervisor"
    folder.mkdir(exist_ok=True)
    text = "\n".join(x if isinstance(x, str) else json.dumps(x, ensure_ascii=False) for x in lines)
    (folder / name).write_text(text + "\n", encoding="utf-8")
