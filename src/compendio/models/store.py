"""The store of replies: SQLite, one row a reply, committed before it is used.

A row is the reply's line of `respostas.jsonl` plus the columns it is found and sorted by, so that the
text form and the database cannot differ. Source: data contract, key of the reply store.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from compendio.erros import ErroDeEstudo
from compendio.models.base import NAO_OUVIDAS, Call, Falha, Message, Reply

_TABELA = """
CREATE TABLE IF NOT EXISTS respostas (
    chave TEXT PRIMARY KEY, membro TEXT NOT NULL, digest TEXT NOT NULL, mensagens TEXT NOT NULL,
    rodada INTEGER NOT NULL, repeticao INTEGER NOT NULL, tentativa INTEGER NOT NULL,
    posicao INTEGER NOT NULL, ouvida INTEGER NOT NULL, linha TEXT NOT NULL)
"""
_COLUNAS = [
    "chave",
    "membro",
    "digest",
    "mensagens",
    "rodada",
    "repeticao",
    "tentativa",
    "posicao",
    "ouvida",
    "linha",
]
# Only a call in which the model was not heard may be overwritten: everything else is a result.
_GRAVA = (
    f"INSERT INTO respostas ({', '.join(_COLUNAS)}) VALUES ({', '.join('?' * len(_COLUNAS))}) "
    "ON CONFLICT(chave) DO UPDATE SET linha = excluded.linha, ouvida = excluded.ouvida, "
    "posicao = excluded.posicao WHERE respostas.ouvida = 0"
)
_OBRIGATORIAS = {
    "chave": str,
    "membro": str,
    "documento": str,
    "variaveis": list,
    "rodada": int,
    "repeticao": int,
    "tentativa": int,
    "posicao": int,
    "digest": str,
    "mensagens": str,
}
_DA_RESPOSTA = [
    "conteudo",
    "falha",
    "detalhe",
    "digest",
    "servidor",
    "prompt_tokens",
    "prompt_segundos",
    "tokens",
    "geracao_segundos",
    "segundos",
]
# Characters that JSON allows as they are, but that break lines, hide, or cannot be written in UTF-8.
_PERIGOSOS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


def dump_line(record: Mapping[str, Any]) -> str:
    """One line of JSON that reads well in git: accents as they are, dangerous characters escaped."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return _PERIGOSOS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def messages_sha256(messages: Sequence[Message]) -> str:
    """Hash of the exact messages, in hexadecimal."""
    plain = [{"role": message["role"], "content": message["content"]} for message in messages]
    return _sha256(plain)


def reply_key(digest: str, call: Call) -> str:
    """Key of one reply: sha256 of model digest, options, messages, schema, attempt and repetition.

    The order of the options says nothing; the order of the schema's properties does (the server
    generates in that order), so it is part of the key.
    """
    options = {name: _plain(call.options[name]) for name in sorted(call.options)}
    schema = json.dumps(call.schema, ensure_ascii=True, separators=(",", ":"))
    return _sha256([digest, options, messages_sha256(call.messages), schema, call.tentativa, call.repeticao])


def _plain(value: Any) -> Any:
    """0 and 0.0 are the same option."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sha256(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def as_reply(record: Mapping[str, Any]) -> Reply:
    """The reply in one record of the store."""
    return Reply(**{"conteudo": None, **{name: record[name] for name in _DA_RESPOSTA if name in record}})


class Store:
    """The replies of one study.

    Parameters
    ----------
    path
        Database file, or ":memory:" for a study that runs from its recorded replies alone.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        try:
            if path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.execute(_TABELA)
            self._base.execute(f"SELECT {', '.join(_COLUNAS)} FROM respostas LIMIT 0")
            # Damage inside the file would else come to light in the middle of a run.
            if (found := self._base.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(found)
        except (sqlite3.Error, OSError) as error:
            raise ErroDeEstudo(
                f"{path}: não consigo abrir o banco de respostas ({' '.join(str(error).split())}); veja se a pasta "
                "aceita escrita e se há espaço em disco. Se o arquivo estiver estragado, dê-lhe outro nome: o banco se "
                "refaz, e as respostas que só estavam nele serão perguntadas de novo."
            ) from None

    def close(self) -> None:
        """Close the database file."""
        self._base.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._base.execute("SELECT count(*) FROM respostas").fetchone()[0])

    def get(self, key: str) -> Reply | None:
        """The reply under this key, a stored failure included; None when there is none."""
        record = self.record(key)
        return None if record is None else as_reply(record)

    def record(self, key: str) -> dict[str, Any] | None:
        """All that is kept of the reply under this key (the columns of `rows`)."""
        found = self._base.execute("SELECT linha FROM respostas WHERE chave = ?", (key,)).fetchone()
        return None if found is None else json.loads(found[0])

    def put(self, key: str, membro: str, call: Call, reply: Reply, posicao: int) -> Reply:
        """Commit one reply and return the one that now stands under the key.

        A reply that was heard, and a failure that is the model's own, are never replaced.

        Parameters
        ----------
        posicao
            Place of the call in its run, from 1.
        """
        record = {
            "chave": key,
            "membro": membro,
            "documento": call.documento,
            "variaveis": list(call.variaveis),
            "rodada": call.rodada,
            "repeticao": call.repeticao,
            "tentativa": call.tentativa,
            "posicao": posicao,
            **{name: getattr(reply, name) for name in _DA_RESPOSTA},
            "opcoes": {name: _plain(call.options[name]) for name in sorted(call.options)},
            "prompt_caracteres": sum(len(message["content"]) for message in call.messages),
            "mensagens": messages_sha256(call.messages),
        }
        self._base.execute(_GRAVA, _row(record))
        stands = self.get(key)
        assert stands is not None
        return stands

    def rows(self) -> Iterator[dict[str, Any]]:
        """All records, ordered by round, repetition, member (as first seen), position and attempt."""
        for line in self._lines(None):
            yield json.loads(line)

    def digests(self, membro: str) -> list[str]:
        """The digests of the weights that answered under this member's name, as first seen."""
        query = "SELECT digest FROM respostas WHERE membro = ? GROUP BY digest ORDER BY min(rowid)"
        return [digest for (digest,) in self._base.execute(query, (membro,))]

    def find_messages(self, digest: str, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Records in which this model was asked exactly these messages (whatever the schema and attempt)."""
        query = "SELECT linha FROM respostas WHERE digest = ? AND mensagens = ? ORDER BY rowid"
        return [
            json.loads(line) for (line,) in self._base.execute(query, (digest, messages_sha256(messages)))
        ]

    def export_jsonl(self, path: Path, keys: Collection[str] | None = None) -> int:
        """Write the replies as text, one a line, in the order of `rows`; give their number.

        Parameters
        ----------
        keys
            Only these (see `run.used_keys`), so that replies to an earlier codebook stay out.
        """
        lines = list(self._lines(keys))
        part = Path(path).with_suffix(".part")
        part.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
        part.replace(path)
        return len(lines)

    def load_jsonl(self, path: Path) -> int:
        """Take in the replies of a `respostas.jsonl`; give the number of lines read.

        Raises
        ------
        ErroDeEstudo
            With every line that is no reply, or that contradicts an earlier line under the same key.
        """
        rows: dict[str, tuple[Any, ...]] = {}
        first: dict[str, int] = {}
        problems: list[str] = []
        with Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                try:
                    row = _row(_checked(json.loads(line)))
                except ValueError as error:
                    problems.append(
                        f"{path}, linha {number}: não é uma resposta gravada ({error}); recupere o arquivo "
                        "do git ou exporte-o de novo, pois ele não se edita à mão."
                    )
                    continue
                key = row[0]
                if key in rows and rows[key] != row:
                    problems.append(
                        f"{path}, linha {number}: contradiz a linha {first[key]}, que tem a mesma chave; "
                        "apague uma das duas."
                    )
                rows[key] = row
                first.setdefault(key, number)
        if problems:
            raise ErroDeEstudo(problems)
        self._base.execute("BEGIN")
        self._base.executemany(_GRAVA, rows.values())
        self._base.execute("COMMIT")
        return len(rows)

    def _lines(self, keys: Collection[str] | None) -> Iterator[str]:
        query = """
            SELECT chave, linha FROM respostas
            JOIN (SELECT membro, min(rowid) AS ordem FROM respostas GROUP BY membro) USING (membro)
            ORDER BY rodada, repeticao, ordem, posicao, tentativa, chave
        """
        wanted = None if keys is None else set(keys)
        return (line for key, line in self._base.execute(query) if wanted is None or key in wanted)


def _row(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """The columns of one record; what is missing (None, an empty detail) is left out of its line."""
    kept = {
        name: value
        for name, value in record.items()
        if value is not None and (name, value) != ("detalhe", "")
    }
    derived = {**record, "ouvida": int(record.get("falha") not in NAO_OUVIDAS), "linha": dump_line(kept)}
    return tuple(derived[name] for name in _COLUNAS)


def _checked(record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise ValueError("não é um objeto JSON")
    wrong = [name for name, kind in _OBRIGATORIAS.items() if not isinstance(record.get(name), kind)]
    if wrong:
        raise ValueError(f"falta ou não serve: {', '.join(wrong)}")
    if record.get("falha") not in (None, *get_args(Falha)):
        raise ValueError(f"falha desconhecida: {record['falha']}")
    as_reply(record)  # either a conteudo or a falha
    return record
