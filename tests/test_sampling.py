"""Samples: a document's place depends on its id and the seed alone."""

from __future__ import annotations

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from compendio.sampling import sample_ids, seeded_order

IDS = st.lists(st.text(min_size=1, max_size=6), unique=True, max_size=30)
SEEDS = st.integers(-5, 10_000)
SEEDED = settings(derandomize=True, deadline=None)


def test_the_n_smallest_hashes_in_corpus_order() -> None:
    ids = ["a", "b", "c", "d", "e"]
    # An independent way: the hash written out, sorted as numbers.
    by_number = sorted(ids, key=lambda i: int(hashlib.sha256(b"7:" + i.encode()).hexdigest(), 16))
    assert sample_ids(ids, 3, 7) == sorted(by_number[:3])
    assert seeded_order(ids, 7) == by_number


def test_frozen_so_that_a_change_of_the_rule_is_seen() -> None:
    # sha256 of "2026:d0" … "2026:d9", worked out with sha256sum
    assert sample_ids([f"d{i}" for i in range(10)], 4, 2026) == ["d1", "d5", "d6", "d8"]


@SEEDED
@given(IDS, st.integers(0, 40), SEEDS, st.randoms(use_true_random=False))
def test_reordering_changes_no_choice(ids: list[str], n: int, semente: int, random: object) -> None:
    chosen = sample_ids(ids, n, semente)
    shuffled = ids.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = sample_ids(shuffled, n, semente)
    assert set(again) == set(chosen)
    assert again == [i for i in shuffled if i in set(chosen)]
    assert seeded_order(shuffled, semente) == seeded_order(ids, semente)


@SEEDED
@given(IDS.filter(bool), st.integers(1, 40), SEEDS, st.integers(0, 40))
def test_a_document_added_pushes_out_at_most_one(ids: list[str], n: int, semente: int, at: int) -> None:
    *others, new = ids
    before = sample_ids(others, n, semente)
    after = sample_ids([*others[:at], new, *others[at:]], n, semente)
    assert len(set(before) - set(after)) <= 1
    assert set(after) - set(before) <= {new}
    if new not in after:
        assert after == before


@SEEDED
@given(IDS, SEEDS, st.integers(0, 30), st.integers(0, 30))
def test_a_smaller_sample_is_part_of_a_larger(ids: list[str], semente: int, n: int, more: int) -> None:
    small, large = sample_ids(ids, n, semente), sample_ids(ids, n + more, semente)
    assert set(small) <= set(large)
    assert len(small) == min(n, len(ids))


def test_another_seed_is_another_sample() -> None:
    ids = [f"d{i}" for i in range(100)]
    assert sample_ids(ids, 20, 1) != sample_ids(ids, 20, 2)


def test_every_document_is_as_likely_as_any_other() -> None:
    # 2,000 seeds, 5 of 20: each is expected 500 times, with standard deviation 19.4
    counts = dict.fromkeys((f"d{i}" for i in range(20)), 0)
    for semente in range(2000):
        for ident in sample_ids(list(counts), 5, semente):
            counts[ident] += 1
    assert all(abs(count - 500) < 5 * 19.4 for count in counts.values())


def test_accents_and_nothing_to_draw() -> None:
    assert sample_ids(["á", "ç"], 5, 1) == ["á", "ç"]
    assert sample_ids([], 5, 1) == []
    assert sample_ids(["a"], 0, 1) == []
