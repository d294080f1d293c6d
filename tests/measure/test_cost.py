"""Minutes by member and stage, worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest
from pytest import approx
from small_study import problems, write_study
from validation_study import CODEBOOK, ESTUDO, hand_study, row

from compendio.erros import ErroDeEstudo
from compendio.measure.cost import corpus_size, cost
from compendio.study import load_study


def calls(*rows: tuple[str, str, int, int, float | None]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["fonte", "documento", "rodada", "repeticao", "segundos"])
    return table.astype({"segundos": "Float64", "rodada": "Int64", "repeticao": "Int64"})


def test_minutes_times_the_main_model_and_projection(tmp_path: Path) -> None:
    study = hand_study(tmp_path, {"estudo.yaml": ESTUDO + "corpus_inteiro: 600\n"})
    found = cost(
        study,
        calls(
            # m1, d1: two rows of one call, its time on the first.
            ("m1", "d1", 1, 0, 60.0),
            ("m1", "d1", 1, 0, None),
            ("m1", "d2", 1, 0, 60.0),
            ("m2", "d1", 1, 0, 120.0),
            ("m3", "d1", 1, 0, 30.0),
            ("m3", "d2", 1, 0, None),
            ("m1", "d2", 2, 0, 30.0),
            # Left out: a repetition, and a document that is not in the sample.
            ("m1", "d1", 1, 1, 999.0),
            ("m1", "d99", 1, 0, 999.0),
        ),
    )
    first = found.minutes[found.minutes["etapa"] == "rodada_1"].set_index("membro")
    assert first["minutos"].to_dict() == {"m1": 2.0, "m2": 2.0, "m3": 0.5, "todos": 4.5}
    assert first["chamadas"].tolist() == [2, 1, 2, 5] and first["sem_tempo"].tolist() == [0, 0, 1, 1]
    assert row(found.minutes, etapa="deliberacao", membro="todos")["minutos"] == 0.5
    # (4.5 + 0.5) / 2; 5 minutes for two documents, 600 documents: 1,500 minutes.
    assert found.times_main == approx(2.5) and found.hours == approx(5 / 60)
    assert (found.sample, found.corpus, found.corpus_hours) == (2, 600, approx(25))


def test_no_time_recorded_is_undefined_not_zero(tmp_path: Path) -> None:
    found = cost(hand_study(tmp_path), calls(("m1", "d1", 1, 0, None), ("m2", "d1", 1, 0, None)))
    assert math.isnan(found.hours) and math.isnan(found.times_main) and math.isnan(found.corpus_hours)
    assert found.minutes["minutos"].isna().all()


def test_no_call_at_all(tmp_path: Path) -> None:
    found = cost(hand_study(tmp_path), calls())
    assert found.minutes.empty and found.sample == 0 and math.isnan(found.hours)


def test_of_a_study_of_texts_every_row_is_a_call(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path))
    found = cost(study, calls(("alfa", "d1", 1, 0, 30.0), ("alfa", "d1", 1, 0, 30.0)))
    first = row(found.minutes, etapa="rodada_1", membro="alfa")
    assert (first["chamadas"], first["minutos"]) == (2, 1.0)  # a failed attempt cost time, too


def test_the_corpus_is_what_the_study_holds_unless_it_says_more(tmp_path: Path) -> None:
    assert corpus_size(hand_study(tmp_path / "a")) == 6
    assert corpus_size(hand_study(tmp_path / "b", {"estudo.yaml": ESTUDO + "corpus_inteiro: 4247\n"})) == 4247
    with pytest.raises(ErroDeEstudo, match=r"corpus_inteiro .* é 5, menos que os 6"):
        corpus_size(hand_study(tmp_path / "c", {"estudo.yaml": ESTUDO + "corpus_inteiro: 5\n"}))


def test_the_corpus_is_a_whole_number_from_one_on(tmp_path: Path) -> None:
    for i, value in enumerate(("0", "muitos", "4247.5")):
        text = ESTUDO.replace("evidencia: dispensada\n", "") + f"corpus_inteiro: {value}\n"
        folder = write_study(tmp_path / str(i), {"estudo.yaml": text, "codebook.yaml": CODEBOOK})
        assert any("corpus_inteiro" in sentence for sentence in problems(folder)), value
