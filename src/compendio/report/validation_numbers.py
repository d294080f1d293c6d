"""The numbers of the validation, each with the name under which an article takes it and its printed form.

A number is `{"id", "valor", "impresso", "celula"}`; `celula` is the cell of the notebook that shows it.
Names are made of fixed words and of the study's own: variables, coders, states.

    amostra.*            kappa.<variavel>.<codificador>[.ic | .ic_inf | .ic_sup | .decididas | .parte_decidida]
    ac1.*, alfa.*        mcnemar.<variavel>.{p, p_holm, contagens}
    concordancia.<estado>.{n, pct, ic}                 confianca.<estado>.{parte, pct, ic}
    deliberacao.*        supervisor.*    auditoria.*    custo.*    melhor_membro.*    estabilidade.*
    texto_livre.<estado>, texto.<variavel>.<codificador>, conjuntos.<variavel>.<codificador>
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from compendio.contract import ESTADOS
from compendio.measure.audit_rate import AuditRate
from compendio.measure.coders import TODAS, Coders
from compendio.measure.cost import TODOS, Cost
from compendio.measure.kappa_tables import KappaTables
from compendio.report.style import AUSENTE, intervalo, num, p_valor, pct

Number = dict[str, Any]


def number(ident: str, valor: Any, impresso: str, celula: str) -> Number:
    """One number. NaN, which JSON does not know, becomes null; so do both ends of an undefined interval."""
    return {"id": ident, "valor": _plain(valor), "impresso": impresso, "celula": celula}


def _plain(valor: Any) -> Any:
    if isinstance(valor, list):
        return [_plain(item) for item in valor]
    if isinstance(valor, float):
        return None if math.isnan(valor) else valor
    return valor if isinstance(valor, int | str) or valor is None else valor.item()


def count(ident: str, valor: int, celula: str) -> Number:
    """A whole number."""
    return number(ident, int(valor), num(int(valor), 0), celula)


def versus(one: int, other: int) -> str:
    """Two counts against each other: `47 × 3`."""
    return f"{num(one, 0)} × {num(other, 0)}"


def about(hours: float) -> str:
    """Hours as one says them: `cerca de 2,5`; whole from 10 on, tens from 30 on."""
    if math.isnan(hours):
        return AUSENTE
    rounded = num(hours, 1) if hours < 10 else num(round(hours, -1 if hours >= 30 else 0), 0)
    return f"cerca de {rounded}"


def duration(hours: float) -> str:
    """A time as one says it: `cerca de 2,5 horas`; below one hour, `cerca de 12 minutos`."""
    if hours >= 1 or math.isnan(hours):
        return f"{about(hours)} horas"
    minutes = 60 * hours
    return f"cerca de {num(minutes, 0)} minutos" if minutes >= 1 else "menos de um minuto"


def share_interval(low: float, high: float, casas: int = 0) -> str:
    """An interval of a share: `[1,4%; 16,5%]`."""
    return f"[{pct(low, casas)}; {pct(high, casas)}]"


def sample_numbers(coders: Coders, corpus: int, celula: str) -> list[Number]:
    """What was coded."""
    documents = coders.values.index.get_level_values("documento").nunique()
    numbers = [
        count("amostra.documentos", documents, celula),
        count("amostra.decisoes_total", len(coders.values), celula),
        count("amostra.corpus", corpus, celula),
    ]
    if coders.reference:
        name = coders.reference.codificador
        numbers.append(number("referencia.codificador", name, name, celula))
        numbers.append(count("referencia.documentos", coders.reference.documentos, celula))
    return numbers


def kappa_numbers(tables: KappaTables, celula: str) -> list[Number]:
    """Kappas with intervals, AC1 and alpha, kappas on decided rows, the prevalent category."""
    numbers = []
    for row in tables.kappas.itertuples():
        name = f"kappa.{row.variavel}.{row.codificador}"
        numbers += [
            number(name, row.kappa, num(row.kappa), celula),
            number(f"{name}.ic", [row.ic_inf, row.ic_sup], intervalo(row.ic_inf, row.ic_sup), celula),
            number(f"{name}.ic_inf", row.ic_inf, num(row.ic_inf), celula),
            number(f"{name}.ic_sup", row.ic_sup, num(row.ic_sup), celula),
            number(f"ac1.{row.variavel}.{row.codificador}", row.ac1, num(row.ac1), celula),
            number(f"alfa.{row.variavel}.{row.codificador}", row.alfa, num(row.alfa), celula),
        ]
    for row in tables.decided.itertuples():
        name = f"kappa.{row.variavel}.{row.codificador}"
        numbers.append(number(f"{name}.decididas", row.kappa, num(row.kappa), celula))
        numbers.append(number(f"{name}.parte_decidida", row.parte, pct(row.parte), celula))
    for row in tables.variables.itertuples():
        numbers.append(number(f"prevalencia.{row.variavel}", row.prevalencia, pct(row.prevalencia), celula))
    return numbers


def agreement_numbers(prefixo: str, table: pd.DataFrame, celula: str) -> list[Number]:
    """`<prefixo>.<variavel>.<codificador>` of a table of equal values (free text, sets), with `.ic`."""
    numbers = []
    for row in table.itertuples():
        name = f"{prefixo}.{row.variavel}.{row.codificador}"
        numbers.append(number(name, row.concordancia, pct(row.concordancia), celula))
        ends = [row.ic_inf, row.ic_sup]
        numbers.append(number(f"{name}.ic", ends, share_interval(row.ic_inf, row.ic_sup), celula))
    return numbers


def mcnemar_numbers(table: pd.DataFrame, celula: str) -> list[Number]:
    """p, Holm's p and the counts, jury first."""
    numbers = []
    for row in table.itertuples():
        name, pair = f"mcnemar.{row.variavel}", [int(row.so_juri), int(row.so_principal)]
        numbers += [
            number(f"{name}.p", row.p, p_valor(row.p), celula),
            number(f"{name}.p_holm", row.p_holm, p_valor(row.p_holm), celula),
            number(f"{name}.contagens", pair, versus(*pair), celula),
        ]
    return numbers


def member_numbers(members: pd.DataFrame, summary: pd.DataFrame, celula: str) -> list[Number]:
    """The member that beats all others most often (several where they tie; `nenhum`), and pooled agreements."""
    numbers = []
    beats = summary.dropna(subset="supera_todos").set_index("codificador")["supera_todos"].astype(int)
    variables = int(members["variavel"].nunique())
    if variables:
        best = ", ".join(beats.index[beats == beats.max()]) if beats.max() > 0 else "nenhum"
        numbers += [
            number("melhor_membro.nome", best, best, celula),
            count("melhor_membro.variaveis_em_que_supera_todos_e_o_juri", int(beats.max()), celula),
            count("melhor_membro.variaveis", variables, celula),
        ]
    for row in summary.itertuples():
        name = f"concordancia_total.{row.codificador}"
        ends = [row.ic_inf, row.ic_sup]
        numbers.append(number(name, row.concordancia, pct(row.concordancia), celula))
        numbers.append(number(f"{name}.ic", ends, share_interval(row.ic_inf, row.ic_sup), celula))
    return numbers


def kind_numbers(kinds: pd.DataFrame, reliance: pd.DataFrame, celula: str) -> list[Number]:
    """Agreement by kind of decision, and what is accepted with it, over all variables."""
    numbers = []
    for row in kinds[kinds["variavel"] == TODAS].itertuples():
        name, ends = f"concordancia.{row.estado}", [row.ic_inf, row.ic_sup]
        numbers += [
            count(f"{name}.n", row.n, celula),
            number(f"{name}.pct", row.concordancia, pct(row.concordancia), celula),
            number(f"{name}.ic", ends, share_interval(row.ic_inf, row.ic_sup), celula),
        ]
    for row in reliance[reliance["variavel"] == TODAS].itertuples():
        name, ends = f"confianca.{row.aceitar}", [row.ic_inf, row.ic_sup]
        numbers += [
            number(f"{name}.parte", row.parte, pct(row.parte), celula),
            number(f"{name}.pct", row.concordancia, pct(row.concordancia), celula),
            number(f"{name}.ic", ends, share_interval(row.ic_inf, row.ic_sup), celula),
        ]
    return numbers


def state_numbers(coders: Coders, celula: str) -> list[Number]:
    """How many free-text decisions the jury took in each state."""
    state = coders.decisions["juri"]["estado"][(coders.tipos == "texto").to_numpy()]
    counts = state.value_counts()
    return [count(f"texto_livre.{name}", counts[name], celula) for name in ESTADOS if name in counts.index]


def deliberation_numbers(moves: pd.DataFrame, decisions: pd.DataFrame, celula: str) -> list[Number]:
    """Votes towards × away from the reference, per member; what became of the decisions."""
    total = decisions.set_index("variavel").loc[TODAS]
    names = {
        "decisoes_deliberadas": "deliberadas",
        "unanimes_categoricas": "unanimes_categoricas",
        "chegaram_a_maioria": "chegaram_a_maioria",
        "sem_maioria_categoricas": "sem_maioria",
        "decisao_mudou": "mudou",
    }
    numbers = [count(f"deliberacao.{name}", total[column], celula) for name, column in names.items()]
    pair = [int(total["a_favor"]), int(total["contra"])]
    numbers.append(number("deliberacao.decisoes_a_favor_e_contra", pair, versus(*pair), celula))
    for row in moves.itertuples():
        name, pair = f"deliberacao.votos_revistos.{row.membro}", [int(row.a_favor), int(row.contra)]
        numbers.append(number(name, pair, versus(*pair), celula))
        numbers.append(count(f"{name}.erro_por_erro", row.erro_por_erro, celula))
    return numbers


def supervisor_numbers(effect: pd.DataFrame, celula: str) -> list[Number]:
    """What was sent, chosen and left without an adequate candidate, what was right before and after.

    Nothing where none was sent.
    """
    total = effect[effect["variavel"] == TODAS]
    if total.empty:
        return []
    names = {"decisoes": "enviadas", "escolhidas": "escolhidas"}
    names |= {"certas_antes": "certas_antes", "certas_depois": "certas_depois"}
    names |= {"nenhum_adequado": "nenhum_adequado"}
    return [count(f"supervisor.{name}", total[column].iloc[0], celula) for name, column in names.items()]


def audit_numbers(audit: AuditRate, celula: str) -> list[Number]:
    """Judged, wrong, the rate with Wilson's interval, and the reference on the same items."""
    ends = [audit.low, audit.high]
    return [
        count("auditoria.julgadas", audit.judged, celula),
        count("auditoria.erradas", audit.wrong, celula),
        number("auditoria.taxa", audit.rate, pct(audit.rate, 1), celula),
        number("auditoria.ic", ends, share_interval(audit.low, audit.high, 1), celula),
        number("auditoria.ic_inf", audit.low, pct(audit.low, 1), celula),
        number("auditoria.ic_sup", audit.high, pct(audit.high, 1), celula),
        count("auditoria.com_referencia", audit.with_reference, celula),
        count("auditoria.referencia_diverge", audit.reference_wrong, celula),
        count("auditoria.ambas_divergem", audit.both_wrong, celula),
    ]


def cost_numbers(cost: Cost, celula: str) -> list[Number]:
    """Minutes by stage and member, times the main model, hours of sample and corpus."""
    numbers = []
    for row in cost.minutes.itertuples():
        name = "total" if row.membro == TODOS else row.membro
        numbers.append(number(f"custo.{row.etapa}.{name}", row.minutos, num(row.minutos, 0), celula))
    return [
        *numbers,
        number("custo.vezes_o_principal", cost.times_main, num(cost.times_main, 1), celula),
        number("custo.total_horas", cost.hours, about(cost.hours), celula),
        number("custo.corpus_inteiro_horas", cost.corpus_hours, about(cost.corpus_hours), celula),
    ]


def stability_numbers(table: pd.DataFrame, celula: str) -> list[Number]:
    """`estabilidade.<codificador>[.<variavel>]`: share that changed, with `.ic` and `.n`."""
    numbers: list[Number] = []
    for row in table.itertuples():
        suffix: Sequence[str] = [] if row.variavel == TODAS else [row.variavel]
        name = ".".join(["estabilidade", row.codificador, *suffix])
        ends = [row.ic_inf, row.ic_sup]
        numbers += [
            number(name, row.parte, pct(row.parte), celula),
            number(f"{name}.ic", ends, share_interval(row.ic_inf, row.ic_sup), celula),
            count(f"{name}.n", row.n, celula),
        ]
    return numbers
