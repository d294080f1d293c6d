"""Recompute every published figure from the study's CSV files alone: `python data/piloto/conferir.py`.

Independent of the search and of the package: pandas, scikit-learn and statsmodels, and the rules of
the jury written out once more. Prints id, publicado, recalculado, confere; fails where one differs.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

PASTA = Path(__file__).resolve().parent
LIVRE = "periodo_analisado"


def comma(x: float, places: int) -> str:
    return f"{x:.{places}f}".replace(".", ",")


def percent(k: int, n: int, places: int = 0) -> str:
    return comma(100 * k / n, places) + "%"


def majority(values: list[str]) -> str | None:
    """The value that more than half of the three members gave."""
    value, votes = Counter(values).most_common(1)[0]
    return value if votes > len(values) / 2 else None


def load() -> tuple[dict[str, Any], dict[str, Any], pd.DataFrame, pd.DataFrame]:
    """Published figures, study, one row a decision (all coders and `estado`), and the raw votes."""
    published = yaml.safe_load((PASTA / "numeros-publicados.yaml").read_text(encoding="utf-8"))
    study = yaml.safe_load((PASTA / "estudo.yaml").read_text(encoding="utf-8"))
    members = [m["nome"] for m in study["membros"]]
    key = ["documento", "variavel"]
    votes = pd.concat(
        pd.read_csv(PASTA / "votos" / (re.sub(r"[^A-Za-z0-9._-]", "-", m) + ".csv")).assign(membro=m)
        for m in members
    )
    wide = votes.pivot(index=key, columns=["rodada", "membro"], values="valor")
    table = pd.DataFrame({m: wide[1, m] for m in members})
    for m in members:
        table[f"{m} 2"] = wide[2, m].fillna(wide[1, m])
    table["ref"] = pd.read_csv(PASTA / "referencia" / "claude-opus.csv").set_index(key)["valor"]
    main = table[study["principal"]]
    first = table[members].apply(lambda row: majority(list(row)), axis=1)
    second = table[[f"{m} 2" for m in members]].apply(lambda row: majority(list(row)), axis=1)
    table["juri-r1"], table["juri"] = first.fillna(main), second.fillna(main)
    unanimous = table[members].nunique(axis=1) == 1
    table["deliberou"] = wide[2].notna().all(axis=1)
    free = table.index.get_level_values("variavel") == LIVRE
    assert (table["deliberou"] == (~unanimous & ~free)).all(), "deliberated: categorical and not unanimous"
    table["estado"] = np.select(
        [unanimous, second.isna(), table["deliberou"]], ["unanime", "sem_maioria", "deliberada"], "maioria"
    )
    choices = pd.read_csv(PASTA / "supervisor" / "escolhas.csv").set_index(key)["escolha"]
    assert set(choices.index) == set(table.index[(table["estado"] == "sem_maioria") & ~free])
    for pair, choice in choices.items():
        candidates = set(table.loc[pair, [f"{m} 2" for m in members]])
        assert choice in candidates | {"nenhum_adequado"}, f"{pair}: {choice} is no candidate"
    chosen = choices[choices != "nenhum_adequado"]
    table["juri-supervisor"] = table["juri"]
    table.loc[chosen.index, "juri-supervisor"] = chosen
    return published, study, table, votes


def interval(
    reference: pd.Series, coder: pd.Series, labels: list[str], seed: int, replications: int
) -> list[float]:
    """Percentile interval of kappa: documents drawn with replacement."""
    rng = np.random.default_rng(seed)
    code = {label: i for i, label in enumerate(labels)}
    k, n = len(labels), len(reference)
    cells = reference.map(code).to_numpy() * k + coder.map(code).to_numpy()
    kappas = []
    for _ in range(replications):
        joint = np.bincount(cells[rng.integers(n, size=n)], minlength=k * k).reshape(k, k) / n
        chance = joint.sum(0) @ joint.sum(1)
        kappas.append((np.trace(joint) - chance) / (1 - chance))
    return [float(x) for x in np.quantile(kappas, [0.025, 0.975])]


def figures(seed: int | None = None) -> list[tuple[str, str, str]]:
    """(id, publicado, recalculado) of every published figure that codings can show.

    `seed` replaces the study's for the bootstrap.
    """
    published, study, table, votes = load()
    book = yaml.safe_load((PASTA / "codebook.yaml").read_text(encoding="utf-8"))["variaveis"]
    members = [m["nome"] for m in study["membros"]]
    main, gemma, small = members[0], "gemma4:12b-it-qat", "qwen3.5:4b"
    variables = published["amostra"]["variaveis_categoricas"]
    out: list[tuple[str, str, str]] = []

    def add(name: str, printed: Any, computed: Any) -> None:
        plain = printed["valor"] if isinstance(printed, dict) else printed
        out.append((name, str(plain), str(computed)))

    sample = published["amostra"]
    add("amostra.documentos", sample["documentos"], table.index.get_level_values(0).nunique())
    add("amostra.decisoes_total", sample["decisoes_total"], len(table))
    beats = 0
    for v in variables:
        t, labels = table.xs(v, level="variavel"), list(book[v]["categorias"])
        kappas = {s: cohen_kappa_score(t["ref"], t[s], labels=labels) for s in [*members, "juri-r1", "juri"]}
        if v == "subarea":
            kappas["juri-supervisor"] = cohen_kappa_score(t["ref"], t["juri-supervisor"], labels=labels)
        for source, value in kappas.items():
            add(f"kappa.{v}.{source}", published["kappa"][v][source], comma(value, 2))
        beats += all(kappas[gemma] > value for source, value in kappas.items() if source != gemma)
        check = study["validacao"]
        ends = interval(
            t["ref"], t["juri"], labels, check["semente"] if seed is None else seed, check["reamostras"]
        )
        for side, printed, end in zip(
            ("inferior", "superior"), published["kappa"][v]["ic95"], ends, strict=True
        ):
            add(f"kappa.{v}.ic95.{side}", printed, comma(end, 2))
        jury, alone = t["juri"] == t["ref"], t[main] == t["ref"]
        pair = confusion_matrix(jury, alone, labels=[True, False])
        p = mcnemar(pair, exact=True).pvalue
        expected = published["mcnemar"][v]
        add(f"mcnemar.{v}.p", expected["p"], "< 0,001" if p < 0.001 else comma(p, 3))
        counts = [int(pair[0, 1]), int(pair[1, 0])]
        allowed = expected["contagens"]
        allowed = allowed["valor"] if isinstance(allowed, dict) else allowed
        printed = counts if counts in allowed else allowed  # one variable gives two pairs
        add(f"mcnemar.{v}.contagens", printed, counts)
    best = published["melhor_membro"]
    add("melhor_membro.variaveis", best["variaveis_em_que_supera_todos_e_o_juri"], beats)

    state, right = table["estado"], table["juri"] == table["ref"]
    category = table.index.get_level_values("variavel") != LIVRE
    p = published["deliberacao"]
    add("deliberacao.decisoes_deliberadas", p["decisoes_deliberadas"], table["deliberou"].sum())
    add(
        "deliberacao.unanimes_categoricas", p["unanimes_categoricas"], ((state == "unanime") & category).sum()
    )
    add("deliberacao.chegaram_a_maioria", p["chegaram_a_maioria"], (state == "deliberada").sum())
    add("deliberacao.decisao_mudou", p["decisao_mudou"], (table["juri"] != table["juri-r1"]).sum())
    undecided = (state == "sem_maioria") & category
    add("deliberacao.sem_maioria_categoricas", p["sem_maioria_categoricas"], undecided.sum())
    for m in members:
        before, after = table[m] == table["ref"], table[f"{m} 2"] == table["ref"]
        moved = [int((~before & after).sum()), int((before & ~after).sum())]
        add(f"deliberacao.votos_revistos.{m}", p["votos_revistos"][m], moved)
    t = table.xs("tecnica_principal", level="variavel")
    for stage, suffix in (("rodada_1", ""), ("apos_deliberacao", " 2")):
        bloc = (t[main + suffix] == t[small + suffix]) & (t[main + suffix] != t[gemma + suffix])
        p = published["blocos_tecnica_principal"][stage]
        add(f"blocos.{stage}.contra_gemma", p["contra_gemma"], bloc.sum())
        with_reference = (bloc & (t[gemma + suffix] == t["ref"])).sum()
        add(f"blocos.{stage}.gemma_com_a_referencia", p["gemma_com_a_referencia"], with_reference)
    kinds = {
        "unanimes": "unanime",
        "maioria_sem_deliberacao": "maioria",
        "decididas_na_deliberacao": "deliberada",
        "sem_maioria": "sem_maioria",
    }
    for kind, name in kinds.items():
        p, n = published["concordancia_com_a_referencia"][kind], int((state == name).sum())
        add(f"concordancia.{kind}.n", p["n"], n)
        add(f"concordancia.{kind}.pct", p["pct"], percent(int(right[state == name].sum()), n))
    free = state.xs(LIVRE, level="variavel").value_counts()
    for kind, name in (("unanimes", "unanime"), ("maioria", "maioria"), ("sem_maioria", "sem_maioria")):
        add(f"texto_livre.{kind}", published["texto_livre"][kind], free[name])

    choices = pd.read_csv(PASTA / "supervisor" / "escolhas.csv")
    p = published["supervisor"]
    add("supervisor.decisoes", p["decisoes"], len(choices))
    add("supervisor.nenhum_adequado", p["nenhum_adequado"], (choices["escolha"] == "nenhum_adequado").sum())
    audit = pd.read_csv(PASTA / "supervisor" / "auditoria.csv")
    drawn = table.loc[pd.MultiIndex.from_frame(audit[["documento", "variavel"]])]
    assert (drawn["estado"] == "unanime").all() and not drawn.index.has_duplicates
    wrong = ~audit["confirmada"].to_numpy()
    essay = drawn[wrong].xs("tecnica_principal", level="variavel")
    assert ((essay["juri"] == "nao_informado") & (essay["ref"] == "bibliografia")).any()
    p, low_high = published["auditoria"], proportion_confint(wrong.sum(), len(audit), method="wilson")
    add("auditoria.sorteadas", p["sorteadas"], len(audit))
    add("auditoria.erradas", p["erradas"], wrong.sum())
    add("auditoria.taxa", p["taxa"], percent(int(wrong.sum()), len(audit), 1))
    for side, printed, end in zip(("inferior", "superior"), p["ic95_wilson"], low_high, strict=True):
        add(f"auditoria.ic95_wilson.{side}", printed, comma(100 * end, 1) + "%")

    p = published["custo_minutos"]
    minutes = votes.groupby(["rodada", "membro"])["segundos"].sum() / 60
    for rodada, stage in ((1, "rodada_1"), (2, "deliberacao")):
        add(f"custo_minutos.{stage}.total", p[stage]["total"], f"{minutes[rodada].sum():.0f}")
        for m in members:
            add(f"custo_minutos.{stage}.{m}", p[stage]["por_membro"][m], f"{minutes[rodada, m]:.0f}")
    total = minutes.sum()
    add("custo_minutos.vezes_o_principal", p["vezes_o_principal"], comma(total / minutes[1, main], 1))
    add("custo_minutos.total_horas", p["total_horas"], "cerca de " + comma(total / 60, 1))
    whole = total / 60 * sample["corpus"] / sample["documentos"]
    add("custo_minutos.corpus_inteiro_horas", p["corpus_inteiro_horas"], f"cerca de {round(whole, -1):.0f}")

    for v, short in (("tecnica_principal", "tecnica_principal_juri"), ("subarea", "subarea_juri")):
        t, p = table.xs(v, level="variavel"), published["divergencias"]
        differs = t[main] != t["ref"]
        add(f"divergencias.{v}.total", p[v]["total"], differs.sum())
        add(f"divergencias.{short}", p[short], (t["juri"] != t["ref"]).sum())
        if v == "tecnica_principal":
            pair = (t[main] == "nao_informado") & (t["ref"] == "bibliografia")
            add(
                f"divergencias.{v}.nao_informado_x_bibliografia",
                p[v]["nao_informado_x_bibliografia"],
                pair.sum(),
            )
        else:
            add(
                f"divergencias.{v}.referencia_outra",
                p[v]["referencia_outra"],
                (differs & (t["ref"] == "outra")).sum(),
            )
            kept = t[t["ref"] != "outra"]
            value = cohen_kappa_score(kept["ref"], kept[main], labels=list(book[v]["categorias"]))
            add(f"divergencias.{v}.kappa_sem_outra", p[v]["kappa_sem_outra"], comma(value, 2))
    return out


if __name__ == "__main__":
    rows = figures()
    for name, printed, computed in rows:
        print(f"{name};{printed};{computed};{'sim' if printed == computed else 'NÃO'}")
    agree = sum(printed == computed for _, printed, computed in rows)
    print(f"conferem {agree} de {len(rows)}")
    sys.exit(agree != len(rows))
