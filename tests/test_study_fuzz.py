"""Whatever stands in the files: a study loads, or fails with sentences; nothing else is ever raised."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_study import CODEBOOK, CORPUS, ESTUDO, VOTOS, votes, write_study

from compendio.erros import ErroDeEstudo
from compendio.study import load_study

FULL = yaml.safe_load(
    ESTUDO
    + """
principal: beta
amostra: {n: 2, semente: 7}
opcoes: {num_predict: 300}
repeticoes: {documentos: 1, semente: 3}
supervisor: {precos: {entrada: 0.80, saida: "4.00", moeda: USD, data: 2026-01-31}, limite_gasto: 2}
auditoria: {n: 10}
validacao: {familias: {ana: humana}}
"""
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
REFERENCIA = (
    "documento,variavel,valor,evidencia\nd1,abordagem,qualitativa,Ouvimos vinte\nd1,fontes,falas|leis,a|b\n"
)
QUICK = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def paths(tree: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [here] + [path for key, value in items for path in paths(value, (*here, key))]


def spoiled(tree: Any, path: tuple[Any, ...], junk: Any) -> str:
    tree = copy.deepcopy(tree)
    if not path:
        return str(yaml.safe_dump(junk, allow_unicode=True))
    inner = tree
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = junk
    return str(yaml.safe_dump(tree, allow_unicode=True))


def loads_or_says(folder: Path) -> None:
    try:
        load_study(folder)
    except ErroDeEstudo as error:
        assert error.problemas
        for sentence in error.problemas:
            assert "Input should" not in sentence and "Traceback" not in sentence


@QUICK
@given(st.sampled_from(paths(FULL)), JUNK)
def test_junk_anywhere_in_the_settings(tmp_path: Path, path: tuple[Any, ...], junk: Any) -> None:
    files = {"estudo.yaml": spoiled(FULL, path, junk), "referencia/ana.csv": REFERENCIA}
    loads_or_says(write_study(tmp_path, files))


@QUICK
@given(st.sampled_from(paths(yaml.safe_load(CODEBOOK))), JUNK)
def test_junk_anywhere_in_the_codebook(tmp_path: Path, path: tuple[Any, ...], junk: Any) -> None:
    files = {"codebook.yaml": spoiled(yaml.safe_load(CODEBOOK), path, junk), "referencia/ana.csv": REFERENCIA}
    loads_or_says(write_study(tmp_path, files))


@QUICK
@given(st.data())
@pytest.mark.parametrize("name", ["estudo.yaml", "codebook.yaml", "corpus.csv", "referencia/ana.csv"])
def test_bytes_changed_anywhere(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = {
        "estudo.yaml": ESTUDO,
        "codebook.yaml": CODEBOOK,
        "corpus.csv": CORPUS,
        "referencia/ana.csv": REFERENCIA,
    }
    raw = content[name].encode()
    at = data.draw(st.integers(0, len(raw)))
    cut = data.draw(st.integers(0, 5))
    new = data.draw(
        st.binary(max_size=3) | st.sampled_from([b"|", b'"', b",", b"\r", b"\n\n", b": ", b"&a ", b"*a"])
    )
    files = {"referencia/ana.csv": REFERENCIA, name: raw[:at] + new + raw[at + cut :]}
    loads_or_says(write_study(tmp_path, files))


@QUICK
@given(st.data())
def test_bytes_changed_in_votes(tmp_path: Path, data: st.DataObject) -> None:
    good = votes({"d1": ("qualitativa", "falas|leis", "1991"), "d2": ("quantitativa", "", "1998")})
    raw = good.encode()
    at = data.draw(st.integers(0, len(raw)))
    new = data.draw(st.binary(max_size=3) | st.sampled_from([b"|", b'"', b",", b"\n", b"\n\n", b"2"]))
    files: dict[str, str | bytes | None] = {
        "estudo.yaml": ESTUDO + VOTOS,
        "corpus.csv": None,
        "votos/alfa.csv": raw[:at] + new + raw[at + data.draw(st.integers(0, 3)) :],
        "votos/beta.csv": good,
        "votos/gama.csv": good,
    }
    loads_or_says(write_study(tmp_path, files))
