"""The public sets of real scores: the published figures, the counts of their README, what the text says."""

from __future__ import annotations

from pathlib import Path

import pytest

from compendio.robust import evaluation, public_sets

pytestmark = [
    pytest.mark.dados,
    pytest.mark.filterwarnings("ignore::compendio.robust.aggregate.AvisoDePainel"),
]
ORDEM = ["media", "mediana_geometrica", "mediana_coordenada", "melhor_juiz"]


@pytest.mark.parametrize(
    ("celulas_fora", "esperado"),
    [
        ("mascarar", [".657", ".677", ".696", ".717"]),
        ("manter", [".660", ".678", ".696", ".729"]),
    ],
)
def test_hanna_prompt_1_with_nothing_injected(dados: Path, celulas_fora: str, esperado: list[str]) -> None:
    table = evaluation.error_table(
        public_sets.hanna(dados, celulas_fora=celulas_fora), semente=1, replicas=10
    )
    errors = table.set_index("agregador")["erro_medio"]
    assert [f"{errors[name]:.3f}"[1:] for name in ORDEM] == esperado


def test_hanna_has_1051_cells_outside_the_scale(dados: Path) -> None:
    outside = 0
    for prompt in (1, 2, 3, 4):
        panel = public_sets.hanna(dados, prompt=prompt)
        assert panel.notas.shape == (1056, 5, 6)
        outside += int(panel.celulas.iloc[-1][["abaixo", "acima"]].sum())
    assert outside == 1051


def test_essays(dados: Path) -> None:
    first, again = public_sets.essays(dados)
    assert first.notas.shape == again.notas.shape == (723, 4, 6)
    repeated = evaluation.repetition_table(first, again).set_index("juiz")
    # Shares of equal cells as the sets' README gives them.
    assert [round(100 * float(repeated.loc[j, "iguais"])) for j in first.juizes] == [84, 81, 93, 76]
    errors = evaluation.error_table(first, semente=1, replicas=10).set_index("agregador")["erro_medio"]
    assert errors.drop("melhor_juiz").idxmin() == "media"  # with nothing injected the mean wins
    correlation = evaluation.error_correlation(first).groupby("relacao")["correlacao"].mean()
    assert correlation["mesma família"] > correlation["famílias diferentes"]


def test_folder_of_the_sets_is_asked_for_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, dados: Path
) -> None:
    monkeypatch.setenv("COMPENDIO_DADOS", str(dados))
    assert public_sets.data_folder() == dados
    monkeypatch.setenv("COMPENDIO_DADOS", str(dados / "nao-existe"))
    assert public_sets.data_folder() is None
