"""Small studies written to a temporary folder, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from compendio.erros import ErroDeEstudo
from compendio.study import load_study

CODEBOOK = """\
titulo: Livro de teste
versao: "1.0"
variaveis:
  abordagem:
    tipo: categorica
    pergunta: Que abordagem?
    categorias:
      qualitativa: {definicao: interpreta}
      quantitativa: {definicao: mede}
      nao_informada: {definicao: não diz, dispensa_evidencia: true}
  fontes:
    tipo: multipla
    pergunta: Que fontes?
    categorias:
      falas: {definicao: o que disseram}
      midia: {definicao: jornais}
      leis: {definicao: leis}
  periodo:
    tipo: texto
    pergunta: Que anos?
    limite: 30
    valor_ausente: não informado
"""
ESTUDO = """\
titulo: Estudo de teste
membros:
  - {nome: alfa, familia: um}
  - {nome: beta, familia: dois}
  - {nome: gama, familia: tres}
"""
CORPUS = """\
id,titulo,texto
d1,Feira,"Ouvimos vinte feirantes em 1998, e lemos jornais da época."
d2,Censo,"Medimos a renda com o censo de 1991, em três regiões."
d3,Lei,"Lemos a lei de 1985 e as suas emendas."
"""
VOTOS = "deliberacao: false\nevidencia: dispensada\n"


def write_study(folder: Path, files: Mapping[str, str | bytes | None] | None = None) -> Path:
    """A sound study of three documents, with `files` in place of (None: taken out of) its own."""
    base: dict[str, str | bytes | None] = {
        "estudo.yaml": ESTUDO,
        "codebook.yaml": CODEBOOK,
        "corpus.csv": CORPUS,
    }
    for name, content in {**base, **(files or {})}.items():
        if content is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def votes(values: Mapping[str, tuple[str, str, str]], rodada: int = 1) -> str:
    """A file of votes: document → its values of the three variables."""
    rows = ["documento,variavel,rodada,valor"]
    for documento, three in values.items():
        for variavel, valor in zip(("abordagem", "fontes", "periodo"), three, strict=True):
            rows.append(f"{documento},{variavel},{rodada},{valor}")
    return "\n".join(rows) + "\n"


def problems(folder: Path) -> list[str]:
    """The sentences with which loading a study fails."""
    with pytest.raises(ErroDeEstudo) as caught:
        load_study(folder)
    for sentence in caught.value.problemas:
        assert "pydantic" not in sentence and "Input should" not in sentence
        assert sentence.endswith((".", "?")), sentence
    return caught.value.problemas
