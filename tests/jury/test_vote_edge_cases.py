"""The vote where input is odd: few or many members, missing rows, other sources, and what is refused."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from jury_builders import categorical, choices, codebook, multiple, text, vote, votes

from compendio.erros import ErroDeEstudo
from compendio.jury.vote import votar

BOOK = codebook(
    cor=categorical("azul", "verde"), fontes=multiple("jornais", "leis"), periodo=text("não informado")
)


def test_two_members_one_to_one_is_no_majority() -> None:
    result = votar(votes(vote("A", "azul"), vote("B", "verde")), BOOK, ["A", "B"])
    assert result["estado"].tolist() == ["sem_maioria"]


def test_two_members_and_one_vote_is_no_majority() -> None:
    # 1 of 2 is half, not more.
    result = votar(votes(vote("A", "azul"), vote("B", None)), BOOK, ["A", "B"])
    assert result["estado"].tolist() == ["sem_maioria"]


def test_a_missing_row_is_a_missing_vote() -> None:
    result = votar(votes(vote("A", "azul"), vote("B", "azul")), BOOK, ["A", "B", "C"])
    assert result["estado"].tolist() == ["maioria"]
    assert json.loads(result["votos"][0]) == {"A": "azul", "B": "azul", "C": None}


def test_all_failed() -> None:
    result = votar(votes(vote("A", None), vote("B", None)), BOOK, ["A", "B"])
    assert result["estado"].tolist() == ["sem_maioria"]
    assert result["valor"].isna().all()


def test_a_failure_with_a_value_is_still_no_vote() -> None:
    table = votes(vote("A", "azul"), vote("B", "azul"))
    table.loc[1, "falha"] = "texto_truncado"
    assert votar(table, BOOK, ["A", "B"])["estado"].tolist() == ["sem_maioria"]


def test_no_votes_at_all() -> None:
    result = votar(votes(vote("A", "azul")).iloc[:0], BOOK, ["A", "B"])
    assert len(result) == 0
    assert list(result.columns) == [
        "documento",
        "variavel",
        "valor",
        "evidencia",
        "nivel_evidencia",
        "inicio",
        "fim",
        "estado",
        "votos",
        "por_isencao",
    ]


def test_rows_of_other_sources_are_left_out() -> None:
    result = votar(votes(vote("A", "azul"), vote("B", "azul"), vote("Z", "verde")), BOOK, ["A", "B"])
    assert result["estado"].tolist() == ["unanime"]


def test_forty_members() -> None:
    # 30 categories and 40 members: the combinations of votes do not fit one machine number.
    names = [f"m{k}" for k in range(40)]
    book = codebook(cor=categorical(*(f"c{k:02d}" for k in range(30))))
    split = [vote(name, f"c{k % 30:02d}") for k, name in enumerate(names)]
    agreed = [vote(name, "c07" if k < 21 else "c08", documento="d2") for k, name in enumerate(names)]
    half = [vote(name, "c07" if k < 20 else "c08", documento="d3") for k, name in enumerate(names)]
    result = votar(votes(*split, *agreed, *half), book, names)
    assert result["estado"].tolist() == ["sem_maioria", "maioria", "sem_maioria"]
    assert result["valor"][1] == "c07"


def test_documents_with_different_variables_and_members() -> None:
    rows = [vote(name, "azul") for name in "AB"]
    rows += [vote(name, "2001", documento="d2", variavel="periodo") for name in "BA"]
    rows += [choices(name, {"leis": "exata"}, documento="d0") for name in "AB"]
    result = votar(votes(*rows).sample(frac=1, random_state=3), BOOK, ["A", "B"])
    assert result[["documento", "variavel", "valor", "estado"]].to_numpy().tolist() == [
        ["d0", "fontes", '["leis"]', "unanime"],
        ["d1", "cor", "azul", "unanime"],
        ["d2", "periodo", "2001", "unanime"],
    ]
    assert result["inicio"].tolist()[1:] == [10, 10]


def test_values_compare_after_nfc_and_strip() -> None:
    book = codebook(cor=categorical("não", "sim"))
    result = votar(votes(vote("A", "na\u0303o"), vote("B", " não ")), book, ["A", "B"])
    assert (result["estado"][0], result["valor"][0]) == ("unanime", "não")


def test_blank_value_is_no_vote() -> None:
    assert votar(votes(vote("A", "azul"), vote("B", "  ")), BOOK, ["A", "B"])["estado"].tolist() == [
        "sem_maioria"
    ]


def test_choices_read_as_sets() -> None:
    a, b = (
        choices("A", {"jornais": "exata", "leis": "exata"}),
        choices("B", {"leis": "exata", "jornais": "exata"}),
    )
    result = votar(votes(a, b), BOOK, ["A", "B"])
    assert (result["estado"][0], result["valor"][0]) == ("unanime", '["jornais", "leis"]')


def test_choices_without_any_evidence_written() -> None:
    row = [vote(name, '["leis"]', variavel="fontes", nivel_evidencia=None, evidencia=None) for name in "AB"]
    assert votar(votes(*row), BOOK, ["A", "B"])["estado"].tolist() == ["sem_evidencia"]
    result = votar(votes(*row), BOOK, ["A", "B"], dispensada=True)
    assert (result["estado"][0], result["por_isencao"][0]) == ("unanime", True)
    assert json.loads(result["nivel_evidencia"][0]) == {"leis": "ausente"}


def test_votes_alone() -> None:
    # A study of votes: no levels, no quotes, no places.
    nothing = {"nivel_evidencia": None, "evidencia": None}
    table = votes(vote("A", "azul", **nothing), vote("B", "azul", **nothing))
    assert votar(table, BOOK, ["A", "B"])["estado"].tolist() == ["sem_evidencia"]
    result = votar(table, BOOK, ["A", "B"], dispensada=True)
    assert (result["estado"][0], result["por_isencao"][0]) == ("unanime", True)
    assert result[["evidencia", "nivel_evidencia", "inicio", "fim"]].isna().all(axis=None)


def test_supporting_quote_without_a_place_comes_after_one_with() -> None:
    a = vote("A", "azul", nivel_evidencia="exata", evidencia="com lugar", inicio=900, fim=909)
    b = vote("B", "azul", evidencia="a sem lugar", inicio=None, fim=None)
    result = votar(votes(a, b), BOOK, ["A", "B"])
    assert result["evidencia"][0] == "com lugar"


def test_input_is_left_alone() -> None:
    table = votes(vote("A", "azul"), vote("B", "azul"))
    before = table.copy(deep=True)
    result = votar(table, BOOK, ["A", "B"])
    result.loc[0, "evidencia"] = "outra"
    result.loc[0, "documento"] = "outro"
    pd.testing.assert_frame_equal(table, before)


def test_two_votes_of_one_member_are_refused() -> None:
    table = pd.concat([votes(vote("A", "azul")), votes(vote("A", "verde"))])
    with pytest.raises(ValueError, match="two votes of one member"):
        votar(table, BOOK, ["A", "B"])


@pytest.mark.parametrize("membros", [[], ["A"], ["A", "A"]])
def test_members_two_or_more_and_different(membros: list[str]) -> None:
    with pytest.raises(ValueError, match="two or more different members"):
        votar(votes(vote("A", "azul")), BOOK, membros)


def test_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown levels"):
        votar(votes(vote("A", "azul", nivel_evidencia="quase"), vote("B", "azul")), BOOK, ["A", "B"])


def test_what_the_codebook_lacks_is_said_all_at_once() -> None:
    table = votes(vote("A", "roxo"), vote("B", "cinza"))
    with pytest.raises(ErroDeEstudo) as problem:
        votar(table, BOOK, ["A", "B"])
    assert len(problem.value.problemas) == 2
    assert "O voto 'cinza' da variável 'cor' não é uma categoria" in problem.value.problemas[0]
    with pytest.raises(ErroDeEstudo, match="'clima', que o livro de códigos não tem"):
        votar(votes(vote("A", "azul", variavel="clima")), BOOK, ["A", "B"])
    with pytest.raises(ErroDeEstudo, match="O voto 'rádio' da variável 'fontes'"):
        votar(votes(choices("A", {"rádio": "exata"})), BOOK, ["A", "B"])


@pytest.mark.parametrize("valor", ["leis", '{"leis": 1}', "[1]"])
def test_several_choices_must_be_a_list(valor: str) -> None:
    with pytest.raises(ErroDeEstudo, match="não é uma lista JSON"):
        votar(votes(vote("A", valor, variavel="fontes")), BOOK, ["A", "B"])
