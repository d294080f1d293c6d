"""The rate of the audit, and the reference on the same items."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from pytest import approx
from validation_study import hand_coders, hand_study

from compendio.erros import ErroDeEstudo
from compendio.measure.audit_rate import audit_rate, read_audit
from compendio.measure.coders import Coders


@pytest.fixture(scope="module")
def coders(tmp_path_factory: pytest.TempPathFactory) -> Coders:
    return hand_coders(hand_study(tmp_path_factory.mktemp("estudo")))


def judged(*rows: tuple[str, str, bool]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["documento", "variavel", "confirmada"])


def test_rate_with_wilson_beside_the_reference(coders: Coders) -> None:
    # Unanimous: fontes d1 (the reference says x, y), fontes d2 (right), ano d5 (wrong), ano d6 (no reference).
    rate = audit_rate(
        coders,
        judged(("d1", "fontes", False), ("d2", "fontes", False), ("d5", "ano", True), ("d6", "ano", True)),
    )
    assert (rate.judged, rate.wrong, rate.rate) == (4, 2, 0.5)
    # Wilson, k = 2 of 4, z² = 3.841459: centre 1/2, half width sqrt(3.841459·(1 + 3.841459/4))/(7.841459)
    # = 1.959964·1.400172/7.841459 = 0.349974.
    assert (rate.low, rate.high) == (approx(0.150026, abs=1e-4), approx(0.849974, abs=1e-4))
    assert (rate.with_reference, rate.reference_wrong, rate.both_wrong) == (3, 2, 1)


def test_the_published_interval_of_two_in_forty() -> None:
    from compendio.measure.agreement import wilson_interval

    low, high = wilson_interval(2, 40)
    assert (round(100 * low, 1), round(100 * high, 1)) == (1.4, 16.5)


def test_an_audit_of_another_run_is_told(coders: Coders) -> None:
    with pytest.raises(ErroDeEstudo, match=r"não são unânimes .*«cor» de «d2».*3-auditoria"):
        audit_rate(coders, judged(("d1", "cor", True), ("d2", "cor", True)))
    with pytest.raises(ErroDeEstudo, match="não são unânimes"):
        audit_rate(coders, judged(("d99", "cor", True)))


def test_nothing_judged_yet(coders: Coders) -> None:
    rate = audit_rate(coders, judged())
    assert rate.judged == 0 and pd.isna(rate.rate) and pd.isna(rate.low)


def test_the_file_of_notebook_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = hand_study(tmp_path / "estudo")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    assert read_audit(study) is None
    path = study.relatorios / "tabelas" / "auditoria.csv"
    path.parent.mkdir(parents=True)
    path.write_text("documento,variavel,confirmada\nd1,cor,True\nd2,fontes,false\n")
    table = read_audit(study)
    assert table is not None and table["confirmada"].tolist() == [True, False]
    path.write_text("documento,variavel,confirmada\nd1,cor,talvez\n")
    with pytest.raises(ErroDeEstudo, match="true ou false"):
        read_audit(study)
    path.write_text("documento,variavel\nd1,cor\n")
    with pytest.raises(ErroDeEstudo, match="falta a coluna confirmada"):
        read_audit(study)
