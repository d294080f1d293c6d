"""A study folder as loaded: settings, documents, references with their evidence, votes."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from small_study import CORPUS, ESTUDO, VOTOS, votes, write_study

from compendio.contract import COLUNAS
from compendio.erros import ErroDeEstudo
from compendio.sampling import sample_ids
from compendio.study import load_study

REFERENCIA = """\
documento,variavel,valor,evidencia,observacao
d1,abordagem,qualitativa,Ouvimos vinte feirantes,lido duas vezes
d1,fontes,midia|falas,jornais da época|ouvimos VINTE feirantes,
d1,periodo,1998,em 1998,
d2,abordagem,quantitativa,medimos a renda com um censo,
d2,fontes,,,
d3,abordagem,nao_informada,,
"""


def test_defaults(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path / "meu estudo"))
    assert study.nome == "meu estudo"
    assert study.titulo == "Estudo de teste" and study.aviso == ""
    assert [m.nome for m in study.membros] == ["alfa", "beta", "gama"]
    assert [m.modelo for m in study.membros] == ["alfa", "beta", "gama"]
    assert study.principal == "alfa" and not study.principal_corpus_inteiro
    assert study.amostra is None and study.repeticoes is None
    assert study.chamadas == "por_documento" and study.deliberacao
    assert study.evidencia == "exigida" and study.sem_maioria == "principal"
    assert study.opcoes == {"num_ctx": 4096, "num_predict": 800, "temperature": 0, "seed": 1}
    assert study.tempo_limite == 120 and study.pensar is None
    assert study.supervisor.modo == "arquivos" and study.supervisor.tamanho_lote == 20
    assert not study.supervisor.enviar_textos
    assert (study.auditoria.n, study.auditoria.semente) == (40, 2026)
    assert (study.validacao.semente, study.validacao.reamostras) == (2026, 10_000)
    assert study.textos and study.member_votes() is None and study.references() == {}
    assert study.avisos == []
    assert study.sample_ids() == ["d1", "d2", "d3"]


def test_every_key(tmp_path: Path) -> None:
    estudo = """\
titulo: Completo
aviso: Textos fictícios.
membros:
  - {nome: alfa, modelo: "qwen2.5:1.5b", familia: qwen, opcoes: {num_ctx: 2048}}
  - {nome: beta, familia: gemma}
principal: beta
principal_corpus_inteiro: true
amostra: {n: 2, semente: 7}
chamadas: por_variavel
deliberacao: false
evidencia: dispensada
sem_maioria: ausente
opcoes: {num_predict: 300, top_k: 5}
tempo_limite: 2.5
pensar: false
repeticoes: {documentos: 1, semente: 3}
supervisor:
  modo: api
  familia: claude
  modelo: um-modelo
  precos: {entrada: 0.80, saida: "4.00", cache_escrita: 1, moeda: USD, data: 2026-01-31}
  limite_gasto: 2.5
  enviar_textos: true
  tamanho_lote: 5
auditoria: {n: 10, semente: 1}
validacao: {familias: {alfa: qwen}, semente: 4, reamostras: 100}
"""
    study = load_study(write_study(tmp_path, {"estudo.yaml": estudo}))
    assert study.membros[0].modelo == "qwen2.5:1.5b" and study.principal == "beta"
    assert study.opcoes == {"num_ctx": 4096, "num_predict": 300, "temperature": 0, "seed": 1, "top_k": 5}
    assert study.options_of("alfa") == {**study.opcoes, "num_ctx": 2048}
    assert study.options_of("beta") == study.opcoes
    prices = study.supervisor.precos
    assert prices is not None
    assert (prices.entrada, prices.saida, prices.cache_escrita) == (
        Decimal("0.8"),
        Decimal("4.00"),
        Decimal("1"),
    )
    assert prices.cache_leitura is None and prices.data == datetime.date(2026, 1, 31)
    assert study.supervisor.limite_gasto == Decimal("2.5")
    assert study.pensar is False and study.tempo_limite == 2.5
    assert study.sample_ids() == sample_ids(["d1", "d2", "d3"], 2, 7)


def test_settings_cannot_be_changed_but_copied(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path))
    with pytest.raises(ValueError, match="frozen"):
        study.titulo = "outro"  # type: ignore[misc]
    other = study.model_copy(update={"deliberacao": False})
    assert not other.deliberacao and study.deliberacao
    assert len(other.documents()) == 3


def test_tables_are_copies(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path))
    documents = study.documents()
    documents.loc[0, "texto"] = "outro"
    assert study.documents()["texto"][0].startswith("Ouvimos")


def test_where_things_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "Área de Trabalho"
    write_study(root / "data" / "meu")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(root))
    study = load_study("meu")
    assert study.pasta == root / "data" / "meu"
    assert study.relatorios == root / "reports" / "meu"
    assert study.banco == root / ".compendio" / "meu.sqlite"
    assert load_study(root / "data" / "meu").nome == "meu"
    monkeypatch.chdir(root)
    assert load_study("data/meu").pasta == root / "data" / "meu"
    assert load_study("./data/meu/").pasta == root / "data" / "meu"
    write_study(tmp_path / "fora")
    monkeypatch.chdir(tmp_path)
    assert load_study("fora").pasta == tmp_path / "fora"


def test_references_are_contract_rows_with_evidence_looked_up(tmp_path: Path) -> None:
    estudo = ESTUDO + "validacao: {familias: {ana: humana}}\n"
    study = load_study(write_study(tmp_path, {"estudo.yaml": estudo, "referencia/ana.csv": REFERENCIA}))
    table = study.references()["ana"]
    assert list(table.columns) == COLUNAS
    assert set(table["fonte"]) == {"ana"} and set(table["rodada"]) == {1} and set(table["repeticao"]) == {0}
    rows = {(r.documento, r.variavel): r for r in table.itertuples()}
    assert len(rows) == 6

    found = rows["d1", "abordagem"]
    assert (found.valor, found.nivel_evidencia, found.inicio, found.fim) == ("qualitativa", "exata", 0, 23)
    assert found.justificativa == "lido duas vezes"
    # Both choices in codebook order, whatever the order typed; "ouvimos VINTE" differs in case only.
    several = rows["d1", "fontes"]
    assert several.valor == '["falas", "midia"]'
    assert json.loads(several.evidencia) == {"falas": "ouvimos VINTE feirantes", "midia": "jornais da época"}
    assert json.loads(several.nivel_evidencia) == {"falas": "normalizada", "midia": "exata"}
    assert pd.isna(several.inicio)
    assert rows["d2", "abordagem"].nivel_evidencia == "nao_encontrada"  # "um censo" for "o censo"
    assert rows["d2", "fontes"].valor == "[]"
    assert rows["d3", "abordagem"].nivel_evidencia == "dispensada"
    assert study.avisos == [
        "referencia/ana.csv: linhas sem valor em variável de várias escolhas, que contam como nenhuma: 1.",
        "referencia/ana.csv: evidências que não estão no texto: 1 (a primeira na linha 5).",
    ]


def test_a_column_names_the_coders(tmp_path: Path) -> None:
    text = (
        "documento,variavel,valor,codificador\nd1,abordagem,qualitativa,Ana\nd1,abordagem,quantitativa,Zé\n"
    )
    estudo = ESTUDO + "validacao: {familias: {Ana: humana, Zé: humana}, referencia: Zé}\n"
    study = load_study(write_study(tmp_path, {"estudo.yaml": estudo, "referencia/equipe.csv": text}))
    assert list(study.references()) == ["Ana", "Zé"]
    assert study.references()["Zé"]["valor"].tolist() == ["quantitativa"]
    assert study.avisos == []


def test_reference_without_evidence_and_free_values(tmp_path: Path) -> None:
    text = "documento;variavel;valor\nd1;periodo;de 1998 até não se sabe quando, bem longo\nd2;periodo;\n"
    study = load_study(write_study(tmp_path, {"referencia/ana.csv": text}))
    table = study.references()["ana"]
    assert table["nivel_evidencia"].tolist() == ["ausente"]
    assert table["valor"][0].startswith("de 1998 até")
    assert "referencia/ana.csv: linhas sem valor, que ficam de fora da referência: 1." in study.avisos
    assert any("falta a família de ana" in aviso for aviso in study.avisos)


def test_a_family_that_can_outvote_is_told(tmp_path: Path) -> None:
    estudo = ESTUDO.replace("familia: dois", "familia: um")
    study = load_study(write_study(tmp_path, {"estudo.yaml": estudo}))
    assert len(study.avisos) == 1
    assert "a família «um» tem 2 dos 3 membros" in study.avisos[0]
    # exactly half is not more than half
    four = ESTUDO.replace("familia: dois", "familia: um") + "  - {nome: delta, familia: quatro}\n"
    assert load_study(write_study(tmp_path, {"estudo.yaml": four})).avisos == []


THREE = {
    "d2": ("qualitativa", "falas|leis", "1991"),
    "d1": ("quantitativa", "", "não informado"),
    "d9": ("qualitativa", "midia", "1985"),
}


def test_a_study_of_votes(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {
        "corpus.csv": None,
        "estudo.yaml": ESTUDO.replace("nome: beta", 'nome: "beta:2b"') + VOTOS,
        "votos/alfa.csv": votes(THREE),
        "votos/beta-2b.csv": votes(THREE),
        "votos/gama.csv": votes(THREE).replace("d9,abordagem,1,qualitativa", "d9,abordagem,1,"),
        "referencia/ana.csv": "documento,variavel,valor,evidencia\nd2,abordagem,qualitativa,algum trecho\n",
    }
    files["votos/gama.csv"] = (
        "documento,variavel,repeticao,valor,nivel_evidencia,falha,segundos\n"
        "d9,abordagem,0,,,fora_do_codebook,2.5\n"
        "d9,fontes,0,midia|falas,exata|nao_encontrada,,\n"
        'd9,periodo,0,1985,normalizada,,"1,5"\n'
        + "".join(
            f"{d},{v},0,,,sem_resposta,\n" for d in ("d1", "d2") for v in ("abordagem", "fontes", "periodo")
        )
        + "d9,periodo,1,1986,exata,,3\n"
    )
    study = load_study(write_study(tmp_path, files))
    assert not study.textos
    documents = study.documents()
    assert documents["id"].tolist() == ["d2", "d1", "d9"]  # the order of the first member's file
    assert documents["texto"].tolist() == ["", "", ""]
    assert study.sample_ids() == ["d2", "d1", "d9"]
    table = study.member_votes()
    assert table is not None
    assert list(table.columns) == [*COLUNAS, "segundos"]
    assert table["fonte"].value_counts().to_dict() == {"gama": 10, "alfa": 9, "beta:2b": 9}
    rows = {(r.fonte, r.documento, r.variavel, r.repeticao): r for r in table.itertuples()}
    assert rows["beta:2b", "d2", "fontes", 0].valor == '["falas", "leis"]'
    assert json.loads(rows["alfa", "d2", "fontes", 0].nivel_evidencia) == {
        "falas": "dispensada",
        "leis": "dispensada",
    }
    assert rows["alfa", "d1", "fontes", 0].valor == "[]"
    assert rows["alfa", "d1", "abordagem", 0].nivel_evidencia == "dispensada"
    failed = rows["gama", "d9", "abordagem", 0]
    assert pd.isna(failed.valor) and failed.falha == "fora_do_codebook" and failed.segundos == 2.5
    given = rows["gama", "d9", "fontes", 0]
    assert given.valor == '["falas", "midia"]'
    assert json.loads(given.nivel_evidencia) == {"falas": "nao_encontrada", "midia": "exata"}
    assert rows["gama", "d9", "periodo", 0].segundos == 1.5
    assert rows["gama", "d9", "periodo", 1].valor == "1986"
    # Quotes of a reference cannot be looked up where there are no texts.
    assert study.references()["ana"]["nivel_evidencia"].tolist() == ["dispensada"]
    assert study.references()["ana"]["evidencia"].tolist() == ["algum trecho"]


def test_round_2_counts_only_where_the_jury_deliberated(tmp_path: Path) -> None:
    second = votes({"d1": ("qualitativa", "falas", "x")}, rodada=2).split("\n", 1)[1]
    files: dict[str, str | bytes | None] = {
        "corpus.csv": None,
        "votos/alfa.csv": votes(THREE) + second,
        "votos/beta.csv": votes(THREE),
        "votos/gama.csv": votes(THREE),
        "votos/outro.csv": votes(THREE),
    }
    deliberated = load_study(
        write_study(tmp_path, {**files, "estudo.yaml": ESTUDO + "evidencia: dispensada\n"})
    )
    table = deliberated.member_votes()
    assert table is not None and (table["rodada"] == 2).sum() == 3
    assert "votos/: 1 arquivos não são de membros deste estudo e ficam de fora: outro." in deliberated.avisos
    # The others may have had nothing to say again, or the file is missing: whoever reads is told.
    assert [a.split(":")[0] for a in deliberated.avisos if "vale a rodada 1" in a] == [
        "votos/beta.csv", "votos/gama.csv",
    ]  # fmt: skip
    silent = load_study(write_study(tmp_path, {**files, "estudo.yaml": ESTUDO + VOTOS}))
    table = silent.member_votes()
    assert table is not None and (table["rodada"] == 1).all()
    assert "votos/: 3 votos da rodada 2 ficam de fora, por deliberacao: false." in silent.avisos


def test_votes_are_needed_for_the_sample_only(tmp_path: Path) -> None:
    whole = votes(THREE)
    (chosen,) = sample_ids(list(THREE), 1, 5)
    part = votes({chosen: THREE[chosen]})
    files = {"corpus.csv": None, "votos/alfa.csv": whole, "votos/beta.csv": part, "votos/gama.csv": part}
    estudo = ESTUDO + VOTOS + "amostra: {n: 1, semente: 5}\nprincipal_corpus_inteiro: true\n"
    study = load_study(write_study(tmp_path, {**files, "estudo.yaml": estudo}))
    assert study.sample_ids() == [chosen] and len(study.documents()) == 3


def test_encodings_are_told_for_every_file(tmp_path: Path) -> None:
    text = REFERENCIA.replace("d2,fontes,,,\n", "").replace("um censo", "o censo")
    files: dict[str, str | bytes | None] = {
        "corpus.csv": CORPUS.encode("cp1252"),
        "referencia/ana.csv": text.encode("utf-8-sig"),
        "estudo.yaml": ESTUDO + "validacao: {familias: {ana: humana}}\n",
    }
    study = load_study(write_study(tmp_path, files))
    assert study.avisos == [
        "corpus.csv: lido como Windows-1252; confira os acentos, ou salve em UTF-8.",
        "referencia/ana.csv: lido como UTF-8 com BOM.",
    ]
    assert set(study.references()["ana"]["nivel_evidencia"]) >= {"exata", "dispensada"}


def test_names_that_are_nearly_right_are_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {
        "referencias/ana.csv": REFERENCIA,
        "leia.md": "x",
        "corpus-antigo.csv": "x",
    }
    study = load_study(write_study(tmp_path / "e", files))
    assert study.avisos == ["e/referencias: não é lido; se é o que o estudo chama de «referencia», renomeie."]


def test_other_files_beside_references(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {
        "referencia/LEIAME.md": "x",
        "referencia/ana.xlsx": b"PK\0",
        "referencia/.~lock.ana.csv#": "x",
        "referencia/._ana.csv": b"\0\5",
    }
    study = load_study(write_study(tmp_path, files))
    assert study.references() == {}
    assert study.avisos == [
        "referencia/ana.xlsx: não é um arquivo .csv e fica de fora; salve-o como CSV UTF-8."
    ]


def test_an_unknown_study_names_the_closest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_study(tmp_path / "data" / "piloto")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    with pytest.raises(ErroDeEstudo, match="você quis dizer «piloto»"):
        load_study("pilto")
    with pytest.raises(ErroDeEstudo, match="os que há são: piloto"):
        load_study("xyz")
    with pytest.raises(ErroDeEstudo, match="os que há são: piloto"):
        load_study("")
    with pytest.raises(ErroDeEstudo, match="não existe; confira o caminho"):
        load_study(tmp_path / "nada")
    with pytest.raises(ErroDeEstudo, match="O estudo chegou como 7, que não é texto"):
        load_study(7)  # type: ignore[arg-type]
