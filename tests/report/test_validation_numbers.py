"""Names and printed forms of the numbers; the pilot prints what was published."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
import yaml
from conftest import RAIZ
from validation_study import hand_coders, hand_study

from compendio.contract import conform
from compendio.measure import validation as v
from compendio.pipeline import decisions
from compendio.report import validation_numbers as numbers
from compendio.study import load_study

PILOTO = RAIZ / "data" / "piloto"
Printed = dict[str, str]


@pytest.fixture(scope="module")
def pilot() -> v.Coders:
    """The pilot's sources; the supervisor picks the reference's value in eight of nine, none in the other."""
    study = load_study(PILOTO)
    votes = study.member_votes()
    assert votes is not None
    juries = decisions(study, votes)
    table = juries["juri"].copy()
    free = table["variavel"] == "periodo_analisado"
    truth = study.references()["claude-opus"].set_index(["documento", "variavel"])["valor"]
    wide = votes[votes["rodada"] == 1].pivot(index=["documento", "variavel"], columns="fonte", values="valor")
    for k in table.index[(table["estado"] == "sem_maioria") & ~free]:
        pair = (table.loc[k, "documento"], table.loc[k, "variavel"])
        if truth[pair] in wide.loc[pair].tolist():
            table.loc[k, ["valor", "estado", "recuo"]] = [truth[pair], "supervisor", False]
        else:
            table.loc[k, "estado"] = "nenhum_adequado"
    juries["juri-supervisor"] = conform(table, "juri-supervisor")
    return v.gather_coders(study, votes, juries)


@pytest.fixture(scope="module")
def printed(pilot: v.Coders) -> Printed:
    tables, kinds = v.kappa_tables(pilot), v.agreement_by_kind(pilot)
    members = v.member_against_jury(pilot, tables)
    votes = pilot.study.member_votes()
    assert votes is not None
    everything: list[dict[str, Any]] = [
        *numbers.sample_numbers(pilot, 4247, "c"),
        *numbers.kappa_numbers(tables, "c"),
        *numbers.mcnemar_numbers(v.mcnemar_table(pilot), "c"),
        *numbers.member_numbers(members, v.coder_summary(pilot, members), "c"),
        *numbers.kind_numbers(kinds, v.selective_reliance(pilot), "c"),
        *numbers.state_numbers(pilot, "c"),
        *numbers.deliberation_numbers(v.vote_moves(pilot), v.decision_moves(pilot), "c"),
        *numbers.supervisor_numbers(v.supervisor_effect(pilot, tables), "c"),
        *numbers.cost_numbers(v.cost(pilot.study.model_copy(update={"corpus_inteiro": 4247}), votes), "c"),
        *numbers.agreement_numbers("texto", v.text_table(pilot), "c"),
    ]
    ids = [entry["id"] for entry in everything]
    assert len(set(ids)) == len(ids)
    return {entry["id"]: entry["impresso"] for entry in everything}


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((PILOTO / "numeros-publicados.yaml").read_text(encoding="utf-8"))
    return found


def test_kappas_print_as_published(printed: Printed, published: dict[str, Any]) -> None:
    for variavel, row in published["kappa"].items():
        for source, text in row.items():
            if source == "ic95":
                name = f"kappa.{variavel}.juri"
                assert [printed[f"{name}.ic_inf"], printed[f"{name}.ic_sup"]] == text
                assert printed[f"{name}.ic"] == f"[{text[0]}; {text[1]}]"
            else:
                assert printed[f"kappa.{variavel}.{source}"] == text, (variavel, source)


def test_mcnemar_prints_as_published(printed: Printed, published: dict[str, Any]) -> None:
    for variavel, row in published["mcnemar"].items():
        assert printed[f"mcnemar.{variavel}.p"] == row["p"]
    assert printed["mcnemar.tecnica_principal.contagens"] == "47 × 3"
    assert printed["mcnemar.subarea.contagens"] == "16 × 5"


def test_kinds_and_deliberation_print_as_published(printed: Printed, published: dict[str, Any]) -> None:
    kinds = {
        "unanimes": "unanime",
        "maioria_sem_deliberacao": "maioria",
        "decididas_na_deliberacao": "deliberada",
        "sem_maioria": "sem_maioria",
    }
    for kind, estado in kinds.items():
        row = published["concordancia_com_a_referencia"][kind]
        n = row["n"]["valor"] if isinstance(row["n"], dict) else row["n"]
        assert (printed[f"concordancia.{estado}.n"], printed[f"concordancia.{estado}.pct"]) == (
            str(n),
            row["pct"],
        )
    for name in ("decisoes_deliberadas", "chegaram_a_maioria", "decisao_mudou", "sem_maioria_categoricas"):
        assert printed[f"deliberacao.{name}"] == str(published["deliberacao"][name])
    assert printed["deliberacao.unanimes_categoricas"] == "669"
    for member, (towards, away) in published["deliberacao"]["votos_revistos"].items():
        assert printed[f"deliberacao.votos_revistos.{member}"] == f"{towards} × {away}"
    assert [printed[f"texto_livre.{e}"] for e in ("unanime", "maioria", "sem_maioria")] == ["51", "103", "46"]


def test_cost_sample_and_best_member_print_as_published(printed: Printed, published: dict[str, Any]) -> None:
    minutes = published["custo_minutos"]
    for stage in ("rodada_1", "deliberacao"):
        assert printed[f"custo.{stage}.total"] == str(minutes[stage]["total"])
        for member, value in minutes[stage]["por_membro"].items():
            assert printed[f"custo.{stage}.{member}"] == str(value)
    for name in ("vezes_o_principal", "total_horas", "corpus_inteiro_horas"):
        assert printed[f"custo.{name}"] == minutes[name]
    best = published["melhor_membro"]
    assert printed["melhor_membro.nome"] == best["nome"]
    assert printed["melhor_membro.variaveis_em_que_supera_todos_e_o_juri"] == "4"
    assert [printed[f"amostra.{n}"] for n in ("documentos", "decisoes_total", "corpus")] == [
        "200",
        "1.200",
        "4.247",
    ]
    assert [printed[f"supervisor.{n}"] for n in ("decisoes", "escolhidas")] == ["9", "8"]


def test_the_audit_prints_as_published(pilot: v.Coders) -> None:
    state = pilot.decisions["juri"]["estado"]
    drawn = state.index[(state == "unanime").to_numpy()][:40].to_frame(index=False)
    judged = drawn.assign(confirmada=[False, False, *[True] * 38])
    found = {n["id"]: n["impresso"] for n in numbers.audit_numbers(v.audit_rate(pilot, judged), "c")}
    assert [found[f"auditoria.{name}"] for name in ("julgadas", "erradas", "taxa")] == ["40", "2", "5,0%"]
    assert found["auditoria.ic"] == "[1,4%; 16,5%]"


def test_hours_are_said_as_one_says_them() -> None:
    hours = {2.4667: "2,5", 9.95: "9,9", 13.6: "14", 52.4: "50", 1234.0: "1.230"}
    assert [numbers.about(h) for h in hours] == [f"cerca de {text}" for text in hours.values()]
    assert numbers.about(float("nan")) == "—"
    said = {0.004: "menos de um minuto", 0.21: "cerca de 13 minutos", 2.4667: "cerca de 2,5 horas"}
    assert [numbers.duration(h) for h in said] == list(said.values())


def test_what_is_undefined_is_null_in_json_and_a_dash_in_print() -> None:
    entry = numbers.number("x", [float("nan"), 1.0], "—", "c")
    assert entry["valor"] == [None, 1.0]


def test_numbers_of_a_study_with_supervisor_and_repetition(tmp_path_factory: pytest.TempPathFactory) -> None:
    coders = hand_coders(hand_study(tmp_path_factory.mktemp("estudo")), supervisor=True)
    found = {n["id"]: n["impresso"] for n in numbers.stability_numbers(v.stability_table(coders), "c")}
    assert (found["estabilidade.m1.cor"], found["estabilidade.m1.cor.n"]) == ("50%", "2")
    assert found["estabilidade.m1.ano"] == "—"
    empty = v.supervisor_effect(hand_coders(coders.study), v.kappa_tables(hand_coders(coders.study)))
    assert numbers.supervisor_numbers(empty, "c") == [] and isinstance(empty, pd.DataFrame)
