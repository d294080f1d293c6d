"""The supervisor: picks among the values that members gave, only where the jury did not decide.

Source: decision record of the jury, decisions 3, 6 and 7. The default is by files: requests under
`reports/<estudo>/supervisor/`, answers in `data/<estudo>/supervisor/`. Called by notebook 3 and by the
verbs `supervisor-pedidos` (`write_requests`) and `supervisor-ler` (`report_answers`).
"""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from compendio.contract import DECIDIDAS, read_classification, write_classification
from compendio.erros import ErroDeEstudo
from compendio.evidence import FoldedText, find_evidence
from compendio.jury.answers import Answers, chosen_value, read_answers
from compendio.jury.audit import audit_requests, audit_sample
from compendio.jury.batches import Request, by_id, instructions, make_request, write_batches
from compendio.jury.decide import PAR, has_vote
from compendio.jury.standing import standing_votes
from compendio.pipeline import decisions, read_votes
from compendio.prompts import evidence_rule
from compendio.study import Study

FONTE = "juri-supervisor"


def read_jury(study: Study) -> pd.DataFrame:
    """The source `juri` as notebook 2 wrote it; ErroDeEstudo where it has not."""
    path = study.relatorios / "classificacoes" / "juri.parquet"
    if not path.exists():
        raise ErroDeEstudo(
            f"{path} não existe: rode antes o notebook 2-juri (make analise ESTUDO={study.nome})."
        )
    return read_classification(path)


def undecided(study: Study, juri: pd.DataFrame) -> pd.DataFrame:
    """The decisions that may go to the supervisor: undecided, and not free text."""
    texto = juri["variavel"].map(lambda name: study.codebook.variaveis[name].tipo == "texto").astype(bool)
    return juri[~juri["estado"].isin(DECIDIDAS) & ~texto]


def supervisor_requests(study: Study, juri: pd.DataFrame) -> list[Request]:
    """One request for each undecided decision in which any member gave a value."""
    votos = read_votes(study)
    votos = votos[votos["repeticao"] == 0]
    membros = [m.nome for m in study.membros]
    standing = standing_votes(votos, study.codebook, membros, decisions(study, votos)["juri-r1"])
    standing = standing[has_vote(standing)]
    groups = {key: rows for key, rows in standing.groupby(PAR)}
    texts = study.documents().set_index("id")["texto"]
    requests = []
    for documento, variavel in undecided(study, juri)[PAR].itertuples(index=False, name=None):
        if (documento, variavel) in groups:
            variable = study.codebook.variaveis[variavel]
            candidates = _candidates(groups[documento, variavel], list(variable.categorias))
            requests.append(make_request(documento, variable, texts[documento], candidates))
    return requests


def _candidates(rows: pd.DataFrame, names: list[str]) -> list[dict[str, Any]]:
    """Distinct values in codebook order, each with the quotes given for it (sorted, marked if not found)."""
    found: dict[str, set[str]] = {}
    for valor, evidencia, nivel in rows[["valor", "evidencia", "nivel_evidencia"]].itertuples(
        index=False, name=None
    ):
        quotes = found.setdefault(valor, set())
        if valor.startswith("["):
            given, levels = json.loads(evidencia), json.loads(nivel)
            quotes |= {f"{name}: {_marked(given[name], levels[name])}" for name in given if given[name]}
        elif isinstance(evidencia, str):
            quotes.add(_marked(evidencia, nivel))

    def place(valor: str) -> list[int]:
        return [names.index(name) for name in (json.loads(valor) if valor.startswith("[") else [valor])]

    return [{"valor": valor, "evidencias": sorted(found[valor])} for valor in sorted(found, key=place)]


def _marked(quote: str, nivel: Any) -> str:
    return f"{quote} (trecho não encontrado no texto)" if nivel == "nao_encontrada" else quote


def all_requests(study: Study, juri: pd.DataFrame) -> tuple[dict[str, Request], dict[str, Request]]:
    """The requests of the supervisor and those of the audit, by id."""
    audit = audit_requests(study, audit_sample(study, juri))
    return by_id(supervisor_requests(study, juri)), by_id(audit)


def load_answers(study: Study, requests: dict[str, Request]) -> Answers:
    """What `data/<estudo>/supervisor/*.jsonl` answers to these requests."""
    dispensada = study.evidencia == "dispensada"
    answers = read_answers(study.pasta / "supervisor", requests, study.codebook, dispensada)
    if answers.boas and not study.supervisor.familia:
        raise ErroDeEstudo(
            "estudo.yaml, chave «supervisor.familia»: há respostas do supervisor, e a família dele não está dita; "
            "escreva-a (por exemplo, humana), pois dela depende a marca de circularidade."
        )
    return answers


def write_requests(study: Study) -> str:
    """Write the batches of all requests without a good answer; what to print (Portuguese)."""
    juri = read_jury(study)
    groups = dict(zip(("lote", "auditoria"), all_requests(study, juri), strict=True))
    answers = load_answers(study, {**groups["lote"], **groups["auditoria"]})
    rule = evidence_rule(study.codebook.variaveis.values(), study.evidencia == "dispensada")
    lines = []
    for prefix, requests in groups.items():
        missing = [requests[ident] for ident in answers.missing(requests)]
        text = instructions(rule, study.textos, auditoria=prefix == "auditoria")
        folders = write_batches(
            missing, study.relatorios / "supervisor", prefix, study.supervisor.tamanho_lote, text
        )
        name = "supervisor" if prefix == "lote" else "auditoria"
        lines.append(f"{name}: {len(requests)} pedidos, {len(requests) - len(missing)} já respondidos.")
        lines += [f"  {folder}" for folder in folders]
    return "\n".join([*lines, *answers.problemas])


def report_answers(study: Study) -> str:
    """A short report of the answers read: how many are good, what is wrong with the others, what is missing."""
    juri = read_jury(study)
    supervisor, audit = all_requests(study, juri)
    answers = load_answers(study, {**supervisor, **audit})
    lines = [
        f"{answers.linhas} linhas lidas, {len(answers.boas)} boas, {len(answers.problemas)} com problema."
    ]
    for name, requests in (("supervisor", supervisor), ("auditoria", audit)):
        missing = len(answers.missing(requests))
        lines.append(
            f"{name}: {len(requests) - missing} de {len(requests)} pedidos respondidos; faltam {missing}."
        )
    if any(answers.missing(requests) for requests in (supervisor, audit)):
        lines.append(
            "Os que faltam, e os de linhas com problema, saem num lote novo: make supervisor-pedidos."
        )
    return "\n".join([*lines, *answers.problemas, *answers.avisos])


def supervise(study: Study, juri: pd.DataFrame) -> tuple[pd.DataFrame | None, Answers, dict[str, Request]]:
    """The source `juri-supervisor`, written when no answer is missing.

    Returns
    -------
    table, answers, requests
        `table` is None while answers are missing. In it a chosen value has `estado` `supervisor`, the
        supervisor's quote and justification; `nenhum_adequado` keeps the fallback of `juri`, with `recuo` as there.
        A decision in which no member gave a value was not asked and stays as it was.
    """
    requests = by_id(supervisor_requests(study, juri))
    answers = load_answers(study, {**requests, **by_id(audit_requests(study, audit_sample(study, juri)))})
    if answers.missing(requests):
        return None, answers, requests
    table = juri.astype({"inicio": "object", "fim": "object"}).set_index(PAR)
    for ident, request in requests.items():
        answer = answers.boas[ident]
        key = (request["documento"], request["variavel"])
        valor = chosen_value(answer, request)
        table.loc[key, "estado"] = "nenhum_adequado" if valor is None else "supervisor"
        table.loc[key, "justificativa"] = answer["justificativa"] or None
        if valor is not None:
            for column, value in _row(study, request, answer, valor).items():
                table.loc[key, column] = value
    table = table.reset_index()
    write_classification(table, study.relatorios / "classificacoes", FONTE)
    return read_classification(study.relatorios / "classificacoes" / f"{FONTE}.parquet"), answers, requests


def _row(study: Study, request: Request, answer: dict[str, Any], valor: str) -> dict[str, Any]:
    """The cells of a decision that the supervisor made: several choices keep the quote as it was given."""
    variable = study.codebook.variaveis[request["variavel"]]
    quote: str = answer["evidencia"]
    if variable.tipo == "multipla":
        return {
            "valor": valor,
            "evidencia": None,
            "nivel_evidencia": None,
            "recuo": False,
            "por_isencao": False,
        }
    exempt = variable.dispensa(valor, study.evidencia == "dispensada")
    match = find_evidence(quote, FoldedText(request["texto"]), dispensa=exempt)
    return {
        "valor": valor,
        "evidencia": quote or None,
        "nivel_evidencia": match.nivel,
        "inicio": match.inicio,
        "fim": match.fim,
        "recuo": False,
        "por_isencao": match.nivel == "dispensada",
    }
