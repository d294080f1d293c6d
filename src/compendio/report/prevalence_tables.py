"""The prevalence in the whole corpus as a reader sees it: one row a category, a table's sentences, its numbers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from pandas.io.formats.style import Styler

from compendio.measure.ppi import SEM_OUTROS
from compendio.measure.prevalence import CORRIGIDA, ESTIMADORES, INGENUA, REFERENCIA, Coding
from compendio.report.style import AUSENTE, num, pct
from compendio.report.validation_numbers import Number, count, number, share_interval
from compendio.report.validation_tables import page, save_table
from compendio.study import Study

TITULOS = {INGENUA: "ingênua", REFERENCIA: "referência", CORRIGIDA: "corrigida"}


def publish_prevalence(table: pd.DataFrame, pasta: Path, nome: str, aviso: str = "") -> Styler:
    """Save `<pasta>/<nome>.csv` as computed (`prevalence_table`) and give it with the three shares side by side."""
    save_table(table, pasta, nome)
    circular = bool(table["circular"].fillna(False).any())
    return page(prevalence_shown(table), aviso, "«circular»" if circular else "")


def prevalence_shown(table: pd.DataFrame) -> pd.DataFrame:
    """One row a category: the shares with their intervals and n, and how many coded documents the last is worth."""
    rows = []
    for (variavel, categoria), part in table.groupby(["variavel", "categoria"], sort=False):
        by = part.set_index("estimador").loc[list(ESTIMADORES)]
        cells = {"variável": variavel, "categoria": categoria}
        for estimador in ESTIMADORES:
            cells[f"{TITULOS[estimador]} [IC 95%]"] = _share(by.loc[estimador])
        cells["n de cada uma"] = " · ".join(num(n, 0) for n in by["n"])
        if table.loc[table["estimador"] == CORRIGIDA, "equivale"].notna().any():
            cells["equivale a"] = num(by.loc[CORRIGIDA, "equivale"], 0)
        if by["circular"].fillna(False).any():
            cells["circular"] = "circular"
        rows.append(cells)
    return pd.DataFrame(rows)


def _share(row: pd.Series) -> str:
    if pd.isna(row["proporcao"]):
        return AUSENTE
    return f"{pct(row['proporcao'], 1)} {share_interval(row['ic_inf'], row['ic_sup'], 1)}"


def publish_rehearsal(table: pd.DataFrame, pasta: Path, nome: str, aviso: str = "") -> Styler:
    """Save `<pasta>/<nome>.csv` as computed (`rehearsal_table`) and give it in words."""
    save_table(table, pasta, nome)
    shown = pd.DataFrame(
        {
            "proporção": [TITULOS[name] for name in table["estimador"]],
            "distância média da verdadeira, em pontos": [num(100 * x, 1) for x in table["distancia"]],
            "intervalos que a contêm": [pct(x) for x in table["contem"]],
            "largura média do intervalo, em pontos": [num(100 * x, 1) for x in table["largura"]],
        }
    )
    return page(shown, aviso, "")


def prevalence_sentences(study: Study, coding: Coding, table: pd.DataFrame) -> list[str]:
    """What the table is of, what cannot be estimated and why, and how far the naive share is off (Portuguese)."""
    if table.empty:
        return ["O estudo não tem variável com categorias: não há proporção a estimar."]
    if coding.corpus is None:
        lines = [
            "Sem codificação de referência, quem faz a vez dela é o auditor, em decisões unânimes sorteadas: as "
            "proporções são as das decisões unânimes do júri, e não as do corpus. Cada decisão pesa pela "
            "probabilidade com que entrou no sorteio."
        ]
        if (table["motivo"] == SEM_OUTROS).any():
            lines.append("Onde todas as decisões unânimes foram julgadas, não há o que corrigir.")
        return lines + _largest(table)
    machine, both = (num(coding.documents(which), 0) for which in ("maquina", "ambas"))
    who = "o júri" if coding.fonte == "juri" else f"o modelo principal ({coding.fonte})"
    total = f"Corpus: {num(coding.corpus, 0)} documentos. A máquina é {who}, que codificou {machine}."
    if coding.codificador is None:
        return [f"{total} Não há referência: só há a proporção ingênua, e nada diz quanto ela erra."]
    coded = coding.documents("referencia")
    lines = [f"{total} A referência, {coding.codificador}, codificou {num(coded, 0)}; as duas, {both}."]
    of_reference = table[table["estimador"] == REFERENCIA]
    if (of_reference["n"] == coding.corpus).all():
        lines.append(
            "A referência codificou o corpus inteiro: não há documento de fora a estimar. A proporção dela é a do "
            "corpus, sem erro de sorteio, e a distância até ela é o erro da ingênua."
        )
        return lines + _largest(table)
    blank = of_reference.loc[of_reference["n"] < coded, "variavel"].unique()
    if len(blank):
        lines.append(
            f"A referência deixou valores em branco em {', '.join(blank)}: ali contam só os documentos com valor, "
            "como se os outros tivessem ficado de fora por sorteio."
        )
    return lines + _not_corrected(study, table) + _draw(study, coding) + _largest(table)


def _not_corrected(study: Study, table: pd.DataFrame) -> list[str]:
    """Why there is no corrected share, where there is none, and what would give one."""
    corrected = table[table["estimador"] == CORRIGIDA]
    lines = []
    for reason in corrected["motivo"].dropna().unique():
        names = corrected.loc[corrected["motivo"] == reason, "variavel"].unique()
        everywhere = len(names) == corrected["variavel"].nunique()
        where = "" if everywhere else f" em {', '.join(names)}"
        lines.append(f"A corrigida não se estima{where}: {reason}. Vale a da referência.")
    if lines and study.textos and not study.principal_corpus_inteiro:
        lines.append(
            "Com principal_corpus_inteiro: true no estudo.yaml, o modelo principal codifica o corpus inteiro, e a "
            "máquina passa a ter códigos de todos os documentos."
        )
    return lines


def _draw(study: Study, coding: Coding) -> list[str]:
    """What the estimates take for granted about the draw."""
    lines, held = [], len(study.documents())
    if coding.corpus != held:
        lines.append(
            f"O estudo guarda {num(held, 0)} dos {num(coding.corpus, 0)} documentos do corpus: a conta supõe que "
            "foram sorteados."
        )
    if coding.sorteio == "semente":
        lines.append("Os documentos da referência são os primeiros da ordem sorteada pelo estudo.")
    if coding.sorteio == "suposto":
        lines.append(
            "O estudo não diz como foram escolhidos os documentos da referência. A conta supõe um sorteio: se foram "
            "os mais fáceis, ou os já conhecidos, nem a proporção dela nem a corrigida valem para o corpus."
        )
    return lines


def _largest(table: pd.DataFrame) -> list[str]:
    """Where the naive share is farthest from the best there is, and how often it is outside its interval."""
    wide = table.pivot(index=["variavel", "categoria"], columns="estimador", values="proporcao")
    best = CORRIGIDA if wide[CORRIGIDA].notna().any() else REFERENCIA
    gap = (wide[INGENUA] - wide[best]).abs()
    if not gap.notna().any():
        return []
    variavel, categoria = gap.idxmax()
    rows = table[table["estimador"] == best].set_index(["variavel", "categoria"])
    there = wide[INGENUA][gap.notna()]
    ends = rows.loc[there.index]
    outside = int(((there < ends["ic_inf"]) | (there > ends["ic_sup"])).sum())
    name = "corrigida" if best == CORRIGIDA else "referência"
    lines = [
        f"A ingênua mais se afasta da {name} em «{categoria}» ({variavel}): {pct(wide[INGENUA][gap.idxmax()], 1)} "
        f"contra {pct(wide[best][gap.idxmax()], 1)}."
    ]
    if (ends["ic_inf"] < ends["ic_sup"]).any():
        lines.append(f"Ela fica fora do intervalo da {name} em {outside} de {len(there)} categorias.")
    return lines


def prevalence_numbers(table: pd.DataFrame, celula: str) -> list[Number]:
    """`prevalencia_corpus.<variavel>.<categoria>.<estimador>` with `.ic` and `.n`; only what is defined."""
    numbers = []
    for row in table[table["proporcao"].notna()].itertuples():
        name = f"prevalencia_corpus.{row.variavel}.{row.categoria}.{row.estimador}"
        ends = [row.ic_inf, row.ic_sup]
        numbers += [
            number(name, row.proporcao, pct(row.proporcao, 1), celula),
            number(f"{name}.ic", ends, share_interval(row.ic_inf, row.ic_sup, 1), celula),
            count(f"{name}.n", row.n, celula),
        ]
    return numbers


def rehearsal_numbers(table: pd.DataFrame, celula: str) -> list[Number]:
    """`prevalencia_ensaio.<estimador>.{distancia, contem}` (distance in points of a percentage)."""
    numbers = []
    for row in table.itertuples():
        name = f"prevalencia_ensaio.{row.estimador}"
        numbers.append(number(f"{name}.distancia", 100 * row.distancia, num(100 * row.distancia, 1), celula))
        numbers.append(number(f"{name}.contem", row.contem, pct(row.contem), celula))
    return numbers
