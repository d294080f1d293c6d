"""Targets of the search: the published figures, as bounds on counters, kappas and interval ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import decisoes as b
import numpy as np
import yaml

PASTA = Path(__file__).resolve().parent

# What no figure fixes: how common the reference's categories are (codebook order), the share of clear
# cases, and pairs that tempt the members (reference category → wrong one).
SHARES = {
    "abordagem": [0.40, 0.24, 0.08, 0.28],
    "tecnica_principal": [0.12, 0.08, 0.08, 0.14, 0.16, 0.09, 0.28, 0.05],
    "recorte_geografico": [0.16, 0.12, 0.40, 0.14, 0.18],
    "brasil_como_caso": [0.62, 0.10, 0.28],
    "subarea": [0.20, 0.17, 0.19, 0.13, 0.06, 0.03, 0.22],
}
CLEAR = {"abordagem": 0.6, "tecnica_principal": 0.4, "recorte_geografico": 0.65, "brasil_como_caso": 0.85}
CLEAR["subarea"] = 0.55
TEMPTING = {
    "abordagem": {"mista": ["qualitativa", "quantitativa"], "teorica": ["qualitativa"]},
    "tecnica_principal": {
        "bibliografia": ["nao_informado"],
        "documentos": ["estudo_de_caso", "nao_informado"],
        "estudo_de_caso": ["documentos"],
    },
    "recorte_geografico": {"estadual": ["municipal", "nacional"], "sem_recorte": ["nacional"]},
    "brasil_como_caso": {"comparado": ["unico", "ausente"]},
    "subarea": {"outra": ["participacao", "participacao", "teoria_politica"]},
}
SPECIAL = {"tecnica_principal": ("nao_informado", "bibliografia"), "subarea": (None, "outra")}
RECORTE_CONTAGENS = [7, 2]  # one of the two pairs that print p = 0,180
UNANIMES_TEXTO_CERTAS = 46  # of 51
TOLERANCE = 0.0042  # a printed kappa of two decimals leaves ±0.005


def number(text: str) -> float:
    return float(text.replace(",", "."))


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((PASTA / name).read_text(encoding="utf-8"))
    return loaded


def share_bounds(n: int, printed: str) -> tuple[int, int]:
    """Smallest and largest count out of `n` that prints as `printed` ("92%")."""
    hits = [k for k in range(n + 1) if f"{100 * k / n:.0f}%" == printed]
    return hits[0], hits[-1]


@dataclass
class Metas:
    """All that `busca.anneal` asks for, in its order."""

    variables: list[str]
    categories: list[list[str]]
    members: list[str]
    sizes: np.ndarray
    special: np.ndarray
    shares: np.ndarray
    lures: np.ndarray
    clear: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kappas: np.ndarray
    without_b: np.ndarray
    ends: np.ndarray
    slack: np.ndarray
    free_undecided_right: int = 0
    free_majority_right: int = 0
    offset: np.ndarray = field(default_factory=lambda: np.zeros((b.N_VARIAVEIS, 2)))

    def arguments(self) -> tuple[Any, ...]:
        return (
            self.sizes, self.special, self.shares, self.lures, self.clear, self.low, self.high,
            self.kappas, TOLERANCE, self.without_b, self.ends, self.slack, self.offset,
        )  # fmt: skip


def build() -> Metas:
    """Read the published figures and the codebook into arrays."""
    published, codebook = load("numeros-publicados.yaml"), load("codebook.yaml")
    sample, deliberation = published["amostra"], published["deliberacao"]
    variables = sample["variaveis_categoricas"]
    members = [sample["membros"]["principal"], *sample["membros"]["outros"]]
    categories = [list(codebook["variaveis"][name]["categorias"]) for name in variables]
    sources = [*members, "juri-r1", "juri", "juri-supervisor"]

    special = np.full((b.N_VARIAVEIS, 2), -1)
    shares = np.ones((b.N_VARIAVEIS, b.MAX_CATEGORIAS))
    lures = np.ones((b.N_VARIAVEIS, b.MAX_CATEGORIAS, b.MAX_CATEGORIAS))
    kappas = np.zeros((b.N_VARIAVEIS, b.N_FONTES))
    ends = np.zeros((b.N_VARIAVEIS, 2))
    for v, name in enumerate(variables):
        names, p = categories[v], np.array(SHARES[name])
        shares[v, : len(p)] = np.cumsum(p / p.sum())
        for r, reference in enumerate(names):
            weights = np.array([p[j] * (j != r) for j in range(len(p))]) / (1 - p[r])
            for other in TEMPTING[name].get(reference, []):
                weights[names.index(other)] += 2.0
            lures[v, r, : len(p)] = np.cumsum(weights / weights.sum())
        for place, category in enumerate(SPECIAL.get(name, ())):
            special[v, place] = names.index(category) if category else -1
        row = published["kappa"][name]
        kappas[v] = [number(row[s]) if s in row else 0 for s in sources]
        ends[v] = [number(text) for text in row["ic95"]]

    low = np.full((b.N_VARIAVEIS + 1, b.N_CONTADORES), -1e9)
    high = np.full((b.N_VARIAVEIS + 1, b.N_CONTADORES), 1e9)

    def bound(v: int, counter: int, least: int, most: int | None = None) -> None:
        low[v, counter], high[v, counter] = least, least if most is None else most

    every = b.N_VARIAVEIS
    undecided, free = deliberation["sem_maioria_categoricas"], published["texto_livre"]
    bound(every, b.UNANIME, deliberation["unanimes_categoricas"]["valor"])
    bound(every, b.SEM_MAIORIA, undecided)
    bound(every, b.SEM_MAIORIA_CERTA, 1, 4)
    bound(every, b.SEM_CANDIDATO, published["supervisor"]["nenhum_adequado"])
    bound(every, b.MUDOU, deliberation["decisao_mudou"])
    for m, member in enumerate(members):
        towards, away = deliberation["votos_revistos"][member]
        bound(every, b.MOVES + 2 * m, towards)
        bound(every, b.MOVES + 2 * m + 1, away)
    kinds = published["concordancia_com_a_referencia"]
    least, most = share_bounds(kinds["unanimes"]["n"], kinds["unanimes"]["pct"])
    wrong_free = free["unanimes"]["valor"] - UNANIMES_TEXTO_CERTAS
    total = kinds["unanimes"]["n"]
    bound(every, b.UNANIME_ERRADA, total - most - wrong_free, total - least - wrong_free)
    least, most = share_bounds(
        kinds["decididas_na_deliberacao"]["n"], kinds["decididas_na_deliberacao"]["pct"]
    )
    bound(every, b.DELIBERADA_CERTA, least, most)

    for v, name in enumerate(variables):
        pair = published["mcnemar"][name]["contagens"]
        pair = RECORTE_CONTAGENS if name == "recorte_geografico" else pair
        pair = pair["valor"] if isinstance(pair, dict) else pair
        bound(v, b.SO_JURI, pair[0])
        bound(v, b.SO_PRINCIPAL, pair[1])
    technique, area = variables.index("tecnica_principal"), variables.index("subarea")
    blocs, differences = published["blocos_tecnica_principal"], published["divergencias"]
    for counter, stage in ((b.BLOCO_1, "rodada_1"), (b.BLOCO_2, "apos_deliberacao")):
        bound(technique, counter, blocs[stage]["contra_gemma"])
        bound(technique, counter + 1, blocs[stage]["gemma_com_a_referencia"])
    bound(technique, b.PRINCIPAL_ERRADO, differences["tecnica_principal"]["total"])
    bound(technique, b.PAR_ESPECIAL, differences["tecnica_principal"]["nao_informado_x_bibliografia"])
    bound(area, b.PRINCIPAL_ERRADO, differences["subarea"]["total"])
    bound(area, b.PRINCIPAL_ERRADO_EM_B, differences["subarea"]["referencia_outra"])
    bound(area, b.CONSERTADA, 2, undecided)
    bound(area, b.FALSO_B, 0, 6)  # a category that the local models avoid
    slack = np.full(b.N_VARIAVEIS, 0.0018)  # the printed text leaves 0.005
    without_b = np.zeros(b.N_VARIAVEIS)
    without_b[area] = number(differences["subarea"]["kappa_sem_outra"])

    metas = Metas(
        variables, categories, members, np.array([len(c) for c in categories]), special, shares, lures,
        np.array([CLEAR[name] for name in variables]), low, high, kappas, without_b, ends, slack,
    )  # fmt: skip
    metas.free_majority_right = share_bounds(103, kinds["maioria_sem_deliberacao"]["pct"])[0]
    metas.free_undecided_right = share_bounds(55, kinds["sem_maioria"]["pct"])[0]
    return metas
