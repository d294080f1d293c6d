"""Evidence: what counts as the same words, what never does, and where the match stands in the original."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from compendio.evidence import FoldedText, Match, find_evidence
from compendio.folding import normal_form, normalise

ABSTRACT = (
    "Este artigo examina a participação de conselhos municipais de saúde entre 1990 e 2010. "
    "Com base em entrevistas semiestruturadas, argumentamos que “a presença — ainda que formal — importa”."
)


def find(quote: str | None, texto: str = ABSTRACT, **more: Any) -> tuple[str, str | None]:
    """The level, and what the span covers in the original."""
    match = find_evidence(quote, FoldedText(texto), **more)
    return match.nivel, None if match.inicio is None else texto[match.inicio : match.fim]


def test_exact_with_its_span() -> None:
    # "Este artigo examina a " has 22 characters; "participação" has 12.
    assert find_evidence("participação", FoldedText(ABSTRACT)) == Match("exata", 22, 34)


def test_a_quote_is_a_substring_wherever_words_begin() -> None:
    assert find("rticipa") == ("exata", "rticipa")


def test_the_first_exact_match_counts_even_after_a_folded_one() -> None:
    assert find_evidence("casa azul", FoldedText("Casa Azul e casa azul")) == Match("exata", 12, 21)
    assert find_evidence("CASA AZUL", FoldedText("casa azul e Casa Azul")) == Match("normalizada", 0, 9)


@pytest.mark.parametrize(
    ("quote", "texto", "covered"),
    [
        ("PARTICIPAÇÃO de Conselhos", "a participação de conselhos", "participação de conselhos"),
        ("participac\u0327a\u0303o", "a participação", "participação"),
        ("participação", "a participac\u0327a\u0303o.", "participac\u0327a\u0303o"),
        ("de base em", "de\u00a0base  \n em", "de\u00a0base  \n em"),
        ("de base", "de\u2009\u200bbase", "de\u2009\u200bbase"),
        ('"a presença - ainda', "“a presença — ainda", "“a presença — ainda"),
        ("‘copo d’água’", "um 'copo d'água'", "'copo d'água'"),
        ("«livre»", "o “livre”", "“livre”"),
        ("1990‒2010", "de 1990–2010,", "1990–2010"),
        ("e assim...", "e assim…", "e assim…"),
        ("e assim… por diante", "e assim... por diante", "e assim... por diante"),
        ("pesquisa", "pes\u00adquisa", "pes\u00adquisa"),
        ("pes\u00adquisa", "a pesquisa", "pesquisa"),
        ("pesquisa qualitativa", "pes-\nquisa quali-\r\n  tativa.", "pes-\nquisa quali-\r\n  tativa"),
        ("pesquisa", "pes\u00ad\nquisa", "pes\u00ad\nquisa"),
        ("pesquisa", "pes\u2010 \nquisa", "pes\u2010 \nquisa"),
        ("pes-\nquisa feita", "a pesquisa feita", "pesquisa feita"),
        ("sócio-econômico", "o sócio-\neconômico", "sócio-\neconômico"),
        ("pes- quisa", "a pes-\nquisa", "pes-\nquisa"),
        ("1990-2010", "de 1990-\n2010", "1990-\n2010"),
        ("educação", "a edu-\ncac\u0327a\u0303o", "edu-\ncac\u0327a\u0303o"),
        ("STRASSE", "a Straße", "Straße"),
        ("straße", "A STRASSE", "STRASSE"),
        ("  artigo examina  ", "O artigo examina", "artigo examina"),
        ("ΟΔΟΣ", "η οδος", "οδος"),
    ],
)
def test_presentation_is_folded(quote: str, texto: str, covered: str) -> None:
    assert find(quote, texto) == ("normalizada", covered)


@pytest.mark.parametrize(
    "quote",
    [
        "participação de conselhos estaduais de saúde",  # one word changed
        "Com base em entrevistas",  # found: the control
        "participacao de conselhos",  # an accent lost
        "conselhos de saúde",  # a word left out
        "entrevistas, argumentamos",
        "interviews with council members",
        "entre 1990 e 2011",
        "artigo examina participação",
        "A técnica principal é a que o texto declara usar",  # the codebook, not the document
        "examinaa participação",  # a lost space is a changed word
    ],
)
def test_other_words_are_never_found(quote: str) -> None:
    expected = "exata" if quote == "Com base em entrevistas" else "nao_encontrada"
    assert find(quote)[0] == expected


def test_hyphens_that_end_no_line_are_letters() -> None:
    assert find("reforma", "uma re-forma\nfeita")[0] == "nao_encontrada"
    assert find("re-forma", "uma reforma")[0] == "nao_encontrada"
    # Even where the text has a line-end hyphen elsewhere.
    assert find("reforma", "uma re-forma da pes-\nquisa")[0] == "nao_encontrada"
    # Digits are never joined: the hyphen is a range mark there.
    assert find("19902010", "de 1990-\n2010")[0] == "nao_encontrada"


def test_exempt() -> None:
    assert find(None, dispensa=True) == ("dispensada", None)
    assert find("coisa que não está lá", dispensa=True) == ("dispensada", None)
    assert find("conselhos municipais", dispensa=True) == ("exata", "conselhos municipais")


@pytest.mark.parametrize(
    ("valor", "forma"),
    [
        ("1990 a 2010", "1990-2010"),
        ("1990–2010", "1990-2010"),
        ("1990 — 2010.", "1990-2010"),
        ("1990 até 2010", "1990-2010"),
        ("1990 à 2010", "1990-2010"),
        ("de 1990 a 2010", "1990-2010"),
        ("De 1990 a 2000 e de 2005 a 2010;", "1990-2000 e 2005-2010"),
        ("1990-2000-2010", "1990-2000-2010"),
        ("entre 1990 e 2010", "entre 1990 e 2010"),
        ("1990 e 2010", "1990 e 2010"),
        ("Século  XIX!", "século xix"),
        ("Século XIX…", "século xix"),
        ("cidade de 3 a 5 mil", "cidade 3-5 mil"),
        ("a 2010", "a 2010"),
        ("...", "..."),
    ],
)
def test_normal_form(valor: str, forma: str) -> None:
    assert normal_form(valor) == forma
    assert normal_form(forma) == forma


# --- properties -------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        "pesquisa",
        "Ação",
        "não",
        "São Paulo",
        "1990–2010",
        "“rua”",
        "d’água",
        "fim…",
        "guarda-chuva",
        "É",
        "Straße",
        "ŀ",
    ]
)
SPACES = st.sampled_from([" ", "  ", "\n", "\u00a0", "\t", " \u200b"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    words = draw(st.lists(WORDS, min_size=3, max_size=38))
    return "".join(word + draw(SPACES) for word in words).strip()


ALIKE: dict[str, list[str]] = {
    "–": ["-", "—"],
    "“": ['"', "„", "«"],
    "”": ['"', "»"],
    "’": ["'", "‘"],
    " ": [" ", "\n", "\u00a0", " \n "],
    "p": ["p", "p\u00ad"],
    "…": ["…", "..."],
}


def represent(texto: str, draw: Any) -> str:
    """The same words in another presentation."""
    texto = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), texto)
    for old, news in ALIKE.items():
        texto = texto.replace(old, draw(st.sampled_from(news)))
    return draw(st.sampled_from([texto, texto.upper(), texto.casefold()]))


@given(texts(), st.data())
@settings(max_examples=200, deadline=None)
def test_any_slice_is_found_exactly_and_stands_there(texto: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(texto) - 1))
    quote = texto[start : data.draw(st.integers(start + 1, len(texto)))]
    match = find_evidence(quote, FoldedText(texto))
    assume(match.nivel != "ausente" and sum(map(str.isalnum, quote)) >= 4)
    assert match.nivel == "exata"
    assert texto[match.inicio : match.fim] == quote and match.inicio == texto.index(quote)


@given(texts(), st.data())
@settings(max_examples=200, deadline=None)
def test_another_presentation_is_found_and_covers_the_same_words(texto: str, data: st.DataObject) -> None:
    pieces = texto.split()
    start = data.draw(st.integers(0, len(pieces) - 1))
    quote = " ".join(pieces[start : data.draw(st.integers(start + 1, len(pieces)))])
    assume(sum(map(str.isalnum, quote)) >= 4)
    match = find_evidence(represent(quote, data.draw), FoldedText(represent(texto, data.draw)))
    assert match.nivel in ("exata", "normalizada")


@given(texts(), st.data())
@settings(max_examples=200, deadline=None)
def test_a_folded_match_folds_to_the_quote(texto: str, data: st.DataObject) -> None:
    other = represent(texto, data.draw)
    start = data.draw(st.integers(0, len(texto) - 4))
    quote = texto[start : start + data.draw(st.integers(4, 40))]
    match = find_evidence(quote, FoldedText(other))
    if match.nivel == "normalizada":
        assert normalise(other[match.inicio : match.fim]) == normalise(quote)
        assert (
            match.inicio is not None and match.fim is not None and 0 <= match.inicio < match.fim <= len(other)
        )


@given(texts(), st.data())
@settings(max_examples=100, deadline=None)
def test_one_changed_word_is_not_found(texto: str, data: st.DataObject) -> None:
    pieces = texto.split()
    k = data.draw(st.integers(0, len(pieces) - 1))
    pieces[k] = "outrora"  # in none of the texts
    quote = " ".join(pieces[max(0, k - 3) : k + 4])
    assert find_evidence(quote, FoldedText(texto)).nivel == "nao_encontrada"


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_folding_twice_changes_nothing(texto: str) -> None:
    assert normalise(normalise(texto)) == normalise(texto)
    assert normal_form(normal_form(texto)) == normal_form(texto)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_canonical_forms_fold_alike(texto: str) -> None:
    assert normalise(unicodedata.normalize("NFC", texto)) == normalise(unicodedata.normalize("NFD", texto))
