"""The audit's draw, its blind requests and its judgements, on the votes of `supervised_study.py`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from supervised_study import FONTES_QUOTE, good, jury_study, save_answers

from compendio.jury import supervisor
from compendio.jury.answers import answers_for
from compendio.jury.audit import audit_requests, audit_sample, audit_table
from compendio.jury.batches import NENHUM, Request
from compendio.study import Study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    return jury_study(tmp_path)


def decisions(n: int, estado: str = "unanime") -> pd.DataFrame:
    return pd.DataFrame(
        {"documento": [f"d{k}" for k in range(n)], "variavel": "cor", "valor": "azul", "estado": estado}
    )


def asked(study: Study) -> dict[tuple[str, str], Request]:
    requests = supervisor.load_supervision(study).pedidos["auditoria"]
    return {(r.documento, r.variavel): r for r in requests}


def test_only_unanimous_decisions_are_drawn_free_text_included(study: Study) -> None:
    assert list(asked(study)) == [
        ("d1", "periodo"), ("d3", "abordagem"), ("d3", "fontes"), ("d3", "periodo"),
    ]  # fmt: skip


def test_the_draw_is_by_name_and_seed_and_keeps_its_probability() -> None:
    juri = pd.concat([decisions(100), decisions(20, "maioria").assign(documento="e")], ignore_index=True)
    sample = audit_sample(juri, 30, 7)
    assert len(sample) == 30 and set(sample["documento"]) <= set(decisions(100)["documento"])
    assert (sample["sorteaveis"] == 100).all() and (sample["probabilidade"] == 0.3).all()
    # The order of the table changes nothing but the order.
    shuffled = audit_sample(juri.sample(frac=1, random_state=1), 30, 7)
    assert set(shuffled["documento"]) == set(sample["documento"])
    assert set(audit_sample(juri, 30, 8)["documento"]) != set(sample["documento"])
    # A decision less: at most one other takes its place.
    for k in range(100):
        fewer = audit_sample(juri.drop(k), 30, 7)
        lost = set(sample["documento"]) - set(fewer["documento"])
        assert lost == ({f"d{k}"} & set(sample["documento"]))
    # A larger sample holds the smaller one.
    assert set(sample["documento"]) <= set(audit_sample(juri, 60, 7)["documento"])


def test_all_are_drawn_where_there_are_fewer_and_none_where_there_is_none() -> None:
    sample = audit_sample(decisions(5), 40, 7)
    assert len(sample) == 5 and (sample["probabilidade"] == 1).all()
    assert audit_sample(decisions(5, "maioria"), 40, 7).empty


def test_categories_are_all_there_in_an_order_of_the_seed_and_the_jurys_is_unmarked(study: Study) -> None:
    requests = asked(study)
    one = requests["d3", "abordagem"]
    assert sorted(c["valor"] for c in one.candidatos) == ["nao_informada", "qualitativa", "quantitativa"]
    assert [c["numero"] for c in one.candidatos] == [1, 2, 3]
    assert all(c["evidencias"] == [] for c in one.candidatos)
    assert one.pergunta == "Que abordagem?"
    # Blind: another value of the jury's gives the same request, to the letter.
    sample = supervisor.load_supervision(study).sorteio
    other = sample.assign(valor=sample["valor"].where(sample["variavel"] != "abordagem", "quantitativa"))
    other["valor"] = other["valor"].where(other["variavel"] != "fontes", '["falas"]')
    pairs = zip(audit_requests(study, sample), audit_requests(study, other), strict=True)
    assert all(a.line() == b.line() for a, b in pairs)


def test_the_order_of_categories_is_not_the_same_for_all(study: Study) -> None:
    sample = pd.DataFrame(
        {"documento": ["d1", "d2", "d3"] * 2, "variavel": ["abordagem"] * 3 + ["fontes"] * 3}
    )
    requests = audit_requests(study, sample.assign(valor="[]"))
    orders = [tuple(c["valor"] for c in r.candidatos) for r in requests]
    assert len(set(orders)) > 2


def test_judgements_and_the_rate_behind_them(study: Study) -> None:
    requests = asked(study)
    number = {
        key: {candidate["valor"]: candidate["numero"] for candidate in request.candidatos}
        for key, request in requests.items()
    }
    fontes = number["d3", "fontes"]
    save_answers(
        study,
        good(requests["d1", "periodo"], number["d1", "periodo"]["errada"], ""),
        good(requests["d3", "abordagem"], number["d3", "abordagem"]["quantitativa"]),
        good(requests["d3", "fontes"], [fontes["leis"]], FONTES_QUOTE["leis"]),
        good(requests["d3", "periodo"], number["d3", "periodo"]["certa"], "lei de 1985"),
    )
    state = supervisor.load_supervision(study)
    assert state.leitura.problemas == []
    table = audit_table(state.sorteio, state.pedidos["auditoria"], state.leitura.respostas)
    assert table is not None
    assert table[["documento", "variavel", "valor", "opiniao", "confirmada"]].to_numpy().tolist() == [
        ["d1", "periodo", "1998", "errada", False],
        ["d3", "abordagem", "qualitativa", "quantitativa", False],
        ["d3", "fontes", '["leis"]', '["leis"]', True],
        ["d3", "periodo", "1985", "certa", True],
    ]
    # One answer less, and there is no judgement: those judged would be no random sample.
    save_answers(study, good(requests["d1", "periodo"], 2, ""))
    state = supervisor.load_supervision(study)
    assert audit_table(state.sorteio, state.pedidos["auditoria"], state.leitura.respostas) is None


def test_none_adequate_is_a_divergence(study: Study) -> None:
    save_answers(study, *(good(request, NENHUM, "") for request in asked(study).values()))
    state = supervisor.load_supervision(study)
    table = audit_table(state.sorteio, state.pedidos["auditoria"], state.leitura.respostas)
    assert table is not None and not table["confirmada"].any()
    # Of several choices, none adequate is the empty set.
    assert table["opiniao"].tolist() == ["errada", NENHUM, "[]", "errada"]


def test_known_opinions_become_answers(study: Study) -> None:
    requests = asked(study)
    opinions = dict.fromkeys(requests, "1998") | {
        ("d3", "abordagem"): "qualitativa", ("d3", "fontes"): '["falas", "leis"]',
    }  # fmt: skip
    lines = answers_for(requests.values(), opinions, "j")
    # Evidence is asked for here: what is needed beside the choice is said, and rejecting needs none.
    save_answers(study, *lines)
    reading = supervisor.load_supervision(study).leitura
    assert list(reading.respostas) == [requests["d3", "periodo"].id]
    assert [p.split(": ", 1)[1][:24] for p in reading.problemas] == [
        "falta a evidência de «19", "falta a evidência de «qu", "falta a evidência de «fa",
    ]  # fmt: skip
