"""How much of a second-round prompt has to be evaluated again: needs a running Ollama (OLLAMA_HOST).

    python benchmarks/prefix_cache.py [study] [documents]

For each member of the study, on a few of its documents and through the study's own messages, the seconds that
the server spends on the prompt (`prompt_eval_duration`) are set against those of the same prompt on a freshly
loaded model (cold). `prompt_eval_count` would not show it: it counts the whole prompt, cached or not.

    round 1          the prefix of instructions and codebook is cached, the document is new
    round 2 at once  right after round 1 of the same document
    round 2 later    in a second pass over all documents, as the jury runs it
"""

from __future__ import annotations

import sys
from dataclasses import replace

from compendio.classify import own_answer
from compendio.models.base import Call, Reply
from compendio.models.ollama import OllamaModel
from compendio.pipeline import classify, deliberation_of
from compendio.session import Session
from compendio.study import load_study


def ask(model: OllamaModel, call: Call, cold: bool = False) -> Reply:
    if cold:
        model.unload()
    reply = model.ask(call.messages, call.schema, call.options)
    if reply.prompt_segundos is None:
        raise SystemExit(f"{model.nome}: {reply.falha}: {reply.detalhe}")
    return reply


def seconds(replies: list[Reply]) -> float:
    return sum(reply.prompt_segundos or 0.0 for reply in replies)


def main() -> None:
    study = load_study(sys.argv[1] if len(sys.argv) > 1 else "demo")
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    if number < 2:
        raise SystemExit("a second pass needs at least 2 documents")
    votos, _ = classify(study, "respostas", progress=False)
    print(f"{'member':18} {'stage':16} {'tokens':>7} {'cold s':>8} {'seen s':>8} {'evaluated again':>16}")
    with Session(study, "respostas", progress=False) as recorded:
        for member in study.membros:
            second = deliberation_of(study, recorded, member.nome, votos)[:number]
            model = OllamaModel(member.nome, member.modelo, tempo_limite=study.tempo_limite)
            first = [replace(c, messages=c.messages[:2]) for c in second]
            # The first call warms the prefix up; it is no part of any figure.
            ask(
                model,
                replace(first[0], messages=(*first[0].messages[:1], {"role": "user", "content": "# Texto"})),
                True,
            )
            warm_first, at_once, second_live = [], [], []
            for one, two in zip(first, second, strict=True):
                reply = ask(model, one)
                warm_first.append(reply)
                live = replace(two, messages=(*two.messages[:2], own_answer(reply), two.messages[3]))
                second_live.append(live)
                at_once.append(ask(model, live))
            later = [ask(model, call) for call in second_live]
            cold_first = [ask(model, call, cold=True) for call in first]
            cold_second = [ask(model, call, cold=True) for call in second_live]
            for stage, seen, cold in (
                ("round 1", warm_first, cold_first),
                ("round 2 at once", at_once, cold_second),
                ("round 2 later", later, cold_second),
            ):
                tokens = sum(r.prompt_tokens or 0 for r in cold) / len(cold)
                share = seconds(seen) / seconds(cold)
                print(
                    f"{member.nome:18} {stage:16} {tokens:7.0f} {seconds(cold):8.1f} {seconds(seen):8.1f} {share:15.0%}"
                )


if __name__ == "__main__":
    main()
