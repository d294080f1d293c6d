"""The validation of the study of `validation_study`, every expected value worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from pytest import approx
from validation_study import hand_coders, hand_study, row

from compendio.measure import validation as v
from compendio.measure.agreement import wilson_interval
from compendio.measure.pooled import REAMOSTRA, WILSON


@pytest.fixture(scope="module")
def coders(tmp_path_factory: pytest.TempPathFactory) -> v.Coders:
    return hand_coders(hand_study(tmp_path_factory.mktemp("estudo")), supervisor=True)


@pytest.fixture(scope="module")
def tables(coders: v.Coders) -> v.KappaTables:
    return v.kappa_tables(coders)


def test_every_source_stands_on_the_same_decisions(coders: v.Coders) -> None:
    assert list(coders.values) == ["m1", "m2", "m3", "juri-r1", "juri", "juri-supervisor"]
    assert coders.values.index[0] == ("d1", "cor") and len(coders.values) == 18
    assert coders.reference is not None and coders.reference.documentos == 6
    assert pd.isna(coders.truth["d5", "cor"]) and coders.truth["d6", "fontes"] == "[]"
    assert coders.known.sum() == 5 + 6 + 5
    # d1: three ways of writing one range of years.
    assert coders.right("m2")[coders.values.index.get_loc(("d1", "ano"))]


def test_kappas_by_hand(tables: v.KappaTables) -> None:
    # n = 5 (d5 has no reference): r = (a 2, b 2, c 1).
    # juri: a (d1), b, b, a, c: hits d1, d3, d6; p_o = 3/5, p_e = (2·2 + 2·2 + 1·1)/25; 6/25 over 16/25.
    juri = row(tables.kappas, codificador="juri")
    assert (juri["n"], juri["kappa"], juri["concordancia"]) == (5, approx(6 / 16), approx(3 / 5))
    # m1: a, a, a, a and a failure: hits d1, d2; p_e = 2·4/25; (10 - 8)/(25 - 8).
    m1 = row(tables.kappas, codificador="m1")
    assert m1["kappa"] == approx(2 / 17)
    # Over the four documents it answered: r = (a 2, b 2), m1 = (a 4): p_o = p_e = 1/2.
    assert (m1["n_respondidos"], m1["kappa_respondidos"]) == (4, approx(0))
    # juri-supervisor: d4 right too: hits 4; counts a 1, b 3, c 1: p_e = (2 + 6 + 1)/25; (20 - 9)/(25 - 9).
    assert row(tables.kappas, codificador="juri-supervisor")["kappa"] == approx(11 / 16)
    assert (tables.kappas["ic_inf"] <= tables.kappas["kappa"]).all()


def test_only_the_supervised_jury_is_circular_with_the_reference(tables: v.KappaTables) -> None:
    circular = tables.kappas.set_index("codificador")["circular"]
    assert circular[circular].index.tolist() == ["juri-supervisor"]
    assert "mesma família" in v.EXPLICACAO


def test_kappa_on_decided_rows_alone(tables: v.KappaTables) -> None:
    # juri leaves d4 open: 4 of 5. r = (a 2, b 1, c 1), juri = (a 1, b 2, c 1), hits 3: (12 - 5)/(16 - 5).
    decided = row(tables.decided, codificador="juri")
    assert (decided["parte"], decided["n"], decided["kappa"]) == (approx(0.8), 4, approx(7 / 11))
    assert row(tables.decided, codificador="juri-supervisor")["parte"] == 1


def test_differences_are_on_shared_resamples(tables: v.KappaTables) -> None:
    pairs = list(zip(tables.differences["primeiro"], tables.differences["segundo"], strict=True))
    assert pairs == [
        *[("juri", member) for member in ("m1", "m2", "m3")],
        *[("juri", "juri-r1"), ("juri-supervisor", "juri")],
    ]
    # m1 has no value for d6, so over d1 to d4: juri hits 2, r = (2, 2), juri = (2, 2): kappa 0; m1: 0.
    apart = row(tables.differences, segundo="m1")
    assert (apart["n"], apart["diferenca"]) == (4, approx(0))


def test_the_prevalent_category_is_named_and_dominates_from_seven_tenths(tables: v.KappaTables) -> None:
    variable = tables.variables.iloc[0]
    assert (variable["categoria_dominante"], variable["prevalencia"], variable["domina"]) == ("a", 0.4, False)
    assert v.prevalence_notes(tables.variables) == []
    (note,) = v.prevalence_notes(tables.variables.assign(prevalencia=0.7, domina=True))
    assert "70%" in note and "«a»" in note and "AC1" in note


def test_mcnemar_counts_against_the_main_model(coders: v.Coders) -> None:
    table = v.mcnemar_table(coders)
    # cor: the jury alone is right in d3, d6; m1 (failed in d6) alone in d2: p = 1, since |2 - 1| <= 1.
    cor = row(table, variavel="cor")
    assert (cor["n"], cor["so_juri"], cor["so_principal"], cor["p"]) == (5, 2, 1, 1.0)
    # Sets and free text: the jury says what m1 says, or m1 is the fallback.
    assert table["so_juri"].tolist() == [2, 0, 0] and table["tipo"].tolist() == [
        "categorica",
        "multipla",
        "texto",
    ]
    assert table["p_holm"].tolist() == [1.0, 1.0, 1.0]
    assert table["circular_juri"].tolist() == [False] * 3


def test_a_single_member_against_the_jury(coders: v.Coders, tables: v.KappaTables) -> None:
    members = v.member_against_jury(coders, tables)
    # m2: a, b, b, b, c: hits d1, d3, d4, d6 = 4; counts a 1, b 3, c 1: (20 - 9)/16 = 11/16 > 6/16 of the jury.
    m2 = row(members, membro="m2")
    assert m2["kappa"] == approx(11 / 16) and m2["supera_todos"]
    assert not row(members, membro="m1")["supera_todos"]
    assert m2["veredito"] == "não se distinguem"  # five documents
    summary = v.coder_summary(coders, members)
    # m2 right: cor 4; fontes d2 to d5; ano d1, d2, d4: 11 of 16.
    best = row(summary, codificador="m2")
    assert (best["n"], best["concordancia"], best["supera_todos"]) == (16, approx(11 / 16), 1)
    # With the jury, no reference needed: cor all but d4; fontes all; ano all but d3, of 18.
    assert best["com_o_juri"] == approx((5 + 6 + 5) / 18)
    assert pd.isna(row(summary, codificador="juri")["supera_todos"])


def test_agreement_by_kind_of_decision(coders: v.Coders) -> None:
    kinds = v.agreement_by_kind(coders)
    pooled = kinds[kinds["variavel"] == v.TODAS].set_index("estado")
    # unanime: cor d1; fontes d1 to d6; ano d1, d4, d5, d6 (no reference): right 1 + 4 + 2 of 1 + 6 + 3.
    # maioria: ano d2. deliberada: cor d2, d3, d5 (no reference), d6. sem_maioria: cor d4, ano d3.
    assert pooled["n"].to_dict() == {"unanime": 11, "maioria": 1, "deliberada": 4, "sem_maioria": 2}
    assert pooled["com_referencia"].tolist() == [10, 1, 3, 2]
    assert pooled["acertos"].tolist() == [7, 1, 2, 1]
    assert pooled["recuos"].tolist() == [0, 0, 0, 2]
    assert pooled["parte"].tolist() == approx([11 / 18, 1 / 18, 4 / 18, 2 / 18])
    assert pooled["intervalo"].tolist() == [REAMOSTRA, WILSON, WILSON, WILSON]
    cor = row(kinds, variavel="cor", estado="deliberada")
    assert (cor["ic_inf"], cor["ic_sup"]) == wilson_interval(2, 3)
    assert (cor["categorica"], cor["texto"], cor["por_isencao"]) == (4, 0, 4)


def test_kinds_made_of_one_type_are_said_not_to_compare(coders: v.Coders) -> None:
    notes = v.composition_notes(v.agreement_by_kind(coders))
    assert [note.split("»")[0] for note in notes] == ["«maioria", "«deliberada"]
    assert "texto livre" in notes[0]


def test_every_state_of_the_supervised_jury_is_a_kind(coders: v.Coders) -> None:
    kinds = v.agreement_by_kind(coders, "juri-supervisor")
    chosen = row(kinds, variavel=v.TODAS, estado="supervisor")
    assert (chosen["n"], chosen["acertos"], chosen["circular"]) == (1, 1, True)


def test_selective_reliance_adds_kind_after_kind(coders: v.Coders) -> None:
    table = v.selective_reliance(coders)
    pooled = table[table["variavel"] == v.TODAS]
    assert pooled["aceitar"].tolist() == ["unanime", "maioria", "deliberada", "sem_maioria"]
    assert pooled["n"].tolist() == [11, 12, 16, 18]
    assert pooled["concordancia"].tolist() == approx([7 / 10, 8 / 11, 10 / 14, 11 / 16])
    assert pooled["parte"].tolist() == approx([11 / 18, 12 / 18, 16 / 18, 1])
    assert pooled["parte_inf"].isna().tolist() == [False, False, False, True]


def test_votes_moved_towards_and_away_from_the_reference(coders: v.Coders) -> None:
    # m1: d2 a→b away, d3 a→b towards. m2: d2 b→c, wrong both times. m3: d5 b→a, no reference there.
    table = v.vote_moves(coders).set_index("membro")
    columns = ["mudou", "a_favor", "contra", "erro_por_erro", "sem_referencia", "saldo"]
    assert table.loc["m1", columns].tolist() == [2, 1, 1, 0, 0, 0]
    assert table.loc["m2", columns].tolist() == [1, 0, 0, 1, 0, 0]
    assert table.loc["m3", columns].tolist() == [1, 0, 0, 0, 1, 0]


def test_decisions_moved(coders: v.Coders) -> None:
    total = row(v.decision_moves(coders), variavel=v.TODAS)
    assert (total["decisoes"], total["unanimes"], total["deliberadas"]) == (18, 11, 5)
    assert (total["nao_deliberadas"], total["unanimes_categoricas"]) == (2, 7)  # two of free text
    assert (total["chegaram_a_maioria"], total["sem_maioria"]) == (4, 1)
    assert (total["mudou"], total["a_favor"], total["contra"], total["erro_por_erro"]) == (1, 1, 0, 0)


def test_the_supervisor_mends_the_one_open_decision(coders: v.Coders, tables: v.KappaTables) -> None:
    effect = v.supervisor_effect(coders, tables)
    assert effect["variavel"].tolist() == [v.TODAS, "cor"]
    cor = row(effect, variavel="cor")
    assert (cor["enviadas"], cor["escolhidas"], cor["nenhum_adequado"]) == (1, 1, 0)
    assert (cor["certas_antes"], cor["certas_depois"]) == (0, 1)
    assert cor["diferenca"] == approx(11 / 16 - 6 / 16) and cor["circular"]
    assert pd.isna(row(effect, variavel=v.TODAS)["diferenca"])


def test_several_choices_by_category_and_as_sets(coders: v.Coders) -> None:
    table = v.choice_table(coders)
    x = row(table, categoria="x", codificador="juri")
    # The reference chooses x in five of six, the jury always: p_o = p_e = 5/6.
    assert (x["n"], x["n_referencia"], x["n_codificador"]) == (6, 5, 6)
    assert (x["concordancia"], x["kappa"]) == (approx(5 / 6), approx(0))
    sets = row(v.set_table(coders), codificador="juri")
    assert (sets["n"], sets["iguais"]) == (6, 4)
    assert (sets["ic_inf"], sets["ic_sup"]) == wilson_interval(4, 6)
    # Pairs: {x,y}-{x} at 1 - 1/2·2/3 = 2/3, {}-{x} at 1, four equal. Twelve values: {x} 10, {x,y} 1, {} 1.
    # Expected: 2 (10·2/3 + 10·1 + 1·1) = 106/3; observed: 2 (2/3 + 1) = 10/3; 1 - 11·10/106.
    assert sets["alfa_masi"] == approx(1 - 110 / 106)


def test_free_text_by_normal_form(coders: v.Coders) -> None:
    juri = row(v.text_table(coders), codificador="juri")
    assert (juri["n"], juri["iguais"]) == (5, 4)


def test_stability_of_votes_and_decisions(coders: v.Coders) -> None:
    table = v.stability_table(coders)
    changed = {name: row(table, codificador=name, variavel="cor") for name in ("m1", "m2", "m3", "juri-r1")}
    # m1: d1 a→b. m2: d2 b→no answer. m3: nothing. The jury: d1 a (2 of 3); d2 a, -, b: falls back to a, was b.
    assert {name: (r["n"], r["mudaram"]) for name, r in changed.items()} == {
        "m1": (2, 1),
        "m2": (2, 1),
        "m3": (2, 0),
        "juri-r1": (2, 1),
    }
    assert (changed["m3"]["ic_inf"], changed["m3"]["ic_sup"]) == wilson_interval(0, 2)
    assert row(table, codificador="m1", variavel="ano")["n"] == 0
    assert pd.isna(row(table, codificador="m1", variavel="ano")["parte"])
    assert set(table["documentos"]) == {0, 2}


def test_the_sources_are_read_as_the_notebooks_write_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from compendio.contract import write_classification
    from compendio.erros import ErroDeEstudo
    from compendio.pipeline import classify, decisions, deliberate

    study = hand_study(tmp_path / "estudo")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    first, _ = classify(study, "respostas", progress=False)
    second, _ = deliberate(study, "respostas", progress=False)
    with pytest.raises(ErroDeEstudo, match="2-juri"):
        v.read_coders(study)
    for name, table in decisions(study, pd.concat([first, second])).items():
        write_classification(table, study.relatorios / "classificacoes", name)
    read = v.read_coders(study)
    plain = hand_coders(study)
    pd.testing.assert_frame_equal(read.values, plain.values)
    assert read.juris == ["juri-r1", "juri"]
