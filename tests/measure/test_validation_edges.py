"""Studies in which something is missing: the reference, a variable of it, a type of variable, repetitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from pytest import approx
from validation_study import (
    CODEBOOK,
    COR,
    DOCUMENTOS,
    ESTUDO,
    REFERENCIA,
    hand_coders,
    hand_study,
    reference_csv,
    row,
)

from compendio.measure import validation as v
from compendio.report import validation_numbers as numbers
from compendio.report.validation_tables import shown


def test_without_a_reference_nothing_is_known_and_the_rest_still_stands(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, {"referencia/leitora.csv": None, "estudo.yaml": _unnamed()}))
    assert coders.reference is None and not coders.known.any()
    assert not v.stability_table(coders).empty
    judged = pd.DataFrame({"documento": ["d1"], "variavel": ["fontes"], "confirmada": [False]})
    assert (v.audit_rate(coders, judged).wrong, v.audit_rate(coders, judged).with_reference) == (1, 0)
    assert "referencia.codificador" not in {n["id"] for n in numbers.sample_numbers(coders, 6, "c")}


def test_where_the_jury_decided_nothing_that_is_the_reason(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, {}))
    undecided = {name: table.assign(estado="sem_maioria") for name, table in coders.decisions.items()}
    decided = v.kappa_tables(replace(coders, decisions=undecided)).decided
    assert decided["kappa"].isna().all() and (decided["parte"] == 0).all()
    assert (decided["motivo"] == "o júri não decidiu nenhuma").all()


def _unnamed() -> str:
    return ESTUDO.replace("familias: {leitora: z}, ", "")


def test_a_variable_the_reference_does_not_code_is_undefined_with_a_reason(tmp_path: Path) -> None:
    only_text = {**REFERENCIA, "cor": [""] * 6}
    coders = hand_coders(hand_study(tmp_path, {"referencia/leitora.csv": reference_csv(only_text)}))
    tables = v.kappa_tables(coders)
    assert tables.kappas["kappa"].isna().all() and tables.kappas["motivo"].notna().all()
    assert tables.decided["parte"].isna().all()
    assert tables.variables["categoria_dominante"].isna().all() and not tables.variables["domina"].any()
    cor = row(v.mcnemar_table(coders), variavel="cor")
    assert cor["n"] == 0 and pd.isna(cor["p"]) and pd.isna(cor["p_holm"])
    # Two tests are left, both with nothing to tell apart.
    assert v.mcnemar_table(coders)["p_holm"].dropna().tolist() == [1.0, 1.0]
    members = v.member_against_jury(coders, tables)
    assert members["veredito"].isna().all() and members["motivo"].notna().all()
    assert members["supera_todos"].isna().all()
    assert set(shown(members)["supera todos"]) == {"—"} and "motivo" in shown(members)
    found = {n["id"]: n for n in numbers.member_numbers(members, v.coder_summary(coders, members), "c")}
    assert found["melhor_membro.nome"]["impresso"] == "nenhum"
    kinds = v.agreement_by_kind(coders)
    assert kinds.loc[kinds["variavel"] == "cor", "concordancia"].isna().all()
    assert {
        n["impresso"] for n in numbers.kappa_numbers(tables, "c") if n["id"].startswith("kappa.cor.m")
    } == {
        "—",
        "[—; —]",
    }


def test_a_study_of_free_text_alone_has_no_kappas(tmp_path: Path) -> None:
    book = CODEBOOK.split("  cor:")[0] + "  ano:" + CODEBOOK.split("  ano:")[1]
    files: dict[str, str | None] = {
        f"votos/{name}.csv": "documento,variavel,valor\n" + "".join(f"{d},ano,2000\n" for d in DOCUMENTOS)
        for name in COR
    }
    files |= {"codebook.yaml": book, "estudo.yaml": ESTUDO + "deliberacao: false\n"}
    files |= {"referencia/leitora.csv": "documento,variavel,valor\nd1,ano,2000\nd2,ano,2001\n"}
    coders = hand_coders(hand_study(tmp_path, files))
    tables = v.kappa_tables(coders)
    assert tables.kappas.empty and tables.differences.empty and tables.variables.empty
    assert v.member_against_jury(coders, tables).empty
    assert (
        v.coder_summary(coders, v.member_against_jury(coders, tables))["concordancia"].tolist() == [0.5] * 5
    )
    assert v.set_table(coders).empty and v.choice_table(coders).empty
    assert v.composition_notes(v.agreement_by_kind(coders)) == []  # one type only: nothing to warn of
    total = row(v.decision_moves(coders), variavel=v.TODAS)
    assert (total["deliberadas"], total["mudou"]) == (0, 0)
    assert v.stability_table(coders).empty


def test_undecided_values_that_stay_missing_disagree(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, {"estudo.yaml": ESTUDO + "sem_maioria: ausente\n"}))
    # cor: the jury has no value for d4: hits d1, d3, d6 of n = 5; counts a 1, b 2, c 1: (15 - 7)/(25 - 7).
    juri = row(v.kappa_tables(coders).kappas, codificador="juri")
    assert (juri["n"], juri["kappa"]) == (5, approx(8 / 18))
    kinds = v.agreement_by_kind(coders)
    open_ = row(kinds, variavel=v.TODAS, estado="sem_maioria")
    assert (open_["n"], open_["acertos"], open_["recuos"]) == (2, 0, 0)


def test_another_coding_is_one_more_coder(tmp_path: Path) -> None:
    other = "documento,variavel,valor\nd1,cor,a\nd3,cor,b\n"
    text = ESTUDO.replace("familias: {", "referencia: leitora, familias: {outra: humana, ")
    coders = hand_coders(hand_study(tmp_path, {"referencia/outra.csv": other, "estudo.yaml": text}))
    assert list(coders.values)[-1] == "outra"
    kappa = row(v.kappa_tables(coders).kappas, codificador="outra")
    # Hits d1, d3 of 5, silent elsewhere; counts a 1, b 1: (10 - 4)/(25 - 4). On what it answered: 1.
    assert (kappa["kappa"], kappa["kappa_respondidos"]) == (approx(6 / 21), approx(1))


@pytest.mark.parametrize("supervisor", [False, True])
def test_no_supervisor_no_effect(tmp_path: Path, supervisor: bool) -> None:
    coders = hand_coders(hand_study(tmp_path), supervisor)
    assert v.supervisor_effect(coders, v.kappa_tables(coders)).empty is not supervisor
