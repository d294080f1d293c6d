"""Ask one model all the calls of a run: what the store holds is served, what is missing is asked.

Calls go in the order given, one at a time by default, since a server's prefix cache serves documents that
follow each other. A failure is data: a run completes whatever model and network do.
"""

from __future__ import annotations

import concurrent.futures as futures
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from compendio.models.base import NAO_OUVIDAS, Call, Model, Reply
from compendio.models.files import RecordedModel
from compendio.models.limits import conversation_cut
from compendio.models.ollama import SEM_LIGACAO
from compendio.models.progress import Progress
from compendio.models.store import Store, reply_key

#: After so many calls in a row that reached no server, the rest is not asked.
RECUSAS_SEGUIDAS = 5

Failed = Callable[[Call, Reply], bool]


def attempt(call: Call, tentativa: int) -> Call:
    """The same call, asked again: another attempt number, and the seed moved by it."""
    options = dict(call.options)
    if tentativa and "seed" in options:
        options["seed"] = int(options["seed"]) + tentativa
    return replace(call, options=options, tentativa=tentativa)


@dataclass(frozen=True)
class Known:
    """What the store holds for one call: the reply that stands, all keys, and the attempt after the last."""

    reply: Reply | None
    keys: list[str]
    heard: int  # attempts in which the model was heard: the number of the next attempt

    @property
    def open(self) -> bool:
        """Whether the last attempt was made, but the model was not heard."""
        return len(self.keys) > self.heard


def look_up(digest: str, call: Call, store: Store) -> Known:
    """Find the reply that stands for a call: the last in which the model was heard, else the last."""
    keys: list[str] = []
    stands: Reply | None = None
    while True:
        key = reply_key(digest, attempt(call, len(keys)))
        reply = store.get(key)
        if reply is None:
            return Known(stands, keys, len(keys))
        keys.append(key)
        if reply.falha in NAO_OUVIDAS:
            return Known(stands or reply, keys, len(keys) - 1)
        stands = reply


def used_keys(digest: str, calls: Sequence[Call], store: Store) -> set[str]:
    """Keys of all stored replies to these calls, earlier attempts included: what an export needs."""
    return {key for call in calls for key in look_up(digest, call, store).keys}


def default_failed(call: Call, reply: Reply) -> bool:
    """The model's own failures (a call in which it was not heard is asked again anyway)."""
    return reply.falha is not None and reply.falha not in NAO_OUVIDAS


def ask_all(
    model: Model,
    calls: Sequence[Call],
    store: Store,
    *,
    failed: Failed = default_failed,
    repetir_falhas: bool = False,
    workers: int = 1,
    executor: futures.Executor | None = None,
    progress: bool = True,
    desc: str = "",
) -> list[Reply]:
    """The replies to all calls, in their order.

    Asked are the calls without a reply, those in which the model was not heard and, with
    `repetir_falhas`, those for which `failed(call, reply)` holds: these as a new attempt, with another
    seed. Every reply is committed as it arrives.

    Parameters
    ----------
    workers, executor
        1 worker asks in order; more ask in threads; an executor (of a cluster, for instance) is used as
        it is, and stays open.
    progress
        Show a bar and say in sentences what is missing, how long it takes, and how it ended.

    Raises
    ------
    ErroDeEstudo
        For a recorded model, when replies are missing (nothing is asked then).
    """
    known = [look_up(model.digest, call, store) for call in calls]
    replies = [entry.reply for entry in known]
    if isinstance(model, RecordedModel):
        missing = sum(reply is None for reply in replies)
        if missing:
            raise model.missing(missing, len(calls))
        return [reply for reply in replies if reply is not None]

    todo: dict[str, Pending] = {}
    for place, (call, entry) in enumerate(zip(calls, known, strict=True)):
        again = entry.reply is not None and repetir_falhas and failed(call, entry.reply)
        if entry.reply is None or entry.open or again:
            asked = attempt(call, entry.heard)
            # Documents with the same text share one key, so one question serves them all.
            todo.setdefault(reply_key(model.digest, asked), Pending(asked, [])).places.append(place)

    show = Progress(desc or model.nome, faltam=len(todo), total=len(calls), active=progress)
    show.check_fit(calls)
    answered = _answers(model, todo, workers, executor)
    refused = 0
    try:
        for key, reply in answered:
            call, places = todo[key].call, todo.pop(key).places
            reply = conversation_cut(call, reply, store, model.digest)
            stands = store.put(key, model.nome, call, reply, posicao=places[0] + 1)
            for place in places:
                # Not being heard takes nothing away from what an earlier attempt said.
                if stands.falha not in NAO_OUVIDAS or known[place].heard == 0:
                    replies[place] = stands
            show.step(call, stands)
            refused = refused + 1 if reply.detalhe.startswith(SEM_LIGACAO) else 0
            if refused >= RECUSAS_SEGUIDAS and todo:
                show.gave_up(len(todo))
                break
    except KeyboardInterrupt:
        show.interrupted(len(todo))
        raise
    finally:
        answered.close()
        show.close()
    reason = "não perguntado: o servidor deixou de responder"
    unasked = Reply(None, "sem_resposta", reason, digest=model.digest)
    result = [reply if reply is not None else unasked for reply in replies]
    show.summary(calls, result)
    return result


@dataclass(frozen=True)
class Pending:
    """A question to ask, and the places in the list of calls that wait for its reply."""

    call: Call
    places: list[int]


def _answers(
    model: Model, todo: dict[str, Pending], workers: int, executor: futures.Executor | None
) -> Generator[tuple[str, Reply], None, None]:
    """(key, reply) as they arrive: in order with one worker, else in order of arrival."""
    questions = [(key, pending.call) for key, pending in todo.items()]
    if executor is None and workers <= 1:
        for key, call in questions:
            yield key, _ask(model, call)
        return
    pool = executor or futures.ThreadPoolExecutor(workers, thread_name_prefix="compendio")
    keys = {pool.submit(_ask, model, call): key for key, call in questions}
    try:
        for future in futures.as_completed(keys):
            yield keys[future], future.result()
    finally:
        for future in keys:
            future.cancel()
        if executor is None:
            pool.shutdown(wait=False)


def _ask(model: Model, call: Call) -> Reply:
    return model.ask(call.messages, call.schema, call.options)
