"""Answers that were paid for: checked like those of a batch, kept in the ledger, written beside the others.

The ledger holds every answer as it came; `data/<estudo>/supervisor/api.jsonl` is its readable form, for git
and for a study that is run again with no key. Lines that came from another machine's ledger stay.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from compendio.evidence import FoldedText
from compendio.jury.answers import Recusada, check_answer
from compendio.jury.batches import Request
from compendio.models.answers import RespostaInvalida, parse_answer
from compendio.models.anthropic import Outcome
from compendio.models.billing import cost
from compendio.models.ledger import Ledger
from compendio.study import Study

ARQUIVO = "api.jsonl"


class Cashier:
    """Settles calls: what each cost, whether its answer counts, and under which name it failed."""

    def __init__(self, study: Study, ledger: Ledger, pedidos: Sequence[Request]) -> None:
        self._study, self._ledger = study, ledger
        self._requests = {request.id: request for request in pedidos}

    def settle(self, chamada: str, pedido: str, pior: Decimal, outcome: Outcome, em_lote: bool) -> str | None:
        """Commit one outcome; the name of its failure, None for a good answer.

        A call whose bill never came counts at its worst case (`pior`); a refused one costs nothing.
        """
        precos = self._study.supervisor.precos
        assert precos is not None
        falha: str | None = outcome.falha
        detalhe = outcome.detalhe
        if outcome.conteudo is not None:
            falha, detalhe = self._check(pedido, outcome.conteudo)
        if outcome.uso is not None:
            spent = cost(precos, outcome.uso, em_lote)
        else:
            spent = pior if outcome.talvez_cobrada else Decimal(0)
        self._ledger.settle(
            chamada,
            spent,
            falha=falha,
            detalhe=detalhe,
            conteudo=outcome.conteudo,
            uso=outcome.uso.as_dict() if outcome.uso else None,
        )
        return falha

    def _check(self, pedido: str, conteudo: str) -> tuple[str | None, str]:
        request = self._requests.get(pedido)
        if request is None:  # the question changed while its batch was under way: kept, and used by nobody
            return None, ""
        try:
            given = parse_answer(conteudo)
        except RespostaInvalida as error:
            return "json_invalido", str(error)
        variable = self._study.codebook.variaveis[request.variavel]
        try:
            exempt = self._study.evidencia == "dispensada"
            check_answer(request, as_answer(given), variable, FoldedText(request.texto), exempt)
        except Recusada as error:
            return "resposta_recusada", str(error)
        return None, ""


def as_answer(given: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as a batch would hold it: quotes that the schema demands and nobody needs are left out."""
    quotes = given.get("evidencia")
    if isinstance(quotes, Mapping):
        return {**given, "evidencia": {name: quote for name, quote in quotes.items() if quote}}
    return dict(given)


def save_answers(study: Study, ledger: Ledger) -> int:
    """Write the good answers of the ledger that `api.jsonl` does not hold yet; their number.

    The file appears whole or stays as it was.
    """
    path = study.pasta / "supervisor" / ARQUIVO
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    there = {_ident(line) for line in lines}
    new = []
    for row in ledger.rows("conteudo IS NOT NULL AND falha IS NULL"):
        if row["pedido"] not in there:
            there.add(row["pedido"])
            answer = as_answer(parse_answer(row["conteudo"]))
            new.append(
                json.dumps({"id": row["pedido"], **answer, "modelo": row["modelo"]}, ensure_ascii=False)
            )
    if new:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text("".join(f"{line}\n" for line in [*lines, *new]), encoding="utf-8", newline="\n")
        part.replace(path)
    return len(new)


def _ident(line: str) -> str | None:
    try:
        return str(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError):
        return None
