"""Who is asked again, about what, in which conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_study import ESTUDO, write_study

from compendio.classify import Reader, classification_calls, votes_table
from compendio.codebook import answer_schema
from compendio.jury.decide import to_deliberate
from compendio.jury.deliberation import deliberation_calls
from compendio.models.base import Call, Reply
from compendio.pipeline import decisions
from compendio.study import Study, load_study

FALAS = [{"evidencia": "vinte feirantes", "categoria": "falas"}]


def answer(abordagem: str = "qualitativa", quote: str = "Ouvimos vinte", fontes: Any = FALAS) -> Reply:
    parts = {
        "abordagem": {"evidencia": quote, "valor": abordagem},
        "fontes": fontes,
        "periodo": {"evidencia": "em 1998", "valor": "1998"},
    }
    # Spaces as a model might leave them: what is stored is repeated, not written anew.
    return Reply(json.dumps(parts, ensure_ascii=False, indent=1))


class Round:
    """Round 1 on document d1, from one reply a member."""

    def __init__(self, study: Study, **replies: Reply) -> None:
        self.study = study
        reader = Reader(study)
        self.first: dict[str, list[tuple[Call, Reply]]] = {}
        tables = []
        for name, reply in replies.items():
            calls = classification_calls(study, name, ["d1"])
            self.first[name] = [(call, reply) for call in calls]
            tables.append(votes_table(reader, name, calls, [reply] * len(calls)))
        self.votos = pd.concat(tables, ignore_index=True)
        self.pairs = to_deliberate(decisions(study, self.votos)["juri-r1"], study.codebook)

    def calls(self, membro: str) -> list[Call]:
        return deliberation_calls(self.study, membro, self.votos, self.pairs, self.first[membro])


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return load_study(write_study(tmp_path / "e"))


def test_nothing_to_say_where_all_agree(study: Study) -> None:
    same = Round(study, alfa=answer(), beta=answer(), gama=answer())
    assert [same.calls(m) for m in ("alfa", "beta", "gama")] == [[], [], []]


def test_the_conversation_repeats_round_one_byte_for_byte(study: Study) -> None:
    this = Round(study, alfa=answer("quantitativa"), beta=answer(), gama=answer())
    (call,) = this.calls("alfa")
    first, reply = this.first["alfa"][0]
    assert call.messages[:2] == first.messages
    assert json.dumps(list(call.messages[:2])).encode() == json.dumps(list(first.messages)).encode()
    assert call.messages[2] == {"role": "assistant", "content": reply.conteudo}
    assert [m["role"] for m in call.messages] == ["system", "user", "assistant", "user"]
    assert (call.rodada, call.repeticao, call.options) == (2, 0, first.options)


def test_only_what_is_not_unanimous_is_asked_and_never_free_text(study: Study) -> None:
    other_year = Reply(str(answer("quantitativa").conteudo).replace('"1998"', '"1990"'))
    (call,) = Round(study, alfa=other_year, beta=answer(), gama=answer()).calls("beta")
    assert call.variaveis == ("abordagem",)
    assert call.schema == answer_schema([study.codebook.variaveis["abordagem"]])
    assert "## fontes" not in call.messages[3]["content"] and "## periodo" not in call.messages[3]["content"]
    (call,) = Round(study, alfa=answer(fontes=[]), beta=answer(), gama=answer("quantitativa")).calls("beta")
    assert call.variaveis == ("abordagem", "fontes")


def test_the_others_are_shown_without_names_whoever_asks(study: Study) -> None:
    this = Round(
        study, alfa=answer("quantitativa", "lemos jornais"), beta=answer(), gama=answer(quote="não está lá")
    )
    shown = {}
    for member in ("alfa", "beta", "gama"):
        (call,) = this.calls(member)
        last = call.messages[3]["content"]
        assert not any(name in last for name in ("alfa", "beta", "gama"))
        shown[member] = [line for line in last.splitlines() if line.startswith("- Modelo")]
    assert shown["alfa"] == [
        "- Modelo A: qualitativa; evidência: «Ouvimos vinte»",
        "- Modelo B: qualitativa; evidência: «não está lá» (trecho não encontrado no texto)",
    ]
    assert shown["beta"] == [
        "- Modelo A: qualitativa; evidência: «não está lá» (trecho não encontrado no texto)",
        "- Modelo B: quantitativa; evidência: «lemos jornais»",
    ]
    assert shown["gama"] == [
        "- Modelo A: qualitativa; evidência: «Ouvimos vinte»",
        "- Modelo B: quantitativa; evidência: «lemos jornais»",
    ]


def test_renaming_members_changes_no_byte(study: Study, tmp_path: Path) -> None:
    names = {"alfa": "zeta", "beta": "eta", "gama": "a-primeira"}
    estudo = ESTUDO
    for old, new in names.items():
        estudo = estudo.replace(f"nome: {old}", f"nome: {new}")
    renamed = load_study(write_study(tmp_path / "outro", {"estudo.yaml": estudo}))
    replies = {"alfa": answer("quantitativa"), "beta": answer(), "gama": answer(quote="lemos jornais")}
    one = Round(study, **replies)
    two = Round(renamed, **{names[name]: reply for name, reply in reversed(replies.items())})
    for old, new in names.items():
        assert [c.messages for c in one.calls(old)] == [c.messages for c in two.calls(new)]


def test_a_member_that_failed_is_neither_asked_nor_shown(study: Study) -> None:
    this = Round(study, alfa=answer("quantitativa"), beta=answer(), gama=Reply(None, "recusa"))
    assert this.calls("gama") == []
    (call,) = this.calls("alfa")
    assert "Modelo A" in call.messages[3]["content"] and "Modelo B" not in call.messages[3]["content"]


def test_a_member_that_failed_in_one_variable_is_asked_about_the_others(study: Study) -> None:
    partly = answer("etnografia")  # outside the codebook
    this = Round(study, alfa=partly, beta=answer(fontes=[]), gama=answer("quantitativa"))
    (call,) = this.calls("alfa")
    assert call.variaveis == ("fontes",)
    # The whole answer stands in the conversation, the failed part included, as it was stored.
    assert call.messages[2]["content"] == partly.conteudo


def test_alone_there_is_nothing_to_show(study: Study) -> None:
    lost = Reply(None, "tempo_esgotado")
    assert Round(study, alfa=answer(), beta=lost, gama=lost).calls("alfa") == []


def test_a_majority_without_evidence_is_deliberated(study: Study) -> None:
    made_up = answer(quote="não está lá")
    (call,) = Round(study, alfa=made_up, beta=made_up, gama=made_up).calls("gama")
    assert call.variaveis == ("abordagem",)
    assert call.messages[3]["content"].count("(trecho não encontrado no texto)") == 2


def test_one_call_a_variable(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path / "v", {"estudo.yaml": ESTUDO + "chamadas: por_variavel\n"}))
    this = Round(study, alfa=answer("quantitativa", fontes=[]), beta=answer(), gama=answer())
    calls = this.calls("beta")
    assert [c.variaveis for c in calls] == [("abordagem",), ("fontes",)]
    for call in calls:
        (first,) = [c for c, _ in this.first["beta"] if c.variaveis == call.variaveis]
        assert call.messages[:2] == first.messages
