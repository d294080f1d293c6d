"""What a paid call costs: exact money (`Decimal`), from the prices that the study states.

No price is built in: prices change, and a stale one would let a cap be passed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal, localcontext
from typing import Any

from compendio.settings import Prices

_MILHAO = Decimal(1_000_000)
#: Tokens that the API may add of its own (format instructions, roles), over those of what is sent.
ACRESCIMO = 500
#: Characters a token in Portuguese: fewest, usual, most. An assumption, told wherever it is used.
CARACTERES_POR_TOKEN = (Decimal(2), Decimal(3), Decimal("4.5"))


@dataclass(frozen=True)
class Usage:
    """Tokens that the API says it billed: read anew, written to its cache, read from it, and generated."""

    entrada: int = 0
    cache_escrita: int = 0
    cache_leitura: int = 0
    saida: int = 0

    def as_dict(self) -> dict[str, int]:
        """As the ledger keeps it."""
        return {
            "entrada": self.entrada,
            "cache_escrita": self.cache_escrita,
            "cache_leitura": self.cache_leitura,
            "saida": self.saida,
        }


def uses_cache(precos: Prices) -> bool:
    """Whether instructions are cached: only where both prices of the cache are known."""
    return bool(precos.cache_escrita) and bool(precos.cache_leitura)


def cost(precos: Prices, uso: Usage, em_lote: bool = False) -> Decimal:
    """What the tokens cost. A cache price that the study does not state counts as the dearest one it does."""
    dearest = _dearest(precos)
    write = precos.cache_escrita or dearest
    read = precos.cache_leitura or dearest
    with localcontext() as context:
        context.prec = 60
        total = (
            uso.entrada * precos.entrada
            + uso.cache_escrita * write
            + uso.cache_leitura * read
            + uso.saida * precos.saida
        )
        return total * _factor(precos, em_lote) / _MILHAO


def worst_case(precos: Prices, tokens: int, max_tokens: int, em_lote: bool = False) -> Decimal:
    """The most that one call can cost: every prompt token at the dearest price, and the longest answer."""
    with localcontext() as context:
        context.prec = 60
        total = tokens * _dearest(precos) + max_tokens * precos.saida
        return total * _factor(precos, em_lote) / _MILHAO


def prompt_bound(params: Mapping[str, Any], contados: int) -> int:
    """A number of prompt tokens that the API cannot pass for these parameters.

    No token is shorter than one byte of UTF-8, so the bytes of all that is sent bound the tokens of it;
    counted tokens (`contados`, which the API calls an estimate) count where they are more.
    """
    sent = {name: params[name] for name in ("system", "messages", "output_config") if name in params}
    size = len(json.dumps(sent, ensure_ascii=False).encode("utf-8"))
    return max(size, contados) + ACRESCIMO


def _dearest(precos: Prices) -> Decimal:
    return max(precos.entrada, precos.cache_escrita or Decimal(0), precos.cache_leitura or Decimal(0))


def _factor(precos: Prices, em_lote: bool) -> Decimal:
    """The share of the price that a batch pays: the full price where the study states none."""
    return precos.fator_lote if em_lote and precos.fator_lote is not None else Decimal(1)


def shown_money(valor: Decimal, moeda: str) -> str:
    """Money as it is printed: four decimals, rounded up, decimal comma."""
    with localcontext() as context:
        context.prec = 60
        return f"{moeda} {valor.quantize(Decimal('0.0001'), rounding=ROUND_UP)}".replace(".", ",")
