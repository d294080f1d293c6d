"""The messages sent to the models: one prefix for all documents, then the document, then (round 2) the others.

Nothing here depends on which model is asked: every member takes the same path. The first message
(instructions and codebook) is byte-identical for all documents of a call group, and the messages
of the second round begin with those of the first, so that a server's prefix cache can serve both.
Source: decision record of the jury, decisions 1 and 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from compendio.codebook import Variable
from compendio.models.base import Message

#: One worked answer, of another codebook: small models copy the form of an example better than they follow a rule.
EXEMPLO = (
    "Exemplo, com outro texto e outro livro de códigos. Texto: «A padaria abriu em 1987, perto da estação. "
    "O dono diz que vende mais pão no inverno.» Respostas: "
    '{"estacao_de_mais_venda": {"evidencia": "vende mais pão no inverno", "valor": "inverno"}, '
    '"abertura": {"evidencia": "abriu em 1987", "valor": "1987"}}'
)


def evidence_rule(variables: Iterable[Variable], dispensada: bool = False) -> str:
    """What models, supervisor and gate hold about evidence, from the codebook and the study, in Portuguese."""
    if dispensada:
        return "Este estudo não exige evidência: «evidencia» pode ficar vazia."
    exempt = [
        f"{variable.nome}: {value}"
        for variable in variables
        for value in [*variable.categorias, *([variable.valor_ausente] if variable.valor_ausente else [])]
        if variable.dispensa(value)
    ]
    rule = (
        "Toda resposta precisa de evidência: de 3 a 15 palavras seguidas, copiadas letra por letra do texto a "
        "codificar, nunca do livro de códigos."
    )
    if exempt:
        rule += f" Só dispensam evidência (deixe-a vazia): {'; '.join(exempt)}."
    return rule


def describe_variable(variable: Variable) -> str:
    """The codebook's entry of one variable, as models and readers of batches see it (Portuguese)."""
    lines = [f"## {variable.nome}", variable.pergunta]
    if variable.orientacao:
        lines.append(variable.orientacao)
    for name, category in variable.categorias.items():
        line = f"- {name}: {category.definicao}"
        if category.fronteira:
            line += f". Atenção: {category.fronteira}"
        if category.exemplos:
            line += f". Ex.: {'; '.join(category.exemplos)}"
        lines.append(line)
    if variable.tipo == "multipla":
        lines.append("Marque todas as categorias que se aplicam; nenhuma, se nenhuma se aplica.")
    if variable.tipo == "texto":
        lines.append(f"Resposta livre, com até {variable.limite} caracteres.")
        if variable.valor_ausente:
            lines.append(f"Se o texto não diz, responda: {variable.valor_ausente}")
    return "\n".join(lines)


def system_message(variables: Sequence[Variable], dispensada: bool = False) -> Message:
    """Instructions and codebook: the prefix that all documents share."""
    parts = [
        "Você codifica textos com um livro de códigos e responde em JSON. Em cada resposta, primeiro «evidencia»: "
        "palavras copiadas do texto que mostram a resposta. Depois, a categoria que essas palavras mostram.",
        evidence_rule(variables, dispensada),
        EXEMPLO,
        "# Livro de códigos",
        *(describe_variable(v) for v in variables),
    ]
    return {"role": "system", "content": "\n\n".join(parts)}


def classification_messages(
    variables: Sequence[Variable], texto: str, dispensada: bool = False
) -> tuple[Message, ...]:
    """Round 1: the prefix and one document."""
    questions = (
        " ".join(v.pergunta for v in variables) if len(variables) == 1 else "Responda a todas as perguntas."
    )
    return (
        system_message(variables, dispensada),
        {"role": "user", "content": f"# Texto\n\n{texto}\n\n# Pergunta\n\n{questions}"},
    )


def _quote(quote: str | None, nivel: str | None) -> str:
    if not quote:
        return "sem evidência"
    return f"evidência: «{quote}»" + (
        " (trecho não encontrado no texto)" if nivel == "nao_encontrada" else ""
    )


def describe_answer(variable: Variable, vote: Mapping[str, object]) -> str:
    """One member's vote (a row of the votes table) in words, with its evidence and whether that was found."""
    valor, evidencia, nivel = str(vote["valor"]), vote["evidencia"], vote["nivel_evidencia"]
    if variable.tipo != "multipla":
        return f"{valor}; {_quote(_text(evidencia), _text(nivel))}"
    quotes, levels = json.loads(_text(evidencia) or "{}"), json.loads(_text(nivel) or "{}")
    chosen = json.loads(valor)
    if not chosen:
        return "nenhuma categoria"
    return "; ".join(f"{name} ({_quote(quotes.get(name), levels.get(name))})" for name in chosen)


def _text(cell: object) -> str | None:
    return cell if isinstance(cell, str) else None


def answer_order(variable: Variable, vote: Mapping[str, object]) -> tuple[object, ...]:
    """Sort key of an answer: codebook order of its value, then position of its quote, then its words.

    The same for every reader, and free of who gave the answer.
    """
    names = list(variable.categorias)
    valor = str(vote["valor"])
    chosen = json.loads(valor) if variable.tipo == "multipla" else [valor]
    inicio = vote["inicio"]
    position = inicio if isinstance(inicio, int) else 10**9
    return ([names.index(name) for name in chosen], position, _text(vote["evidencia"]) or "")


def deliberation_message(
    variables: Sequence[Variable], others: Mapping[str, Sequence[Mapping[str, object]]]
) -> Message:
    """Round 2: the others' answers, anonymous, with their evidence.

    Parameters
    ----------
    variables
        The variables to deliberate on, in codebook order.
    others
        Variable name → the votes of the other members that answered.
    """
    parts = ["Outros modelos leram o mesmo texto e responderam assim:"]
    for variable in variables:
        votes = sorted(others[variable.nome], key=lambda vote: answer_order(variable, vote))
        lines = [f"## {variable.nome}"]
        lines += [
            f"- Modelo {chr(65 + i)}: {describe_answer(variable, vote)}" for i, vote in enumerate(votes)
        ]
        parts.append("\n".join(lines))
    names = ", ".join(v.nome for v in variables)
    parts.append(
        "Mude a sua resposta só se a evidência de outro mostrar que a definição do livro de códigos se cumpre "
        f"melhor. Se não mostrar, repita a sua. Responda de novo em JSON, só para: {names}."
    )
    return {"role": "user", "content": "\n\n".join(parts)}
