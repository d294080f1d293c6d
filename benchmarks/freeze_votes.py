"""Freeze what crowd-kit's MajorityVote decides on seeded votes, for tests/jury/test_vote.py.

Run in the environment of the benchmarks: `benchmarks/.venv/bin/python benchmarks/freeze_votes.py`.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import MajorityVote

OUT = Path(__file__).resolve().parents[1] / "tests" / "jury" / "frozen_votes.json"
SEED = 2026
LABELS = ["qualitativa", "quantitativa", "mista", "teorica"]
WORKERS = ["m1", "m2", "m3", "m4", "m5"]


def main() -> None:
    rng = np.random.default_rng(SEED)
    rows = []
    for k in range(300):
        truth = rng.integers(len(LABELS))
        for worker in WORKERS:
            if rng.random() < 0.1:
                continue  # a member that failed
            label = truth if rng.random() < 0.5 else rng.integers(len(LABELS))
            rows.append([f"d{k:03d}", worker, LABELS[label]])
    table = pd.DataFrame(rows, columns=["task", "worker", "label"])
    frozen = {
        "source": f"crowd-kit {version('crowd-kit')}, MajorityVote, seed {SEED}",
        "labels": LABELS,
        "workers": WORKERS,
        "votes": rows,
        "result": MajorityVote().fit_predict(table).to_dict(),
    }
    OUT.write_text(json.dumps(frozen, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{OUT.name}: {len(rows)} votes, {len(frozen['result'])} decisions")


if __name__ == "__main__":
    main()
