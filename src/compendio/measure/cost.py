"""What the jury costs in time: minutes by member and stage, against the main model alone, and beyond."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from compendio.erros import ErroDeEstudo
from compendio.study import Study

TODOS = "todos"
ETAPAS = {1: "rodada_1", 2: "deliberacao"}


@dataclass(frozen=True)
class Cost:
    """Time of the jury.

    Attributes
    ----------
    minutes
        A row a stage (`etapa`: `rodada_1`, `deliberacao`) and member (`todos` last): `chamadas, sem_tempo`
        (calls whose seconds were not recorded), `minutos`.
    sample, corpus
        Documents coded, and documents of the whole corpus.
    times_main
        All minutes of the jury over the main model's minutes of round 1.
    hours, corpus_hours
        Hours for the sample, and for the whole corpus at the same pace. NaN where no time was recorded.
    """

    minutes: pd.DataFrame
    sample: int
    corpus: int
    times_main: float
    hours: float
    corpus_hours: float


def corpus_size(study: Study) -> int:
    """Documents of the whole corpus: `corpus_inteiro` of the study, else those that it holds.

    Raises ErroDeEstudo where `corpus_inteiro` is less than what the study holds.
    """
    held = len(study.documents())
    if study.corpus_inteiro is None:
        return held
    if study.corpus_inteiro < held:
        raise ErroDeEstudo(
            f"corpus_inteiro no estudo.yaml é {study.corpus_inteiro}, menos que os {held} documentos do "
            "estudo; corrija o número ou apague a linha."
        )
    return study.corpus_inteiro


def cost(study: Study, calls: pd.DataFrame) -> Cost:
    """Minutes of the calls on the sample, the first asking only (what repetitions cost is left out).

    Parameters
    ----------
    calls
        As `pipeline.read_calls` gives them: `fonte, documento, rodada, repeticao, segundos`. A call without
        `segundos` counts as no time, and is counted in `sem_tempo`; in a study of votes, where a call's
        time stands at one of its rows, the other rows of the document are no calls of their own.
    """
    sample = set(study.sample_ids())
    kept = calls[(calls["repeticao"] == 0) & calls["documento"].isin(list(sample))]
    if not study.textos:
        kept = _one_row_a_call(kept)
    members, rows = [member.nome for member in study.membros], []
    for rodada, etapa in ETAPAS.items():
        of_stage = kept[kept["rodada"] == rodada]
        if of_stage.empty:
            continue
        for member in [*members, TODOS]:
            own = of_stage if member == TODOS else of_stage[of_stage["fonte"] == member]
            rows.append(
                {
                    "etapa": etapa,
                    "membro": member,
                    "chamadas": len(own),
                    "sem_tempo": int(own["segundos"].isna().sum()),
                    "minutos": _minutes(own),
                }
            )
    minutes = pd.DataFrame(rows, columns=["etapa", "membro", "chamadas", "sem_tempo", "minutos"])
    by = minutes.set_index(["etapa", "membro"])["minutos"]
    total = float(by.xs(TODOS, level="membro").sum(min_count=1)) if len(by) else float("nan")
    main = float(by.get(("rodada_1", study.principal), float("nan")))
    coded, whole = int(kept["documento"].nunique()), corpus_size(study)
    return Cost(
        minutes=minutes,
        sample=coded,
        corpus=whole,
        times_main=total / main if main > 0 else float("nan"),
        hours=total / 60,
        corpus_hours=total / 60 * whole / coded if coded else float("nan"),
    )


def _one_row_a_call(votes: pd.DataFrame) -> pd.DataFrame:
    """Of a study of votes: one row a document, member and round, with all the seconds written there."""
    key = ["fonte", "rodada", "documento"]
    seconds = votes.groupby(key, sort=False)["segundos"].sum(min_count=1)
    return seconds.reset_index()


def _minutes(calls: pd.DataFrame) -> float:
    seconds = calls["segundos"].sum(min_count=1)
    return float("nan") if pd.isna(seconds) else float(seconds) / 60
