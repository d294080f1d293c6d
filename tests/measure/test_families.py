"""Families of coders, and which comparisons are circular."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from validation_study import ESTUDO, hand_study

from compendio.measure.families import families_of, is_circular, mark_circular


def test_a_jury_has_the_families_of_its_members_and_supervisor(tmp_path: Path) -> None:
    found = families_of(hand_study(tmp_path), ["m1", "juri", "juri-supervisor", "leitora", "outra"])
    assert found["m1"] == {"p"}
    assert found["juri"] == {"p", "q"}
    assert found["juri-supervisor"] == {"p", "q", "z"}
    assert found["leitora"] == {"z"}
    assert found["outra"] == {None}


def test_a_supervisor_without_a_declared_family_leaves_it_open(tmp_path: Path) -> None:
    study = hand_study(tmp_path, {"estudo.yaml": ESTUDO.replace("{familia: z}", "{modo: arquivos}")})
    found = families_of(study, ["juri-supervisor", "leitora"])
    assert found["juri-supervisor"] == {"p", "q", None}
    assert is_circular(found["leitora"], found["juri-supervisor"]) is None


def test_circular_means_a_family_in_common() -> None:
    assert is_circular({"z"}, {"p", "q", "z"}) is True
    assert is_circular({"z"}, {"p", "q"}) is False
    assert is_circular({"z"}, {None}) is None
    assert is_circular({"z"}, {None, "z"}) is True


def test_people_are_never_circular_with_each_other() -> None:
    assert is_circular({"humana"}, {"humana"}) is False
    assert is_circular({"humana"}, {"p", "humana"}) is False


def test_the_mark_is_a_nullable_truth() -> None:
    table = pd.DataFrame({"codificador": ["a", "b", "c"]})
    families = {"r": frozenset(["z"]), "a": frozenset(["z"]), "b": frozenset(["p"]), "c": frozenset([None])}
    marked = mark_circular(table, "r", families)
    assert marked["circular"].dtype == "boolean"
    assert marked["circular"].tolist() == [True, False, pd.NA]
