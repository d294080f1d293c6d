"""From the choices that the search fixed (escolhas.csv, auditoria.csv) to answers in the batch protocol.

The identity of a request is a hash of its content, so the requests are made by the package itself; nothing
else of the reconstruction depends on it. Run after `reconstruir.py`, or after a change of the codebook:

    python data/piloto/lotes.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from compendio.jury.answers import answers_for
from compendio.jury.audit import audit_requests, audit_sample
from compendio.jury.supervisor import supervisor_requests
from compendio.pipeline import decisions
from compendio.study import load_study

PASTA = Path(__file__).resolve().parent
JUSTIFICATIVA = "Reconstrução a partir dos números publicados: não há texto nem justificativa."


def read_choices(nome: str, coluna: str) -> dict[tuple[str, str], str]:
    """One column of one CSV of choices, by (documento, variavel)."""
    with (PASTA / "supervisor" / nome).open(encoding="utf-8", newline="") as stream:
        return {(row["documento"], row["variavel"]): row[coluna] for row in csv.DictReader(stream)}


def main() -> None:
    study = load_study(PASTA)
    votos = study.member_votes()
    assert votos is not None
    juri = decisions(study, votos)["juri"]
    sample = audit_sample(juri, study.auditoria.n, study.auditoria.semente)
    # In free text an opinion other than the jury's answer rejects it.
    lines = [
        *answers_for(
            supervisor_requests(study, juri, votos), read_choices("escolhas.csv", "escolha"), JUSTIFICATIVA
        ),
        *answers_for(audit_requests(study, sample), read_choices("auditoria.csv", "opiniao"), JUSTIFICATIVA),
    ]
    text = "".join(f"{line}\n" for line in lines)
    (PASTA / "supervisor" / "respostas.jsonl").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
