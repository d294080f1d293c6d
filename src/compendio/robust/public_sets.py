"""The two public sets of real scores, where `COMPENDIO_DADOS` (by default ../shared/data) holds them.

HANNA: dig-team/hanna-benchmark-asg, MIT, 1,056 stories x 6 criteria, scale 1 to 5; five language models by
four prompts, three people. The models' cells are means of three answers; those outside the scale hold answers
that failed, coded with a negative number before the mean was taken.
Essays: LLM-Writing-Assessment-Psychometric-Framework, MIT, 723 essays x 6 traits, scale 1 to 6; two people,
two GPT, two Claude, and a second rating by each model.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from compendio.projeto import raiz
from compendio.robust.evaluation import error_table
from compendio.robust.scores import TRATAMENTOS, Panel, build_panel

HANNA_JUDGES = {
    "chatgpt": "gpt",
    "beluga_13b": "llama",
    "orcaplatypus": "llama",
    "mistral_7b": "mistral",
    "llama_13b": "llama",
}
ESSAY_JUDGES = {"gpt_1": "gpt", "gpt_2": "gpt", "claude_1": "claude", "claude_2": "claude"}


def data_folder() -> Path | None:
    """The folder of the public sets, or None where there is none."""
    folder = Path(os.environ.get("COMPENDIO_DADOS") or raiz().parent / "shared" / "data")
    return folder if folder.is_dir() else None


def hanna(folder: Path, *, prompt: int = 1, celulas_fora: str = "mascarar") -> Panel:
    """HANNA's model judges under one prompt (1 to 4), against the mean of its three people.

    Families are read off the names (Beluga-13B, OrcaPlatypus and Llama-13B counted as Llama): the file
    does not give them.
    """
    table = pd.read_csv(folder / "hanna" / "hanna.csv")
    table = table[table["prompt"] == prompt].rename(columns={"story": "item", "dimension": "dimensao"})
    return _wide(
        table, list(HANNA_JUDGES), ["human_1", "human_2", "human_3"], (1.0, 5.0), HANNA_JUDGES, celulas_fora,
        f"HANNA, comando {prompt}",
    )  # fmt: skip


def essays(folder: Path, *, celulas_fora: str = "mascarar") -> tuple[Panel, Panel]:
    """The essays' four models against the mean of the two people, and the models' second rating."""
    table = pd.read_csv(folder / "redacoes" / "redacoes.csv").rename(
        columns={"essay": "item", "trait": "dimensao"}
    )
    judges, people = list(ESSAY_JUDGES), ["human_1", "human_2"]
    second = table.drop(columns=judges).rename(columns={f"{name}_repeat": name for name in judges})
    first, again = (
        _wide(t, judges, people, (1.0, 6.0), ESSAY_JUDGES, celulas_fora, "Redações") for t in (table, second)
    )
    return first, again


def hanna_by_treatment(folder: Path, *, semente: int, beta: float = 0.25) -> pd.DataFrame:
    """HANNA's errors under each prompt and each treatment of the cells outside the scale.

    Columns `comando`, `celulas_fora`, then those of `evaluation.error_table`.
    """
    tables = []
    for prompt in (1, 2, 3, 4):
        for treatment in TRATAMENTOS:
            panel = hanna(folder, prompt=prompt, celulas_fora=treatment)
            errors = error_table(panel, semente=semente, beta=beta, replicas=200)
            tables.append(errors.assign(comando=str(prompt), celulas_fora=treatment))
    return pd.concat(tables, ignore_index=True)


def _wide(
    table: pd.DataFrame,
    judges: list[str],
    people: list[str],
    scale: tuple[float, float],
    families: dict[str, str],
    celulas_fora: str,
    title: str,
) -> Panel:
    """A panel from one row an item x dimension and one column a judge."""
    long = table.melt(["item", "dimensao"], judges, var_name="juiz", value_name="nota")
    reference = table[["item", "dimensao"]].assign(nota=table[people].mean(axis=1))
    return build_panel(
        long,
        escalas=[scale] * table["dimensao"].nunique(),
        celulas_fora=celulas_fora,
        referencia=reference,
        familias=families,
        titulo=title,
    )
