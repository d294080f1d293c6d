"""One call a document against one call a variable: needs a running Ollama (OLLAMA_HOST).

    python benchmarks/call_modes.py [study] [documents] [member ...]

Both ways of asking (`chamadas: por_documento | por_variavel`) on the same documents, round 1, through the study's
own messages, schema and store: replies already there are not asked again, and each keeps the seconds it took when
it was asked. For each member: seconds a document, failures, share of the quotes that are in the text (of the
categories that need one), and share of votes equal to the reference; then the jury of these votes (no
deliberation): decided, and of those right.
"""

from __future__ import annotations

import json
import sys

import pandas as pd

from compendio.classify import classification_calls, votes_table
from compendio.pipeline import decisions
from compendio.sampling import seeded_order
from compendio.session import Session
from compendio.study import load_study

DECIDED = ["unanime", "maioria", "deliberada"]


def main() -> None:
    study = load_study(sys.argv[1] if len(sys.argv) > 1 else "demo")
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    members = sys.argv[3:] or [member.nome for member in study.membros]
    chosen = set(seeded_order(study.sample_ids(), study.amostra.semente if study.amostra else 0)[:number])
    ids = [i for i in study.sample_ids() if i in chosen]
    reference = next(iter(study.references().values()))
    truth = reference.set_index(["documento", "variavel"])["valor"]
    print(f"{len(ids)} documents, {len(study.codebook.variaveis)} variables")
    print(f"{'':14} {'member':16} {'s/doc':>7} {'failures':>9} {'quote found':>12} {'as reference':>13}")
    for mode in ("por_documento", "por_variavel"):
        one = study.model_copy(update={"chamadas": mode})
        tables = []
        with Session(one, "ollama") as session:
            for member in members:
                calls = classification_calls(one, member, ids)
                asked = session.ask(member, calls, f"{member}, {mode}")
                votes = votes_table(session.reader, member, [c for c, _ in asked], [r for _, r in asked])
                tables.append(votes)
                seconds = sum(reply.segundos or 0.0 for _, reply in asked) / len(ids)
                found = quotes_found(votes.loc[votes["falha"].isna(), "nivel_evidencia"])
                print(
                    f"{mode:14} {member:16} {seconds:7.1f} {votes['falha'].notna().sum():4}/{len(votes):<4} "
                    f"{found:12.0%} {right(votes, truth):13.0%}",
                    flush=True,
                )
        if len(tables) == len(study.membros):
            jury = decisions(one, pd.concat(tables, ignore_index=True))["juri-r1"]
            decided = jury[jury["estado"].isin(DECIDED)]
            print(
                f"{mode:14} {'jury':16} {len(decided)} of {len(jury)} decided, "
                f"of these {right(decided, truth):.0%} right"
            )


def quotes_found(levels: pd.Series) -> float:
    """Share of the quotes found in the text. A vote for several choices holds one level a category, as JSON."""
    each = [
        level
        for cell in levels.dropna()
        for level in (json.loads(cell).values() if cell.startswith("{") else [cell])
        if level != "dispensada"
    ]
    return sum(level in ("exata", "normalizada") for level in each) / max(len(each), 1)


def right(votes: pd.DataFrame, truth: pd.Series) -> float:
    """Share of rows whose value is the reference's; a failure is not."""
    expected = truth.reindex(pd.MultiIndex.from_frame(votes[["documento", "variavel"]]))
    return float((votes["valor"].reset_index(drop=True) == expected.reset_index(drop=True)).mean())


if __name__ == "__main__":
    main()
