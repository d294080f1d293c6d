"""Evidence at its edges: empty, short and long quotes, combining marks, characters that fold to several."""

from __future__ import annotations

import pytest

from compendio.evidence import FoldedText, Match, find_evidence


def level(quote: str | None, texto: str) -> str:
    return find_evidence(quote, FoldedText(texto)).nivel


@pytest.mark.parametrize("quote", [None, "", "   ", "\n\u00a0", "\u200b", "\u00ad \ufeff"])
def test_no_quote(quote: str | None) -> None:
    assert level(quote, "um texto qualquer") == "ausente"


def test_missing_value_of_a_table_is_no_quote() -> None:
    assert level(float("nan"), "um texto qualquer") == "ausente"  # type: ignore[arg-type]


def test_empty_text() -> None:
    assert level("um trecho", "") == "nao_encontrada"
    assert level(None, "") == "ausente"


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("é", "nao_encontrada"),
        ("de", "nao_encontrada"),
        ("não", "nao_encontrada"),
        ("na\u0303o", "nao_encontrada"),  # marks are no letters
        ("(não).", "nao_encontrada"),
        ("...", "nao_encontrada"),
        ("199", "nao_encontrada"),
        ("1990", "exata"),
        ("três", "exata"),
        ("de 3", "exata"),  # two words
        ("n\u00adã\u00ado", "nao_encontrada"),
    ],
)
def test_too_short(quote: str, expected: str) -> None:
    assert level(quote, "é de não na\u0303o (não). ... 199 1990 três de 3 n\u00adã\u00ado") == expected


def test_too_short_counts_letters_alike_composed_or_not() -> None:
    # Two Hangul syllables are two letters, however many jamo they are written with.
    assert level("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국 사람") == "nao_encontrada"


def words(n: int) -> str:
    return " ".join(f"palavra{k}" for k in range(n))


def test_more_than_half_of_a_long_text() -> None:
    # Of 41 words, 21 are more than half (20.5), 20 are not.
    assert level(words(21), words(41)) == "nao_encontrada"
    assert level(words(20), words(41)) == "exata"
    # Exactly half of 42 is not more.
    assert level(words(21), words(42)) == "exata"
    assert level(words(22).upper(), words(42)) == "nao_encontrada"


def test_a_text_of_40_words_may_be_quoted_whole() -> None:
    assert level(words(40), words(40)) == "exata"
    assert level(words(41), words(41)) == "nao_encontrada"


def test_dashes_and_marks_are_no_words() -> None:
    texto = words(40) + " — – - …"
    assert level(words(40), texto) == "exata"


def test_no_match_begins_or_ends_inside_a_combining_sequence() -> None:
    # "cafe" + U+0301 is "café": the first four code points are not "cafe".
    assert level("cafe", "cafe\u0301") == "nao_encontrada"
    assert find_evidence("cafe", FoldedText("cafe\u0301 e cafe")) == Match("exata", 8, 12)
    assert find_evidence("CAFE", FoldedText("cafe\u0301 e cafe")) == Match("normalizada", 8, 12)
    assert level("\u0301 bom", "cafe\u0301 bom") == "nao_encontrada"
    # A mark of a letter that has no composed form.
    assert level("pata q", "pata q\u0303") == "nao_encontrada"
    assert find_evidence("PATA Q\u0303", FoldedText("pata q\u0303!")) == Match("normalizada", 0, 7)


def test_several_marks_in_any_order() -> None:
    # Dot below (220) and circumflex (230) in either order are one letter.
    assert find_evidence("VIE\u0302\u0323T", FoldedText("o vie\u0323\u0302t")) == Match("normalizada", 2, 8)
    assert find_evidence("việt", FoldedText("o vie\u0323\u0302t")) == Match("normalizada", 2, 8)


def test_characters_that_fold_to_several_are_taken_whole() -> None:
    # ß folds to ss: the spans after it stay right, and no match takes half of it.
    assert find_evidence("STRASSE LANG", FoldedText("die Straße lang")) == Match("normalizada", 4, 15)
    assert level("die stras", "die Straße lang") == "nao_encontrada"
    assert level("SE lang", "die Straße lang") == "nao_encontrada"
    # The same for an ellipsis: one full stop is not a third of it.
    assert level("é assim.", "É assim…") == "nao_encontrada"
    assert level("é assim...", "É assim…") == "normalizada"


def test_dotted_capital_i() -> None:
    # İ folds to i and a dot above: one code point of the text, two of the folding.
    assert find_evidence("i\u0307stanbul hoje", FoldedText("em İstanbul HOJE")) == Match("normalizada", 3, 16)
    assert level("istanbul", "İstanbul") == "nao_encontrada"


def test_spans_count_code_points() -> None:
    # An emoji is one code point (two UTF-16 units).
    assert find_evidence("AZUL CLARO", FoldedText("🙂🙂 azul claro")) == Match("normalizada", 3, 13)


def test_spans_leave_out_spaces_and_ignored_characters_around() -> None:
    texto = "a \u00ad pesquisa\u00ad  qualitativa\u00ad fim"
    match = find_evidence(" PESQUISA qualitativa ", FoldedText(texto))
    assert texto[match.inicio : match.fim] == "pesquisa\u00ad  qualitativa"


def test_line_end_hyphen_at_the_edge_of_a_quote() -> None:
    texto = "a pes-\nquisa re-\nforma"
    assert find_evidence("a pes-", FoldedText(texto)) == Match("exata", 0, 6)
    match = find_evidence("A PES-", FoldedText(texto))
    assert match.nivel == "normalizada"
    # Two of them inside one quote, one read as nothing and one as a hyphen.
    assert find_evidence("pesquisa re-forma", FoldedText(texto)) == Match("normalizada", 2, 22)


def test_a_list_dash_is_no_hyphenation() -> None:
    assert level("itens: um - dois", "itens: um -\ndois") == "normalizada"
    assert level("itens: umdois", "itens: um -\ndois") == "nao_encontrada"


def test_lone_surrogates_and_control_characters_do_no_harm() -> None:
    assert level("azul\ud800claro", "AZUL\ud800claro") == "normalizada"
    assert level("azul\x00claro", "azul\x00claro") == "exata"
    assert level("azul claro", "azul\x1cclaro") == "normalizada"


def test_very_long_quotes() -> None:
    assert level("a" * 10_000, "b" * 2_000) == "nao_encontrada"
    assert level("a " * 10_000, "a " * 2_000) == "nao_encontrada"
