"""The tables of the blocs as a reader sees them, and what is shown of one variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import display
from pandas.io.formats.style import Styler

from compendio.measure.blocs import POUCOS, Blocs, outvoted, pattern_flow, pattern_table, support_table
from compendio.measure.error_correlation import FamilyTest, pair_table
from compendio.report.bloc_figures import COM_NUMEROS, bloc_flow_figure, heat_figure
from compendio.report.style import como_tabela, contagem, num, p_valor, pct, short_notice

HEADINGS = {
    "variavel": "variável",
    "padrao": "padrão",
    "bloco": "bloco de uma família",
    "com_referencia": "com referência",
    "ninguem": "ninguém certo",
    "apoio": "no maior grupo",
    "certas": "maior grupo certo",
    "familia": "família que vence",
    "contra": "família vencida",
    "contra_com_a_referencia": "vencida tem razão",
    "familia_com_a_referencia": "vencedora tem razão",
    "relacao": "relação",
    "concordancia": "concordância",
    "correlacao_erros": "correlação dos erros",
    "erros_juntos": "erram juntos",
    "mesmo_erro": "mesmo erro",
    "correlacao_media": "correlação média",
    "n_efetivo": "jurados efetivos",
    "contra_a_maioria": "contra a maioria dos outros",
    "para_a_maioria": "foi para a maioria",
    "maioria_certa": "maioria certa",
    "maioria_errada": "maioria errada",
    "outra_direcao": "outra direção",
    "juri": "júri",
    "mudam": "valores que mudam",
    "diferenca": "diferença",
    "medida": "medida",
    "dentro": "mesma família",
    "entre": "famílias diferentes",
    "menor_p": "menor p possível",
    "esperada": "diferença esperada",
    "exatidao": "exatidão média",
    "pares_dentro": "pares dentro",
    "pares_entre": "pares entre",
}
_SHARES = {"concordancia", "exatidao", "mesmo_erro"}
_TWO = {"correlacao_erros", "correlacao_media", "diferenca", "dentro", "entre", "esperada"}
#: What needs a reference value to mean anything.
_OF_THE_REFERENCE = {
    "com_referencia",
    "ninguem",
    "certas",
    "contra_com_a_referencia",
    "familia_com_a_referencia",
    "correlacao_erros",
    "erros_juntos",
    "mesmo_erro",
    "maioria_certa",
    "maioria_errada",
    "acertos",
}


def shown(table: pd.DataFrame, referencia: bool = True, membros: tuple[str, ...] = ()) -> pd.DataFrame:
    """The table as text, with Portuguese headings; without a reference, without the columns that need one.

    `membros`: columns that say in how many decisions a member is right.
    """
    columns = {}
    for name in table.columns:
        if not referencia and (name in _OF_THE_REFERENCE or name in membros):
            continue
        heading = f"{name} certo" if name in membros else HEADINGS.get(name, name)
        columns[heading] = [_cell(str(name), value) for value in table[name]]
    return pd.DataFrame(columns)


def _cell(name: str, value: object) -> str:
    if isinstance(value, str):
        return HEADINGS.get(value, value) if name == "medida" else value
    number = float("nan") if pd.isna(value) else float(value)  # type: ignore[arg-type]
    if name in _SHARES:
        return pct(number)
    if name in ("p", "menor_p"):
        return p_valor(number)
    if name in _TWO:
        return num(number)
    return num(number, 1) if name == "n_efetivo" else contagem(number)


def publish(
    table: pd.DataFrame,
    pasta: Path,
    nome: str,
    aviso: str = "",
    referencia: bool = True,
    membros: tuple[str, ...] = (),
) -> Styler:
    """Save `<pasta>/<nome>.csv` as computed, and give the table as it is shown, the study's notice under it."""
    pasta.mkdir(parents=True, exist_ok=True)
    table.to_csv(pasta / f"{nome}.csv", index=False, encoding="utf-8", lineterminator="\n")
    return como_tabela(shown(table, referencia, membros), short_notice(aviso))


def family_test_table(tests: Mapping[str, FamilyTest]) -> pd.DataFrame:
    """One row a measure: `medida, dentro, entre, diferenca, pares_dentro, pares_entre, p, menor_p`."""
    names = ["dentro", "entre", "diferenca", "pares_dentro", "pares_entre", "p", "menor_p"]
    rows = [[name, *(getattr(test, field) for field in names)] for name, test in tests.items()]
    return pd.DataFrame(rows, columns=["medida", *names])


_WHAT = {
    "concordancia": ("concordam", "concordância média"),
    "correlacao_erros": ("erram juntos", "correlação média dos erros"),
    "mesmo_erro": ("dão o mesmo valor errado", "parte média"),
}


def family_test_sentence(test: FamilyTest, medida: str, membros: int) -> str:
    """What the permutation test of one measure says, and what it cannot say."""
    name = HEADINGS[medida].capitalize()
    if pd.isna(test.p):
        return f"**{name}:** não há pares das duas espécies, e por isso não há o que comparar."
    if not test.tem_poder:
        return (
            f"**{name}:** com {membros} membros nestas famílias o teste **não tem poder**. Mesmo que a família "
            f"explicasse tudo, o menor p possível seria {p_valor(test.menor_p)}: o p da tabela não diz nada, nem "
            "contra nem a favor."
        )
    verb, what = _WHAT[medida]
    p = p_valor(test.p)
    clear = test.diferenca > 0 and test.p < 0.05
    return (
        f"**{name}:** {'' if clear else 'não se pode dizer que '}membros da mesma família {verb} mais do que os de "
        f"famílias diferentes: {what} {num(test.dentro)} contra {num(test.entre)}, diferença {num(test.diferenca)} "
        f"(p {p if p.startswith('<') else '= ' + p}, {num(test.permutacoes, 0)} permutações)."
    )


def first_shown(blocs: Blocs) -> str:
    """The variable to show where a reader has chosen none: the one with most deliberated decisions.

    Among equals (all are, where nothing was deliberated) the one that divides the members most often, then
    codebook order. Free text is never deliberated, and so never stands before what is.
    """
    counts = {
        name: (int(part.asked.sum()), int((part.first.nunique(axis=1) > 1).sum()))
        for name in blocs.variaveis
        for part in [blocs.of(name)]
    }
    return max(counts, key=lambda name: counts[name])


@dataclass(frozen=True)
class BlocView:
    """What a reader sees of one variable: patterns before and after, who is outvoted, flow, heat maps."""

    blocs: Blocs
    aviso: str = ""

    def show(self, variavel: str) -> None:
        """Display it."""
        part = self.blocs.of(variavel)
        known, notice = bool(part.truth.notna().any()), short_notice(self.aviso)
        for name, votes in (("antes", part.first), ("depois da deliberação", part.after)):
            if name != "antes" and not part.asked.any():
                continue
            if len(part.membros) <= POUCOS:
                table = pattern_table(votes, part.truth, part.familias)
                text = shown(table.drop(columns="variavel"), known, tuple(part.membros))
            else:
                text = shown(support_table(votes, part.truth).drop(columns="variavel"), known)
            display(como_tabela(text, f"{variavel}, {name}.", notice))
            lost = outvoted(votes, part.truth, part.familias)
            if len(lost):
                display(como_tabela(shown(lost.drop(columns="variavel"), known), notice))
        if part.asked.any() and len(part.membros) <= POUCOS:
            self._figure(bloc_flow_figure(pattern_flow(part), variavel, self.aviso))
        if len(part.membros) <= COM_NUMEROS:
            pairs = pair_table(part.first, part.truth, part.familias)
            columns = ["concordancia", *(["correlacao_erros"] if known else [])]
            self._figure(heat_figure(pairs, part.familias, columns, self.aviso, f"{variavel}, rodada 1"))

    def _figure(self, figure: plt.Figure) -> None:
        display(figure)
        plt.close(figure)
