"""From the choices that the search fixed (escolhas.csv, auditoria.csv) to answers in the batch protocol.

The identity of a request is a hash of its content, so the requests are made by the package itself; nothing
else of the reconstruction depends on it. Run by `reconstruir.py`, or alone after a change of the codebook:

    python data/piloto/lotes.py
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from compendio.jury.answers import CONFIRMA, REJEITA
from compendio.jury.audit import audit_requests, audit_sample
from compendio.jury.batches import NENHUM, Request
from compendio.jury.supervisor import supervisor_requests
from compendio.pipeline import classify, decisions, deliberate, read_votes
from compendio.study import load_study

PASTA = Path(__file__).resolve().parent
JUSTIFICATIVA = "Reconstrução a partir dos números publicados: não há texto nem justificativa."


def read_choices(nome: str) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of one CSV of choices, by (documento, variavel)."""
    with (PASTA / "supervisor" / nome).open(encoding="utf-8", newline="") as stream:
        return {(row["documento"], row["variavel"]): row for row in csv.DictReader(stream)}


def answer(request: Request, valor: str) -> dict[str, Any]:
    """One answer line: the number of the candidate with this value, or `nenhum_adequado`."""
    numbers = {candidate["valor"]: candidate["numero"] for candidate in request["candidatos"]}
    choice = NENHUM if valor == NENHUM else numbers[valor]
    return {"id": request["id"], "escolha": choice, "evidencia": "", "justificativa": JUSTIFICATIVA}


def main() -> None:
    study = load_study(PASTA)
    classify(study, "respostas", progress=False)
    deliberate(study, "respostas", progress=False)
    juri = decisions(study, read_votes(study))["juri"]
    chosen, judged = read_choices("escolhas.csv"), read_choices("auditoria.csv")
    lines = []
    for request in supervisor_requests(study, juri):
        lines.append(answer(request, chosen[request["documento"], request["variavel"]]["escolha"]))
    for request in audit_requests(study, audit_sample(study, juri)):
        row = judged[request["documento"], request["variavel"]]
        opinion = row["opiniao"]
        if "resposta" in request:
            opinion = CONFIRMA if row["confirmada"] == "true" else REJEITA
        lines.append(answer(request, opinion))
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (PASTA / "supervisor" / "respostas.jsonl").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
