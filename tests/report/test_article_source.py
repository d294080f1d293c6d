"""The article's text takes results from the reports alone: what would let one be typed stops the build."""

from __future__ import annotations

from pathlib import Path

import pytest

from compendio.erros import ErroDeEstudo
from compendio.report.article_source import Source, exhibit_rows, fill, typed_results
from compendio.report.article_tables import markdown


def source(tmp_path: Path) -> Source:
    (tmp_path / "tabelas").mkdir(exist_ok=True)
    (tmp_path / "tabelas" / "validacao-mcnemar.csv").write_text(
        "variavel,so_juri,so_principal,p,p_holm\ncor_viva,47,3,0.0001,0.2\n", encoding="utf-8"
    )
    numbers = {
        "kappa.cor.juri": {"id": "kappa.cor.juri", "valor": 0.61, "impresso": "0,61"},
        "kappa.cor.m1": {"id": "kappa.cor.m1", "valor": 0.37, "impresso": "0,37"},
        "kappa.cor.m2": {"id": "kappa.cor.m2", "valor": None, "impresso": "—"},
    }
    return Source(numbers, tmp_path, nota="Reconstrução.")


def problems(template: str, tmp_path: Path) -> list[str]:
    with pytest.raises(ErroDeEstudo) as error:
        fill(template, source(tmp_path), {})
    return error.value.problemas


def test_a_number_is_the_printed_form_of_its_result(tmp_path: Path) -> None:
    used = source(tmp_path)
    text = fill('O júri chega a {{ n("kappa.cor.juri") }}.', used, {})
    assert text == "O júri chega a 0,61." and list(used.usados) == ["kappa.cor.juri"]


def test_a_missing_number_is_an_error_that_names_the_closest(tmp_path: Path) -> None:
    (problem,) = problems('{{ n("kappa.cor.jurri") }}', tmp_path)
    assert "kappa.cor.jurri" in problem and "«kappa.cor.juri»" in problem


def test_an_undefined_number_cannot_stand_in_a_sentence(tmp_path: Path) -> None:
    (problem,) = problems('{{ n("kappa.cor.m2") }}', tmp_path)
    assert "indefinido" in problem


def test_an_unknown_name_of_the_template_is_an_error(tmp_path: Path) -> None:
    (problem,) = problems("{{ membro_principal }}", tmp_path)
    assert "membro_principal" in problem


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("O kappa é 0,61.", "0,61."),
        ("em 44 documentos", "44"),
        ("em 92% das decisões", "92%"),
        ("p < 0,001", "0,001"),
        ("são quarenta documentos", "quarenta"),
        ("95,0% das decisões", "95,0%"),
        ("12019 documentos", "12019"),
    ],
)
def test_a_typed_result_is_found(text: str, found: str) -> None:
    (problem,) = typed_results(f"Linha sem nada.\n{text}")
    assert f"«{found}»" in problem and "linha 2" in problem


@pytest.mark.parametrize(
    "text",
    [
        "como mostra [@cohen1960; @gwet2008, p.]",
        "intervalo de 95% e AC1, em 2026",
        "{# 12 de 13 #}na `juri-r1`, rodada 1",
        '{{ n("kappa.cor.qwen3.5:9b") }}{% if v("x") > 0.05 %}sim{% endif %}',
        "![legenda](figuras/x2.png)",
        "família, humildade e exceto",
    ],
)
def test_names_conventions_and_years_are_no_results(text: str) -> None:
    assert typed_results(text) == []


def test_typed_results_stop_the_build(tmp_path: Path) -> None:
    (problem,) = problems("São 7 documentos.", tmp_path)
    assert "está digitado" in problem


def test_a_sentence_does_not_outlive_its_condition(tmp_path: Path) -> None:
    template = (
        '{{ exige(v("kappa.cor.juri") OP v("kappa.cor.m1"), "o júri supera o outro") }}O júri supera o outro.'
    )
    assert fill(template.replace("OP", ">"), source(tmp_path), {}) == "O júri supera o outro."
    (problem,) = problems(template.replace("OP", "<"), tmp_path)
    assert "o júri supera o outro" in problem


def test_tables_are_numbered_captioned_and_marked(tmp_path: Path) -> None:
    used = source(tmp_path)
    text = fill('Veja a {{ ref("mcnemar") }}.\n\n{{ tabela("mcnemar", "Legenda.") }}', used, {})
    assert text.startswith("Veja a Tabela 1.") and ": Tabela 1. Legenda. Reconstrução." in text
    assert "| cor\\_viva | 47 | 3 | < 0,001 | 0,200 |" in text
    assert used.exibicoes["mcnemar"].arquivos == ("tabelas/validacao-mcnemar.csv",)


def test_references_and_exhibits_must_meet(tmp_path: Path) -> None:
    assert "não remete a «mcnemar»" in problems('{{ tabela("mcnemar", "x") }}', tmp_path)[0]
    assert "não está no artigo" in problems('{{ ref("nenhuma") }}', tmp_path)[0]
    twice = '{{ ref("mcnemar") }}{{ tabela("mcnemar", "x") }}{{ tabela("mcnemar", "x") }}'
    assert "duas vezes" in problems(twice, tmp_path)[0]


def test_a_missing_table_file_or_figure_is_an_error(tmp_path: Path) -> None:
    assert (
        "validacao-custo.csv não existe"
        in problems('{{ ref("custo") }}{{ tabela("custo", "x") }}', tmp_path)[0]
    )
    found = problems('{{ ref("f") }}{{ figura("f", "x") }}', tmp_path)
    assert len(found) == 2 and all("Falta a figura" in problem for problem in found)


def test_all_problems_come_together(tmp_path: Path) -> None:
    assert len(problems('{{ n("a") }} {{ n("b") }} 13 {{ ref("c") }}', tmp_path)) == 4


def test_every_exhibit_has_what_made_it(tmp_path: Path) -> None:
    used = source(tmp_path)
    fill('{{ ref("mcnemar") }}{{ tabela("mcnemar", "x") }}', used, {})
    notebooks = Path(__file__).resolve().parents[2] / "notebooks"
    ((label, made, file),) = exhibit_rows(used, notebooks)
    assert (label, made.notebook, file) == ("Tabela 1", "4-validacao", "tabelas/validacao-mcnemar.csv")
    assert made.funcao.endswith("mcnemar_table")
    (tmp_path / "vazia").mkdir()
    with pytest.raises(ErroDeEstudo, match="Nenhum notebook"):
        exhibit_rows(used, tmp_path / "vazia")


def test_cells_cannot_break_a_table() -> None:
    assert markdown([["a|b", "c_d"]], ["x", "y"]).split("\n")[2] == "| a\\|b | c\\_d |"
