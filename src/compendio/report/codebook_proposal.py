"""The proposal for a new codebook as files: what is suggested and why, what changes, and on what to test it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import yaml

from compendio.codebook import Codebook, diff_codebooks
from compendio.measure.codebook_requests import MUDANCAS
from compendio.measure.codebook_suggestions import Proposal
from compendio.report.article_tables import markdown
from compendio.report.style import num

PAGINA, YAML, AMOSTRA = "sugestoes-codebook.md", "codebook-sugerido.yaml", "amostra-nova.csv"


def write_proposal(
    pasta: Path,
    codebook: Codebook,
    proposal: Proposal,
    metas: pd.DataFrame,
    amostra: Sequence[str],
    semente: int,
    aviso: str = "",
) -> list[Path]:
    """Write the proposal's files, remove those of an earlier one that no longer hold, and give the paths.

    `codebook-sugerido.yaml` is written where a suggestion changes something, `amostra-nova.csv` where documents
    outside the sample are left.
    """
    pasta.mkdir(parents=True, exist_ok=True)
    for name in (PAGINA, YAML, AMOSTRA):
        (pasta / name).unlink(missing_ok=True)
    changes = diff_codebooks(codebook, proposal.codebook)
    written = [pasta / PAGINA]
    text = proposal_page(codebook, proposal, changes, metas, amostra, semente, aviso)
    written[0].write_text(text, encoding="utf-8")
    if changes:
        written.append(pasta / YAML)
        written[-1].write_text(codebook_yaml(proposal.codebook), encoding="utf-8")
    if amostra:
        written.append(pasta / AMOSTRA)
        written[-1].write_text("documento\n" + "".join(f"{ident}\n" for ident in amostra), encoding="utf-8")
    return written


def codebook_yaml(codebook: Codebook) -> str:
    """A codebook as a file that `load_codebook` reads, marked as a proposal."""
    body = codebook.model_dump(exclude_defaults=True)
    text: str = yaml.safe_dump(body, allow_unicode=True, sort_keys=False, width=110)
    return "# Proposta: não é o codebook em vigor. Mudar o codebook reclassifica o corpus inteiro.\n" + text


def proposal_page(
    codebook: Codebook,
    proposal: Proposal,
    changes: Sequence[str],
    metas: pd.DataFrame,
    amostra: Sequence[str],
    semente: int,
    aviso: str = "",
) -> str:
    """The page in Markdown (Portuguese)."""
    lines = ["# Sugestões para o codebook", ""]
    if aviso:
        lines += [f"**Atenção.** {aviso}", ""]
    lines += ["Isto é uma proposta: nada foi aplicado, e o codebook em vigor é o mesmo.", ""]
    if not proposal.sugestoes:
        lines += ["Ainda não há sugestões: os pedidos estão em `pedidos.jsonl`, com as instruções.", ""]
    for name in codebook.variaveis:
        own = [s for s in proposal.sugestoes if s.variavel == name and s.mudanca != "meta"]
        if not own:
            continue
        lines += [f"## {name}", ""]
        for item in own:
            about = f" em `{item.categoria}`" if item.categoria else ""
            merged = f" (recebe `{item.com}`)" if item.com else ""
            text = f": «{item.texto}»" if item.texto else ""
            cases = f" Casos: {', '.join(item.casos)}." if item.casos else ""
            lines.append(f"- **{item.mudanca}**{about}{merged}{text}. {item.motivo.rstrip('.')}.{cases}")
        lines.append("")
    if changes:
        lines += ["## O que muda em relação ao codebook em vigor", "", *(f"- {line}" for line in changes), ""]
    lines += _goals(proposal, metas)
    lines += ["## Onde testar", "", _sample_sentence(amostra, semente), ""]
    if proposal.problemas:
        lines += ["## Linhas deixadas de fora", "", *(f"- {problem}" for problem in proposal.problemas), ""]
    lines += ["## Mudanças que um leitor pode sugerir", ""]
    lines += [f"- `{name}`: {meaning}." for name, meaning in MUDANCAS.items()]
    return "\n".join(lines) + "\n"


def _goals(proposal: Proposal, metas: pd.DataFrame) -> list[str]:
    rows = [
        [
            row.variavel,
            f"{row.referencia} × {row.valor} ({num(row.n, 0)})",
            num(row.kappa),
            f"{num(row.meta_inf)} a {num(row.meta_sup)}",
            proposal.metas.get(row.variavel, ""),
        ]
        for row in metas.itertuples()
    ]
    if not rows:
        return []
    heads = ["variável", "par mais frequente (n)", "kappa de agora", "meta", "meta do leitor"]
    return [
        "## Metas",
        "",
        "A meta é a conta de resolver metade do par mais frequente (arredondada para cima), ou ele todo, sem mudar "
        "mais nada; não é previsão. A do leitor, quando há, é a que ele escreveu.",
        "",
        markdown(rows, heads, left=2),
        "",
    ]


def _sample_sentence(amostra: Sequence[str], semente: int) -> str:
    if not amostra:
        return (
            "Este estudo não tem documentos fora da amostra: não há onde testar a proposta sem reusar os documentos "
            "que a motivaram. O kappa nos mesmos documentos seria otimista."
        )
    return (
        f"Uma amostra nova, sorteada com a semente {semente} entre os documentos fora da amostra atual, está em "
        f"`{AMOSTRA}` ({num(len(amostra), 0)} documentos). O kappa nos documentos que motivaram a proposta seria "
        "otimista."
    )
