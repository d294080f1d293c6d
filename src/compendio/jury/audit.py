"""The audit: a seeded random sample of unanimous decisions, judged blind.

Source: decision record of the jury, decision 4. The auditor sees all categories in seeded order, the jury's
unmarked; an answer in free text or of several choices, which no list of categories holds, is shown to be
confirmed or rejected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from compendio.jury.answers import CONFIRMA, REJEITA, Answers, chosen_value
from compendio.jury.batches import Request, make_request
from compendio.sampling import seeded_order
from compendio.study import Study


def audit_sample(study: Study, juri: pd.DataFrame) -> pd.DataFrame:
    """The unanimous decisions drawn, in drawing order: `documento, variavel, valor, probabilidade`.

    A decision's place depends on its document, its variable and `auditoria.semente` alone. `probabilidade` is
    the inclusion probability n/N, the same for all.
    """
    unanimous = juri[juri["estado"] == "unanime"]
    keys = [f"{d}:{v}" for d, v in zip(unanimous["documento"], unanimous["variavel"], strict=True)]
    drawn = seeded_order(keys, study.auditoria.semente)[: study.auditoria.n]
    place = pd.Series(range(len(keys)), index=keys)
    rows = unanimous.iloc[place[drawn].to_numpy(dtype=int)][["documento", "variavel", "valor"]]
    return rows.assign(probabilidade=len(drawn) / len(keys) if keys else float("nan")).reset_index(drop=True)


def audit_requests(study: Study, sample: pd.DataFrame) -> list[Request]:
    """One request for each decision drawn. The jury's answer is in no field of a request about categories."""
    texts = study.documents().set_index("id")["texto"]
    requests = []
    for row in sample.itertuples(index=False):
        variable = study.codebook.variaveis[row.variavel]
        if variable.tipo == "categorica":
            seed = f"{study.auditoria.semente}:{row.documento}:{row.variavel}"
            values = seeded_order(list(variable.categorias), _number(seed))
            candidates = [{"valor": value, "evidencias": []} for value in values]
            requests.append(make_request(row.documento, variable, texts[row.documento], candidates))
        else:
            candidates = [{"valor": value, "evidencias": []} for value in (CONFIRMA, REJEITA)]
            request = make_request(
                row.documento,
                variable.model_copy(
                    update={"pergunta": f"{variable.pergunta} Resposta a conferir: {row.valor}"}
                ),
                texts[row.documento],
                candidates,
            )
            requests.append({**request, "resposta": row.valor})
    return requests


def _number(text: str) -> int:
    return int.from_bytes(text.encode(), "big") % (2**61 - 1)


def audit_table(sample: pd.DataFrame, requests: list[Request], answers: Answers) -> pd.DataFrame:
    """The sample with the auditor's judgement: columns `opiniao` and `confirmada` (missing while unanswered).

    `opiniao` is the category chosen, `confirma`, `rejeita` or `nenhum_adequado`.
    """
    opinions: list[str | None] = []
    confirmed: list[bool | None] = []
    for row, request in zip(sample.itertuples(index=False), requests, strict=True):
        answer: Mapping[str, Any] | None = answers.boas.get(request["id"])
        if answer is None:
            opinions.append(None)
            confirmed.append(None)
            continue
        opinion = chosen_value(answer, request) or "nenhum_adequado"
        opinions.append(opinion)
        confirmed.append(opinion in (CONFIRMA, row.valor))
    return sample.assign(
        opiniao=pd.Series(opinions, index=sample.index, dtype="str"),
        confirmada=pd.Series(confirmed, index=sample.index, dtype="boolean"),
    )
