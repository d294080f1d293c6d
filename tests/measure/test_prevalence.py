"""Prevalence in the whole corpus: who coded what, every expected value worked out by hand."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pandas as pd
import pytest
from pytest import approx
from validation_study import CODEBOOK, DOCUMENTOS, ESTUDO, hand_coders, hand_study, reference_csv, row

from compendio.measure import validation as v
from compendio.measure.coders import gather_coders
from compendio.measure.inference import wilson_interval
from compendio.measure.ppi import SEM_OUTROS, SEM_REFERENCIA
from compendio.measure.prevalence import AUDITOR
from compendio.pipeline import classify, decisions, deliberate
from compendio.report.prevalence_tables import prevalence_sentences
from compendio.sampling import seeded_order
from compendio.study import load_study

DOZE = [f"e{k:02d}" for k in range(1, 13)]
SEM = {"referencia/leitora.csv": None, "estudo.yaml": ESTUDO.replace("familias: {leitora: z}, ", "")}
AMOSTRA = "amostra: {n: 6, semente: 5}\nprincipal_corpus_inteiro: true\ndeliberacao: false\n"


def share(table: pd.DataFrame, categoria: str, estimador: str, variavel: str = "cor") -> pd.Series:
    return row(table, variavel=variavel, categoria=categoria, estimador=estimador)


def said(coders: v.Coders, who: v.Coding) -> str:
    return " ".join(prevalence_sentences(coders.study, who, v.prevalence_table(who)))


def whole_corpus(folder: Path, referencia: str = "aababb") -> v.Coders:
    """Twelve documents, of which the jury and the reference coded the six drawn, and the main model all.

    By the order of the draw m1 says a, a, a, b, b, b; of the others a five times, and fails once.
    """
    order = seeded_order(DOZE, 5)
    codes = dict(zip(order, "aaabbbaaaaa-", strict=True))

    def votes(documents: list[str]) -> str:
        lines = ["documento,variavel,valor,falha"]
        for d in documents:
            lines.append(f"{d},cor,,recusa" if codes[d] == "-" else f"{d},cor,{codes[d]},")
            lines += [f"{d},fontes,x,", f"{d},ano,2000,"]
        return "\n".join(lines) + "\n"

    drawn = order[:6]
    hand = ["documento,variavel,valor"]
    hand += [f"{d},cor,{c}" for d, c in zip(order, referencia, strict=False)]
    hand += [f"{d},fontes,{'x|y' if d == drawn[0] else 'x'}" for d in order[: len(referencia)]]
    folder.mkdir()
    (folder / "votos").mkdir()
    (folder / "referencia").mkdir()
    estudo = ESTUDO + AMOSTRA
    (folder / "estudo.yaml").write_text(estudo, encoding="utf-8")
    (folder / "codebook.yaml").write_text(CODEBOOK, encoding="utf-8")
    (folder / "referencia" / "leitora.csv").write_text("\n".join(hand) + "\n", encoding="utf-8")
    (folder / "votos" / "m1.csv").write_text(votes(DOZE), encoding="utf-8")
    for member in ("m2", "m3"):
        (folder / "votos" / f"{member}.csv").write_text(votes(drawn), encoding="utf-8")
    study = load_study(folder)
    votos, _ = classify(study, "respostas", progress=False)
    return gather_coders(study, votos, decisions(study, votos))


@pytest.fixture
def raiz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    return tmp_path


def test_the_main_model_on_the_whole_corpus_corrected_by_the_sample(raiz: Path) -> None:
    coders = whole_corpus(raiz / "estudo")
    who = v.who_coded(coders)
    assert (who.fonte, who.codificador, who.corpus, who.sorteio) == ("m1", "leitora", 12, "semente")
    assert [who.documents(w) for w in ("maquina", "referencia", "ambas")] == [12, 6, 6]  # type: ignore[arg-type]
    table = v.prevalence_table(who)
    # The failure is no answer: 8 a of 11.
    naive = share(table, "a", "ingenua")
    assert (naive["n"], naive["proporcao"], naive["codificador"]) == (11, approx(8 / 11), "m1")
    # The reference says a of three of six. An endless corpus would leave twice as much to chance: 12 documents.
    hand = share(table, "a", "referencia")
    assert (hand["n"], hand["proporcao"]) == (6, approx(1 / 2))
    assert (hand["ic_inf"], hand["ic_sup"]) == approx(wilson_interval(6, 12))
    # Both say a of two, the reference alone of one, the machine alone of one: weight 1/3 (see test_ppi). Of all
    # twelve the machine says a of 8, the one that failed being no a: 1/2 + 1/3 (8/12 - 1/2).
    found = share(table, "a", "corrigida")
    assert (found["n"], found["peso"]) == (6, approx(1 / 3))
    assert found["proporcao"] == approx(1 / 2 + 1 / 18)
    # Halves: 15/64 of (1/6 - 1/12), of 1/4: 12.8 documents of an endless corpus; of twelve 12.8·12/24.8.
    assert found["equivale"] == approx(12.8 * 12 / 24.8)
    assert hand["equivale"] == approx(6) and naive["equivale"] == approx(11)
    # Several choices, by category. The machine says x of all and y of none: nothing to learn from it.
    assert share(table, "x", "corrigida", "fontes")["proporcao"] == approx(1)
    y = share(table, "y", "corrigida", "fontes")
    assert (y["proporcao"], y["peso"]) == (approx(1 / 6), 0)
    assert share(table, "y", "ingenua", "fontes")["ic_sup"] == 0
    assert not table["circular"].any() and set(table["variavel"]) == {"cor", "fontes"}
    text = said(coders, who)
    assert "modelo principal (m1), que codificou 12" in text and "primeiros da ordem sorteada" in text
    assert "«x»" not in text and "«a» (cor): 72,7% contra 55,6%" in text


def test_a_main_model_that_coded_only_some_of_the_others_is_not_the_machine(raiz: Path) -> None:
    coders = whole_corpus(raiz / "estudo")
    last = seeded_order(DOZE, 5)[-1]
    fewer = dataclasses.replace(coders, votos=coders.votos[coders.votos["documento"] != last])
    who = v.who_coded(fewer)
    assert who.fonte == "juri" and who.documents("maquina") == 6 and who.corpus == 12
    table = v.prevalence_table(who)
    assert (table.loc[table["estimador"] == "corrigida", "motivo"] == SEM_OUTROS).all()
    assert "Vale a da referência" in said(fewer, who)


def test_a_reference_that_is_no_draw_is_said_to_be_taken_for_one(raiz: Path) -> None:
    coders = whole_corpus(raiz / "estudo", referencia="aabab")
    assert v.who_coded(coders).sorteio == "semente"  # the first five of the order are a draw, too
    study = coders.study
    path = study.pasta / "referencia" / "leitora.csv"
    first = seeded_order(DOZE, 5)[0]
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(first)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    study = load_study(study.pasta)
    coders = gather_coders(study, coders.votos, decisions(study, coders.votos))
    who = v.who_coded(coders)
    assert who.sorteio == "suposto" and "supõe um sorteio" in said(coders, who)


def test_a_corpus_all_coded_by_the_reference_leaves_nothing_to_estimate(tmp_path: Path) -> None:
    full = {"cor": ["a", "a", "b", "b", "a", "c"], "fontes": ["x|y", "x", "x", "x", "x", ""]}
    coders = hand_coders(hand_study(tmp_path, {"referencia/leitora.csv": reference_csv(full)}))
    who = v.who_coded(coders)
    assert (who.fonte, who.sorteio, who.corpus) == ("juri", "todos", 6)
    table = v.prevalence_table(who)
    # juri: a, b, b, a, a, c; the reference: three a of six, and no doubt about it.
    assert share(table, "a", "ingenua")["proporcao"] == approx(3 / 6)
    hand = share(table, "a", "referencia")
    assert (hand["ic_inf"], hand["proporcao"], hand["ic_sup"], hand["equivale"]) == (0.5, 0.5, 0.5, 6)
    corrected = table[table["estimador"] == "corrigida"]
    assert corrected["proporcao"].isna().all() and (corrected["motivo"] == SEM_OUTROS).all()
    text = said(coders, who)
    assert "não há documento de fora a estimar" in text and "fora do intervalo" not in text
    # The reference chooses x of five of six, the jury of all.
    assert "«x» (fontes): 100,0% contra 83,3%" in text or "«y» (fontes): 0,0% contra 16,7%" in text


def test_blanks_of_the_reference_are_told(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, {"estudo.yaml": ESTUDO + "corpus_inteiro: 60\n"}))
    who = v.who_coded(coders)
    table = v.prevalence_table(who)
    # cor: five values of six documents; the jury codes the sixth, too, and the corpus holds 60.
    assert share(table, "a", "corrigida")["n"] == 5
    assert share(table, "x", "corrigida", "fontes")["motivo"] == SEM_OUTROS
    # juri: a of d1, d4, d5, of 60 documents 6: Wilson with 6/(1 - 6/60) = 20/3 documents.
    naive = share(table, "a", "ingenua")
    z2 = 1.959963984540054**2
    middle = (0.5 * 20 / 3 + z2 / 2) / (20 / 3 + z2)
    assert (naive["ic_inf"] + naive["ic_sup"]) / 2 == approx(middle)
    text = said(coders, who)
    assert "guarda 6 dos 60 documentos" in text and "valores em branco em cor" in text
    assert "A corrigida não se estima em fontes: a máquina não codificou nenhum documento além" in text
    assert "principal_corpus_inteiro" not in text  # a study without texts cannot ask


def test_without_a_reference_there_is_only_the_naive_share(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, SEM))
    who = v.who_coded(coders)
    table = v.prevalence_table(who)
    assert share(table, "a", "ingenua")["proporcao"] == approx(3 / 6)
    assert share(table, "a", "referencia")["motivo"] == SEM_REFERENCIA
    assert table.loc[table["estimador"] != "ingenua", "proporcao"].isna().all()
    assert "nada diz quanto ela erra" in said(coders, who)
    assert v.rehearsal_table(who, 1).empty


def test_the_audit_stands_in_for_a_reference_among_unanimous_decisions(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, SEM))
    judged = pd.DataFrame(
        {
            "documento": ["d1", "d2", "d3", "d1", "d1"],
            "variavel": ["fontes", "fontes", "fontes", "cor", "ano"],
            "opiniao": ['["x"]', '["x", "y"]', "nenhum_adequado", "b", "certa"],
            "confirmada": [True, False, False, False, True],
            "probabilidade": ["0.5"] * 5,
        }
    )
    who = v.who_coded(coders, judged)
    assert (who.codificador, who.corpus, who.sorteio) == (AUDITOR, None, "auditoria")
    table = v.prevalence_table(who)
    # fontes: all six unanimous, on x; three judged, two of them with x and one with y. None adequate is no x.
    x = share(table, "x", "ingenua", "fontes")
    assert (x["n"], x["proporcao"], x["corpus"]) == (6, 1, 6)
    assert share(table, "x", "corrigida", "fontes")["proporcao"] == approx(2 / 3)
    assert share(table, "y", "referencia", "fontes")["proporcao"] == approx(1 / 3)
    # cor: one unanimous decision, and it was judged; its probability leaves the other five of a full draw out.
    assert share(table, "a", "ingenua")["corpus"] == 1
    assert share(table, "a", "corrigida")["motivo"]
    text = said(coders, who)
    assert "as das decisões unânimes do júri" in text and "probabilidade" in text
    # A reference goes first.
    assert v.who_coded(hand_coders(hand_study(tmp_path / "b")), judged).codificador == "leitora"


def test_circular_pairs_are_marked(tmp_path: Path) -> None:
    estudo = ESTUDO.replace("leitora: z", "leitora: p")
    who = v.who_coded(hand_coders(hand_study(tmp_path, {"estudo.yaml": estudo})))
    assert who.circular and v.prevalence_table(who)["circular"].all()


def test_votes_beyond_the_sample_are_kept_for_the_main_model_alone(raiz: Path) -> None:
    coders = whole_corpus(raiz / "estudo")
    counts = coders.votos.groupby("fonte")["documento"].nunique()
    assert counts.to_dict() == {"m1": 12, "m2": 6, "m3": 6}
    assert coders.values.index.get_level_values("documento").nunique() == 6
    second, _ = deliberate(coders.study, "respostas", progress=False)
    assert second.empty


def test_the_rehearsal_knows_the_answer(tmp_path: Path) -> None:
    # 120 documents: the reference says a of 60; the machine errs in a fifth of them, always towards a.
    ids = [f"k{i:03d}" for i in range(120)]
    truth = ["a"] * 60 + ["b"] * 60
    codes = ["a"] * 60 + ["a"] * 12 + ["b"] * 48
    index = pd.MultiIndex.from_product([ids, ["cor"]], names=["documento", "variavel"])
    study = hand_study(tmp_path)
    who = v.Coding(
        variaveis=[study.codebook.variaveis["cor"]],
        fonte="juri",
        maquina=pd.Series(codes, index, dtype="str"),
        codificador="leitora",
        referencia=pd.Series(truth, index, dtype="str"),
        probabilidade=None,
        corpus=120,
        sorteio="todos",
        circular=False,
    )
    table = v.rehearsal_table(who, 2026).set_index("estimador")
    assert table.index.tolist() == ["ingenua", "referencia", "corrigida"]
    # c is used by nobody; a is 50% and is said to be 60%, b as much less.
    assert set(table["categorias"]) == {2} and table.loc["ingenua", "distancia"] == approx(0.1)
    assert table.loc["ingenua", "contem"] == 0 and table.loc["ingenua", "largura"] == 0
    assert table.loc["corrigida", "distancia"] < table.loc["referencia", "distancia"] < 0.1
    assert table.loc["corrigida", "largura"] < table.loc["referencia", "largura"]
    assert table.loc["corrigida", "contem"] >= 0.88  # 93% in the long run, with so few documents
    pd.testing.assert_frame_equal(v.rehearsal_table(who, 2026).set_index("estimador"), table)
    # Not where it is not needed, nor of few documents.
    some = dataclasses.replace(who, referencia=who.referencia[:110])
    assert v.rehearsal_table(some, 2026).empty and not math.isnan(
        share(v.prevalence_table(some), "a", "corrigida")["proporcao"]
    )
    few = v.who_coded(hand_coders(hand_study(tmp_path / "b")))
    assert v.rehearsal_table(few, 2026).empty and list(v.rehearsal_table(few, 2026)) == list(
        table.reset_index()
    )
    assert len(DOCUMENTOS) < v.MINIMO_ENSAIO
