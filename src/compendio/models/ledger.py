"""The ledger of paid calls: what was spent, what may have been, and every answer that was paid for.

It lies in the study's store (SQLite, `.compendio/<estudo>.sqlite`), so the cap holds over several runs and
several processes. A call is admitted, and its worst case committed, before it is made; a call that was
never settled (the process was killed) counts at its worst case for good. Source: decision record of the
jury, decision 7.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

from compendio.erros import ErroDeEstudo

_TABELA = """
CREATE TABLE IF NOT EXISTS gastos (
    chamada TEXT PRIMARY KEY, pedido TEXT NOT NULL, tipo TEXT NOT NULL, modelo TEXT NOT NULL,
    tentativa INTEGER NOT NULL, lote TEXT, lote_da_api TEXT, moeda TEXT NOT NULL, pior TEXT NOT NULL,
    gasto TEXT, falha TEXT, detalhe TEXT, conteudo TEXT, uso TEXT, quando REAL NOT NULL)
"""


@dataclass(frozen=True)
class Entry:
    """One call: `chamada` names it, `pior` is its worst case; `lote` is our name for its batch, if any."""

    chamada: str
    pedido: str
    tipo: str
    modelo: str
    tentativa: int
    pior: Decimal
    lote: str | None = None


class Ledger:
    """The paid calls of one study. Safe to use from several threads and processes.

    Parameters
    ----------
    path
        Database file, or ":memory:".
    limite, moeda
        The cap over all runs, and its currency. Raises ErroDeEstudo where money was spent in another.
    """

    def __init__(self, path: Path | str, limite: Decimal, moeda: str) -> None:
        self.limite, self.moeda, self._path = limite, moeda, path
        self._lock = threading.RLock()
        try:
            if path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._base.row_factory = sqlite3.Row
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.execute(_TABELA)
            others = self._base.execute("SELECT DISTINCT moeda FROM gastos WHERE moeda <> ?", (moeda,))
            other = others.fetchone()
        except (sqlite3.Error, OSError) as error:
            raise ErroDeEstudo(
                f"{path}: não consigo abrir o registro de gastos ({error}); veja se a pasta aceita escrita e se há "
                "espaço em disco."
            ) from None
        if other is not None:
            raise ErroDeEstudo(
                f"O que este estudo já gastou está em {other[0]}, e supervisor.precos está em {moeda}; o limite não "
                f"soma moedas: ponha preços e limite_gasto em {other[0]}."
            )

    def close(self) -> None:
        """Close the database file."""
        self._base.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def admit(self, entry: Entry) -> bool:
        """Commit the worst case of one call, if it still fits under the cap; whether it does."""
        with self._transaction():
            if self._sum("SELECT coalesce(gasto, pior) AS valor FROM gastos", entry.pior) > self.limite:
                return False
            self._base.execute(
                "INSERT INTO gastos (chamada, pedido, tipo, modelo, tentativa, lote, moeda, pior, quando) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.chamada, entry.pedido, entry.tipo, entry.modelo, entry.tentativa, entry.lote,
                    self.moeda, str(entry.pior), time.time(),
                ),
            )  # fmt: skip
            return True

    def settle(
        self,
        chamada: str,
        gasto: Decimal,
        *,
        falha: str | None = None,
        detalhe: str = "",
        conteudo: str | None = None,
        uso: dict[str, int] | None = None,
    ) -> None:
        """Commit what a call cost and what came of it, once: a call that is settled stays as it is."""
        with self._guarded():
            self._base.execute(
                "UPDATE gastos SET gasto = ?, falha = ?, detalhe = ?, conteudo = ?, uso = ? "
                "WHERE chamada = ? AND gasto IS NULL",
                (str(gasto), falha, detalhe, conteudo, json.dumps(uso) if uso else None, chamada),
            )

    def name_batch(self, lote: str, lote_da_api: str) -> None:
        """Commit the name that the API gave to one of our batches."""
        with self._guarded():
            self._base.execute("UPDATE gastos SET lote_da_api = ? WHERE lote = ?", (lote_da_api, lote))

    def spent(self) -> Decimal:
        """What is settled."""
        return self._sum("SELECT gasto AS valor FROM gastos WHERE gasto IS NOT NULL")

    def pending(self) -> Decimal:
        """The worst case of the calls that were never settled: in flight, in a batch, or cut off by a kill."""
        return self._sum("SELECT pior AS valor FROM gastos WHERE gasto IS NULL")

    def rows(self, where: str = "1", values: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """The calls, in the order in which they were admitted; `where` is SQL of this package's own."""
        with self._guarded():
            found = self._base.execute(
                f"SELECT * FROM gastos WHERE {where} ORDER BY rowid", values
            ).fetchall()
        return [dict(row) for row in found]

    def open_batches(self) -> dict[str, list[dict[str, Any]]]:
        """Our name of a batch → its calls that are not settled."""
        batches: dict[str, list[dict[str, Any]]] = {}
        for row in self.rows("lote IS NOT NULL AND gasto IS NULL"):
            batches.setdefault(row["lote"], []).append(row)
        return batches

    def _sum(self, query: str, besides: Decimal = Decimal(0)) -> Decimal:
        with self._guarded(), localcontext() as context:
            context.prec = 60
            return sum((Decimal(row["valor"]) for row in self._base.execute(query)), besides)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # IMMEDIATE: of two processes, the second sums up only after the first has committed its call.
        with self._guarded():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:  # a full disk ends it by itself
                    self._base.execute("ROLLBACK")
                raise

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise ErroDeEstudo(
                f"{self._path}: não consigo escrever no registro de gastos ({error}); a execução parou, e o que estava "
                "a caminho conta pelo pior caso. Veja se há espaço em disco, e rode de novo."
            ) from None


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a study for one paid run: a second one, from any process, is refused, or both would pay for the same.

    The lock is a transaction in a file of its own, which the system gives up when the process dies.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(path, timeout=0, isolation_level=None)
    except (sqlite3.Error, OSError) as error:
        raise ErroDeEstudo(
            f"{path}: não consigo abrir o arquivo ({error}); veja se a pasta aceita escrita."
        ) from None
    try:
        try:
            base.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            raise ErroDeEstudo(
                f"Outra execução do supervisor por API está em curso neste estudo ({path.name}); espere que termine, "
                "ou interrompa-a, e rode de novo."
            ) from None
        yield
    finally:
        base.close()
