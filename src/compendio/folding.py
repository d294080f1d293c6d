"""What a text is when only its presentation is folded: the form in which quotes and answers are compared.

Folded are canonical composition (NFC/NFD), white space (runs, line ends, no-break and zero-width spaces),
quotation marks, dashes, the ellipsis (`…` = `...`), soft hyphens, hyphenation at line ends, and case.
Nothing else: one accent lost, and two texts differ.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

IGNORED = "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width space, word joiner, byte order mark
_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
#: Stands in a folded text for a hyphen at a line end, which may or may not belong to the word. The
#: soft hyphen is free for this: every other one is dropped.
LINE_END = "\u00ad"

_QUOTATION = "\"'`´‘’‚‛“”„‟«»‹›′″＂＇"
_DASHES = "-‐‑‒–—―−﹘﹣－"
_BREAKABLE = "-\u2010\u00ad"
#: The first mark of each kind stands for the others: character by character, so that no place moves.
ALIKE = [(other, kind[0]) for kind in (_QUOTATION, _DASHES) for other in kind[1:]]

#: Characters that fold to exactly one character each, whatever stands beside them (unless it is a mark).
_PLAIN = (
    r"\x21-\x2c\x2e-\x7e\xa1-\xac\xae-\xb4\xb6-\xde\xe0-\xff\u0100-\u012f\u0131-\u0148\u014a-\u017e"
    r"\u2011-\u2015\u2018-\u201f\u2212"
)
#: Characters that do, too, unless a special one follows, or a space a space.
_LOOSE = "-\u2010 "
_SPECIAL = re.compile(f"[^{_LOOSE}{_PLAIN}]")
_SPECIAL_OR_SPACES = re.compile(rf"[^-\u2010{_PLAIN}](?:(?<! )|(?= ))")  # more than twice as slow
_HYPHENATION = re.compile(rf"[{_BREAKABLE}][^\S{_BREAKS}]*[{_BREAKS}]\s*")
_BLANK = re.compile(rf"[\s{IGNORED}]+")


def is_mark(char: str) -> bool:
    """True for what joins the character before it: combining marks, later jamo of a Hangul syllable."""
    return char > "\u02ff" and (unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff")


def fold(texto: str) -> tuple[str, list[int], list[int]]:
    """The folded text (line-end hyphens as `LINE_END`), and where its pieces start: in it, in the original.

    Both lists have one place more, the end. A piece as long in the folding as in the original maps
    character by character; any other is one unit. A piece that is dropped has no length in the folding.
    """
    pieces: list[str] = []
    begins: list[int] = []
    here, before = 0, ""
    for special in (_SPECIAL_OR_SPACES if "  " in texto else _SPECIAL).finditer(texto):
        end = place = special.start()
        if place < here:
            continue
        if end > here and is_mark(texto[place]):
            end -= 1  # this letter belongs with its mark
        while end > here and texto[end - 1] in _LOOSE:
            end -= 1
        if end > here:  # all plain up to there
            before = texto[here:end].casefold()
            pieces.append(before)
            begins.append(here)
            here = end
        while here <= place:  # what stands together, unit by unit
            piece, end = next_unit(texto, here, before)
            pieces.append(piece)
            begins.append(here)
            here, before = end, piece or before
    if here < len(texto):
        pieces.append(texto[here:].casefold())
        begins.append(here)
    folded = "".join(pieces)
    for other, mark in ALIKE:
        folded = folded.replace(other, mark)
    return folded, list(accumulate(map(len, pieces), initial=0)), [*begins, len(texto)]


def next_unit(texto: str, here: int, before: str) -> tuple[str, int]:
    """The folding of what starts at `here`, and where that ends; `before` is what was folded last."""
    if texto[here] in _BREAKABLE:
        broken = _HYPHENATION.match(texto, here)
        if broken and before[-1:].isalnum() and texto[broken.end() : broken.end() + 1].isalnum():
            return LINE_END, broken.end()
    blank = _BLANK.match(texto, here)
    if blank:
        return " " if blank.group().strip(IGNORED) else "", blank.end()
    end = here + 1
    while end < len(texto) and is_mark(texto[end]):
        end += 1
    # Unicode's canonical caseless matching: decompose, fold case, compose again.
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", texto[here:end]).casefold())
    return folded.replace("…", "..."), end


def normalise(texto: str) -> str:
    """The folding of a text as one string: a word broken at a line end joined, a number with its hyphen."""
    folded = fold(texto)[0]
    if LINE_END not in folded:
        return folded.strip()
    joined = re.sub(rf"(?<!\d){LINE_END}(?!\d)", "", folded)
    return joined.replace(LINE_END, "-").strip()


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
