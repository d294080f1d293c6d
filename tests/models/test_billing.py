"""What a paid call costs, and the most it can."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from compendio.models.billing import Usage, cost, prompt_bound, shown_money, uses_cache, worst_case
from compendio.settings import Prices


def prices(**changes: str | None) -> Prices:
    given = {
        "entrada": "3",
        "saida": "15",
        "cache_escrita": "3.75",
        "cache_leitura": "0.30",
        "fator_lote": "0.5",
    }
    money = {name: Decimal(value) for name, value in {**given, **changes}.items() if value is not None}
    return Prices(moeda="USD", data=datetime.date(2026, 11, 1), **money)


def test_each_kind_of_token_has_its_price() -> None:
    # (1,000 × 3 + 2,000 × 3.75 + 4,000 × 0.30 + 100 × 15) / 10⁶ = (3,000 + 7,500 + 1,200 + 1,500) / 10⁶
    assert cost(prices(), Usage(1000, 2000, 4000, 100)) == Decimal("0.0132")
    assert cost(prices(), Usage(1000, 2000, 4000, 100), em_lote=True) == Decimal("0.0066")


def test_a_cache_price_that_is_not_stated_counts_as_the_dearest_that_is() -> None:
    known = prices(cache_escrita=None, cache_leitura=None)
    assert not uses_cache(known) and uses_cache(prices())
    # 10 tokens of each kind of entry at 3, none generated: 30 × 3 / 10⁶
    assert cost(known, Usage(10, 10, 10, 0)) == Decimal("0.00009")


def test_the_worst_case_takes_every_prompt_token_at_the_dearest_price() -> None:
    # (1,000 × 3.75 + 200 × 15) / 10⁶
    assert worst_case(prices(), 1000, 200) == Decimal("0.00675")
    assert worst_case(prices(), 1000, 200, em_lote=True) == Decimal("0.003375")
    # Without a stated share a batch counts at the full price.
    assert worst_case(prices(fator_lote=None), 1000, 200, em_lote=True) == Decimal("0.00675")


@pytest.mark.parametrize("uso", [(1000, 0, 0, 200), (0, 1000, 0, 200), (0, 0, 1000, 200), (400, 500, 100, 3)])
def test_no_mix_of_tokens_costs_more_than_the_worst_case(uso: tuple[int, int, int, int]) -> None:
    assert cost(prices(), Usage(*uso)) <= worst_case(prices(), 1000, 200)


def test_money_is_exact() -> None:
    # 3 × 0.1 is 0.3 and not 0.30000000000000004; 28 digits would not do for the second.
    assert cost(prices(entrada="0.1"), Usage(3)) == Decimal("0.0000003")
    long = "0." + "1" * 30
    assert cost(prices(entrada=long), Usage(7)) == Decimal("0." + "0" * 6 + "7" * 30)


def test_the_bound_counts_bytes_or_the_count_of_the_api_if_that_is_more() -> None:
    params = {"model": "m", "max_tokens": 5, "system": [{"type": "text", "text": "ação"}], "messages": []}
    # {"system": [{"type": "text", "text": "ação"}], "messages": []}: 62 characters, two of them of two bytes.
    assert prompt_bound(params, 0) == 64 + 500
    assert prompt_bound(params, 1000) == 1500


def test_money_is_printed_with_a_comma_and_never_rounded_down() -> None:
    assert shown_money(Decimal("0.00001"), "USD") == "USD 0,0001"
    assert shown_money(Decimal("2"), "BRL") == "BRL 2,0000"
