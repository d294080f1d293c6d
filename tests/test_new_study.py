"""A new study validates as it is; bad names each get a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from compendio.erros import ErroDeEstudo
from compendio.new_study import create_study
from compendio.study import load_study


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    return tmp_path


def test_it_validates_and_warns_of_nothing(root: Path) -> None:
    assert str(root / "data" / "meu-estudo") in create_study("meu-estudo")
    study = load_study("meu-estudo")
    assert study.avisos == []
    assert len(study.documents()) == 3
    assert len({member.familia for member in study.membros}) == 3


@pytest.mark.parametrize("nome", ["", "  ", "Meu", "meu estudo", "../meu", "ação", "-x"])
def test_a_bad_name_is_said(root: Path, nome: str) -> None:
    with pytest.raises(ErroDeEstudo):
        create_study(nome)
    assert not (root / "data").exists()


def test_the_notice_of_the_template_is_told_under_texts_of_ones_own(root: Path) -> None:
    create_study("meu")
    folder = root / "data" / "meu"
    (folder / "corpus.csv").write_text("id,titulo,texto\nd1,,Um texto verdadeiro.\n", encoding="utf-8")
    (said,) = load_study(folder).avisos
    assert said.startswith("estudo.yaml, linha 4, chave «aviso»: é ainda o do modelo")
    settings = folder / "estudo.yaml"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace("aviso: Textos", "aviso: Meus textos"), "utf-8"
    )
    assert load_study(folder).avisos == []


def test_a_taken_name_is_said_and_nothing_touched(root: Path) -> None:
    create_study("meu")
    (root / "data" / "meu" / "corpus.csv").write_text("id,texto\na,b\n", encoding="utf-8")
    with pytest.raises(ErroDeEstudo, match="já existe"):
        create_study("meu")
    assert (root / "data" / "meu" / "corpus.csv").read_text(encoding="utf-8") == "id,texto\na,b\n"
