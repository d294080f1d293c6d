"""Ten thousand quotes against texts of 2 kB: how long does it take to find them?

Run: `benchmarks/.venv/bin/python benchmarks/evidence.py` (with `src` on PYTHONPATH where compendio is not
installed there), or with the project's own environment. Simulated texts, with typographic marks, broken
lines and hyphenation; of the quotes a third is exact, a third is folded (white space, marks, case), and
a third has one word changed. Folding the texts is counted. A jury asks about every text as many times as it
has members and variables (20 here); a text of its own for every quote is the worst case.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from targets import Targets, show_times, take_turns

from compendio.evidence import FoldedText, find_evidence

QUOTES = 10_000
TURNS = 7
MOST = 1.0  # second
SENTENCE = """
a análise de políticas públicas mostra que os conselhos municipais, entre 1990–2010, não têm — ou quase
não têm — efeito sobre “a participação” e d’água são-paulo entrevistas semiestruturadas com servidores da
saúde; o artigo discute a hipótese à luz dos dados do censo e das eleições…
"""
WORDS = SENTENCE.split()


def make_text(rng: random.Random) -> str:
    parts: list[str] = []
    length = line = 0
    while length < 2000:
        word = rng.choice(WORDS)
        if line > 70:
            cut = len(word) > 8 and rng.random() < 0.5
            parts.append(f"{word[:4]}-\n{word[4:]} " if cut else f"\n{word} ")
            line = 0
        else:
            parts.append(word + " ")
        length += len(word) + 1
        line += len(word) + 1
    return "".join(parts)


def make_quote(texto: str, kind: int, rng: random.Random) -> str:
    start = rng.randrange(len(texto) - 200)
    quote = texto[start : start + rng.randrange(40, 180)]
    if kind == 0:
        return quote
    if kind == 1:
        return " ".join(quote.replace("“", '"').replace("–", "-").replace("…", "...").split()).upper()
    words = quote.split()
    words[len(words) // 2] = "outrora"
    return " ".join(words)


def look_up(texts: list[str], quotes: list[list[str]]) -> Counter[str]:
    """How many quotes are found at each level."""
    found: Counter[str] = Counter()
    for texto, some in zip(texts, quotes, strict=True):
        folded = FoldedText(texto)
        found.update(find_evidence(quote, folded).nivel for quote in some)
    return found


def main() -> int:
    sides = {}
    for per_text in (20, 1):
        rng = random.Random(2026)
        texts = [make_text(rng) for _ in range(QUOTES // per_text)]
        quotes = [
            [make_quote(texto, (k + j) % 3, rng) for j in range(per_text)] for k, texto in enumerate(texts)
        ]
        name = f"{QUOTES:,} quotes, {per_text:2} a text ({len(texts):,} texts)"
        sides[name] = lambda texts=texts, quotes=quotes: look_up(texts, quotes)
        print(f"{name}: {', '.join(f'{level} {n:,}' for level, n in sorted(sides[name]().items()))}")
    print()
    times = take_turns(sides, TURNS)
    show_times(times)
    print()
    targets = Targets()
    targets.head("seconds")
    for name, values in times.items():
        targets.below(name, values[:, 0], MOST, "s")
    return targets.close()


if __name__ == "__main__":
    sys.exit(main())
