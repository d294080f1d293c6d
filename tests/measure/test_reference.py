"""Which coder is the reference, and what is said about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from validation_study import hand_study

from compendio.erros import ErroDeEstudo
from compendio.measure.reference import choose_reference, documents_coded


def test_a_person_with_fifty_documents_becomes_the_reference() -> None:
    chosen = choose_reference({"claude": 200, "ana": 50}, {"ana": "humana", "claude": "claude"})
    assert chosen is not None and (chosen.codificador, chosen.documentos) == ("ana", 50)
    assert "pessoa" in chosen.motivo and "50" in chosen.motivo


def test_a_person_with_forty_nine_does_not() -> None:
    chosen = choose_reference({"claude": 200, "ana": 49}, {"ana": "humana", "claude": "claude"})
    assert chosen is not None and chosen.codificador == "claude"
    assert "nenhuma pessoa codificou 50" in chosen.motivo


def test_of_two_people_the_one_with_more() -> None:
    chosen = choose_reference({"ana": 60, "bia": 80}, {"ana": "humana", "bia": "humana"})
    assert chosen is not None and chosen.codificador == "bia" and "mais que as outras" in chosen.motivo


def test_a_tie_asks() -> None:
    with pytest.raises(ErroDeEstudo, match=r"ana e bia .* \(60\).*validacao\.referencia"):
        choose_reference({"ana": 60, "bia": 60}, {"ana": "humana", "bia": "humana"})


def test_the_study_overrides_even_a_tie() -> None:
    people = {"ana": "humana", "bia": "humana"}
    chosen = choose_reference({"ana": 60, "bia": 60}, people, "bia")
    assert chosen is not None and chosen.codificador == "bia" and "o estudo a escolhe" in chosen.motivo


def test_a_coder_alone_is_the_reference_even_with_few_documents() -> None:
    chosen = choose_reference({"ana": 6}, {"ana": "humana"})
    assert chosen is not None and chosen.codificador == "ana" and "menos de 50" in chosen.motivo
    plain = choose_reference({"oficial": 6}, {})
    assert plain is not None and plain.motivo == "é a única codificação da amostra"


def test_two_models_ask() -> None:
    with pytest.raises(ErroDeEstudo, match="há um, outro"):
        choose_reference({"um": 10, "outro": 10}, {})


def test_two_people_with_few_documents_ask() -> None:
    with pytest.raises(ErroDeEstudo, match="nenhuma pessoa codificou 50"):
        choose_reference({"ana": 10, "bia": 12}, {"ana": "humana", "bia": "humana"})


def test_nobody_is_none_and_a_wish_without_documents_is_said() -> None:
    assert choose_reference({}, {}) is None
    assert choose_reference({"ana": 0}, {"ana": "humana"}) is None
    with pytest.raises(ErroDeEstudo, match=r"referencia/ana\.csv"):
        choose_reference({"ana": 0}, {}, "ana")


def test_only_documents_of_the_sample_with_a_value_count(tmp_path: Path) -> None:
    references = hand_study(tmp_path).references()
    assert documents_coded(references, ["d1", "d6"]) == {"leitora": 2}
    assert documents_coded(references, ["outro"]) == {"leitora": 0}


def test_thousands_have_their_point_in_the_reason() -> None:
    chosen = choose_reference({"ana": 1200}, {"ana": "humana"})
    assert chosen is not None and "codificou 1.200 documentos" in chosen.motivo
