"""A study folder → Study: settings, codebook, documents, references, votes, all checked together."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import Field, PrivateAttr

from compendio import projeto, sampling
from compendio.codebook import Codebook, read_codebook
from compendio.corpus import NOMES, find_corpus, read_corpus
from compendio.csv_file import csv_files
from compendio.erros import ErroDeEstudo
from compendio.evidence import FoldedText
from compendio.imported_votes import read_votes
from compendio.references import read_references
from compendio.settings import Settings
from compendio.study_checks import (
    check_coders,
    check_names,
    check_notice,
    check_options,
    check_settings,
    check_votes,
)
from compendio.suggestion import closest
from compendio.validation_messages import validate
from compendio.yaml_file import YamlFile, read_yaml


class Study(Settings):
    """A study as loaded: the keys of estudo.yaml, and what stands beside it in the folder.

    Attributes
    ----------
    nome, pasta
        Name of the folder, and the folder.
    textos
        False for a study of votes, which has no texts.
    avisos
        What loading noticed (Portuguese): encodings, families that can outvote the rest, …
    """

    nome: str
    pasta: Path
    codebook: Codebook
    textos: bool
    avisos: list[str] = Field(default_factory=list)
    _documents: pd.DataFrame = PrivateAttr()
    _references: dict[str, pd.DataFrame] = PrivateAttr()
    _votes: pd.DataFrame | None = PrivateAttr()

    def documents(self) -> pd.DataFrame:
        """Columns id, titulo, texto, then the corpus's others; index 0, 1, …; `texto` empty without texts."""
        return self._documents.copy()

    def sample_ids(self) -> list[str]:
        """The documents the jury codes, in corpus order."""
        ids = self._documents["id"].tolist()
        return sampling.sample_ids(ids, self.amostra.n, self.amostra.semente) if self.amostra else ids

    def references(self) -> dict[str, pd.DataFrame]:
        """Coder → its codings as contract rows, quotes looked up in the texts."""
        return {coder: table.copy() for coder, table in self._references.items()}

    def member_votes(self) -> pd.DataFrame | None:
        """The votes of votos/*.csv as contract rows with `segundos`; None for a study with texts."""
        return None if self._votes is None else self._votes.copy()

    def options_of(self, nome: str) -> dict[str, Any]:
        """The options of a member's calls: its own over the study's."""
        return {**self.opcoes, **next(member.opcoes for member in self.membros if member.nome == nome)}

    @cached_property
    def relatorios(self) -> Path:
        """Folder of everything generated for this study."""
        return projeto.raiz() / "reports" / self.nome

    @cached_property
    def banco(self) -> Path:
        """The store of replies."""
        return projeto.raiz() / ".compendio" / f"{self.nome}.sqlite"


def load_study(nome_ou_pasta: str | Path) -> Study:
    """Load a study by name (data/<name>) or by folder.

    Raises
    ------
    ErroDeEstudo
        With one sentence for each problem found in any of the study's files.
    """
    pasta = find_study(nome_ou_pasta)
    problemas: list[str] = []
    avisos: list[str] = []
    check_names(pasta, avisos)
    file = read_yaml(pasta / "estudo.yaml", problemas, avisos)
    settings = _settings(file, problemas, avisos) if file else None
    codebook = read_codebook(pasta / "codebook.yaml", problemas, avisos)
    documents = _documents(pasta, file, problemas, avisos)
    votes, complete = None, True
    if settings and codebook and _has_votes(pasta) and not find_corpus(pasta):
        members = [member.nome for member in settings.membros]
        before = len(problemas)
        votes = read_votes(pasta / "votos", members, codebook, problemas, avisos)
        complete = len(problemas) == before
        if votes is not None:
            documents = _documents_of(votes)
    references: dict[str, pd.DataFrame] = {}
    if codebook and documents is not None:
        dispensada = bool(settings and settings.evidencia == "dispensada")
        folded = {
            i: FoldedText(t) if t else None for i, t in zip(documents["id"], documents["texto"], strict=True)
        }
        references = read_references(pasta / "referencia", codebook, folded, dispensada, problemas, avisos)
    if settings and file and documents is not None:
        check_coders(file, settings, documents, references, problemas, avisos)
        check_notice(file, pasta, settings, avisos)
        if votes is not None:
            # Rows left out as faulty would be missed a second time.
            asked = codebook if complete else None
            votes = check_votes(file, settings, documents, votes, asked, problemas, avisos)
    if problemas or settings is None or codebook is None or documents is None:
        raise ErroDeEstudo(problemas)
    study = Study(
        **dict(settings), nome=pasta.name, pasta=pasta, codebook=codebook, textos=votes is None, avisos=avisos
    )
    study._documents, study._references, study._votes = documents, references, votes
    return study


def find_study(nome_ou_pasta: str | Path) -> Path:
    """The folder of a study: data/<name> of the project, or the folder itself."""
    if not isinstance(nome_ou_pasta, str | Path):
        raise ErroDeEstudo(
            f"O estudo chegou como {nome_ou_pasta!r}, que não é texto; passe o nome da pasta como texto "
            "(no papermill, com -r em vez de -p)."
        )
    given = Path(nome_ou_pasta)
    by_path = isinstance(nome_ou_pasta, Path) or len(given.parts) > 1
    if not by_path:
        folder = projeto.raiz() / "data" / given
        if str(nome_ou_pasta).strip() and folder.is_dir():
            return folder
    if given.is_dir() and str(nome_ou_pasta).strip():
        return given.resolve()
    if by_path:
        raise ErroDeEstudo(f"A pasta {given} não existe; confira o caminho do estudo.")
    data = projeto.raiz() / "data"
    known = sorted(path.parent.name for path in data.glob("*/estudo.yaml"))
    near = closest(str(given), known)
    hint = f"você quis dizer «{near}»?" if near else f"os que há são: {', '.join(known) or 'nenhum'}."
    raise ErroDeEstudo(f"Não há o estudo «{nome_ou_pasta}» em {data}; {hint}")


def _settings(file: YamlFile, problemas: list[str], avisos: list[str]) -> Settings | None:
    before = len(problemas)
    settings = validate(Settings, file, problemas)
    check_settings(file, problemas, avisos)
    check_options(file, problemas)
    return settings if len(problemas) == before else None


def _has_votes(pasta: Path) -> bool:
    return bool(csv_files(pasta / "votos", []))


def _documents(
    pasta: Path, file: YamlFile | None, problemas: list[str], avisos: list[str]
) -> pd.DataFrame | None:
    found = find_corpus(pasta)
    if len(found) > 1:
        names = " e ".join(path.name for path in found)
        problemas.append(f"{pasta.name}: há {names}; deixe um só arquivo de corpus.")
        return None
    if not found and not _has_votes(pasta):
        command = file.data.get("importacao") if file else None
        problemas.append(
            f"{pasta.name}: os dados deste estudo ainda não foram importados; veja {pasta.name}/README.md e rode "
            f"{command}."
            if command
            else f"{pasta.name}: não há textos ({', '.join(NOMES)}) nem votos (votos/<membro>.csv); acrescente "
            "um dos dois."
        )
        return None
    if found and _has_votes(pasta):
        problemas.append(
            f"{pasta.name}: há {found[0].name} e votos/; os votos substituem os textos: deixe um dos dois."
        )
    return read_corpus(found[0], problemas, avisos) if found else None


def _documents_of(votes: pd.DataFrame) -> pd.DataFrame:
    ids = votes["documento"].drop_duplicates().tolist()
    return pd.DataFrame({"id": ids, "titulo": "", "texto": ""}, dtype="str")
