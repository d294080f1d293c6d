"""What no single key of estudo.yaml shows: names that must agree across keys and across files."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import ollama
import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import nome_de_arquivo
from compendio.corpus import NOMES
from compendio.sampling import sample_ids
from compendio.settings import OPCOES, Settings
from compendio.suggestion import closest, did_you_mean
from compendio.yaml_file import Loc, YamlFile

#: What `make estudo` copies.
MODELO = resources.files("compendio") / "modelo_de_estudo"
#: Names of the synthetic sources, which no member and no coder may take.
FONTES_DO_JURI = ("juri-r1", "juri", "juri-supervisor")
#: Options that the server knows; a name far from all of them may belong to another backend.
_KNOWN_OPTIONS = sorted({*OPCOES, *ollama.Options.model_fields})

#: Options that the server takes as they come, and for which a number below 0 means nothing.
_NOT_NEGATIVE = {"temperature", "top_p", "top_k", "min_p", "typical_p", "num_ctx"}


def _plain(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


#: What a study folder may hold that is read by name; anything else is the user's own.
_NAMES = [
    "estudo.yaml",
    "codebook.yaml",
    *NOMES,
    "referencia",
    "votos",
    "respostas.jsonl",
    "supervisor",
    "notas.csv",
]


def check_names(pasta: Path, avisos: list[str]) -> None:
    """A file or folder whose name is nearly one of those read would be left out in silence."""
    for name in sorted(path.name for path in pasta.iterdir()):
        near = closest(name, _NAMES, cutoff=0.85, short=False)
        if name not in _NAMES and near and not (pasta / near).exists():
            avisos.append(
                f"{pasta.name}/{name}: não é lido; se é o que o estudo chama de «{near}», renomeie."
            )


def check_settings(file: YamlFile, problemas: list[str], avisos: list[str]) -> None:
    """Members and main model. It reads the file as written, so it says its part whatever else is wrong."""
    members = file.data.get("membros")
    if not isinstance(members, list):
        return
    if len(members) < 2:
        problemas.append(
            f"{file.where(('membros',))}: um júri precisa de pelo menos 2 membros; acrescente outro."
        )
    named = [
        (i, m["nome"])
        for i, m in enumerate(members)
        if isinstance(m, dict) and isinstance(m.get("nome"), str)
    ]
    seen: dict[str, str] = {source: source for source in FONTES_DO_JURI}
    for i, name in named:
        # One file a source: two names that give the same file name would overwrite each other.
        stem = nome_de_arquivo(name).casefold()
        where = file.where(("membros", i, "nome"))
        if seen.get(stem) in FONTES_DO_JURI:
            problemas.append(f"{where}: «{name}» é nome reservado ao júri; escolha outro.")
        elif seen.get(stem) == name:
            problemas.append(f"{where}: o membro «{name}» está repetido; apague um ou dê-lhe outro nome.")
        elif stem.endswith(".rodada-2"):
            problemas.append(
                f"{where}: «{name}» termina como os arquivos da segunda rodada; escolha outro nome."
            )
        elif stem in seen:
            problemas.append(
                f"{where}: «{name}» e «{seen[stem]}» dariam o mesmo nome de arquivo; mude um deles."
            )
        seen.setdefault(stem, name)
    names = [name for _, name in named]
    main = file.data.get("principal")
    if isinstance(main, str) and main not in names:
        problemas.append(
            f"{file.where(('principal',))}: «{main}» não é nome de nenhum membro; {did_you_mean(main, names)}"
        )
    families = Counter(
        m["familia"] for m in members if isinstance(m, dict) and isinstance(m.get("familia"), str)
    )
    for family, count in families.items():
        if 2 * count > len(members):
            avisos.append(
                f"{file.where(('membros',))}: a família «{family}» tem {count} dos {len(members)} membros "
                "e sozinha "
                "faz a maioria; escolha modelos de famílias diferentes."
            )


def check_options(file: YamlFile, problemas: list[str]) -> None:
    """Options are passed on to the server, which ignores a misspelt one in silence."""
    places: list[tuple[Loc, Any]] = [(("opcoes",), file.data.get("opcoes"))]
    members = file.data.get("membros")
    for i, member in enumerate(members if isinstance(members, list) else []):
        if isinstance(member, dict):
            places.append((("membros", i, "opcoes"), member.get("opcoes")))
    for loc, options in places:
        for key in options if isinstance(options, Mapping) else ():
            near = closest(key, _KNOWN_OPTIONS, cutoff=0.75)
            if key not in _KNOWN_OPTIONS and near:
                problemas.append(f"{file.where((*loc, key))}: opção desconhecida; você quis dizer «{near}»?")
            value = options[key]
            wanted = int | float if key == "temperature" else int
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if key in OPCOES and not (isinstance(value, wanted) and number):
                problemas.append(
                    f"{file.where((*loc, key))}: deve ser um número; escreva {OPCOES[key]}, por exemplo."
                )
            elif key in _NOT_NEGATIVE and not (number and 0 <= value < math.inf):
                problemas.append(
                    f"{file.where((*loc, key))}: deve ser um número a partir de 0, e não {value}."
                )
            elif not _plain(value):
                problemas.append(
                    f"{file.where((*loc, key))}: {value!r} não vai num pedido ao Ollama; escreva um número ou um "
                    "texto entre aspas."
                )


def check_notice(file: YamlFile, pasta: Path, settings: Settings, avisos: list[str]) -> None:
    """The template's notice says that its texts are fictitious: under other texts it would be false."""
    own = pasta / "corpus.csv"
    if (
        settings.aviso
        and f"aviso: {settings.aviso}\n" in (MODELO / "estudo.yaml").read_text(encoding="utf-8")
        and not (own.is_file() and own.read_bytes() == (MODELO / "corpus.csv").read_bytes())
    ):
        avisos.append(
            f"{file.where(('aviso',))}: é ainda o do modelo, e fica sob cada tabela; apague-o ou escreva o seu."
        )


def check_coders(
    file: YamlFile,
    settings: Settings,
    documents: pd.DataFrame,
    references: Mapping[str, pd.DataFrame],
    problemas: list[str],
    avisos: list[str],
) -> None:
    """Sample, repetitions, reference and families against what the folder holds."""
    total = len(documents)
    if settings.amostra and settings.amostra.n > total:
        problemas.append(
            f"{file.where(('amostra', 'n'))}: a amostra pede {settings.amostra.n} documentos e o corpus "
            f"tem {total}; "
            "diminua n ou apague «amostra» para usar o corpus inteiro."
        )
    members = {member.nome: member.familia for member in settings.membros}
    stems = {nome_de_arquivo(name).casefold(): name for name in [*members, *FONTES_DO_JURI]}
    for coder in references:
        if taken := stems.get(nome_de_arquivo(coder).casefold()):
            problemas.append(
                f"referencia: o codificador «{coder}» tem o mesmo nome que «{taken}», do júri; mude o "
                "nome do codificador."
            )
        stems.setdefault(nome_de_arquivo(coder).casefold(), coder)
    chosen, families = settings.validacao.referencia, settings.validacao.familias
    if chosen is not None and chosen not in references:
        hint = did_you_mean(chosen, references) if references else "a pasta referencia/ não tem codificações."
        problemas.append(
            f"{file.where(('validacao', 'referencia'))}: não há o codificador «{chosen}»; {hint}"
        )
    for name, family in families.items():
        where = file.where(("validacao", "familias", name))
        if name in members and members[name] != family:
            problemas.append(f"{where}: em «membros» a família é «{members[name]}»; deixe uma das duas.")
        elif name not in members and name not in references:
            problemas.append(
                f"{where}: não há esse codificador; {did_you_mean(name, [*references, *members])}"
            )
    without = [coder for coder in references if coder not in families]
    if without:
        avisos.append(
            f"{file.rotulo}: falta a família de {', '.join(without)} em validacao.familias (humana, para "
            "pessoas); "
            "sem ela não se vê se uma comparação é circular."
        )


def check_votes(
    file: YamlFile,
    settings: Settings,
    documents: pd.DataFrame,
    votes: pd.DataFrame,
    codebook: Codebook | None,
    problemas: list[str],
    avisos: list[str],
) -> pd.DataFrame:
    """What a study of votes must say and hold; gives the votes that count (round 2 if it deliberated)."""
    if settings.evidencia != "dispensada":
        problemas.append(
            f"{file.where(('evidencia',))}: um estudo de votos não tem textos em que procurar evidência; "
            "escreva evidencia: dispensada."
        )
    second = votes["rodada"] == 2
    if settings.deliberacao and not second.any():
        problemas.append(
            f"{file.where(('deliberacao',))}: os votos não têm rodada 2; acrescente-a a votos/*.csv ou "
            "escreva "
            "deliberacao: false."
        )
    for member in settings.membros if settings.deliberacao and second.any() else []:
        if not (second & (votes["fonte"] == member.nome)).any():
            avisos.append(
                f"votos/{nome_de_arquivo(member.nome)}.csv: não há rodada 2 deste membro, e a de outros há; dele vale "
                "a rodada 1."
            )
    if not settings.deliberacao and second.any():
        avisos.append(f"votos/: {int(second.sum())} votos da rodada 2 ficam de fora, por deliberacao: false.")
        votes = votes[~second].reset_index(drop=True)
    if codebook is not None:
        problemas.extend(_missing_votes(settings, documents, votes, codebook))
    return votes


def _missing_votes(
    settings: Settings, documents: pd.DataFrame, votes: pd.DataFrame, codebook: Codebook
) -> list[str]:
    """Every member answers every question of the sample in round 1, or says why it did not."""
    ids = documents["id"].tolist()
    if settings.amostra:
        ids = sample_ids(ids, settings.amostra.n, settings.amostra.semente)
    wanted = pd.MultiIndex.from_product([ids, codebook.variaveis], names=["documento", "variavel"])
    first = votes[(votes["rodada"] == 1) & (votes["repeticao"] == 0)]
    sentences = []
    for member in settings.membros:
        own = first[first["fonte"] == member.nome]
        missing = wanted.difference(pd.MultiIndex.from_frame(own[["documento", "variavel"]]), sort=False)
        if len(missing):
            documento, variavel = missing[0]
            sentences.append(
                f"votos/{nome_de_arquivo(member.nome)}.csv: faltam {len(missing)} respostas da rodada 1 "
                "(a primeira: "
                f"documento «{documento}», variável «{variavel}»); acrescente as linhas, com falha = "
                "sem_resposta onde "
                "o modelo não respondeu."
            )
    return sentences
