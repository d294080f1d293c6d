"""Divergences as requests to a reader (person, chat or program) who suggests how to mend the codebook.

One request a variable, with its definitions, its pairs of categories and every divergence; no names of
models. The reader's lines come back through `codebook_suggestions`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from compendio.codebook import Codebook
from compendio.prompts import describe_variable

Request = dict[str, Any]  # id, variavel, codebook, definicoes, pares, casos

#: What a suggestion may ask for → what its other fields mean, as the reader is told.
MUDANCAS: Mapping[str, str] = {
    "orientacao": "`texto` passa a ser a orientação da pergunta (por exemplo, uma ordem de decisão)",
    "definicao": "`texto` passa a ser a definição de `categoria`",
    "fronteira": "`texto` passa a ser a fronteira de `categoria`: o que a separa da vizinha",
    "exemplo": "`texto` é mais um exemplo de `categoria`",
    "exigir_evidencia": "`categoria` deixa de dispensar evidência",
    "dispensar_evidencia": "`categoria` passa a dispensar evidência",
    "nova_categoria": "`categoria` é nova, e `texto` a sua definição",
    "fundir": "`com` deixa de existir e vai para `categoria`; `texto`, se houver, é a nova definição dela",
    "meta": "`texto` é o kappa que se espera depois das mudanças, como «0,55 a 0,65»",
}


def codebook_requests(
    table: pd.DataFrame, pairs: pd.DataFrame, texts: Mapping[str, str], codebook: Codebook
) -> list[Request]:
    """One request for every variable that has divergences, in codebook order.

    Parameters
    ----------
    table
        What `divergence.divergences` gives.
    pairs
        `category_pairs` with a column `variavel` (of categorical variables; others have none).
    texts
        Document → text; an empty one is sent empty.
    """
    requests = []
    for name, variable in codebook.variaveis.items():
        own = table[table["variavel"] == name]
        if own.empty:
            continue
        counted = pairs[pairs["variavel"] == name]
        body: Request = {
            "variavel": name,
            "codebook": codebook.versao,
            "definicoes": describe_variable(variable),
            "pares": [
                {"referencia": row.referencia, "codificador": row.valor, "n": int(row.n)}
                for row in counted.itertuples()
            ],
            "casos": [_case(row, texts) for row in own.to_dict("records")],
        }
        text = json.dumps(body, ensure_ascii=False, sort_keys=True)
        requests.append({"id": hashlib.sha256(text.encode()).hexdigest()[:16], **body})
    return requests


def _case(row: Mapping[Any, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    def plain(cell: Any) -> Any:
        return None if pd.isna(cell) else str(cell)

    return {
        "documento": row["documento"],
        "texto": texts.get(row["documento"], ""),
        "referencia": {"valor": row["referencia"], "evidencia": plain(row["evidencia_referencia"])},
        "codificador": {"valor": plain(row["valor"]), "evidencia": plain(row["evidencia"])},
    }


_WITH_TEXTS = """\
**Antes de tudo:** colar estes pedidos num serviço pela internet (um chat, por exemplo) manda os textos para fora
deste computador. Só faça isso se os textos puderem sair."""
_WITHOUT_TEXTS = """\
**Antes de tudo:** este estudo não traz os textos, e os pedidos levam só valores e definições. Para responder é
preciso ter os documentos à mão."""


def instructions(estudo: str, textos: bool) -> str:
    """INSTRUCOES.md: what sending the requests somewhere means, what is asked, and the form of an answer."""
    changes = "\n".join(f"- `{name}`: {meaning}." for name, meaning in MUDANCAS.items())
    return f"""# Instruções

{_WITH_TEXTS if textos else _WITHOUT_TEXTS}

Cada linha de `pedidos.jsonl` é uma variável do codebook, com os documentos em que um codificador e a referência
divergem. A referência também erra: não tome nenhum dos dois por certo. Leia os casos, sobretudo os dos pares mais
frequentes, e sugira mudanças no codebook que fariam dois leitores atentos concordar. Não sugira mudanças que só
favoreçam um dos lados.

Responda com uma linha de JSON por sugestão, num arquivo `.jsonl`:

    {{"id": "o id do pedido", "mudanca": "fronteira", "categoria": "nome", "texto": "o novo texto",
     "motivo": "por que ajuda, numa frase", "casos": ["documentos que o mostram"]}}

`mudanca` é uma destas:

{changes}

Guarde o arquivo em `data/{estudo}/codebook/`, com qualquer nome terminado em `.jsonl`, e rode de novo o notebook 5.
Nada é aplicado: as sugestões viram uma proposta, com a lista do que muda.
"""


def write_requests(requests: Sequence[Request], pasta: Path, estudo: str) -> Path:
    """Write `<pasta>/{pedidos.jsonl,INSTRUCOES.md}`; gives the path of the requests."""
    pasta.mkdir(parents=True, exist_ok=True)
    path = pasta / "pedidos.jsonl"
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in requests), encoding="utf-8")
    textos = any(case["texto"] for request in requests for case in request["casos"])
    (pasta / "INSTRUCOES.md").write_text(instructions(estudo, textos), encoding="utf-8")
    return path
