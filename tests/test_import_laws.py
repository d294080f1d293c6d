"""The import of the laws on small files made up here: what it writes, and what a user can get wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import RAIZ
from laws_project import laws_project

from compendio import import_laws as module
from compendio.cli import main
from compendio.codebook import load_codebook
from compendio.erros import ErroDeEstudo
from compendio.import_laws import import_laws
from compendio.study import load_study

MEMBROS = ["qwen2.5_14b", "qwen2.5_32b", "gemma2_27b"]
#: The live study samples 60 laws, so a file of the import's own size needs as many.
N = 61
CABECALHO = ["text", "gold", *MEMBROS]


def rows(first: Iterable[list[str]] = ()) -> list[list[str]]:
    """61 laws; `first` stands in place of the first ones."""
    given = list(first)
    rest = [[f"Institui a norma {k}, e dá outras providências.", "20", "20", "20", "20"] for k in range(N)]
    return given + rest[len(given) :]


def write(path: Path, body: list[list[str]], header: list[str] = CABECALHO, sep: str = ",") -> Path:
    """A CSV file whose texts are quoted."""
    lines = [sep.join(header)]
    lines += [sep.join([f'"{text}"', *codes]) for text, *codes in body]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = laws_project(tmp_path / "projeto")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(folder))
    return folder


def problems(path: Path | str) -> list[str]:
    with pytest.raises(ErroDeEstudo) as caught:
        import_laws(path)
    return caught.value.problemas


def written(root: Path) -> list[Path]:
    data = root / "data"
    return [*data.glob("*/votos/*"), *data.glob("*/referencia/*"), *data.glob("*/corpus.csv")]


def test_codes_become_categories_and_unknown_codes_failures(root: Path, tmp_path: Path) -> None:
    first = [
        ["Altera o Código de Trânsito.", "10", "10", "99", "12"],
        ["Cria o fundo de museus.", "23", "11", "23", "0"],
    ]
    told = import_laws(write(tmp_path / "leis.csv", rows(first)))
    study = load_study("leis-br")
    assert study.documents()["id"].tolist()[:2] == ["lei001", "lei002"]
    votos = study.member_votes()
    assert votos is not None and len(votos) == 3 * N
    head = votos[votos["documento"].isin(["lei001", "lei002"])].set_index(["documento", "fonte"])
    assert head["valor"].fillna("—").to_dict() == {
        ("lei001", "qwen2.5_14b"): "transportes",
        ("lei001", "qwen2.5_32b"): "—",
        ("lei001", "gemma2_27b"): "justica_e_crime",
        ("lei002", "qwen2.5_14b"): "—",
        ("lei002", "qwen2.5_32b"): "cultura",
        ("lei002", "gemma2_27b"): "—",
    }
    assert head["falha"].dropna().to_dict() == {
        ("lei001", "qwen2.5_32b"): "fora_do_codebook",
        ("lei002", "qwen2.5_14b"): "fora_do_codebook",
        ("lei002", "gemma2_27b"): "fora_do_codebook",
    }
    assert (votos["nivel_evidencia"].dropna() == "dispensada").all()
    assert f"{N} leis e 3 modelos importados" in told
    assert f"3 das {3 * N} respostas têm código fora do codebook" in told
    official = study.references()["codigo-oficial"]
    assert official["valor"].tolist()[:3] == ["transportes", "cultura", "administracao_publica"]


def test_the_live_study_gets_the_texts_as_they_are(root: Path, tmp_path: Path) -> None:
    text = 'Altera a lei ""X"",  com  dois espaços.\nE uma segunda linha, com acentuação: ção.'
    import_laws(write(tmp_path / "leis.csv", rows([[text, "20", "20", "20", "20"]])))
    documents = load_study("leis-vivo").documents()
    assert documents.loc[0, "texto"] == text.replace('""', '"')
    assert len(documents) == N
    assert documents.loc[1, "titulo"] == "Institui a norma 1, e dá outras providências."
    pd.testing.assert_series_equal(
        load_study("leis-vivo").references()["codigo-oficial"]["valor"],
        load_study("leis-br").references()["codigo-oficial"]["valor"],
    )


def test_an_unknown_checksum_is_told_and_a_known_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "leis.csv", rows())
    assert "a soma sha256 não é a do arquivo" in import_laws(path)
    monkeypatch.setattr(module, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    assert "sha256" not in import_laws(path)


def test_a_new_model_is_imported_and_its_missing_family_told(root: Path, tmp_path: Path) -> None:
    body = [[*row, "20"] for row in rows()]
    told = import_laws(write(tmp_path / "leis.csv", body, [*CABECALHO, "modelo novo:1b"]))
    assert "Sem família em data/leis-br/modelos.csv, por enquanto: modelo novo:1b." in told
    assert (root / "data" / "leis-br" / "votos" / "modelo-novo-1b.csv").is_file()
    # A second file without it: its votes would be read as if they came from there.
    told = import_laws(write(tmp_path / "leis.csv", rows()))
    assert "votos: modelo-novo-1b não vem deste arquivo" in told


def test_the_same_file_again_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "leis.csv", rows())
    import_laws(path)
    first = {p: p.read_bytes() for p in written(root)}
    assert len(first) == 3 + 2 + 1
    import_laws(path)
    assert {p: p.read_bytes() for p in written(root)} == first


def test_codes_written_as_decimals_and_by_a_spreadsheet(tmp_path: Path) -> None:
    first = [["Cria o fundo de museus.", "23.0", " 23 ", "23.0", "5.0"]]
    told = import_laws(write(tmp_path / "leis.csv", rows(first), sep=";"))
    assert "colunas separadas por ponto e vírgula" in told
    votos = load_study("leis-br").member_votes()
    assert votos is not None
    assert votos.loc[votos["documento"] == "lei001", "valor"].tolist() == ["cultura", "cultura", "trabalho"]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (["Cria.", "99", "1", "1", "1"], "linha 2: o código oficial «99» não está em topicos.csv"),
        (["Cria.", "", "1", "1", "1"], "linha 2: o código oficial «» não está em topicos.csv"),
        (["  ", "1", "1", "1", "1"], "linha 2: a lei não tem texto"),
        (["Cria.", "1", "", "1", "1"], "linha 2: a resposta de «qwen2.5_14b» é «», que não é um código"),
        (["Cria.", "1", "1", "saúde", "1"], "linha 2: a resposta de «qwen2.5_32b» é «saúde»"),
        (["Cria.", "1", "1", "1", "1.5"], "linha 2: a resposta de «gemma2_27b» é «1.5»"),
        (["Cria.", "1", "1", "1", "-1"], "linha 2: a resposta de «gemma2_27b» é «-1»"),
        (["Cria.", "1", "1", "1"], "linha 2: tem 4 campos e o cabeçalho tem 5"),
    ],
)
def test_a_faulty_row_is_said_and_nothing_written(
    root: Path, tmp_path: Path, row: list[str], says: str
) -> None:
    found = problems(write(tmp_path / "leis.csv", rows([row])))
    assert len(found) == 1 and says in found[0]
    assert written(root) == []


def test_many_faulty_rows_are_counted(tmp_path: Path) -> None:
    found = problems(write(tmp_path / "leis.csv", rows([["Cria.", "99", "1", "1", "1"]] * 8)))
    assert len(found) == 6
    assert "linha 6" in found[4] and "há mais 3 problemas como esses" in found[5]


@pytest.mark.parametrize(
    ("header", "body", "says"),
    [
        (["texto", "gold", *MEMBROS], rows(), "falta a coluna «text»; a mais parecida é «texto»"),
        (["text", "label", *MEMBROS], rows(), "falta a coluna «gold»"),
        (["text", "gold"], [row[:2] for row in rows()], "não há colunas de modelos além de text e gold"),
        (CABECALHO, [], "não há nenhuma lei"),
        (["text", "gold", "a b", "a-b", "c"], rows(), "«a b» e «a-b» dariam o mesmo arquivo"),
    ],
)
def test_another_structure_is_an_error(
    root: Path, tmp_path: Path, header: list[str], body: list[list[str]], says: str
) -> None:
    assert any(says in sentence for sentence in problems(write(tmp_path / "leis.csv", body, header)))
    assert written(root) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "está vazio"),
        (b"\xff\xfet\x00e\x00", "codificação não é UTF-8"),
        (b'text,gold,a\n"sem fim,1,1\n', "aspas sem par"),
        ("text,gold,a\nlei federal de educaÃ§Ã£o,6,6\n".encode(), "letras trocadas"),
    ],
)
def test_a_file_that_is_not_such_a_table(root: Path, tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "leis.csv"
    path.write_bytes(content)
    assert any(says in sentence for sentence in problems(path))
    assert written(root) == []


def test_a_model_of_the_jury_that_the_file_does_not_have(tmp_path: Path) -> None:
    body = [row[:4] for row in rows()]
    found = problems(write(tmp_path / "leis.csv", body, CABECALHO[:4]))
    assert any("votos/gemma2_27b.csv: falta o arquivo de votos do membro" in s for s in found)


def test_the_verb(capsys: pytest.CaptureFixture[str], root: Path, tmp_path: Path) -> None:
    assert main(["importar-leis", ""]) == 2
    assert "make importar-leis ARQUIVO=policy_PT.csv" in capsys.readouterr().err
    assert main(["importar-leis", str(tmp_path / "nada.csv")]) == 2
    assert "o arquivo não existe" in capsys.readouterr().err
    assert main(["importar-leis", str(write(tmp_path / "leis.csv", rows()))]) == 0
    assert "make analise ESTUDO=leis-br" in capsys.readouterr().out
    (root / "data" / "leis-vivo" / "estudo.yaml").unlink()
    assert main(["importar-leis", str(tmp_path / "leis.csv")]) == 2
    assert "Falta o estudo" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["leis-br", "leis-vivo"])
def test_without_the_data_a_study_says_the_command(name: str) -> None:
    with pytest.raises(ErroDeEstudo) as caught:
        load_study(name)
    assert caught.value.problemas == [
        f"{name}: os dados deste estudo ainda não foram importados; veja {name}/README.md e rode "
        "make importar-leis ARQUIVO=policy_PT.csv."
    ]


def test_both_studies_have_the_same_codebook_and_every_topic_a_code(root: Path) -> None:
    data = RAIZ / "data"
    assert (data / "leis-br/codebook.yaml").read_bytes() == (data / "leis-vivo/codebook.yaml").read_bytes()
    variables = load_codebook(data / "leis-br" / "codebook.yaml").variaveis
    assert list(variables) == [module.VARIAVEL]
    categories = variables[module.VARIAVEL].categorias
    topics = pd.read_csv(data / "leis-br" / "topicos.csv", dtype="str")
    assert topics["categoria"].tolist() == list(categories)
    # The major topics of the Comparative Agendas Project: 1 to 10, 12 to 21, and 23.
    assert topics["codigo"].tolist() == [str(k) for k in range(1, 24) if k not in (11, 22)]
    assert all(len(category.definicao.split()) <= 25 for category in categories.values())


def test_families_of_all_models_agree_with_the_studies_members() -> None:
    models = pd.read_csv(RAIZ / "data" / "leis-br" / "modelos.csv", dtype="str")
    assert len(models) == 83 and models["modelo"].is_unique and models["familia"].notna().all()
    family = models.set_index("modelo")["familia"]
    study = yaml.safe_load((RAIZ / "data" / "leis-br" / "estudo.yaml").read_text(encoding="utf-8"))
    assert {m["nome"]: m["familia"] for m in study["membros"]} == family[MEMBROS].to_dict()


def test_the_live_study_asks_the_demos_models() -> None:
    live, demo = (
        yaml.safe_load((RAIZ / "data" / name / "estudo.yaml").read_text(encoding="utf-8"))
        for name in ("leis-vivo", "demo")
    )
    assert live["membros"] == demo["membros"] and live["principal"] == demo["principal"]
    assert live["opcoes"] == {**demo["opcoes"], "num_predict": 300}
    assert live["amostra"] == {"n": 60, "semente": 2026}
