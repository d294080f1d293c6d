"""The reconstruction of the pilot prints what was published, by two ways that share no code."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest
from conftest import RAIZ

from compendio.jury.decide import decide
from compendio.measure.agreement import kappa_bootstrap
from compendio.study import load_study

PILOTO = RAIZ / "data" / "piloto"


@pytest.fixture(scope="module")
def conferir() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conferir_piloto", PILOTO / "conferir.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_published_figure_prints_alike(conferir: ModuleType) -> None:
    figures = conferir.figures()
    assert len(figures) == 97
    assert [(name, printed, computed) for name, printed, computed in figures if printed != computed] == []


def test_the_check_notices_one_changed_coding(conferir: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    # A wrong main model made right in tecnica_principal: its 111 divergences, at least, must move.
    real = conferir.load

    def changed() -> tuple[object, ...]:
        published, study, table, votes = real()
        wrong = table.index[(table["qwen3.5:9b"] != table["ref"])]
        pair = next(p for p in wrong if p[1] == "tecnica_principal")
        table.loc[pair, "qwen3.5:9b"] = table.loc[pair, "ref"]
        return published, study, table, votes

    monkeypatch.setattr(conferir, "load", changed)
    differing = [name for name, printed, computed in conferir.figures() if printed != computed]
    assert "divergencias.tecnica_principal.total" in differing


@pytest.mark.lento
def test_intervals_do_not_hang_on_the_seed(conferir: ModuleType) -> None:
    for seed in (1, 2, 3):
        assert [row for row in conferir.figures(seed) if row[1] != row[2]] == []


def test_the_package_decides_as_the_check_does(conferir: ModuleType) -> None:
    published, _, table, _ = conferir.load()
    study = load_study(PILOTO)
    votes = study.member_votes()
    assert votes is not None
    members = [m.nome for m in study.membros]
    decisions = decide(votes, study.codebook, members, study.principal, dispensada=True)
    for source in ("juri-r1", "juri"):
        ours = decisions[source].set_index(["documento", "variavel"]).loc[table.index]
        assert (ours["valor"] == table[source]).all()
    juri = decisions["juri"].set_index(["documento", "variavel"]).loc[table.index]
    assert (juri["estado"] == table["estado"]).all()
    assert int(juri["mudou"].sum()) == 80
    for name in published["amostra"]["variaveis_categoricas"]:
        rows = table.xs(name, level="variavel")
        categories = list(study.codebook.variaveis[name].categorias)
        check = study.validacao
        result = kappa_bootstrap(
            rows["ref"], {"juri": rows["juri"]}, categories, check.reamostras, seed=check.semente
        )
        printed = [conferir.comma(float(result.coders[end].iloc[0]), 2) for end in ("ic_inf", "ic_sup")]
        assert printed == published["kappa"][name]["ic95"]
