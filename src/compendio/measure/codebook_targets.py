"""What a better codebook could reach, by arithmetic, and the documents on which to find out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from compendio import sampling
from compendio.codebook import Codebook
from compendio.measure.divergence import SEM_VALOR, paired_codings
from compendio.measure.kappa import cohen_kappa


def target_kappas(
    coder: pd.DataFrame, reference: pd.DataFrame, codebook: Codebook, pairs: pd.DataFrame
) -> pd.DataFrame:
    """Kappa if the most frequent pair of categories of a variable were settled by half, or whole.

    Half is rounded up: of one divergence, it is that one. Settled: the coder gives the reference's value. All
    other answers stay, which a new codebook would not promise: a goal to test, not a forecast.

    Parameters
    ----------
    pairs
        `category_pairs` with a column `variavel`, most frequent first.

    Returns
    -------
    DataFrame
        `variavel, referencia, valor, n, kappa, meta_inf, meta_sup`, one row a variable of `pairs`.
    """
    both = paired_codings(coder, reference, codebook)
    rows = []
    for pair in pairs.drop_duplicates("variavel").itertuples():
        own = both[both["variavel"] == pair.variavel].reset_index(drop=True)
        names = list(codebook.variaveis[pair.variavel].categorias)
        here = own.index[
            (own["referencia"] == pair.referencia) & (own["valor"].fillna(SEM_VALOR) == pair.valor)
        ]
        rows.append(
            {
                "variavel": pair.variavel,
                "referencia": pair.referencia,
                "valor": pair.valor,
                "n": len(here),
                "kappa": float(cohen_kappa(own["referencia"], own["valor"], names).value),
                "meta_inf": _settled(own, here[: (len(here) + 1) // 2], names),
                "meta_sup": _settled(own, here, names),
            }
        )
    columns = ["variavel", "referencia", "valor", "n", "kappa", "meta_inf", "meta_sup"]
    return pd.DataFrame(rows, columns=columns)


def _settled(own: pd.DataFrame, which: pd.Index, names: Sequence[str]) -> float:
    """Kappa with the reference's value in the rows `which`: only how many they are matters."""
    valor = own["valor"].copy()
    valor.loc[which] = own.loc[which, "referencia"]
    return float(cohen_kappa(own["referencia"], valor, names).value)


def new_sample(ids: Sequence[str], sample: Sequence[str], n: int, semente: int) -> list[str]:
    """A seeded sample of up to `n` documents that are not in `sample`, in corpus order; empty where none is left."""
    known = set(sample)
    return sampling.sample_ids([ident for ident in ids if ident not in known], n, semente)
