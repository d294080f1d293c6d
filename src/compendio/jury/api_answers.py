"""Answers that were paid for: checked like those of a batch, kept in the ledger, written beside the others.

The ledger holds every answer as it came; `data/<estudo>/supervisor/api.jsonl` is its readable form, for git
and for a study that is run again with no key. Lines that came from another machine's ledger stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from compendio.erros import ErroDeEstudo
from compendio.evidence import FoldedText
from compendio.jury.answers import Recusada, check_answer
from compendio.jury.batches import Request
from compendio.models.answers import RespostaInvalida, parse_answer
from compendio.models.anthropic import Outcome
from compendio.models.billing import cost
from compendio.models.ledger import Ledger
from compendio.models.store import dump_line
from compendio.study import Study
from compendio.text_file import read_text

ARQUIVO = "api.jsonl"
#: What `read_text` takes for a wrong conversion of the whole file: one such answer would take the others with it.
_PARECE_TROCA = re.compile("\ufffd|\u00c3(?![A-Za-z\\s])")


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
        try:
            given = parse_answer(conteudo)
        except RespostaInvalida as error:
            return "json_invalido", str(error)
        if request is None:  # the question changed while its batch was under way: kept, and used by nobody
            return None, ""
        variable = self._study.codebook.variaveis[request.variavel]
        try:
            exempt = self._study.evidencia == "dispensada"
            check_answer(request, as_answer(given), variable, FoldedText(request.texto), exempt)
        except Recusada as error:
            return "resposta_recusada", str(error)
        return None, ""

    def paid(self, pedidos: Collection[str]) -> dict[str, str]:
        """The requests for which the ledger holds an answer that is good by today's rules → its line, the latest."""
        found = {}
        for row in self._ledger.rows("conteudo IS NOT NULL AND falha IS NULL"):
            ident = row["pedido"]
            if ident in pedidos and self._check(ident, row["conteudo"])[0] is None:
                found[ident] = _line(ident, as_answer(parse_answer(row["conteudo"])), row["modelo"])
        return found


def as_answer(given: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as a batch would hold it: quotes that the schema demands and nobody needs are left out."""
    quotes = given.get("evidencia")
    if isinstance(quotes, Mapping):
        return {**given, "evidencia": {name: quote for name, quote in quotes.items() if quote}}
    return dict(given)


def _line(ident: str, answer: Mapping[str, Any], modelo: str) -> str:
    """A line of `api.jsonl`. Of the answer only what was asked for is taken: an id of its own names another request."""
    kept = {name: answer[name] for name in ("evidencia", "escolha", "justificativa") if name in answer}
    text = dump_line({"id": ident, **kept, "modelo": modelo})
    return _PARECE_TROCA.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def save_answers(study: Study, cashier: Cashier, faltam: Collection[str]) -> int:
    """Write to `api.jsonl` the answers that were paid for to requests that have no good one; their number.

    What the file holds stays as it is, and the file appears whole or stays as it was. An answer that stands
    there, and still does not count (another file contradicts it), is not written twice.
    """
    path = study.pasta / "supervisor" / ARQUIVO
    paid = cashier.paid(faltam)
    if not paid:
        return 0
    part = path.with_suffix(".part")
    try:
        text = ""
        if path.exists():
            problems: list[str] = []
            text = read_text(path, f"{path.parent.name}/{path.name}", problems, []) or ""
            if problems:
                raise ErroDeEstudo(problems)
        there = {line.rstrip("\r") for line in text.split("\n")}
        new = [line for line in paid.values() if line not in there]
        if new:
            if text and not text.endswith("\n"):
                text += "\n"
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text + "".join(f"{line}\n" for line in new), encoding="utf-8", newline="")
            part.replace(path)
        return len(new)
    except OSError as error:
        raise ErroDeEstudo(
            f"{path}: não consigo escrever o arquivo ({error.strerror}); veja as permissões e se há espaço em disco. O "
            "que foi pago está guardado: o mesmo comando o escreve depois, sem pagar de novo."
        ) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
