"""The article: template and reports in; PDF (pandoc, then Typst), DOCX and HTML out. No LaTeX, no network.

The same inputs give the same bytes: no dates inside, fonts that the Typst package brings along, and figures
whose files carry none.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pypandoc
import typst

from compendio.erros import ErroDeEstudo
from compendio.measure.families import HUMANA
from compendio.projeto import raiz
from compendio.report.article_source import Source, exhibit_rows, fill, read_numbers
from compendio.report.article_tables import markdown
from compendio.report.colophon import colophon_lines
from compendio.report.reproduction import NAO_SE_CALCULA, read_published, reproduction_table
from compendio.report.style import short_notice
from compendio.study import Study

MODELO = "artigo.md.j2"
BIBLIOGRAFIA, ESTILO = "referencias.bib", "abnt.csl"
#: Pandoc writes dates into DOCX files; this one is no date of ours.
_EPOCA = "0"


def artigo(study: Study) -> list[Path]:
    """Build the article of a study: `reports/<estudo>/artigo/artigo.{md,pdf,docx,html}` and its two lists.

    `exibicoes.csv` says what made each table and figure, `numeros.csv` where each number of the text comes
    from. Returns the paths written.

    Raises
    ------
    ErroDeEstudo
        With every problem of the text: missing or undefined numbers, typed results, sentences whose condition
        no longer holds, missing tables or figures.
    """
    paper = raiz() / "paper"
    template = paper / MODELO
    if not template.exists():
        raise ErroDeEstudo(f"{template} não existe: o texto do artigo fica lá.")
    source = Source(read_numbers(study.relatorios), study.relatorios, short_notice(study.aviso))
    text = fill(template.read_text(encoding="utf-8"), source, facts(study, source))
    rows = exhibit_rows(source, raiz() / "notebooks")
    listed = {label for label, _, _ in rows}
    lost = [item.rotulo for item in source.exibicoes.values() if item.rotulo not in listed]
    if lost:
        raise ErroDeEstudo(f"Faltam na lista de tabelas e figuras: {', '.join(lost)}.")
    table = [
        [label, made.notebook, made.celula, f"`{made.funcao}`", f"`{file}`"] for label, made, file in rows
    ]
    text += "\n" + markdown(table, ["exibição", "notebook", "célula", "função", "arquivo"], left=5) + "\n"
    text += "\n# Colofão {.unnumbered}\n\n" + "\n".join(f"- {line}" for line in colophon_lines(study)) + "\n"
    text += "\n# Referências {.unnumbered}\n\n::: {#refs}\n:::\n"
    folder = study.relatorios / "artigo"
    folder.mkdir(parents=True, exist_ok=True)
    lists = [
        _csv(
            folder / "exibicoes.csv",
            ["rotulo", "notebook", "celula", "funcao", "arquivo"],
            [[label, made.notebook, made.celula, made.funcao, file] for label, made, file in rows],
        ),
        _csv(
            folder / "numeros.csv",
            ["id", "impresso", "notebook", "celula"],
            [[source.numeros[i][k] for k in ("id", "impresso", "notebook", "celula")] for i in source.usados],
        ),
    ]
    markdown_path = folder / "artigo.md"
    markdown_path.write_text(text, encoding="utf-8")
    return [markdown_path, *lists, *_build(text, paper, folder, study.relatorios)]


def facts(study: Study, source: Source) -> dict[str, Any]:
    """What the template knows of the study beside its results: names, settings, the reproduction's count."""
    published = read_published(study)
    agree = total = uncomputed = 0
    if published is not None:
        table = reproduction_table(published, source.numeros)
        uncomputed = int((table["confere"] == NAO_SE_CALCULA).sum())
        total = len(table) - uncomputed
        agree = int((table["confere"] == "sim").sum())
    others = [m.nome for m in study.membros if m.nome != study.principal]
    check = study.validacao
    reference = source.numeros.get("referencia.codificador", {}).get("valor")
    return {
        "estudo": study,
        "principal": study.principal,
        "outros": others,
        "membros": [m.nome for m in study.membros],
        "familias": {m.nome: m.familia for m in study.membros},
        "familia_da_referencia": check.familias.get(str(reference)),
        "pessoas": [name for name, family in check.familias.items() if family == HUMANA],
        "variaveis": list(study.codebook.variaveis.values()),
        "reamostras": f"{check.reamostras:,}".replace(",", "."),
        "reproducao": {"conferem": agree, "calculaveis": total, "sem_calculo": uncomputed},
    }


def _csv(path: Path, heads: list[str], rows: list[list[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([heads, *rows])
    return path


def _build(text: str, paper: Path, folder: Path, relatorios: Path) -> list[Path]:
    """The three formats."""
    common = [
        "--standalone",
        "--citeproc",
        f"--bibliography={paper / BIBLIOGRAFIA}",
        f"--csl={paper / ESTILO}",
        "--metadata=lang:pt-BR",
        "--metadata=link-citations:true",
        "--number-sections",
        f"--resource-path={relatorios}",
        "--columns=10000",  # tables as wide as they need, not in shares of a line of source text
    ]
    layout = f"--template={paper / 'artigo.typ'}"
    typ = folder / "artigo.typ"
    source = _pandoc(text, "typst", [*common, layout, "--default-image-extension=pdf"])
    typ.write_text(source, encoding="utf-8")
    pdf = folder / "artigo.pdf"
    # Figures are found under the study's reports, which is where the document is compiled from.
    compiled = relatorios / ".artigo.typ"
    compiled.write_text(source, encoding="utf-8")
    try:
        typst.compile(
            str(compiled), output=str(pdf), root=str(relatorios), ignore_system_fonts=True, timestamp=0
        )
    except typst.TypstError as error:
        raise ErroDeEstudo(f"O Typst não compilou {typ}: {error}.") from error
    finally:
        compiled.unlink(missing_ok=True)
    typ.unlink()
    docx, page = folder / "artigo.docx", folder / "artigo.html"
    _pandoc(text, "docx", [*common, "--default-image-extension=png"], docx)
    style = f"--css={paper / 'artigo.css'}"
    _pandoc(text, "html5", [*common, style, "--embed-resources", "--default-image-extension=png"], page)
    return [pdf, docx, page]


def _pandoc(text: str, to: str, arguments: list[str], output: Path | None = None) -> str:
    target = None if output is None else str(output)
    with _epoch():
        try:
            made: str = pypandoc.convert_text(
                text,
                to,
                format="markdown+pipe_tables+implicit_figures",
                extra_args=arguments,
                outputfile=target,
            )
        except RuntimeError as error:
            raise ErroDeEstudo(f"O pandoc não fez o formato {to}: {error}.") from error
    return made


@contextmanager
def _epoch() -> Iterator[None]:
    """A fixed SOURCE_DATE_EPOCH for what pandoc writes."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = _EPOCA
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before
