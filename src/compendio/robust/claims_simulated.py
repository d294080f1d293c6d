"""Claims that a simulation can bear out or contradict: one function a claim, each with its rule.

The argument of each function is the study of `studies` of the same question.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from compendio.report.style import num, pct
from compendio.robust.claim import EM_PARTE, NAO_VALE, VALE, Claim
from compendio.robust.corruption import SHORT
from compendio.robust.experiment import compare, summarise


def _rmse(runs: pd.DataFrame, by: list[str], aggregator: str) -> pd.Series:
    table = summarise(runs, by)
    return table[table["agregador"] == aggregator].set_index(by)["rmse"]


def unbounded(runs: pd.DataFrame) -> Claim:
    error = _rmse(runs, ["deslocamento"], "media")
    far = error[error.index >= 10]
    slope = float(np.polyfit(np.log(far.index.to_numpy(dtype=float)), np.log(far.to_numpy()), 1)[0])
    return Claim(
        "media_sem_limite",
        "Com qualquer contaminação, o viés da média não tem limite: cresce em linha reta com o "
        "deslocamento.",
        f"3 de 10 juízes deslocados de 10 a 1.000 escalas: o erro da média vai de {num(far.iloc[0], 1)} a "
        f"{num(far.iloc[-1], 1)} notas (inclinação log-log {num(slope)}; 1 é linha reta).",
        VALE if abs(slope - 1) < 0.05 else NAO_VALE,
        slope,
    )  # fmt: skip


def more_judges(runs: pd.DataFrame) -> Claim:
    error = _rmse(runs, ["juizes"], "media")
    bias = 0.3 * 2.0  # 30% of the judges give 0 where the truth is 2 on average
    ratio = float(error.iloc[-1] / error.iloc[0])
    return Claim(
        "mais_juizes",
        "Mais juízes reduzem a variância, mas não corrigem a média contaminada.",
        f"Cada juiz falha (zeros) com probabilidade 0,3: com {error.index[0]} juízes o erro da média é "
        f"{num(error.iloc[0])}; com {error.index[-1]}, {num(error.iloc[-1])}, acima do viés médio de "
        f"{num(bias)}.",
        VALE if error.iloc[-1] > bias and ratio < 1 else NAO_VALE,
        ratio,
    )


def independent_failures(runs: pd.DataFrame) -> Claim:
    pairs = compare(runs, ["juizes"], "mediana_geometrica", "media").set_index("juizes")
    worse = pairs.index[pairs["ic_baixo"] > 1]
    better = pairs.index[pairs["ic_alto"] < 1]
    verdict = NAO_VALE if not len(better) else VALE if not len(worse) else EM_PARTE
    return Claim(
        "painel_pequeno",
        "Um painel pequeno agregado pela mediana geométrica resiste a 30% de contaminação.",
        "Se cada juiz falha por si com probabilidade 0,3, painéis pequenos têm muitas vezes maioria de "
        "falhas: "
        f"o erro da mediana geométrica sobre o da média é {num(pairs['razao'].iloc[0])} com "
        f"{pairs.index[0]} juízes e "
        f"{num(pairs['razao'].iloc[-1])} com {pairs.index[-1]} (pior que a média com {_list(worse)}; "
        f"melhor com {_list(better)}).",
        verdict,
        float(pairs["razao"].iloc[0]),
    )  # fmt: skip


def stable(runs: pd.DataFrame) -> Claim:
    error = _rmse(runs, ["deslocamento"], "mediana_geometrica")
    growth = float(error.iloc[-1] / error[10])
    return Claim(
        "mediana_estavel",
        "O erro da mediana geométrica não cresce com o deslocamento.",
        f"Mesmos painéis: de {num(error[10])} (10 escalas) a {num(error.iloc[-1])} notas (1.000 escalas).",
        VALE if growth < 1.05 else NAO_VALE,
        growth,
    )


def orders(runs: pd.DataFrame) -> Claim:
    far = runs[(runs["regime"] == "cauchy") & runs["numero"].between(1, 4)]
    pairs = compare(far, ["numero"], "media", "mediana_geometrica")
    low, high = float(pairs["razao"].min()), float(pairs["razao"].max())
    return Claim(
        "cauchy",
        "Sob Cauchy distante, a mediana geométrica vence a média por ordens de grandeza.",
        f"Com 1 a 4 de 10 juízes a falhar, o erro da média é de {num(low, 0)} a {num(high, 0)} vezes o "
        "da mediana "
        "geométrica. A razão depende do deslocamento, que aqui se escolheu (10 escalas): confirma o "
        "mecanismo, "
        "não a faixa publicada.",
        VALE if low >= 10 else NAO_VALE,
        high,
    )


def joint(runs: pd.DataFrame) -> Claim:
    by = ["juizes", "dimensoes"]
    median = compare(runs, by, "mediana_coordenada", "mediana_geometrica")
    average = compare(runs, by, "media", "mediana_geometrica")
    wins = bool((median["ic_baixo"] > 1).all() and (average["ic_baixo"] > 1).all())
    any_win = bool((median["ic_baixo"] > 1).any() and (average["ic_baixo"] > 1).any())
    return Claim(
        "bimodal",
        "Sob falha bimodal (plausível por eixo, anômala em conjunto), vence a média e a mediana por "
        "coordenada.",
        f"30% dos juízes: o erro da mediana por coordenada é de {num(median['razao'].min())} a "
        f"{num(median['razao'].max())} vezes o da geométrica, e o da média de "
        f"{num(average['razao'].min())} a "
        f"{num(average['razao'].max())} vezes (10 e 20 juízes, 2 e 5 dimensões).",
        VALE if wins else EM_PARTE if any_win else NAO_VALE,
        float(median["razao"].max()),
    )


def trimming(runs: pd.DataFrame) -> Claim:
    trimmed = _rmse(runs, ["numero", "beta"], "media_aparada")
    below, enough = trimmed[(3, 0.2)], trimmed[(3, 0.3)]
    return Claim(
        "aparada",
        "A média aparada depende de acertar a taxa de contaminação; a mediana geométrica não tem o que "
        "ajustar.",
        f"3 de 10 juízes distantes: com β = 0,2 o erro é {num(below)}; com β = 0,3, {num(enough)}. Sem "
        "falhas, aparar "
        f"0,4 custa pouco: {num(trimmed[(0, 0.4)])} contra {num(trimmed[(0, 0.1)])} com β = 0,1.",
        VALE if below > 10 * enough else NAO_VALE,
        float(below / enough),
    )


def breakdown(runs: pd.DataFrame) -> Claim:
    error = _rmse(runs[runs["correlacao"] == 0], ["juizes", "numero"], "mediana_geometrica")
    holds, falls = _around_half(error)
    return Claim(
        "ruptura",
        "O ponto de ruptura é ⌈N/2⌉/N: a mediana geométrica resiste a menos da metade, e não à metade.",
        f"Falhas a 100.000 escalas, 5, 6 e 7 juízes: o maior erro com menos da metade é {num(holds)}; "
        "o menor com "
        f"metade ou mais, {num(falls, 0)} notas.",
        VALE if holds < 4 < falls else NAO_VALE,
        holds,
    )


def _around_half(error: pd.Series) -> tuple[float, float]:
    """The largest error with fewer than half failing, the smallest with half or more."""
    judges = error.index.get_level_values("juizes").to_numpy()
    number = error.index.get_level_values("numero").to_numpy()
    below = 2 * number < judges
    return float(error[below].max()), float(error[~below].min())


def at_half(runs: pd.DataFrame) -> Claim:
    half = runs[(runs["numero"] == 5) & (runs["regime"] != "ruido")]
    pairs = compare(half, ["regime"], "mediana_geometrica", "media").set_index("regime")
    worse = pairs.index[pairs["ic_baixo"] > 1]
    return Claim(
        "na_metade",
        "É uma substituição direta da média: sob falhas enviesadas, nunca piora.",
        "Com 5 de 10 juízes a falhar, o erro da mediana geométrica sobre o da média é "
        + "; ".join(f"{num(row['razao'])} ({SHORT[regime]})" for regime, row in pairs.iterrows())
        + ". Quando metade concorda no erro (zeros), ela escolhe o erro; a média fica no meio.",
        EM_PARTE if len(worse) else VALE,
        float(pairs["razao"].max()),
    )


def bound(table: pd.DataFrame) -> Claim:
    worst = table.assign(uso=table["maior_razao"] / table["constante"]).nlargest(1, "uso").iloc[0]
    return Claim(
        "teorema_1",
        "Teorema 1: o erro é limitado por uma constante vezes o raio dos honestos, se falha menos da metade.",
        f"Em {num(table['paineis'].sum(), 0)} painéis com 0 a 4 de 10 a falhar, o erro nunca passou da "
        "constante de "
        f"Minsker (2015) vezes o raio; chegou no máximo a {pct(worst['uso'])} dela.",
        VALE if (table["maior_razao"] <= table["constante"]).all() else NAO_VALE,
        float(worst["uso"]),
    )


def rate(runs: pd.DataFrame) -> Claim:
    error = _rmse(runs[runs["dimensoes"] == 5], ["juizes"], "mediana_geometrica")
    slope = float(np.polyfit(np.log(error.index.to_numpy(dtype=float)), np.log(error.to_numpy()), 1)[0])
    return Claim(
        "teorema_2",
        "Teorema 2: sem falhas, o erro cai como σ√(d/N); o limite inferior minimax tem folga de √d.",
        f"O erro cai com N na inclinação log-log {num(slope)} (−0,5 pela teoria). O limite inferior e "
        "a dificuldade "
        "da mediana de Tukey são teoremas, que simulação não testa.",
        EM_PARTE if abs(slope + 0.5) < 0.05 else NAO_VALE,
        slope,
    )


def premium(runs: pd.DataFrame) -> Claim:
    pairs = compare(runs, ["juizes", "dimensoes"], "mediana_geometrica", "media")
    many, one = pairs[pairs["dimensoes"] >= 5]["razao"] - 1, pairs[pairs["dimensoes"] == 1]["razao"] - 1
    return Claim(
        "premio",
        "Sem falhas, a robustez custa pouco: um prêmio de poucos por cento no erro.",
        f"O prêmio depende das dimensões: de {pct(many.min(), 1)} a {pct(many.max(), 1)} com 5 ou 8, mas de "
        f"{pct(one.min(), 1)} a {pct(one.max(), 1)} com uma só, em que é a mediana comum. Sem falhas a "
        "média "
        "vence sempre.",
        VALE if one.max() < 0.1 else EM_PARTE if many.max() < 0.1 else NAO_VALE,
        float(one.max()),
    )


def noise(runs: pd.DataFrame) -> Claim:
    pairs = compare(runs, ["desvio"], "mediana_geometrica", "media").set_index("desvio")
    equal, noisier = pairs.iloc[0], pairs.iloc[1:]
    optimal = bool((pairs["ic_baixo"] > 1).all())
    worse = noisier.index[noisier["ic_alto"] < 1]
    return Claim(
        "ruido",
        "Para ruído sem viés a média é ótima.",
        "Só quando os juízes ruidosos erram como os outros (razão mediana/média "
        f"{num(equal['razao'])}). Com 3 de 10 a "
        f"errar 2, 4 e 8 vezes mais, a razão é {', '.join(num(v) for v in noisier['razao'])}: a mediana "
        "geométrica vence, porque desconta quem está longe mesmo sem viés.",
        VALE if optimal else EM_PARTE if equal["ic_baixo"] > 1 and len(worse) else NAO_VALE,
        float(noisier["razao"].min()),
    )


def effective(table: pd.DataFrame) -> Claim:
    inside = (table["ic_baixo"] <= table["formula"]) & (table["formula"] <= table["ic_alto"])
    off = float((table["simulado"] / table["formula"] - 1).abs().max())
    return Claim(
        "n_efetivo",
        "Lema 3: juízes correlacionados valem N/(1+(N−1)γ̄) juízes independentes.",
        f"A fórmula cai no intervalo de 95% de {inside.sum()} das {len(table)} simulações (3, 7 e 13 "
        "juízes, γ̄ de 0 a "
        f"0,8); maior diferença {pct(off, 1)}. Treze juízes com γ̄ = 0,5 valem "
        f"{num(table.query('juizes == 13 and correlacao == 0.5')['formula'].iloc[0])}.",
        VALE if off < 0.1 and inside.mean() >= 0.75 else NAO_VALE,
        off,
    )


def correlated(runs: pd.DataFrame) -> Claim:
    error = _rmse(runs[runs["correlacao"] == 0.5], ["juizes", "numero"], "mediana_geometrica")
    holds, falls = _around_half(error)
    return Claim(
        "ruptura_correlacao",
        "Lema 3: a correlação entre juízes não muda o ponto de ruptura.",
        f"Com γ̄ = 0,5, o maior erro com menos da metade a falhar é {num(holds)}; o menor com metade "
        "ou mais, "
        f"{num(falls, 0)} notas.",
        VALE if holds < 4 < falls else NAO_VALE,
        holds,
    )


def weiszfeld(table: pd.DataFrame) -> Claim:
    hundred = table[table["passos"] == 100]
    worst = hundred.nlargest(1, "maior").iloc[0]
    return Claim(
        "weiszfeld",
        "A iteração de Weiszfeld modificada converge em O(log 1/ε) passos.",
        f"Na maioria dos painéis, sim; mas depois de 100 passos {pct(hundred['longe'].max(), 1)} deles "
        "(no pior grupo) "
        f"ainda estão a mais de 0,000001 da mediana, e um a {num(worst['maior'], 3)}: quando a mediana "
        "é o voto de um "
        "juiz, ou quase, ela se arrasta. O método exato deixa resíduo de no máximo "
        f"{table['residuo_exato'].max():.0e}.",
        EM_PARTE if hundred["longe"].max() > 0 else VALE,
        float(worst["maior"]),
    )  # fmt: skip


def _list(values: pd.Index) -> str:
    return ", ".join(str(v) for v in values) if len(values) else "nenhum"
