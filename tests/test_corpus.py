"""Documents from CSV, Parquet and JSONL; encodings and separators recognised, and said."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from small_study import CORPUS

from compendio.corpus import load_corpus, read_corpus
from compendio.erros import ErroDeEstudo


def write(folder: Path, content: str | bytes, name: str = "corpus.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def problems(folder: Path, content: str | bytes, name: str = "corpus.csv") -> list[str]:
    with pytest.raises(ErroDeEstudo) as caught:
        load_corpus(write(folder, content, name))
    return caught.value.problemas


def read(folder: Path, content: str | bytes, name: str = "corpus.csv") -> tuple[pd.DataFrame, list[str]]:
    problemas: list[str] = []
    avisos: list[str] = []
    documents = read_corpus(write(folder, content, name), problemas, avisos)
    assert documents is not None and not problemas, problemas
    return documents, avisos


def test_plain_csv_says_nothing(tmp_path: Path) -> None:
    documents, avisos = read(tmp_path, CORPUS)
    assert list(documents.columns) == ["id", "titulo", "texto"]
    assert documents["id"].tolist() == ["d1", "d2", "d3"]
    assert documents["texto"][2] == "Lemos a lei de 1985 e as suas emendas."
    assert list(documents.index) == [0, 1, 2]
    assert avisos == []


SEMICOLON = (
    CORPUS.replace("id,titulo,texto", "id;titulo;texto")
    .replace("Feira,", "Feira;")
    .replace("Censo,", "Censo;")
)
SEMICOLON = (
    SEMICOLON.replace("Lei,", "Lei;").replace("d1,", "d1;").replace("d2,", "d2;").replace("d3,", "d3;")
)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CORPUS.encode("utf-8-sig"), ["corpus.csv: lido como UTF-8 com BOM."]),
        (
            CORPUS.encode("cp1252"),
            ["corpus.csv: lido como Windows-1252; confira os acentos, ou salve em UTF-8."],
        ),
        (SEMICOLON.encode(), ["corpus.csv: colunas separadas por ponto e vírgula."]),
        (("sep=;\n" + SEMICOLON).encode(), ["corpus.csv: colunas separadas por ponto e vírgula."]),
        (CORPUS.replace("\n", "\r\n").encode(), []),
        (CORPUS.replace("\n", "\r").encode(), []),
        (b"\xef\xbb\xbf" + SEMICOLON.replace("\n", "\r\n").encode(), ["UTF-8 com BOM", "ponto e vírgula"]),
        (SEMICOLON.encode("cp1252"), ["Windows-1252", "ponto e vírgula"]),
        (CORPUS.replace("\n", ",,\n").encode(), []),  # empty columns that a spreadsheet left
        (CORPUS.replace("\n", "\n\n,,\n").encode(), []),  # blank rows
    ],
)
def test_what_spreadsheets_save_is_the_same_table(tmp_path: Path, content: bytes, said: list[str]) -> None:
    expected = load_corpus(write(tmp_path, CORPUS))
    documents, avisos = read(tmp_path, content)
    pd.testing.assert_frame_equal(documents, expected)
    assert len(avisos) == len(said)
    assert all(words in aviso for words, aviso in zip(said, avisos, strict=True))


def test_uppercase_before_a_closing_mark_is_still_windows_1252(tmp_path: Path) -> None:
    # É» is C9 BB in Windows-1252, which happens to be a whole character of UTF-8.
    documents, _ = read(tmp_path, "id,texto\nd1,«CAFÉ» e pão é ação\n".encode("cp1252"))
    assert documents["texto"][0] == "«CAFÉ» e pão é ação"


def test_capitals_before_a_closing_mark_are_good_utf8(tmp_path: Path) -> None:
    documents, avisos = read(tmp_path, "id,titulo,texto\nd1,,“AMANHÔ e “HOJE”\n")
    assert documents["texto"][0] == "“AMANHÔ e “HOJE”" and avisos == []


def test_text_stays_exactly_as_written(tmp_path: Path) -> None:
    texto = "  Linha um\r\nlinha  dois: \u201caspas\u201d e\u00a0espac\u0327o, fim \u00ad "
    documents, _ = read(tmp_path, f'id,texto\n d1 ,"{texto}"\n')
    assert documents["texto"][0] == texto
    assert documents["id"][0] == "d1"


def test_ids_stay_text_and_other_columns_are_kept(tmp_path: Path) -> None:
    documents, avisos = read(tmp_path, "id,ano,texto\n007,2001,um\n1e3,,dois\n")
    assert documents["id"].tolist() == ["007", "1e3"]
    assert list(documents.columns) == ["id", "titulo", "texto", "ano"]
    assert documents["ano"].tolist() == ["2001", ""]
    assert documents["titulo"].tolist() == ["", ""]
    assert avisos == ["corpus.csv: não há coluna «titulo»; os títulos ficam vazios."]


def test_a_long_text_is_read_whole(tmp_path: Path) -> None:
    texto = "palavra " * 50_000  # 400,000 characters; the csv module stops at 131,072 by default
    documents, _ = read(tmp_path, f'id,texto\nd1,"{texto}"\n')
    assert documents["texto"][0] == texto


def test_parquet_and_jsonl_are_the_same_table(tmp_path: Path) -> None:
    expected = load_corpus(write(tmp_path, CORPUS))
    expected.to_parquet(tmp_path / "corpus.parquet")
    pd.testing.assert_frame_equal(load_corpus(tmp_path / "corpus.parquet"), expected)
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in expected.to_dict("records"))
    documents, avisos = read(tmp_path, "\ufeff" + lines + "\n\n", "corpus.jsonl")
    pd.testing.assert_frame_equal(documents, expected)
    assert avisos == ["corpus.jsonl: lido como UTF-8 com BOM."]


def test_numeric_ids_become_text(tmp_path: Path) -> None:
    pd.DataFrame({"id": [1, 2], "titulo": "x", "texto": ["um", "dois"]}).to_parquet(
        tmp_path / "corpus.parquet"
    )
    assert load_corpus(tmp_path / "corpus.parquet")["id"].tolist() == ["1", "2"]
    documents, _ = read(tmp_path, '{"id": 7, "titulo": "x", "texto": "um", "ano": 2001}', "corpus.jsonl")
    assert documents["id"].tolist() == ["7"] and documents["ano"].tolist() == [2001]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("id,texto\nd1,um\nd1,dois\n", "corpus.csv, linha 3: o id «d1» já está em corpus.csv, linha 2"),
        ("id,texto\nd1,um\nd1 ,dois\n", "linha 3: o id «d1» já está em"),
        ("id,texto\nd1,um\nd2,\n", "corpus.csv, linha 3: o documento «d2» não tem texto"),
        ("id,texto\nd1,um\nd2,\u00a0 \n", "linha 3: o documento «d2» não tem texto"),
        ("id,texto\nd1,um\n,dois\n", "corpus.csv, linha 3: o documento não tem id"),
        ("ID,texto\nd1,um\n", "linha 1: falta a coluna «id»; a mais parecida é «ID»: renomeie-a."),
        ("id,título,textos\nd1,a,um\n", "falta a coluna «texto»; a mais parecida é «textos»: renomeie-a."),
        ("id,ano\nd1,2001\n", "falta a coluna «texto»; acrescente-a."),
        (
            "id,texto\nd1,um, dois\nd2\n",
            "linha 2: tem 3 campos e o cabeçalho tem 2; ponha entre aspas o texto que",
        ),
        ("id,texto\nd1,um, dois\nd2\n", "linha 3: tem 1 campos"),
        ('id,texto\nd1,"um\n', "linha 2: há aspas sem par"),
        ('id,texto\nd1,"um" dois\n', "linha 2: há aspas sem par"),
        ('id,texto\nd1,"a\nb"\nd2,\n', "corpus.csv, linha 4: o documento «d2» não tem texto"),
        ("id,texto,texto\nd1,a,b\n", "a coluna «texto» aparece 2 vezes"),
        ("id,texto,,x\nd1,a,b,c\n", "há uma coluna sem nome"),
        ("id,texto\n", "não há nenhum documento"),
        ("", "o arquivo está vazio"),
        ("\n\n", "o arquivo está vazio"),
        (CORPUS.encode("utf-16"), "parece UTF-16"),
        (b"id,texto\nd1,a\x00b\n", "parece UTF-16, ou o arquivo não é texto"),
        (b"id,texto\nd1,a\xe7\xe3o \x8d\n", "linha 2: a codificação não é UTF-8 nem Windows-1252"),
        ("id,texto\nd1,ação, já\n".encode() + "d2,ação\n".encode("cp1252"), "mistura UTF-8 e outra"),
        ("id,texto\nd1,a\ufffd\n", "linha 2: há letras trocadas («\ufffd»)"),
        ("id,texto\nd1,um\nd2,aÃ§Ã£o\n", "linha 3: há letras trocadas («Ã§»)"),
        ("id,texto\nd1,um\nd2,ELEIÃ‡Ã•ES\n", "linha 3: há letras trocadas («Ã‡»)"),
        ("id,texto\nd1,um\nd2,HISTÃ“RIA\n", "linha 3: há letras trocadas («Ã“»)"),
        ("id,texto\nd1,um\nd2,â€œlivresâ€\u009d\n", "linha 3: há letras trocadas («â€œ»)"),
        ("id,texto\nd1,um\nd2,\u200b\ufeff\n", "linha 3: o documento «d2» não tem texto"),
    ],
)
def test_each_problem_of_a_csv_is_a_sentence(tmp_path: Path, content: str | bytes, said: str) -> None:
    found = problems(tmp_path, content)
    assert any(said in sentence for sentence in found), found


def test_all_problems_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, "id,texto\nd1,um\nd1,\n,três\nd4,\n")
    assert [sentence.split(":")[0] for sentence in found] == [
        "corpus.csv, linha 3",
        "corpus.csv, linha 3",
        "corpus.csv, linha 4",
        "corpus.csv, linha 5",
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"id": "d1", "texto": "um"\n', "corpus.jsonl, linha 1: não é um JSON completo"),
        ('["d1", "um"]\n', "linha 1: deve ser um objeto JSON"),
        ('{"id": "d1", "txto": "um"}\n', "linha 1: falta a coluna «texto»; a mais parecida é «txto»"),
        ('{"id": null, "texto": "um"}\n', "linha 1: o documento não tem id"),
        ('{"id": "d1", "texto": 5}\n', "linha 1: o documento «d1» não tem texto"),
        (
            '{"id": "d1", "texto": "a"}\n{"id": "d1", "texto": "b"}\n',
            "linha 2: o id «d1» já está em corpus.jsonl, linha 1",
        ),
        ('{"id": "d1", "texto": "a\\ud83d"}\n', "linha 1: o texto tem um caractere partido"),
        ('{"id": "d\\ud83d", "texto": "a"}\n', "linha 1: o id tem um caractere partido"),
        ('{"id": "a", "id": "b", "texto": "c"}\n', "linha 1: a chave «id» está repetida"),
        (
            '{"id": ' + "9" * 5000 + ', "texto": "c"}\n',
            "linha 1: há um número ou um aninhamento grande demais",
        ),
        ('{"id": ' + "[" * 200_000 + "\n", "linha 1: há um número ou um aninhamento grande demais"),
    ],
)
def test_each_problem_of_a_jsonl_is_a_sentence(tmp_path: Path, content: str, said: str) -> None:
    found = problems(tmp_path, content, "corpus.jsonl")
    assert any(said in sentence for sentence in found), found


def test_problems_of_a_parquet(tmp_path: Path) -> None:
    assert "não consegui ler este arquivo como Parquet" in problems(tmp_path, b"x", "corpus.parquet")[0]
    pd.DataFrame({"id": ["a", None], "textos": ["x", "y"]}).to_parquet(tmp_path / "corpus.parquet")
    with pytest.raises(ErroDeEstudo, match="falta a coluna «texto»; a mais parecida é «textos»"):
        load_corpus(tmp_path / "corpus.parquet")
    pd.DataFrame({"id": ["a", None], "texto": ["x", None]}).to_parquet(tmp_path / "corpus.parquet")
    with pytest.raises(ErroDeEstudo) as caught:
        load_corpus(tmp_path / "corpus.parquet")
    assert len(caught.value.problemas) == 2  # no id, no text
