"""Remake the pilot's reconstruction: `python data/piloto/reconstruir.py` (see README.md).

Searches for decision-level codings whose ordinary analysis prints the published figures, and writes
referencia/, votos/ and the answers of supervisor and auditor. Everything is seeded: the same versions
give the same bytes. Takes about a minute.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import busca
import decisoes as b
import metas
import numpy as np
from resto import DOCUMENTOS, Decision, audit, documents_in_order, draw_audit, free_text, seconds

SEMENTE = 20260928
SEMENTE_DA_BUSCA = 1  # of the first few tried, the one that reaches zero in its first round
PASSOS = 6_000_000
RODADAS = 6
REAMOSTRAS = 100_000
NOTA = "reconstrução a partir de agregados"
# Where the large-sample interval is off the bootstrap's percentiles; measured again after every round.
OFFSET = [(-0.0033, -0.0033), (-0.0017, -0.0015), (-0.003, -0.003), (-0.0045, -0.008), (-0.0015, -0.0012)]


@busca.njit(cache=False)
def start(decisions: np.ndarray, seed: int, shares: np.ndarray, lures: np.ndarray, clear: np.ndarray) -> None:
    np.random.seed(seed)
    for i in range(len(decisions)):
        busca.fresh_row(i // b.N_DOCUMENTOS, decisions[i], shares, lures, clear)


def bootstrap_ends(table: np.ndarray, seed: int) -> np.ndarray:
    """Percentile interval of kappa from a (k, k) count table: documents resampled as a multinomial."""
    n, k = table.sum(), len(table)
    draws = np.random.default_rng(seed).multinomial(n, table.reshape(-1) / n, size=REAMOSTRAS)
    draws = draws.reshape(-1, k, k) / n
    po, pe = np.einsum("bii->b", draws), (draws.sum(1) * draws.sum(2)).sum(1)
    return np.quantile((po - pe) / (1 - pe), [0.025, 0.975])


def search(goals: metas.Metas) -> np.ndarray:
    """(1000, 7) category numbers that meet every target, interval ends by the bootstrap included."""
    decisions = np.zeros((b.N_VARIAVEIS * b.N_DOCUMENTOS, 7), np.int64)
    start(decisions, SEMENTE_DA_BUSCA, goals.shares, goals.lures, goals.clear)
    goals.offset[:] = OFFSET
    coders = np.zeros(b.N_FONTES, np.int64)
    counts = np.zeros((b.N_VARIAVEIS + 1, b.N_CONTADORES), np.int64)
    confusion = np.zeros((b.N_VARIAVEIS, b.N_FONTES, b.MAX_CATEGORIAS, b.MAX_CATEGORIAS), np.int64)
    for round_ in range(RODADAS):
        steps, hot = (PASSOS, 3.0) if round_ == 0 else (PASSOS // 2, 1.0)
        cost = busca.anneal(decisions, steps, hot, 0.1, SEMENTE_DA_BUSCA + round_, *goals.arguments())
        b.tabulate(decisions, goals.special, coders, counts, confusion)
        worst = 0.0
        for v in range(b.N_VARIAVEIS):
            size = goals.sizes[v]
            value, error = b.kappa_and_error(confusion[v, 4], size, -1)
            ends = bootstrap_ends(confusion[v, 4, :size, :size], SEMENTE)
            goals.offset[v] = ends - (value + b.Z95 * error * np.array([-1, 1]))
            worst = max(worst, float(np.abs(ends - goals.ends[v]).max()))
        print(f"rodada {round_ + 1}: custo {cost:.2f}, maior desvio de uma ponta de intervalo {worst:.4f}")
        if cost < 1e-9 and worst < 0.0035:  # 0.005 would print another text
            return decisions
    raise SystemExit("A busca não chegou a custo zero; aumente PASSOS ou RODADAS, ou troque SEMENTE.")


def write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def main() -> None:
    goals = metas.build()
    found = search(goals)
    published = metas.load("numeros-publicados.yaml")
    by_variable = documents_in_order(goals, found, SEMENTE)
    undecided = [d for ds in by_variable.values() for d in ds if len(set(d.second)) == 3]
    right = goals.free_undecided_right - sum(d.first[0] == d.reference for d in undecided)
    counts = {"unanimes": metas.UNANIMES_TEXTO_CERTAS, "maioria": goals.free_majority_right, "sem": right}
    texts = free_text(published["texto_livre"], counts, SEMENTE)

    # The audit's draw must hold a theoretical essay that all members call nao_informado: the documents'
    # numbers are shuffled until it does.
    for shuffle in range(100):
        order = np.random.default_rng([SEMENTE, shuffle]).permutation(len(DOCUMENTOS))
        study = {name: [column[i] for i in order] for name, column in by_variable.items()}
        study["periodo_analisado"] = texts
        answers = audit(study, draw_audit(study, metas.load("estudo.yaml")))
        if answers is not None:
            break
    else:
        raise SystemExit("Nenhuma ordem dos documentos deu um sorteio que sirva à auditoria.")

    places = [(doc, i, name) for i, doc in enumerate(DOCUMENTOS) for name in study]
    write(
        metas.PASTA / "referencia" / "claude-opus.csv",
        ["documento", "variavel", "valor", "evidencia", "observacao"],
        [(doc, name, study[name][i].reference, "", NOTA) for doc, i, name in places],
    )
    time = seconds(study, goals.members, published["custo_minutos"], SEMENTE)
    for m, member in enumerate(goals.members):
        rows = []
        for doc, i, name in places:
            decision: Decision = study[name][i]
            given = {1: decision.first[m]} | ({2: decision.second[m]} if decision.deliberated else {})
            for rodada, valor in given.items():
                cost = time.get((member, rodada, i, name), "")
                rows.append((doc, name, rodada, 0, valor, "dispensada", "", cost))
        columns = [
            "documento",
            "variavel",
            "rodada",
            "repeticao",
            "valor",
            "nivel_evidencia",
            "falha",
            "segundos",
        ]
        file = re.sub(r"[^A-Za-z0-9._-]", "-", member) + ".csv"
        write(metas.PASTA / "votos" / file, columns, sorted(rows, key=lambda row: (row[2], row[0])))

    choices = []
    for doc, i, name in places:
        decision = study[name][i]
        if decision.deliberated and len(set(decision.second)) == 3:
            known = decision.reference in decision.second
            choices.append((doc, name, decision.reference if known else "nenhum_adequado"))
    write(metas.PASTA / "supervisor" / "escolhas.csv", ["documento", "variavel", "escolha"], choices)
    columns = ["documento", "variavel", "confirmada", "opiniao"]
    write(metas.PASTA / "supervisor" / "auditoria.csv", columns, answers)


if __name__ == "__main__":
    main()
