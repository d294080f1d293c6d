"""A study of six documents whose validation can be worked out by hand.

Members m1 (main, family p), m2 (q), m3 (p); reference `leitora` (family z); supervisor of family z.

`cor` (categories a, b, c), `-` a failure, `.` no value:

        reference   m1 m2 m3   round 2   juri-r1            juri
  d1    a           a  a  a              a  unanime         a  unanime
  d2    a           a  b  b    b  c  b   b  maioria         b  deliberada
  d3    b           a  b  a    b  b  a   a  maioria         b  deliberada    (mudou)
  d4    b           a  b  c    a  b  c   a  sem_maioria     a  sem_maioria   (recuo, both)
  d5    .           a  a  b    a  a  a   a  maioria         a  deliberada
  d6    c           -  c  c       c  c   c  maioria         c  deliberada

`fontes` (several of x, y): every member says x of every document; the reference says x, y of d1, x of d2
to d5, none of d6.

`ano` (free text): d1 unanimous in three ways of writing, d2 by majority, d3 undecided, d4 to d6 unanimous;
the jury is right in d1 to d4, wrong in d5; the reference has no value for d6.

Repetition of `cor` for d1 and d2: m1 says b, a; m2 says a, -; m3 says a, b.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from small_study import write_study

from compendio.contract import conform
from compendio.measure.coders import Coders, gather_coders
from compendio.pipeline import decisions
from compendio.study import Study, load_study

CODEBOOK = """\
titulo: Livro
versao: "1"
variaveis:
  cor:
    tipo: categorica
    pergunta: Que cor?
    categorias: {a: {definicao: um}, b: {definicao: dois}, c: {definicao: tres}}
  fontes:
    tipo: multipla
    pergunta: Que fontes?
    categorias: {x: {definicao: um}, y: {definicao: dois}}
  ano:
    tipo: texto
    pergunta: Que anos?
"""
ESTUDO = """\
titulo: Estudo de teste
membros:
  - {nome: m1, familia: p}
  - {nome: m2, familia: q}
  - {nome: m3, familia: p}
evidencia: dispensada
supervisor: {familia: z}
validacao: {familias: {leitora: z}, reamostras: 300}
"""
DOCUMENTOS = ["d1", "d2", "d3", "d4", "d5", "d6"]
COR = {"m1": "aaaaa-", "m2": "abbbac", "m3": "abacbc"}
COR_2 = {"m1": " bbaa ", "m2": " cbbac", "m3": " bacac"}
COR_OUTRA = {"m1": "ba", "m2": "a-", "m3": "ab"}
ANO = {
    "m1": ["1990–2010", "1998", "2001", "2000", "2000", "2000"],
    "m2": ["1990 a 2010", "1998", "2002", "2000", "2000", "2000"],
    "m3": ["1990-2010", "1999", "2003", "2000", "2000", "2000"],
}
REFERENCIA = {
    "cor": ["a", "a", "b", "b", "", "c"],
    "fontes": ["x|y", "x", "x", "x", "x", ""],
    "ano": ["1990 a 2010", "1998", "2001", "2000", "2005", ""],
}


def _votes(member: str) -> str:
    rows = ["documento,variavel,rodada,repeticao,valor,falha"]

    def add(documento: str, variavel: str, rodada: int, repeticao: int, valor: str) -> None:
        falha = "json_invalido" if valor == "-" else ""
        rows.append(f"{documento},{variavel},{rodada},{repeticao},{'' if falha else valor},{falha}")

    for i, documento in enumerate(DOCUMENTOS):
        add(documento, "cor", 1, 0, COR[member][i])
        add(documento, "fontes", 1, 0, "x")
        add(documento, "ano", 1, 0, ANO[member][i])
        if COR_2[member][i] != " ":
            add(documento, "cor", 2, 0, COR_2[member][i])
    for documento, valor in zip(DOCUMENTOS, COR_OUTRA[member], strict=False):
        add(documento, "cor", 1, 1, valor)
    return "\n".join(rows) + "\n"


def reference_csv(values: dict[str, list[str]] = REFERENCIA) -> str:
    """The file of a coder: variable → its values of the six documents."""
    rows = ["documento,variavel,valor"]
    rows += [
        f"{documento},{variavel},{valor}"
        for variavel, column in values.items()
        for documento, valor in zip(DOCUMENTOS, column, strict=True)
    ]
    return "\n".join(rows) + "\n"


def hand_study(folder: Path, files: dict[str, str | None] | None = None) -> Study:
    """The study above, with `files` in place of (None: without) its own."""
    own: dict[str, str | bytes | None] = {
        "estudo.yaml": ESTUDO,
        "codebook.yaml": CODEBOOK,
        "corpus.csv": None,
        "referencia/leitora.csv": reference_csv(),
        **{f"votos/{name}.csv": _votes(name) for name in COR},
    }
    return load_study(write_study(folder, {**own, **(files or {})}))


def hand_coders(study: Study, supervisor: bool = False) -> Coders:
    """Its sources; with `supervisor`, who picked b for the one undecided colour (d4)."""
    votes = study.member_votes()
    assert votes is not None
    juries = decisions(study, votes)
    if supervisor:
        table = juries["juri"].copy()
        chosen = (table["documento"] == "d4") & (table["variavel"] == "cor")
        table.loc[chosen, "valor"] = "b"
        table.loc[chosen, "estado"] = "supervisor"
        table.loc[chosen, "recuo"] = False
        juries["juri-supervisor"] = conform(table, "juri-supervisor")
    return gather_coders(study, votes, juries)


def row(table: pd.DataFrame, **where: object) -> pd.Series:
    """The one row of a table with these values."""
    for name, value in where.items():
        table = table[table[name] == value]
    assert len(table) == 1, table
    return table.iloc[0]
