"""A jury of three whose every answer is fixed here, served by the scripted server; see `test_pipeline.py`.

The texts are those of `small_study.CORPUS`. What each says of `abordagem`, `fontes` and `periodo`:

        round 1                                   round 2
  d1    alfa, beta, gama: qualitativa, falas, 1998
  d2    alfa: quantitativa, falas,  1991          alfa: quantitativa, falas
        beta: qualitativa,  (none), 1991          beta: quantitativa, (none)
        gama: nao_informada, (none), não informado    gama: nao_informada, (none)
  d3    alfa: quantitativa, leis, 1985            alfa: qualitativa, leis
        beta: qualitativa (a quote that is not there), leis, não informado     beta: as before
        gama: no JSON                             gama: not asked
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from servidor_ollama import Resposta
from small_study import CORPUS, ESTUDO, write_study

MEMBROS = ("alfa", "beta", "gama")
MODELOS = {name: name[0] * 64 for name in MEMBROS}
NADA = "não informado"

#: (round, document, member) → abordagem with its quote, fontes with their quotes, periodo with its quote.
D1 = (("qualitativa", "Ouvimos vinte feirantes"), {"falas": "vinte feirantes em 1998"}, ("1998", "em 1998"))
ANSWERS: dict[tuple[int, str, str], tuple[tuple[str, str], dict[str, str], tuple[str, str]]] = {
    (1, "d1", "alfa"): D1,
    (1, "d1", "beta"): D1,
    (1, "d1", "gama"): D1,
    (1, "d2", "alfa"): (
        ("quantitativa", "Medimos a renda"),
        {"falas": "censo de 1991"},
        ("1991", "censo de 1991"),
    ),
    (1, "d2", "beta"): (("qualitativa", "três regiões"), {}, ("1991", "censo de 1991")),
    (1, "d2", "gama"): (("nao_informada", ""), {}, (NADA, "")),
    (1, "d3", "alfa"): (
        ("quantitativa", "as suas emendas"),
        {"leis": "Lemos a lei"},
        ("1985", "a lei de 1985"),
    ),
    (1, "d3", "beta"): (("qualitativa", "ninguém disse isto aqui"), {"leis": "a lei de 1985"}, (NADA, "")),
    (2, "d2", "alfa"): (("quantitativa", "Medimos a renda"), {"falas": "censo de 1991"}, ("", "")),
    (2, "d2", "beta"): (("quantitativa", "Medimos a renda"), {}, ("", "")),
    (2, "d2", "gama"): (("nao_informada", ""), {}, ("", "")),
    (2, "d3", "alfa"): (("qualitativa", "Lemos a lei"), {"leis": "Lemos a lei"}, ("", "")),
    (2, "d3", "beta"): (("qualitativa", "ninguém disse isto aqui"), {"leis": "a lei de 1985"}, ("", "")),
}
_TEXTS = {line.split(",", 2)[0]: line.split('"')[1] for line in CORPUS.splitlines()[1:]}
assert len(_TEXTS) == 3


def answer(body: dict[str, Any], number: int) -> Resposta:
    """What the table above says, in the form of the schema that was sent."""
    (documento,) = [ident for ident, text in _TEXTS.items() if text in body["messages"][1]["content"]]
    rodada = 1 if len(body["messages"]) == 2 else 2
    given = ANSWERS.get((rodada, documento, body["model"].removesuffix(":latest")))
    if given is None:
        return Resposta(content="não sei responder")
    (abordagem, quote), fontes, (periodo, when) = given
    whole = {
        "abordagem": {"evidencia": quote, "valor": abordagem},
        "fontes": [{"evidencia": q, "categoria": name} for name, q in fontes.items()],
        "periodo": {"evidencia": when, "valor": periodo},
    }
    asked = body["format"]["properties"]
    return Resposta(content=json.dumps({name: whole[name] for name in asked}, ensure_ascii=False))


def write_jury(raiz: Path, estudo: str = "", **files: str) -> Path:
    """The study, at `<raiz>/data/juri`; `estudo` adds lines to its estudo.yaml."""
    names = {name.replace("__", "/"): content for name, content in files.items()}
    return write_study(raiz / "data" / "juri", {"estudo.yaml": ESTUDO + estudo, **names})
