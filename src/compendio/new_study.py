"""`make estudo NOME=meu`: a new study folder from the template, which validates and runs as it is."""

from __future__ import annotations

import re

from compendio.erros import ErroDeEstudo
from compendio.projeto import raiz
from compendio.study import load_study
from compendio.study_checks import MODELO


def create_study(nome: str) -> str:
    """Write `data/<nome>/` from the template and check that it loads; what to print (Portuguese).

    Raises ErroDeEstudo for a name that is empty, taken, or no plain folder name.
    """
    if not nome.strip():
        raise ErroDeEstudo("Diga o nome do estudo: make estudo NOME=meu.")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", nome):
        raise ErroDeEstudo(
            f"«{nome}» não serve de nome de pasta; use letras minúsculas sem acento, números e hífen, como meu-estudo."
        )
    folder = raiz() / "data" / nome
    if folder.exists():
        raise ErroDeEstudo(f"{folder} já existe; escolha outro nome.")
    folder.mkdir(parents=True)
    for source in sorted(MODELO.iterdir(), key=lambda entry: entry.name):
        if source.is_file():
            (folder / source.name).write_bytes(source.read_bytes())
    load_study(folder)
    return (
        f"Estudo criado em {folder}.\n"
        "Troque corpus.csv pelos seus textos e codebook.yaml pelas suas variáveis;\n"
        "em estudo.yaml, escolha os modelos e troque titulo e aviso (o que veio diz que os textos são fictícios);\n"
        f"confira com: make verificar ESTUDO={nome}\n"
        f"e rode com:  make analise ESTUDO={nome}"
    )
