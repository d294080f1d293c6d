"""The supervisor: picks among the values that members gave, only where the jury did not decide.

Source: decision record of the jury, decisions 3, 6 and 7. By files: requests under
`reports/<estudo>/supervisor/`, answers in `data/<estudo>/supervisor/*.jsonl`, any name, supervisor's and
audit's together.

What others call
----------------
write_requests(study) -> str         the verb `supervisor-pedidos`: batches of what is still to be answered
report_answers(study) -> str         the verb `supervisor-ler`: the answers, checked line by line
load_supervision(study)              jury, requests and answers as they stand now
supervise(study, supervision)        the source `juri-supervisor` (None while answers are missing)
write_source(study, supervision)     the same, written (or taken away) where the other sources are
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from compendio import projeto
from compendio.codebook import Variable
from compendio.contract import (
    DECIDIDAS,
    ENCONTRADA,
    conform,
    nome_de_arquivo,
    read_classification,
    write_classification,
)
from compendio.erros import ErroDeEstudo
from compendio.jury.answers import Answer, Reading, read_answers
from compendio.jury.audit import audit_requests, audit_sample
from compendio.jury.batches import PREFIXOS, Request, Tipo, instructions, make_request, update_batches
from compendio.jury.choices import read_set
from compendio.jury.decide import PAR
from compendio.jury.standing import standing_votes
from compendio.pipeline import check_codebook, read_votes
from compendio.study import Study

FONTE = "juri-supervisor"


@dataclass(frozen=True)
class Supervision:
    """Where a study stands: the jury's decisions, what is asked about them, and what was answered.

    Attributes
    ----------
    juri
        The source `juri`.
    pedidos
        The requests of the supervisor and of the audit, in the jury's order.
    sorteio
        The audit's sample (`audit.audit_sample`), in the order of its requests.
    leitura
        The answers read.
    """

    juri: pd.DataFrame
    pedidos: dict[Tipo, list[Request]]
    sorteio: pd.DataFrame
    leitura: Reading

    def missing(self, tipo: Tipo) -> list[Request]:
        """The requests of one kind that have no good answer yet."""
        return self.leitura.missing(self.pedidos[tipo])


def read_jury(study: Study) -> pd.DataFrame:
    """The source `juri` as notebook 2 wrote it; ErroDeEstudo where it has not."""
    path = _source_path(study, "juri")
    if not path.exists():
        raise ErroDeEstudo(
            f"{path} não existe: rode antes o notebook 2-juri (make analise ESTUDO={study.nome})."
        )
    juri = read_classification(path)
    check_codebook(study, juri)
    return juri


def _source_path(study: Study, fonte: str) -> Path:
    return study.relatorios / "classificacoes" / f"{nome_de_arquivo(fonte)}.parquet"


def undecided(study: Study, juri: pd.DataFrame) -> pd.DataFrame:
    """The decisions that may go to the supervisor: without a decided value, and not free text."""
    free = juri["variavel"].map(lambda name: study.codebook.variaveis[name].tipo == "texto").astype(bool)
    return juri[~juri["estado"].isin(DECIDIDAS) & ~free]


def supervisor_requests(study: Study, juri: pd.DataFrame, votos: pd.DataFrame) -> list[Request]:
    """One request for each undecided decision in which any member gave a value.

    `votos`: the members' contract rows, both rounds.
    """
    pairs = undecided(study, juri)[PAR]
    standing = standing_votes(votos, [m.nome for m in study.membros], pairs, deliberacao=study.deliberacao)
    given = {key: rows for key, rows in standing.groupby(PAR)}
    texts = dict(study.documents()[["id", "texto"]].itertuples(index=False, name=None))
    requests = []
    for documento, variavel in pairs.itertuples(index=False, name=None):
        if (documento, variavel) in given:
            variable = study.codebook.variaveis[variavel]
            values, shown = _candidates(given[documento, variavel], variable)
            requests.append(make_request("supervisor", documento, texts[documento], variable, shown, values))
    return requests


def _candidates(rows: pd.DataFrame, variable: Variable) -> tuple[list[str], list[tuple[Any, list[Any]]]]:
    """The distinct values in codebook order, and what is shown of each: the value and its quotes.

    Quotes come in codebook order of their category, then by their place in the text, then by their words:
    nothing tells who gave one, or how many did.
    """
    names = list(variable.categorias)
    several = variable.tipo == "multipla"
    found: dict[tuple[int, ...], dict[tuple[Any, ...], dict[str, Any]]] = {}
    for valor, evidencia, nivel, inicio in rows[
        ["valor", "evidencia", "nivel_evidencia", "inicio"]
    ].itertuples(index=False, name=None):
        chosen: Sequence[str] = read_set(valor) if several else (valor,)
        quotes = found.setdefault(tuple(sorted(names.index(name) for name in chosen)), {})
        if not isinstance(evidencia, str):
            continue
        given = json.loads(evidencia) if several else {valor: evidencia}
        levels = json.loads(nivel) if several else {valor: nivel}
        for name, quote in given.items():
            if not quote:
                continue
            shown = {"categoria": name} if several else {}
            shown |= {"trecho": quote, "encontrada": levels.get(name) in ENCONTRADA}
            place = 10**9 if pd.isna(inicio) else int(inicio)
            quotes.setdefault((names.index(name), quote), {"place": place, "shown": shown})
    values, shown_values = [], []
    for key in sorted(found):
        value = [names[k] for k in key]
        ordered = sorted(found[key].items(), key=lambda item: (item[0][0], item[1]["place"], item[0][1]))
        values.append(json.dumps(value, ensure_ascii=False) if several else value[0])
        shown_values.append((value if several else value[0], [entry["shown"] for _, entry in ordered]))
    return values, shown_values


def load_supervision(study: Study) -> Supervision:
    """Jury, requests and answers as they stand now.

    Raises ErroDeEstudo where the votes or the jury are not there yet, and where the supervisor has answered
    and `supervisor.familia` is not said.
    """
    juri = read_jury(study)
    sample = audit_sample(juri, study.auditoria.n, study.auditoria.semente)
    asked: dict[Tipo, list[Request]] = {
        "supervisor": supervisor_requests(study, juri, read_votes(study)),
        "auditoria": audit_requests(study, sample),
    }
    everything = [*asked["supervisor"], *asked["auditoria"]]
    folder, exempt = study.pasta / "supervisor", study.evidencia == "dispensada"
    reading = read_answers(folder, everything, study.codebook, exempt)
    answered = any(request.id in reading.respostas for request in asked["supervisor"])
    if answered and not study.supervisor.familia:
        raise ErroDeEstudo(
            f"{study.pasta / 'estudo.yaml'}: há respostas do supervisor, e falta a chave supervisor.familia; escreva "
            "a família de quem respondeu (humana, se foi gente), da qual depende que comparações são circulares."
        )
    return Supervision(juri, asked, sample, reading)


def supervise(study: Study, supervision: Supervision) -> pd.DataFrame | None:
    """The source `juri-supervisor`: `juri`, its undecided values replaced; None while answers are missing.

    A chosen value has `estado` `supervisor` with the supervisor's quote and justification. After
    `nenhum_adequado` the value stays the fallback that `juri` has, by the study's `sem_maioria`. All other
    rows are those of `juri`: decided ones, free text, and decisions in which no member gave a value.
    """
    if supervision.missing("supervisor"):
        return None
    answers = {
        (request.documento, request.variavel): supervision.leitura.respostas[request.id]
        for request in supervision.pedidos["supervisor"]
    }
    rows = []
    for row in supervision.juri.astype(object).to_dict("records"):
        answer = answers.get((row["documento"], row["variavel"]))
        rows.append(row if answer is None else {**row, **_replaced(answer)})
    table = pd.DataFrame(rows, columns=supervision.juri.columns)
    return conform(table, FONTE)


def _replaced(answer: Answer) -> dict[str, Any]:
    """What an answer puts in place of the cells of `juri`."""
    if answer.valor is None:
        return {"estado": "nenhum_adequado", "justificativa": answer.justificativa}
    names = ("valor", "evidencia", "nivel_evidencia", "inicio", "fim", "justificativa", "por_isencao")
    return {**{name: getattr(answer, name) for name in names}, "estado": "supervisor", "recuo": False}


def write_source(study: Study, supervision: Supervision) -> pd.DataFrame | None:
    """`supervise`, written beside the other sources; an earlier file goes away while answers are missing."""
    table = supervise(study, supervision)
    if table is None:
        _source_path(study, FONTE).unlink(missing_ok=True)
    else:
        write_classification(table, study.relatorios / "classificacoes", FONTE)
    return table


def write_requests(study: Study) -> str:
    """Bring the batches up to date: every request without a good answer, in one batch. What to print."""
    supervision = load_supervision(study)
    lines = []
    for tipo, prefix in PREFIXOS.items():
        open_ = supervision.missing(tipo)
        names = {request.variavel for request in open_}
        text = instructions(
            tipo,
            [v for v in study.codebook.variaveis.values() if v.nome in names],
            destino=_shown(study.pasta / "supervisor"),
            dispensada=study.evidencia == "dispensada",
            textos=study.textos,
            aviso=study.aviso,
        )
        folders = update_batches(
            study.relatorios / "supervisor", tipo, open_, study.supervisor.tamanho_lote, text
        )
        done = len(supervision.pedidos[tipo]) - len(open_)
        lines.append(
            f"{prefix.capitalize()}: {_count(len(open_), 'pedido')} a responder; já respondidos: {done}."
        )
        lines += [f"  {_shown(folder)}" for folder in folders]
    if any(supervision.missing(tipo) for tipo in PREFIXOS):
        lines.append(
            "Siga o INSTRUCOES.md de cada lote. "
            + (
                "Colar um lote num serviço pela internet manda os textos para fora deste computador."
                if study.textos
                else "Os lotes vão sem texto, que este estudo não tem: quem responde precisa dos documentos."
            )
        )
    return "\n".join(lines + _problems(supervision.leitura))


def report_answers(study: Study) -> str:
    """A short report: what was read, what is missing, and what is wrong, by file and line."""
    supervision = load_supervision(study)
    reading = supervision.leitura
    lines = [
        f"{_shown(study.pasta / 'supervisor')}: {_count(reading.arquivos, 'arquivo')}, "
        f"{_count(reading.linhas, 'resposta')}, {len(reading.respostas)} em ordem."
    ]
    for tipo, asked in supervision.pedidos.items():
        missing = len(supervision.missing(tipo))
        lines.append(
            f"{tipo.capitalize()}: {_count(len(asked), 'pedido')}; respondidos: {len(asked) - missing}; "
            f"{_lacking(missing)}."
        )
    if not study.textos:
        lines.append("O estudo não traz os textos: a evidência das respostas não foi conferida.")
    lines += _problems(reading)
    if any(supervision.missing(tipo) for tipo in PREFIXOS):
        lines.append(f"O que falta sai em lote: make supervisor-pedidos ESTUDO={study.nome}")
    return "\n".join(lines)


def _problems(reading: Reading) -> list[str]:
    lines: list[str] = []
    for heading, sentences in (("Não contam:", reading.problemas), ("Avisos:", reading.avisos)):
        lines += _listed(heading, sentences)
    return lines


def _listed(heading: str, sentences: Sequence[str]) -> Iterable[str]:
    return [heading, *(f"- {sentence}" for sentence in sentences)] if sentences else []


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _lacking(n: int) -> str:
    return "nada falta" if n == 0 else "falta 1" if n == 1 else f"faltam {n}"


def _shown(path: Path) -> str:
    """A path as seen from the project's root, where it is inside."""
    root = projeto.raiz()
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
