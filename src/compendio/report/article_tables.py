"""The article's tables, as Markdown: made only from the CSVs that the notebooks left in a study's reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from compendio.erros import ErroDeEstudo
from compendio.measure.coders import TODAS
from compendio.measure.cost import TODOS
from compendio.report.style import AUSENTE, intervalo, num, p_valor, pct
from compendio.report.validation_numbers import share_interval
from compendio.report.validation_tables import ESTADOS

#: Stands after a kappa whose comparison is circular.
MARCA = "°"
#: The table of divergences shows so many variables, those with most divergences, and so many pairs of each.
VARIAVEIS, PARES = 2, 4


class Tables:
    """The CSVs of `reports/<estudo>/tabelas`; `lidas` says which were read."""

    def __init__(self, pasta: Path) -> None:
        self.pasta = pasta
        self.lidas: list[str] = []

    def read(self, nome: str) -> pd.DataFrame:
        """One table as computed. Raises ErroDeEstudo where it is not there."""
        path = self.pasta / f"{nome}.csv"
        if not path.exists():
            raise ErroDeEstudo(f"{path} não existe: rode antes os notebooks do estudo.")
        if nome not in self.lidas:
            self.lidas.append(nome)
        return pd.read_csv(path)


def markdown(rows: Sequence[Sequence[str]], headings: Sequence[str], left: int = 1) -> str:
    """A pipe table; the first `left` columns to the left, the others to the right."""
    marks = [":--" if k < left else "--:" for k in range(len(headings))]
    lines = [headings, marks, *([_cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    if text.startswith("`"):
        return text  # code: taken as it stands
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")


def kappas(tables: Tables) -> str:
    """Kappa of every coder, one row a variable; interval of the jury's; `°` where circular."""
    table = tables.read("validacao-kappas")
    circular = table["circular"].fillna(False).astype(bool)
    table["celula"] = [num(k) + MARCA * c for k, c in zip(table["kappa"], circular, strict=True)]
    coders = list(dict.fromkeys(table["codificador"]))
    cells = table.set_index(["variavel", "codificador"])
    rows = []
    for variavel in dict.fromkeys(table["variavel"]):
        line = [variavel]
        for coder in coders:
            line.append(str(cells.loc[(variavel, coder), "celula"]))
            if coder == "juri":
                ends = cells.loc[(variavel, coder), ["ic_inf", "ic_sup"]]
                line.append(intervalo(float(ends["ic_inf"]), float(ends["ic_sup"])))
        rows.append(line)
    heads = [h for coder in coders for h in ([coder, "IC 95% (juri)"] if coder == "juri" else [coder])]
    return markdown(rows, ["variável", *heads])


def mcnemar(tables: Tables) -> str:
    """The jury against the main model."""
    rows = [
        [row.variavel, num(row.so_juri, 0), num(row.so_principal, 0), p_valor(row.p), p_valor(row.p_holm)]
        for row in tables.read("validacao-mcnemar").itertuples()
    ]
    return markdown(rows, ["variável", "só o júri certo", "só o principal certo", "p", "p (Holm)"])


def membros(tables: Tables) -> str:
    """Kappa of the jury minus that of each member, with the interval of the difference."""
    table = tables.read("validacao-membros")
    members = list(dict.fromkeys(table["membro"]))
    rows = []
    for variavel, own in table.groupby("variavel", sort=False):
        by_member = own.set_index("membro")
        line = [str(variavel)]
        for member in members:
            cell = by_member.loc[member, ["diferenca", "ic_inf", "ic_sup"]].astype(float)
            line.append(f"{num(cell['diferenca'])} {intervalo(cell['ic_inf'], cell['ic_sup'])}")
        rows.append(line)
    return markdown(rows, ["variável", *(f"juri − {member}" for member in members)])


def especies(tables: Tables) -> str:
    """Agreement by kind of decision, and of what is accepted kind after kind, over all variables."""
    kinds = tables.read("validacao-especies")
    accepted = tables.read("validacao-confianca")
    accepted = accepted[accepted["variavel"] == TODAS].set_index("aceitar")
    rows = []
    for row in kinds[kinds["variavel"] == TODAS].itertuples():
        total = accepted.loc[row.estado]
        rows.append(
            [
                ESTADOS[row.estado],
                num(row.n, 0),
                pct(row.concordancia),
                share_interval(row.ic_inf, row.ic_sup),
                pct(total["parte"]),
                pct(total["concordancia"]),
            ]
        )
    heads = ["espécie", "decisões", "concordância", "IC 95%", "parte aceita", "concordância do aceito"]
    return markdown(rows, heads)


def votos_revistos(tables: Tables) -> str:
    """Votes moved in the deliberation, per member."""
    rows = [
        [row.membro, *(num(x, 0) for x in (row.mudou, row.a_favor, row.contra, row.erro_por_erro))]
        for row in tables.read("validacao-votos-revistos").itertuples()
    ]
    return markdown(rows, ["membro", "revistos", "para a referência", "para longe dela", "erro por erro"])


def custo(tables: Tables) -> str:
    """Minutes of each member in each stage."""
    table = tables.read("validacao-custo")
    wide = table.pivot(index="membro", columns="etapa", values="minutos").fillna(0.0)
    members = [m for m in dict.fromkeys(table["membro"]) if m != TODOS] + [TODOS]
    rows = []
    for member in members:
        first, second = float(wide.loc[member, "rodada_1"]), float(wide.loc[member].get("deliberacao", 0.0))
        name = "todos" if member == TODOS else member
        rows.append([name, num(first, 0), num(second, 0), num(first + second, 0)])
    return markdown(rows, ["membro", "rodada 1 (min)", "deliberação (min)", "soma (min)"])


def divergencias(tables: Tables) -> str:
    """The pairs of categories behind most of the main model's divergences, with counterfactual kappas."""
    table = tables.read("divergencias-pares-principal")
    most = table.groupby("variavel", sort=False)["n"].sum().nlargest(VARIAVEIS).index
    table = table[table["variavel"].isin(most)]
    rows = []
    for _, own in table.groupby("variavel", sort=False):
        for row in own.head(PARES).itertuples():
            kappas = [row.kappa, row.kappa_sem_o_par, row.kappa_fundidas]
            printed = [AUSENTE if pd.isna(k) else num(float(k)) for k in kappas]
            rows.append([row.variavel, row.referencia, row.valor, num(row.n, 0), pct(row.parcela), *printed])
    heads = ["variável", "referência", "modelo", "n", "parte", "kappa", "sem o par", "fundidas"]
    return markdown(rows, heads, left=3)


#: Name in the template → what makes it.
TABELAS: Mapping[str, Callable[[Tables], str]] = {
    "kappas": kappas,
    "mcnemar": mcnemar,
    "membros": membros,
    "especies": especies,
    "votos-revistos": votos_revistos,
    "custo": custo,
    "divergencias": divergencias,
}
