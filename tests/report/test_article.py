"""A small article in three formats: the same bytes twice, provenance complete, citations and exhibits there."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from conftest import RAIZ

from compendio.erros import ErroDeEstudo
from compendio.report.article import artigo, facts
from compendio.report.article_source import Source, fill
from compendio.report.results import merge_results, save_results
from compendio.report.style import aplicar, salvar_figura
from compendio.study import Study, load_study

TEXTO = """---
title: Um teste
author: Projeto compendio
abstract: Kappa de {{ n("kappa.cor.juri") }}.
cabecalho: Teste
---

# Seção

O júri [@cohen1960] chega a {{ n("kappa.cor.juri") }} em {{ variaveis | length }} variáveis;
veja a {{ ref("mcnemar") }} e a {{ ref("validacao-kappas") }}.

{{ tabela("mcnemar", "Uma tabela.") }}

{{ figura("validacao-kappas", "Uma figura.", "50%") }}

# Lista de tabelas e figuras {.unnumbered}
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """The pilot's folder with reports of one number, one table and one figure."""
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    shutil.copytree(RAIZ / "paper", tmp_path / "paper")
    (tmp_path / "paper" / "artigo.md.j2").write_text(TEXTO, encoding="utf-8")
    (tmp_path / "notebooks").symlink_to(RAIZ / "notebooks")
    found = load_study(RAIZ / "data" / "piloto")
    folder = found.relatorios
    number = {"id": "kappa.cor.juri", "valor": 0.61, "impresso": "0,61", "celula": "kappas"}
    save_results([number], folder / "resultados", "4-validacao")
    merge_results(folder)
    (folder / "tabelas").mkdir()
    (folder / "tabelas" / "validacao-mcnemar.csv").write_text(
        "variavel,so_juri,so_principal,p,p_holm\ncor,47,3,0.0001,0.2\n", encoding="utf-8"
    )
    aplicar()
    fig, ax = plt.subplots()
    ax.plot([0, 1])
    salvar_figura(fig, folder / "figuras", "validacao-kappas")
    plt.close(fig)
    return found


def test_three_formats_with_the_same_bytes_twice(study: Study) -> None:
    paths = artigo(study)
    first = {path.name: path.read_bytes() for path in paths}
    assert set(first) == {
        *("artigo.md", "artigo.pdf", "artigo.docx", "artigo.html"),
        *("exibicoes.csv", "numeros.csv"),
    }
    assert {path.name: path.read_bytes() for path in artigo(study)} == first
    assert first["artigo.pdf"].startswith(b"%PDF-") and b"CreationDate" not in first["artigo.pdf"]
    page = first["artigo.html"].decode()
    assert "Cohen, 1960" in page and "COHEN, Jacob" in page and "data:image/png" in page
    assert "Tabela 1. Uma tabela. Reconstrução" in page and "Figura 1. Uma figura. Reconstrução" in page
    with zipfile.ZipFile(study.relatorios / "artigo" / "artigo.docx") as docx:
        assert any(name.endswith(".png") for name in docx.namelist())
        assert "0,61" in docx.read("word/document.xml").decode()


def test_every_exhibit_and_number_has_its_origin(study: Study) -> None:
    folder = artigo(study)[0].parent
    listed = (folder / "exibicoes.csv").read_text(encoding="utf-8").splitlines()
    assert listed[1] == "Tabela 1,4-validacao,mcnemar,validation.mcnemar_table,tabelas/validacao-mcnemar.csv"
    assert listed[2].startswith("Figura 1,4-validacao,") and len(listed) == 3
    numbers = (folder / "numeros.csv").read_text(encoding="utf-8").splitlines()
    assert numbers[1:] == ['kappa.cor.juri,"0,61",4-validacao,kappas']


def test_without_results_or_template_the_error_says_what_to_do(study: Study) -> None:
    (study.relatorios / "resultados.json").unlink()
    with pytest.raises(ErroDeEstudo, match="make analise ESTUDO=piloto"):
        artigo(study)


def test_the_project_s_own_text_types_no_result() -> None:
    from compendio.report.article_source import typed_results

    assert typed_results((RAIZ / "paper" / "artigo.md.j2").read_text(encoding="utf-8")) == []


def test_every_citation_has_its_reference_and_the_other_way_round() -> None:
    import re

    text = (RAIZ / "paper" / "artigo.md.j2").read_text(encoding="utf-8")
    cited = set(re.findall(r"@([a-z]+\d{4})", text))
    known = set(
        re.findall(r"^@\w+\{(\w+),", (RAIZ / "paper" / "referencias.bib").read_text(encoding="utf-8"), re.M)
    )
    assert cited == known


class Permissive(Source):
    """A source with every number, table and figure; only conditions are kept."""

    def n(self, ident: str) -> str:
        return {"melhor_membro.nome": "gemma4:12b-it-qat"}.get(ident, "1")

    def v(self, ident: str) -> object:
        return [1, 0] if "votos_revistos" in ident else 1

    def linhas(self, nome: str) -> list[dict[str, object]]:
        names = ("variavel", "categoria", "uso", "membro", "veredito")
        return [{**dict.fromkeys(names, ""), "n_ambos": 1}]

    def tabela(self, nome: str, legenda: str) -> str:
        return ""

    def figura(self, nome: str, legenda: str, largura: str = "") -> str:
        return ""

    def ref(self, nome: str) -> str:
        return nome


def outlived(study: Study, **families: str) -> set[str]:
    """The sentences of the project's own text that stop the build once the reference has this family."""
    settings = study.model_copy(
        update={"validacao": study.validacao.model_copy(update={"familias": families})}
    )
    numbers = {"referencia.codificador": {"valor": "claude-opus"}}
    text = (RAIZ / "paper" / "artigo.md.j2").read_text(encoding="utf-8")
    source = Permissive(numbers, study.relatorios)
    with pytest.raises(ErroDeEstudo) as error:  # numbers that are all alike bear out no comparison
        fill(text, source, facts(settings, source))
    return {problem.split("«")[1].split("»")[0] for problem in error.value.problemas}


def test_what_the_text_says_of_families_cannot_outlive_them(study: Study) -> None:
    model, shared = "a referência é um modelo", "supervisor e referência são da mesma família"
    apart, nobody = (
        "a referência é de família diversa da dos membros",
        "nenhuma pessoa codificou a amostra",
    )
    ours = {model, shared, apart, nobody}
    assert not ours & outlived(study, **{"claude-opus": "claude"})
    assert ours & outlived(study, **{"claude-opus": "gemma"}) == {shared, apart}
    assert ours & outlived(study, **{"claude-opus": "humana"}) == {model, shared, nobody}
    assert ours & outlived(study, **{"claude-opus": "claude", "ana": "humana"}) == {nobody}
    assert ours & outlived(study) == {model, shared}  # not declared
