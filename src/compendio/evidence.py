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

#: A quote of one word with fewer letters and digits than this shows nothing.
MINIMO_DE_LETRAS = 4
#: In a text of more words than this, a quote may not hold more than half of them.
TEXTO_CURTO = 40

_IGNORED = "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width space, word joiner, byte order mark
_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
#: Stands in a folded text for a hyphen at a line end, which may or may not belong to the word. The
#: soft hyphen is free for this: every other one is dropped.
_LINE_END = "\u00ad"

_QUOTATION = "\"'`´‘’‚‛“”„‟«»‹›′″＂＇"
_DASHES = "-‐‑‒–—―−﹘﹣－"
_WHITE = " \t\n\r\x0b\x0c\xa0"  # the usual white space; any other is rare enough for the slow path
_ANY_QUOTATION = re.compile(f"[{_QUOTATION[1:]}]")
_ANY_DASH = re.compile(f"[{_DASHES[1:]}]")
_ANY_WHITE = re.compile(f"[{_WHITE[1:]}]")

#: Characters that fold to exactly one character each; white space and hyphens where no more follows.
_PLAIN = re.compile(
    r"(?:[\x21-\x2c\x2e-\x7e\xa1-\xac\xae-\xb4\xb6-\xde\xe0-\xff\u0100-\u012f\u0131-\u0148\u014a-\u017e"
    rf"\u2011-\u2015\u2018-\u201f\u2212]++|[-\u2010{_WHITE}](?![\s{_IGNORED}]))+"
)
_HYPHENATION = re.compile(rf"[-\u2010\u00ad][^\S{_BREAKS}]*[{_BREAKS}]\s*")
_SPACE = re.compile(rf"[{_IGNORED}]*\s[\s{_IGNORED}]*")
_DROPPED = re.compile(rf"[{_IGNORED}]+")
_NOT_SKELETON = re.compile(rf"[ \-{_LINE_END}]+")


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
    def _folding(self) -> tuple[str, list[int], list[int], list[int]]:
        """The folded text, and for each piece of it: start in it, start and end in the original.

        A piece as long in the folding as in the original maps character by character; any other is
        one unit, which a match takes whole or not at all.
        """
        return _fold(self.texto)

    @property
    def folded(self) -> str:
        return self._folding[0]

    @cached_property
    def skeleton(self) -> str:
        """The folding without spaces and hyphens."""
        return _NOT_SKELETON.sub("", self.folded)

    @cached_property
    def places(self) -> list[int]:
        """The place in the folding of each character of the skeleton."""
        return [k for k, char in enumerate(self.folded) if char not in " -" and char != _LINE_END]

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The original span of `folded[start:end]`; None if it would cut a character's sequence."""
        folded, folds, begins, ends = self._folding
        first, last = bisect_right(folds, start) - 1, bisect_right(folds, end - 1) - 1
        offset = start - folds[first]
        if offset and self._is_unit(first):
            return None
        width = (folds[last + 1] if last + 1 < len(folds) else len(folded)) - folds[last]
        if self._is_unit(last):
            return (begins[first] + offset, ends[last]) if end == folds[last] + width else None
        return begins[first] + offset, begins[last] + end - folds[last]

    def _is_unit(self, piece: int) -> bool:
        folded, folds, begins, ends = self._folding
        width = (folds[piece + 1] if piece + 1 < len(folds) else len(folded)) - folds[piece]
        # A decomposed letter may fold to as many code points as it has; its marks make it a unit.
        length = ends[piece] - begins[piece]
        return width != length or (length > 1 and _is_mark(self.texto[ends[piece] - 1]))


def normalise(texto: str) -> str:
    """The folding of a text as one string: a word broken at a line end joined, a number with its hyphen."""
    folded = _fold(texto)[0]
    if _LINE_END not in folded:
        return folded.strip()
    joined = re.sub(rf"(?<!\d){_LINE_END}(?!\d)", "", folded)
    return joined.replace(_LINE_END, "-").strip()


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
    if too_short(quote) or too_long(quote, text):
        return Match("nao_encontrada")
    span = _find_exact(quote, text.texto)
    if span is not None:
        return Match("exata", *span)
    folded = _fold(quote)[0].strip()
    span = _find_folded(folded, text)
    if span is None and (_LINE_END in text.folded or _LINE_END in folded):
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
    return sum(1 for token in texto.split() if token[0].isalnum() or any(map(str.isalnum, token)))


def normal_form(valor: str) -> str:
    """The form by which free-text answers are compared.

    The folding of evidence; without final punctuation (`. , ; : ! ?`, the ellipsis included); and with
    one mark for a range: between two numbers, a dash of any kind (spaces around it or not) and the words
    `a`, `à`, `até` become `-`, and a `de` right before the first number goes. So `1990 a 2010`,
    `1990–2010`, `1990 - 2010`, `1990 até 2010.` and `de 1990 a 2010` are one answer; `1990 e 2010` (two
    years) and `entre 1990 e 2010` (another wording) are others. A value that is all punctuation is kept.
    """
    folded = normalise(valor)
    bare = folded.rstrip(" .,;:!?") or folded
    return re.sub(r"(?:\bde )?(?<!\d)(\d+)(?: ?- ?| (?:a|à|até) )(?=\d)", r"\1-", bare)


def _is_mark(char: str) -> bool:
    """True for what joins the character before it: combining marks, later jamo of a Hangul syllable."""
    return char > "\u02ff" and (unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff")


def _fold(texto: str) -> tuple[str, list[int], list[int], list[int]]:
    pieces: list[str] = []
    folds: list[int] = []
    begins: list[int] = []
    ends: list[int] = []
    length, here, n = 0, 0, len(texto)
    while here < n:
        piece, end = _next_piece(texto, here, pieces[-1] if pieces else "")
        if piece:
            pieces.append(piece)
            folds.append(length)
            begins.append(here)
            ends.append(end)
            length += len(piece)
        here = end
    # One mark for each kind, character by character, so that no place moves.
    folded = _ANY_QUOTATION.sub('"', "".join(pieces))
    return _ANY_WHITE.sub(" ", _ANY_DASH.sub("-", folded)), folds, begins, ends


def _next_piece(texto: str, here: int, before: str) -> tuple[str, int]:
    """The folding of what starts at `here`, and where that ends."""
    run = _PLAIN.match(texto, here)
    if run:
        end = run.end()
        if end < len(texto) and _is_mark(texto[end]):
            end -= 1  # this letter belongs with its mark
        if end > here:
            return texto[here:end].casefold(), end
    broken = _HYPHENATION.match(texto, here)
    if broken and before[-1:].isalnum() and texto[broken.end() : broken.end() + 1].isalnum():
        return _LINE_END, broken.end()
    space = _SPACE.match(texto, here)
    if space:
        return " ", space.end()
    dropped = _DROPPED.match(texto, here)
    if dropped:
        return "", dropped.end()
    end = here + 1
    while end < len(texto) and _is_mark(texto[end]):
        end += 1
    # Unicode's canonical caseless matching: decompose, fold case, compose again.
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", texto[here:end]).casefold())
    return folded.replace("…", "..."), end


def _find_exact(quote: str, texto: str) -> tuple[int, int] | None:
    start = texto.find(quote)
    while start >= 0:
        end = start + len(quote)
        if not _is_mark(texto[start]) and not (end < len(texto) and _is_mark(texto[end])):
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
    letters = _NOT_SKELETON.sub("", folded)
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


def _same_but_line_ends(one: str, other: str) -> bool:
    """Equal, where a line-end hyphen of either reads as `-`, as `- `, or (between letters) as nothing."""
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            i, j = i + 1, j + 1
        elif other[j] == _LINE_END:
            i, j = _skip_hyphen(one, i, other, j), j + 1
        elif one[i] == _LINE_END:
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
