"""The audit: a seeded random sample of unanimous decisions, judged blind.

Source: decision record of the jury, decision 4. The auditor sees all categories in seeded order, the jury's
unmarked; of several choices, each category is chosen or not. An answer in free text, which no list of
categories holds, is shown to be confirmed or rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from compendio.codebook import Variable
from compendio.jury.answers import Answer
from compendio.jury.batches import NENHUM, Request, make_request
from compendio.sampling import sample_ids, seeded_order
from compendio.study import Study

CERTA, ERRADA = "certa", "errada"


def audit_sample(juri: pd.DataFrame, n: int, semente: int) -> pd.DataFrame:
    """The unanimous decisions drawn: `documento, variavel, valor, sorteaveis, probabilidade`, in jury order.

    A decision's place in the draw depends on its document, its variable and the seed alone, so a decision
    more or less elsewhere pushes out at most the last of those drawn. `sorteaveis` is the number N of
    unanimous decisions, `probabilidade` the inclusion probability min(n, N)/N, the same for all.
    """
    unanimous = juri[(juri["estado"] == "unanime").fillna(False).to_numpy(dtype=bool)]
    names = [f"{d}:{v}" for d, v in zip(unanimous["documento"], unanimous["variavel"], strict=True)]
    drawn = set(sample_ids(names, n, semente))
    sample = unanimous.loc[[name in drawn for name in names], ["documento", "variavel", "valor"]]
    total = len(unanimous)
    return sample.assign(
        sorteaveis=total, probabilidade=min(n, total) / total if total else float("nan")
    ).reset_index(drop=True)


def audit_requests(study: Study, sample: pd.DataFrame) -> list[Request]:
    """One request for each decision drawn; no request about categories holds the jury's answer."""
    texts = dict(study.documents()[["id", "texto"]].itertuples(index=False, name=None))
    return [
        _request(
            documento, texts[documento], study.codebook.variaveis[variavel], valor, study.auditoria.semente
        )
        for documento, variavel, valor in sample[["documento", "variavel", "valor"]].itertuples(
            index=False, name=None
        )
    ]


def _request(documento: str, texto: str, variable: Variable, valor: str, semente: int) -> Request:
    if variable.tipo == "texto":
        return make_request(
            "auditoria",
            documento,
            texto,
            variable,
            [(CERTA, []), (ERRADA, [])],
            [valor, None],
            pergunta=f"{variable.pergunta} A resposta dada foi «{valor}». Pelo texto, está certa ou errada?",
        )
    # Another order for each decision, so that no place in the list says anything.
    place = {f"{documento}:{variable.nome}:{name}": name for name in variable.categorias}
    names = [place[key] for key in seeded_order(place, semente)]
    several = variable.tipo == "multipla"
    return make_request(
        "auditoria",
        documento,
        texto,
        variable,
        [(name, []) for name in names],
        names,
        pergunta=f"{variable.pergunta} Escolha todas as que se aplicam." if several else None,
        varias=several,
    )


def audit_table(
    sample: pd.DataFrame, pedidos: Iterable[Request], respostas: Mapping[str, Answer]
) -> pd.DataFrame | None:
    """The sample with the auditor's judgement; None while any answer is missing.

    Further columns: `opiniao` (the value the auditor gives, as the contract writes it; `certa` or `errada`
    for free text; `nenhum_adequado`), `confirmada` (it is the jury's), `evidencia`, `justificativa`.
    """
    rows = []
    for request, valor in zip(pedidos, sample["valor"], strict=True):
        answer = respostas.get(request.id)
        if answer is None:
            return None
        confirmed = answer.valor == valor
        opinion = answer.valor or NENHUM
        if None in request.valores:
            opinion = CERTA if confirmed else ERRADA
        rows.append((opinion, confirmed, answer.evidencia, answer.justificativa))
    columns = ["opiniao", "confirmada", "evidencia", "justificativa"]
    judged = pd.DataFrame(rows, columns=columns, index=sample.index)
    return sample.join(judged.astype({"opiniao": "str", "confirmada": "bool"}))
