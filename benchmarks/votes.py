"""One million votes: `votar` beside crowd-kit's MajorityVote, in one process, taking turns.

Run: `benchmarks/.venv/bin/python benchmarks/votes.py` (with `src` on PYTHONPATH where compendio is not
installed there). Simulated votes: 3 members, 6 variables of 5 categories, 55,556 documents; the tables
of the members one after the other, as they are read from their files. Both sides count the same votes.
`votar` does more in that time: it keeps to a strict majority of the configured members, writes each
decision's votes, and, in the second line, weighs evidence and picks the supporting quote.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
import pandas as pd
from crowdkit.aggregation import MajorityVote
from targets import Targets, show_times, take_turns

from compendio.codebook import Codebook
from compendio.contract import conform
from compendio.jury.vote import votar

MEMBERS = ["m1", "m2", "m3"]
DOCUMENTS = 55_556
TURNS = 7
LEAST = 10.0


def study() -> tuple[Codebook, pd.DataFrame]:
    """A codebook, and seeded votes with quotes, levels and places."""
    rng = np.random.default_rng(2026)
    names = [f"variavel{k}" for k in range(6)]
    body = {"tipo": "categorica", "pergunta": "?"}
    labels = {name: [f"{name}-categoria{k}" for k in range(5)] for name in names}
    variables = {
        name: {**body, "categorias": {label: {"definicao": "?"} for label in labels[name]}} for name in names
    }
    codebook = Codebook.model_validate({"titulo": "?", "versao": "1", "variaveis": variables})

    decisions = DOCUMENTS * len(names)
    variable = np.tile(np.arange(len(names)), DOCUMENTS)
    truth = rng.integers(5, size=decisions)
    flat = np.array([label for name in names for label in labels[name]], dtype=object)
    parts = []
    for member in MEMBERS:
        vote = np.where(rng.random(decisions) < 0.6, truth, rng.integers(5, size=decisions))
        start = rng.integers(0, 2000, decisions)
        levels = rng.choice(
            ["exata", "normalizada", "nao_encontrada", "ausente"], decisions, p=[0.5, 0.2, 0.2, 0.1]
        )
        parts.append(
            pd.DataFrame(
                {
                    "documento": np.repeat([f"d{k:06d}" for k in range(DOCUMENTS)], len(names)),
                    "variavel": np.array(names, dtype=object)[variable],
                    "rodada": 1,
                    "valor": flat[variable * 5 + vote],
                    "evidencia": np.array([f"um trecho do texto, {k}" for k in range(2000)], dtype=object)[
                        start
                    ],
                    "nivel_evidencia": levels,
                    "inicio": start,
                    "fim": start + 20,
                    "fonte": member,
                }
            )
        )
    return codebook, conform(pd.concat(parts, ignore_index=True))


def main() -> int:
    codebook, votes = study()
    missing = {name: pd.array([None] * len(votes), dtype="str") for name in ("evidencia", "nivel_evidencia")}
    nowhere = {name: pd.array([None] * len(votes), dtype="Int64") for name in ("inicio", "fim")}
    alone = votes.assign(**missing, **nowhere)
    table = pd.DataFrame(
        {
            "task": votes["documento"] + "|" + votes["variavel"],
            "worker": votes["fonte"],
            "label": votes["valor"],
        }
    )
    results = {}

    def keep(name: str, decide: Callable[[], object]) -> None:
        results[name] = decide()

    times = take_turns(
        {
            "crowd-kit": lambda: keep("theirs", lambda: MajorityVote().fit_predict(table)),
            "votar, votes alone": lambda: keep(
                "ours", lambda: votar(alone, codebook, MEMBERS, dispensada=True)
            ),
            "votar, with evidence": lambda: votar(votes, codebook, MEMBERS),
        },
        TURNS,
    )
    theirs, ours = results["theirs"], results["ours"]
    strict = ours[ours["valor"].notna()]
    same = theirs.loc[strict["documento"] + "|" + strict["variavel"]].to_numpy() == strict["valor"].to_numpy()
    print(
        f"crowd-kit {version('crowd-kit')}, pandas {pd.__version__}; {len(votes):,} votes, {TURNS} turns each"
    )
    print(f"same label in {same.sum():,} of {len(strict):,} decisions with a strict majority\n")
    show_times(times)
    print()
    targets = Targets()
    wall = {name: values[:, 0] for name, values in times.items()}
    targets.head("times as fast as crowd-kit, turn by turn")
    targets.ratio("votar, votes alone", wall["crowd-kit"] / wall["votar, votes alone"], LEAST)
    targets.ratio("votar, with evidence", wall["crowd-kit"] / wall["votar, with evidence"], None)
    targets.head("share")
    targets.ratio("same label where the majority is strict", np.array([same.mean()]), 1)
    return targets.close()


if __name__ == "__main__":
    sys.exit(main())
