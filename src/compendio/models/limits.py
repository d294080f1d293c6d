"""Did the prompt fit? What the number of prompt tokens gives away.

A single prompt that is too long comes back with exactly `num_ctx` tokens. A conversation does not:
Ollama drops whole earlier messages until the rest fits, keeps the system message and the last one, and
reports the tokens of what is left. So a later turn is compared with its own first turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compendio.models.answers import detail, max_context
from compendio.models.base import Call, Message, Reply
from compendio.models.store import Store

#: Share of the tokens expected for a turn below which the prompt must have been cut.
FOLGA = 0.8


def characters(messages: Sequence[Message]) -> int:
    """Length of all messages, in characters."""
    return sum(len(message["content"]) for message in messages)


def conversation_cut(call: Call, reply: Reply, store: Store, digest: str) -> Reply:
    """The reply, or `texto_truncado` where the server dropped an earlier turn of the conversation.

    The messages of a second round are those of the first, its answer, and one more. They must
    have at least the first round's prompt and answer in tokens, plus those of the new message, at
    FOLGA of the first round's tokens a character. Calls of one turn are returned as they are.
    """
    num_ctx, seen = max_context(call.options), reply.prompt_tokens
    if reply.falha is not None or num_ctx is None or seen is None or len(call.messages) <= 2:
        return reply
    before, new = call.messages[:-2], call.messages[-1:]
    for earlier in store.find_messages(digest, before):
        prompt, answer = earlier.get("prompt_tokens"), earlier.get("tokens")
        if "falha" in earlier or not prompt or not answer:
            continue
        added = characters(new) * prompt / characters(before)
        if seen < FOLGA * added + prompt + FOLGA * answer and prompt + answer + added > FOLGA * num_ctx:
            reason = f"{seen} tokens lidos de uma conversa que já tinha {prompt + answer}: mensagens cortadas"
            return replace(
                reply, conteudo=None, falha="texto_truncado", detalhe=detail(reason, reply.conteudo or "")
            )
    return reply
