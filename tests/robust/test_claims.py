"""The table of claims: verdicts follow from the numbers, and change with them."""

from __future__ import annotations

import pandas as pd
import pytest

from compendio.robust import claims_simulated, studies
from compendio.robust.claim import EM_PARTE, NAO_TESTAVEL, NAO_VALE, VALE
from compendio.robust.claims import claims_table


@pytest.fixture(scope="module")
def simulados() -> dict[str, pd.DataFrame]:
    return studies.run_all(20_260_928)


def test_every_claim_has_a_finding_and_one_of_four_verdicts(simulados: dict[str, pd.DataFrame]) -> None:
    table = claims_table(simulados)
    assert table["id"].is_unique and table["achado"].str.len().min() > 10
    assert set(table["veredito"]) <= {VALE, EM_PARTE, NAO_VALE, NAO_TESTAVEL}


def test_figures_of_other_benchmarks_are_never_confirmed(simulados: dict[str, pd.DataFrame]) -> None:
    table = claims_table(simulados)
    for word in ("HelpSteer", "675B", "lei de escala", "6,4% sem contaminação, nos três", "28.000"):
        assert (table[table["afirmacao"].str.contains(word)]["veredito"] == NAO_TESTAVEL).all(), word
        assert table["afirmacao"].str.contains(word).sum() == 1
    half = table.set_index("id").loc["na_metade", "achado"]
    assert "(Cauchy distante)" in half and "(Bimodal aleatório)" in half
    assert (table[table["id"].str.startswith("reais")]["veredito"] == NAO_TESTAVEL).all()


def test_what_the_theory_settles_comes_out_so_with_another_seed() -> None:
    other = studies.run_all(7)
    verdicts = claims_table(other).set_index("id")["veredito"]
    for claim in (
        "media_sem_limite",
        "mediana_estavel",
        "ruptura",
        "ruptura_correlacao",
        "teorema_1",
        "n_efetivo",
    ):
        assert verdicts[claim] == VALE, claim
    for claim in ("premio", "ruido", "na_metade", "teorema_2", "weiszfeld"):
        assert verdicts[claim] == EM_PARTE, claim


def test_verdicts_turn_when_the_numbers_do(simulados: dict[str, pd.DataFrame]) -> None:
    flat = simulados["deslocamento"].assign(rmse=1.0)
    assert claims_simulated.unbounded(flat).veredito == NAO_VALE
    growing = simulados["deslocamento"].copy()
    growing["rmse"] *= growing["deslocamento"]
    assert claims_simulated.stable(growing).veredito == NAO_VALE
    broken = simulados["limite"].assign(maior_razao=2.0)
    assert claims_simulated.bound(broken).veredito == NAO_VALE
    wrong = simulados["n_efetivo"].assign(formula=99.0)
    assert claims_simulated.effective(wrong).veredito == NAO_VALE


def test_real_scores_get_two_lines_each(simulados: dict[str, pd.DataFrame]) -> None:
    errors = pd.DataFrame(
        {
            "agregador": ["media", "mediana_geometrica", "mediana_coordenada"],
            "erro_medio": [0.50, 0.51, 0.60],
        }
    )
    injected = pd.DataFrame(
        {
            "regime": ["zeros", "zeros", "cauchy", "cauchy"],
            "numero": 1,
            "agregador": ["media", "mediana_geometrica"] * 2,
            "erro_medio": [0.7, 0.8, 9.0, 0.6],
        }
    )
    table = claims_table(simulados, {"X": (errors, injected)}).set_index("id")
    assert table.loc["X_limpo", "veredito"] == VALE and table.loc["X_limpo", "valor"] == pytest.approx(0.02)
    assert table.loc["X_injetado", "veredito"] == EM_PARTE and "Zeros, 1" in table.loc["X_injetado", "achado"]
    costly = errors.assign(erro_medio=[0.5, 0.6, 0.6])
    table = claims_table(simulados, {"X": (costly, injected)}).set_index("id")
    assert table.loc["X_limpo", "veredito"] == NAO_VALE
