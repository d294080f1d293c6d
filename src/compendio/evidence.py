"""Is this quote in this text? The level of the match, and where it stands in the original.

A quote is evidence when it is a substring of the document (`exata`), or becomes one after folding
what is only presentation (`normalizada`): canonical composition (NFC/NFD), white space (runs, line
ends, no-break and zero-width spaces), quotation marks, dashes, the ellipsis (`…` = `...`), soft
hyphens, hyphenation at line ends, and case. There is no distance and no threshold anywhere: one word
changed, or one accent lost, and the quote is not found.

Matches are substrings, so `ente` is found in `presente`; quotes that are too short to show anything
are refused by `too_short` instead of by a word boundary, because languages and tokenisers disagree
about words and models often cut a quote in the middle of one.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from compendio.folding import IGNORED, LINE_END, fold, is_mark

#: A quote of one word with fewer letters and digits than this shows nothing.
MINIMO_DE_LETRAS = 4
#: In a text of more words than this, a quote may not hold more than half of them.
TEXTO_CURTO = 40

_DROPPED = re.compile(f"[{IGNORED}]+")


class Match(NamedTuple):
    """What a quote is to a text: a level of `contract.NIVEIS`, and the span where it was found.

    `inicio` and `fim` are code points of the original text, half-open; None where nothing was found.
    """

    nivel: str
    inicio: int | None = None
    fim: int | None = None


class FoldedText:
    """A text prepared for many look-ups: folded once, when the first quote is not an exact substring.

    `texto` is the original, `folded` its folding (line-end hyphens as a soft hyphen).
    """

    def __init__(self, texto: str) -> None:
        self.texto = texto

    @cached_property
    def palavras(self) -> int:
        """How many words (tokens between white space that hold a letter or digit)."""
        return count_words(self.texto)

    @cached_property
    def _folding(self) -> tuple[str, list[int], list[int]]:
        """The folded text, and where its pieces start, in it and in the original (`folding.fold`)."""
        return fold(self.texto)

    @property
    def folded(self) -> str:
        return self._folding[0]

    @cached_property
    def skeleton(self) -> str:
        """The folding without spaces and hyphens."""
        return _letters(self.folded)

    @cached_property
    def places(self) -> list[int]:
        """The place in the folding of each character of the skeleton."""
        return [k for k, char in enumerate(self.folded) if char not in " -" and char != LINE_END]

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The original span of `folded[start:end]`; None if it would cut a character's sequence."""
        _, folds, begins = self._folding
        first, last = bisect_right(folds, start) - 1, bisect_right(folds, end - 1) - 1
        offset = start - folds[first]
        if offset and self._is_unit(first):
            return None
        if self._is_unit(last):
            return (begins[first] + offset, begins[last + 1]) if end == folds[last + 1] else None
        return begins[first] + offset, begins[last] + end - folds[last]

    def _is_unit(self, piece: int) -> bool:
        _, folds, begins = self._folding
        length = begins[piece + 1] - begins[piece]
        # A decomposed letter may fold to as many code points as it has; its marks make it a unit.
        marked = length > 1 and is_mark(self.texto[begins[piece + 1] - 1])
        return marked or folds[piece + 1] - folds[piece] != length


def find_evidence(quote: str | None, text: FoldedText, *, dispensa: bool = False) -> Match:
    """Look for a quote in a text.

    Parameters
    ----------
    quote
        What a person or a model gave as evidence; None or blank for none.
    text
        The document, folded (one `FoldedText` serves all quotes of a document).
    dispensa
        The value is exempt from evidence (`Variable.dispensa`): a quote that is found still counts as
        found, anything else is `dispensada`.

    Returns
    -------
    Match
        The earliest exact match, else the earliest folded one. A quote that is too short, or holds
        more than half of the words of a text of over 40 words, is `nao_encontrada`.
    """
    match = _find(quote, text)
    return Match("dispensada") if dispensa and match.inicio is None else match


def _find(quote: str | None, text: FoldedText) -> Match:
    if not isinstance(quote, str) or not _DROPPED.sub("", quote).strip():
        return Match("ausente")
    match = Match("nao_encontrada") if too_short(quote) else _find_anywhere(quote, text)
    return Match("nao_encontrada") if match.inicio is not None and too_long(quote, text) else match


def _find_anywhere(quote: str, text: FoldedText) -> Match:
    span = _find_exact(quote, text.texto)
    if span is not None:
        return Match("exata", *span)
    folded = fold(quote)[0].strip()
    span = _find_folded(folded, text)
    if span is None and (LINE_END in text.folded or LINE_END in folded):
        span = _find_hyphenated(folded, text)
    return Match("nao_encontrada") if span is None else Match("normalizada", *span)


def too_short(quote: str) -> bool:
    """No more than one word, of under four letters or digits: it could stand anywhere."""
    composed = unicodedata.normalize("NFC", _DROPPED.sub("", quote))
    if sum(map(str.isalnum, composed[:32])) >= MINIMO_DE_LETRAS:
        return False  # the cheap way out for nearly every quote
    return count_words(composed) <= 1 and sum(map(str.isalnum, composed)) < MINIMO_DE_LETRAS


def too_long(quote: str, text: FoldedText) -> bool:
    """More than half of the words of a text of over 40 words: it points at nothing."""
    words = 2 * count_words(quote)
    return words > TEXTO_CURTO and words > text.palavras > TEXTO_CURTO


def count_words(texto: str) -> int:
    """Tokens between white space that hold at least one letter or digit."""
    return len([token for token in texto.split() if token[0].isalnum() or any(map(str.isalnum, token))])


def _find_exact(quote: str, texto: str) -> tuple[int, int] | None:
    start = texto.find(quote)
    while start >= 0:
        end = start + len(quote)
        if not is_mark(texto[start]) and not (end < len(texto) and is_mark(texto[end])):
            return start, end
        start = texto.find(quote, start + 1)
    return None


def _find_folded(folded: str, text: FoldedText) -> tuple[int, int] | None:
    start = text.folded.find(folded)
    while start >= 0:
        span = text.span(start, start + len(folded))
        if span is not None:
            return span
        start = text.folded.find(folded, start + 1)
    return None


def _find_hyphenated(folded: str, text: FoldedText) -> tuple[int, int] | None:
    """Where a word is broken at a line end: find the letters, then compare spaces and hyphens with care."""
    letters = _letters(folded)
    if not letters:
        return None
    found = text.skeleton.find(letters)
    lead = len(folded) - len(folded.lstrip(" -"))
    trail = len(folded) - len(folded.rstrip(" -"))
    while found >= 0:
        places = text.places
        start, end = places[found] - lead, places[found + len(letters) - 1] + 1 + trail
        if start >= 0 and _same_but_line_ends(folded, text.folded[start:end]):
            span = text.span(start, end)
            if span is not None:
                return span
        found = text.skeleton.find(letters, found + 1)
    return None


def _letters(folded: str) -> str:
    """A folding without spaces and hyphens."""
    return folded.replace(" ", "").replace("-", "").replace(LINE_END, "")


def _same_but_line_ends(one: str, other: str) -> bool:
    """Equal, where a line-end hyphen of either reads as `-`, as `- `, or (between letters) as nothing."""
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            i, j = i + 1, j + 1
        elif other[j] == LINE_END:
            i, j = _skip_hyphen(one, i, other, j), j + 1
        elif one[i] == LINE_END:
            i, j = i + 1, _skip_hyphen(other, j, one, i)
        else:
            return False
        if i < 0 or j < 0:
            return False
    return i == len(one) and j == len(other)


def _skip_hyphen(plain: str, at: int, broken: str, mark: int) -> int:
    """The place in `plain` after what the line-end hyphen `broken[mark]` may read as; -1 if nothing fits."""
    if plain.startswith("- ", at):
        return at + 2
    if plain.startswith("-", at):
        return at + 1
    digits = broken[mark - 1].isdigit() or broken[mark + 1 : mark + 2].isdigit()
    return -1 if digits else at
