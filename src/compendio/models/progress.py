"""What a person sees while a run goes on: a bar, and sentences that a log or a notebook can keep."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any

from tqdm.auto import tqdm
from tqdm.std import tqdm as text_bar

from compendio.models.answers import max_context
from compendio.models.base import NAO_OUVIDAS, Call, Reply
from compendio.models.limits import characters

#: Set where a notebook runs for somebody who sits at a terminal (`execution.executar`): a bar of text gets there, a
#: widget would not.
NO_TERMINAL = "COMPENDIO_NO_TERMINAL"
#: Replies after which the time left is told; the first (a model that loads, a cold cache) is left out.
PARA_ESTIMAR = 4


def duration(segundos: float) -> str:
    """A length of time in words: «40 s», «12 min», «3 h 05 min»."""
    if segundos < 60:
        return f"{max(1, round(segundos))} s"
    minutes = round(segundos / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


class Progress:
    """Bar and sentences of one run; silent when not `active`, but for an interruption."""

    def __init__(self, desc: str, faltam: int, total: int, active: bool) -> None:
        self.desc, self.faltam, self.total, self.active = desc, faltam, total, active
        self._done = self._failures = 0
        self._first = 0.0
        self._bar: Any = None
        self._handle: Any = None
        self._longest: Call | None = None
        if not active:
            return
        if faltam == 0:
            self._say(f"{desc}: nada a perguntar; respostas já gravadas: {total}.")
            return
        self._say(f"{desc}: respostas que faltam: {faltam} de {total}.")
        # In a log every refresh is another line, so there are few.
        slow = not sys.stderr.isatty()
        # In a notebook the bar is shown through a handle, since a saved widget stays at its first state.
        kind = text_bar if os.environ.get(NO_TERMINAL) else tqdm
        notebook = any(base.__module__ == "tqdm.notebook" for base in kind.__mro__)
        self._bar = kind(
            total=faltam,
            desc=desc,
            unit="resposta",
            mininterval=10.0 if slow and not notebook else 0.5,
            ascii=slow,
            **({"display": False} if notebook else {}),
        )
        if notebook:
            from IPython.display import display

            self._handle = display(self._bar.container, display_id=True)

    def check_fit(self, calls: Sequence[Call]) -> None:
        """Remember the longest prompt, to be compared with `num_ctx` after the first reply."""
        self._longest = max(calls, key=lambda call: characters(call.messages), default=None)

    def step(self, call: Call, reply: Reply) -> None:
        """One more reply, to this call."""
        self._done += 1
        self._failures += reply.falha is not None
        if self._bar is None:
            return
        if self._failures:
            self._bar.set_postfix_str(f"falhas: {self._failures}", refresh=False)
        self._bar.update()
        now = time.monotonic()
        if self._done == 1:
            self._first = now
            self._compare(call, reply)
        elif self._done == PARA_ESTIMAR and self.faltam > self._done:
            left = (now - self._first) / (self._done - 1) * (self.faltam - self._done)
            self._say(f"{self.desc}: no ritmo das primeiras respostas, faltam uns {duration(left)}.")

    def _compare(self, call: Call, reply: Reply) -> None:
        """Will the longest prompt fit, at the tokens a character that the server has just counted?"""
        longest = self._longest
        num_ctx = max_context(longest.options) if longest is not None else None
        if longest is None or num_ctx is None or not reply.prompt_tokens or reply.falha is not None:
            return
        tokens = round(characters(longest.messages) * reply.prompt_tokens / characters(call.messages))
        if tokens >= num_ctx:
            self._say(
                f"{self.desc}: o texto mais longo ({longest.documento}) tem uns {tokens} tokens e não "
                f"cabe em num_ctx {num_ctx}: falhará como texto_truncado. "
                "Aumente opcoes.num_ctx em estudo.yaml."
            )

    def gave_up(self, faltam: int) -> None:
        """The server has gone."""
        if self.active:
            self._say(
                f"{self.desc}: o servidor deixou de responder; perguntas por fazer: {faltam}. Ligue o "
                "Ollama e rode o mesmo comando: só o que falta é perguntado."
            )

    def interrupted(self, faltam: int) -> None:
        """Ctrl-C."""
        self._say(
            f"{self.desc}: interrompido. O que chegou está gravado; respostas que faltam: {faltam}. "
            "Para continuar, rode o mesmo comando."
        )

    def close(self) -> None:
        """Take the bar down."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            sys.stderr.flush()  # the bar's line ends before the next sentence begins
        if self._handle is not None:
            self._handle.update({"text/plain": f"{self.desc}: {self._done} de {self.faltam}"}, raw=True)
            self._handle = None

    def summary(self, calls: Sequence[Call], replies: Sequence[Reply]) -> None:
        """How the run ended."""
        if self.active and self.faltam:
            self._say(f"{self.desc}: {describe_failures(calls, replies)}")

    def _say(self, sentence: str) -> None:
        tqdm.write(sentence, file=sys.stdout)


def describe_failures(calls: Sequence[Call], replies: Sequence[Reply], limite: int = 10) -> str:
    """How many replies, how many failures, which and where (at most `limite` documents a name)."""
    where: dict[str, list[str]] = {}
    for call, reply in zip(calls, replies, strict=True):
        if reply.falha is not None:
            documents = where.setdefault(reply.falha, [])
            documents.append(call.documento)
    total = sum(len(documents) for documents in where.values())
    if not total:
        return f"respostas: {len(replies)}; nenhuma falha."
    parts = []
    for name in sorted(where, key=lambda name: (-len(where[name]), name)):
        listed = list(dict.fromkeys(where[name]))
        more = f" e mais {len(listed) - limite}" if len(listed) > limite else ""
        parts.append(f"{len(where[name])} {name} ({', '.join(listed[:limite])}{more})")
    later = "; as não ouvidas são perguntadas de novo na próxima vez" if NAO_OUVIDAS & where.keys() else ""
    return f"respostas: {len(replies)}; falhas: {total} = {' + '.join(parts)}{later}."
