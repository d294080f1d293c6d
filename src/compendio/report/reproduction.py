"""Published figures against the recomputed ones: do they print alike?

Published figures: `numeros-publicados.yaml` of the study. Recomputed: the printed forms in `resultados.json`,
that is, what the notebooks' pipeline gives from the study's codings; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pypandoc

from compendio.erros import ErroDeEstudo
from compendio.projeto import raiz
from compendio.report.article_source import read_numbers
from compendio.report.article_tables import markdown
from compendio.report.style import num
from compendio.report.validation_numbers import versus
from compendio.study import Study
from compendio.yaml_file import read_yaml

COLUNAS = ["id", "publicado", "recalculado", "confere"]
NAO_SE_CALCULA = "não se calcula"

_DECISOES = {
    "unanimes": "unanime",
    "maioria_sem_deliberacao": "maioria",
    "decididas_na_deliberacao": "deliberada",
    "sem_maioria": "sem_maioria",
}
_LIVRE = {"unanimes": "unanime", "maioria": "maioria", "sem_maioria": "sem_maioria"}


@dataclass(frozen=True)
class Figure:
    """A published figure: the texts that count as equal, and the result that recomputes it, or why none does."""

    id: str
    publicado: tuple[str, ...]
    resultado: str = ""
    motivo: str = ""


def published_figures(published: Mapping[str, Any]) -> Iterator[Figure]:
    """Every figure of `numeros-publicados.yaml`, in the file's order."""
    main = published["amostra"]["membros"]["principal"]
    yield from _sample(published["amostra"])
    for variavel, row in published["kappa"].items():
        for coder, text in row.items():
            name = f"kappa.{variavel}.{coder}"
            if coder != "ic95":
                yield Figure(name, (text,), name)
        for end, text in zip(("inferior", "superior"), row["ic95"], strict=True):
            yield Figure(f"kappa.{variavel}.ic95.{end}", (text,), f"kappa.{variavel}.juri.ic_{end[:3]}")
    for variavel, row in published["mcnemar"].items():
        yield Figure(f"mcnemar.{variavel}.p", (row["p"],), f"mcnemar.{variavel}.p")
        counts = _plain(row["contagens"])
        pairs = counts if isinstance(counts[0], list) else [counts]
        name = f"mcnemar.{variavel}.contagens"
        yield Figure(name, tuple(versus(*pair) for pair in pairs), name)
    best = published["melhor_membro"]
    yield Figure("melhor_membro.nome", (best["nome"],), "melhor_membro.nome")
    name = "variaveis_em_que_supera_todos_e_o_juri"
    yield Figure(f"melhor_membro.{name}", (_text(best[name]),), f"melhor_membro.{name}")
    yield from _deliberation(published["deliberacao"])
    yield from _blocs(published["blocos_tecnica_principal"])
    for kind, row in published["concordancia_com_a_referencia"].items():
        for part in ("n", "pct"):
            name = f"concordancia.{_DECISOES[kind]}.{part}"
            yield Figure(f"concordancia_com_a_referencia.{kind}.{part}", (_text(row[part]),), name)
    for kind, value in published["texto_livre"].items():
        yield Figure(f"texto_livre.{kind}", (_text(value),), f"texto_livre.{_LIVRE[kind]}")
    for name, value in published["supervisor"].items():
        yield Figure(f"supervisor.{name}", (_text(value),), f"supervisor.{name}")
    yield from _audit(published["auditoria"])
    yield from _cost(published["custo_minutos"])
    yield from _divergences(published["divergencias"], main)


def _plain(value: Any) -> Any:
    return value["valor"] if isinstance(value, Mapping) else value


def _text(value: Any) -> str:
    value = _plain(value)
    return num(value, 0) if isinstance(value, int) else str(value)


def _sample(sample: Mapping[str, Any]) -> Iterator[Figure]:
    for name in ("documentos", "decisoes_total"):
        yield Figure(f"amostra.{name}", (_text(sample[name]),), f"amostra.{name}")
    why = "é um dado de entrada (corpus_inteiro no estudo.yaml), e não uma conta sobre codificações"
    yield Figure("amostra.corpus", (_text(sample["corpus"]),), motivo=why)


def _deliberation(row: Mapping[str, Any]) -> Iterator[Figure]:
    for name, value in row.items():
        if name == "votos_revistos":
            for member, pair in value.items():
                ident = f"deliberacao.{name}.{member}"
                yield Figure(ident, (versus(*pair),), ident)
        else:
            yield Figure(f"deliberacao.{name}", (_text(value),), f"deliberacao.{name}")


def _blocs(row: Mapping[str, Any]) -> Iterator[Figure]:
    result = {"contra_gemma": "n", "gemma_com_a_referencia": "contra_com_a_referencia"}
    for stage, counts in row.items():
        for name, value in counts.items():
            ident = f"blocos.tecnica_principal.{stage}.qwen.gemma.{result[name]}"
            yield Figure(f"blocos_tecnica_principal.{stage}.{name}", (_text(value),), ident)


def _audit(row: Mapping[str, Any]) -> Iterator[Figure]:
    names = {"sorteadas": "julgadas", "erradas": "erradas", "taxa": "taxa"}
    for name, result in names.items():
        yield Figure(f"auditoria.{name}", (_text(row[name]),), f"auditoria.{result}")
    for end, text in zip(("inferior", "superior"), row["ic95_wilson"], strict=True):
        yield Figure(f"auditoria.ic95_wilson.{end}", (text,), f"auditoria.ic_{end[:3]}")


def _cost(row: Mapping[str, Any]) -> Iterator[Figure]:
    for stage in ("rodada_1", "deliberacao"):
        yield Figure(f"custo_minutos.{stage}.total", (_text(row[stage]["total"]),), f"custo.{stage}.total")
        for member, minutes in row[stage]["por_membro"].items():
            yield Figure(f"custo_minutos.{stage}.{member}", (_text(minutes),), f"custo.{stage}.{member}")
    for name in ("vezes_o_principal", "total_horas"):
        yield Figure(f"custo_minutos.{name}", (row[name],), f"custo.{name}")
    why = "o supervisor respondeu fora desta cadeia, e o tempo dele não está nos lotes"
    for name, value in row["supervisor"].items():
        yield Figure(f"custo_minutos.supervisor.{name}", (_text(value),), motivo=why)
    name = "corpus_inteiro_horas"
    yield Figure(f"custo_minutos.{name}", (row[name],), f"custo.{name}")


def _divergences(row: Mapping[str, Any], main: str) -> Iterator[Figure]:
    tecnica, subarea = f"divergencias.tecnica_principal.{main}", f"divergencias.subarea.{main}"
    results = {
        "tecnica_principal.total": f"{tecnica}.total",
        "tecnica_principal.nao_informado_x_bibliografia": f"{tecnica}.par.bibliografia.nao_informado.n",
        "subarea.total": f"{subarea}.total",
        "subarea.referencia_outra": f"{subarea}.referencia.outra.n",
        "subarea.kappa_sem_outra": f"{subarea}.referencia.outra.kappa_sem",
    }
    for name, result in results.items():
        variavel, key = name.split(".")
        yield Figure(f"divergencias.{name}", (_text(row[variavel][key]),), result)
    for variavel in ("tecnica_principal", "subarea"):
        name = f"{variavel}_juri"
        yield Figure(f"divergencias.{name}", (_text(row[name]),), f"divergencias.{variavel}.juri.total")
        goal = " a ".join(row[variavel]["meta_kappa"])
        why = "é uma meta de quem sugeriu mudar o codebook, e não uma conta"
        yield Figure(f"divergencias.{variavel}.meta_kappa", (goal,), motivo=why)


def reproduction_table(
    published: Mapping[str, Any], numbers: Mapping[str, Mapping[str, Any]]
) -> pd.DataFrame:
    """One row a published figure: `id, publicado, recalculado, confere`.

    `confere` is `sim`, `não`, or `não se calcula`; then `recalculado` says why. A figure whose result no
    notebook wrote does not agree. Figures that allow for several readings show them in `publicado`.
    """
    rows = []
    for figure in published_figures(published):
        shown = " ou ".join(figure.publicado)
        if figure.motivo:
            rows.append((figure.id, shown, figure.motivo, NAO_SE_CALCULA))
            continue
        printed = str(numbers[figure.resultado]["impresso"]) if figure.resultado in numbers else None
        if printed is None:
            rows.append((figure.id, shown, f"sem resultado «{figure.resultado}»", "não"))
        else:
            rows.append((figure.id, shown, printed, "sim" if printed in figure.publicado else "não"))
    return pd.DataFrame(rows, columns=COLUNAS, dtype="str")


def read_published(study: Study) -> dict[str, Any] | None:
    """`numeros-publicados.yaml` of a study; None where it has none."""
    path = study.pasta / "numeros-publicados.yaml"
    if not path.exists():
        return None
    problems: list[str] = []
    file = read_yaml(path, problems, [])
    if file is None or problems:
        raise ErroDeEstudo(problems)
    data: dict[str, Any] = file.data
    return data


def reproducao(study: Study) -> list[Path]:
    """Write `reports/<estudo>/reproducao.{csv,md,html}` and give their paths.

    Raises ErroDeEstudo where the study publishes nothing, or where its notebooks have not run.
    """
    published = read_published(study)
    if published is None:
        raise ErroDeEstudo(
            f"{study.pasta / 'numeros-publicados.yaml'} não existe: sem os números publicados não há o que reproduzir."
        )
    table = reproduction_table(published, read_numbers(study.relatorios))
    csv, text, page = (study.relatorios / f"reproducao.{ending}" for ending in ("csv", "md", "html"))
    table.to_csv(csv, index=False, encoding="utf-8", lineterminator="\n")
    text.write_text(reproduction_page(table, study.aviso), encoding="utf-8")
    pypandoc.convert_file(
        str(text),
        "html5",
        outputfile=str(page),
        extra_args=[
            "--standalone",
            "--embed-resources",
            f"--css={raiz() / 'paper' / 'artigo.css'}",
            "--metadata=lang:pt-BR",
            "--columns=10000",
        ],
    )
    return [csv, text, page]


def summary(table: pd.DataFrame) -> str:
    """One sentence: how many of how many agree (Portuguese)."""
    counts = table["confere"].value_counts()
    computed = len(table) - int(counts.get(NAO_SE_CALCULA, 0))
    return (
        f"Conferem {int(counts.get('sim', 0))} de {computed} números publicados que se calculam a partir de "
        f"codificações; outros {len(table) - computed} não se calculam, e a tabela diz por quê."
    )


def reproduction_page(table: pd.DataFrame, aviso: str) -> str:
    """The page as Markdown: the notice, the count, what differs, then all figures by section."""
    lines = ["---", "title: Números publicados e recalculados", "---", ""]
    if aviso:
        lines += [f"**Atenção.** {aviso}", ""]
    lines += [summary(table), ""]
    lines += [
        "Um número confere quando o recalculado, impresso no mesmo formato, dá o mesmo texto. O recalculado sai dos "
        "resultados dos notebooks, e de nenhum outro lugar.",
        "",
    ]
    wrong = table[table["confere"] == "não"]
    if len(wrong):
        lines += ["# Não conferem", "", _rows(wrong), ""]
    for section, rows in table.groupby(table["id"].str.split(".").str[0], sort=False):
        lines += [f"# `{section}`", "", _rows(rows), ""]
    return "\n".join(lines)


def _rows(table: pd.DataFrame) -> str:
    cells = [[f"`{row[0]}`", *row[1:]] for row in table[COLUNAS].itertuples(index=False, name=None)]
    return markdown(cells, COLUNAS, left=4)
