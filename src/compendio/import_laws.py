"""The public benchmark of Brazilian federal laws → the inputs of the studies leis-br and leis-vivo.

One row a law: `text` (its summary), `gold` (the official code), then a column of codes a model. Source: González-
Bustamante, TextClass Benchmark (policy, Portuguese), CC BY 4.0; the codes are the major topics of the Comparative
Agendas Project. The file is downloaded by its user and never committed.
"""

from __future__ import annotations

import csv
import hashlib
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from compendio.contract import nome_de_arquivo
from compendio.csv_file import CsvFile, clean, csv_files, read_csv
from compendio.erros import ErroDeEstudo
from compendio.projeto import raiz
from compendio.study import load_study

#: The file that the studies describe.
SHA256 = "d02bcbe93dd3b37da79530d9a628fb7200a6a7b48c2faaef5ef9f47daa00d957"
VOTOS, VIVO = "leis-br", "leis-vivo"
VARIAVEL = "topico"
CODIFICADOR = "codigo-oficial"
_TEXTO, _OFICIAL = "text", "gold"
_SHOWN = 5  # problems of a kind, or names, said one by one


@dataclass(frozen=True)
class Laws:
    """The benchmark in the words of the studies.

    Attributes
    ----------
    ids, textos, oficial
        One entry a law, in the order of the file: `lei001`, …; its summary; the category of its official code.
    respostas
        Model → its category for each law; None where its code is no category.
    """

    ids: list[str]
    textos: list[str]
    oficial: list[str]
    respostas: dict[str, list[str | None]]


def import_laws(arquivo: str | Path) -> str:
    """Check the file, write both studies' data, and load the two studies; what to print (Portuguese).

    Writes votos/<model>.csv and referencia/codigo-oficial.csv of data/leis-br, and corpus.csv and
    referencia/codigo-oficial.csv of data/leis-vivo. Nothing is written unless the whole file is sound; that the
    studies' own settings fit it (their members, their sample) is checked by loading them, afterwards.

    Raises
    ------
    ErroDeEstudo
        With one sentence for each problem of the file, or of what stands in the two studies' folders.
    """
    if not str(arquivo).strip():
        raise ErroDeEstudo("Diga o arquivo: make importar-leis ARQUIVO=policy_PT.csv.")
    path = Path(arquivo).expanduser()
    data = raiz() / "data"
    problemas: list[str] = []
    avisos: list[str] = []
    topics = _table(data / VOTOS / "topicos.csv", ["codigo", "categoria"], problemas)
    families = _table(data / VOTOS / "modelos.csv", ["modelo", "familia"], problemas)
    if not (data / VIVO / "estudo.yaml").is_file():
        problemas.append(f"Falta o estudo {data / VIVO}; recupere a pasta do repositório.")
    file = read_csv(path, problemas, avisos, required=[_TEXTO, _OFICIAL])
    if file is None and any("falta a coluna" in problem for problem in problemas):
        problemas.append(
            f"{path.name} não é o policy_PT.csv: data/{VOTOS}/README.md diz de onde ele vem e como é."
        )
    if problemas or file is None:
        raise ErroDeEstudo(problemas)
    laws = read_laws(file, topics)
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        avisos.append(
            f"{path.name}: a soma sha256 não é a do arquivo que data/{VOTOS}/README.md descreve. A estrutura está "
            "certa e a importação seguiu, mas os números publicados para aquele arquivo podem não valer para este."
        )
    unknown = [model for model in laws.respostas if model not in families]
    if unknown:
        avisos.append(f"Sem família em data/{VOTOS}/modelos.csv, por enquanto: {_some(unknown)}.")
    avisos += _write(laws, data)
    for name in (VOTOS, VIVO):
        load_study(data / name)
    return "\n".join([*avisos, *_summary(laws)])


def read_laws(file: CsvFile, topics: dict[str, str]) -> Laws:
    """The rows of the benchmark, codes as categories (`topics`: code → category).

    Raises ErroDeEstudo, with the line, for an empty text, an official code that is no topic, and a cell of a
    model that is no whole number. A number that is no topic is the model's own failure, not the file's.
    """
    models = [name for name in file.colunas if name not in (_TEXTO, _OFICIAL)]
    problemas = _bad_models(file.rotulo, models)
    if not file.linhas:
        problemas.append(f"{file.rotulo}: não há nenhuma lei; baixe o arquivo de novo.")
    official: list[str] = []
    answers: dict[str, list[str | None]] = {model: [] for model in models}
    wrong: list[str] = []
    for row, line in enumerate(file.linhas):
        where = file.where(row)
        if not line[_TEXTO].strip():
            wrong.append(f"{where}: a lei não tem texto; baixe o arquivo de novo.")
        code = _code(line[_OFICIAL])
        if code not in topics:
            wrong.append(
                f"{where}: o código oficial «{line[_OFICIAL]}» não está em topicos.csv; corrija um dos dois."
            )
        official.append(topics.get(code or "", ""))
        for model in models:
            code = _code(line[model])
            if code is None:
                wrong.append(
                    f"{where}: a resposta de «{model}» é «{line[model]}», que não é um código (um número inteiro); "
                    "baixe o arquivo de novo."
                )
            answers[model].append(topics.get(code or ""))
    problemas += wrong[:_SHOWN]
    if len(wrong) > _SHOWN:
        problemas.append(f"{file.rotulo}: há mais {len(wrong) - _SHOWN} problemas como esses.")
    if problemas:
        raise ErroDeEstudo(problemas)
    ids = [f"lei{number:03d}" for number in range(1, len(official) + 1)]
    return Laws(ids, [line[_TEXTO] for line in file.linhas], official, answers)


def _bad_models(rotulo: str, models: Sequence[str]) -> list[str]:
    if not models:
        return [
            f"{rotulo}: não há colunas de modelos além de {_TEXTO} e {_OFICIAL}; baixe o arquivo de novo."
        ]
    stems: dict[str, str] = {}
    sentences = []
    for model in models:
        stem = nome_de_arquivo(model).casefold()
        if stem in stems:
            sentences.append(
                f"{rotulo}: os modelos «{stems[stem]}» e «{model}» dariam o mesmo arquivo de votos; mude o nome de um."
            )
        stems.setdefault(stem, model)
    return sentences


def _code(cell: str) -> str | None:
    """A code as topicos.csv writes it (`5` for `5` and for `5.0`); None for what is no whole number."""
    digits = clean(cell).removesuffix(".0")
    return str(int(digits)) if digits.isascii() and digits.isdecimal() else None


def _table(path: Path, columns: list[str], problemas: list[str]) -> dict[str, str]:
    """First column → second column of a small table of the study."""
    file = read_csv(path, problemas, [], required=columns, rotulo=f"{path.parent.name}/{path.name}")
    key, value = columns
    return {clean(line[key]): clean(line[value]) for line in file.linhas} if file else {}


def _write(laws: Laws, data: Path) -> list[str]:
    """Both studies' files; a sentence about files of votes that another import left."""
    coded = [[ident, VARIAVEL, category] for ident, category in zip(laws.ids, laws.oficial, strict=True)]
    for name in (VOTOS, VIVO):
        _save(data / name / "referencia" / f"{CODIFICADOR}.csv", ["documento", "variavel", "valor"], coded)
    titled = [
        [ident, textwrap.shorten(text, 70, placeholder=" …"), text]
        for ident, text in zip(laws.ids, laws.textos, strict=True)
    ]
    _save(data / VIVO / "corpus.csv", ["id", "titulo", "texto"], titled)
    folder = data / VOTOS / "votos"
    for model, answers in laws.respostas.items():
        votes = [
            [ident, VARIAVEL, answer or "", "" if answer else "fora_do_codebook"]
            for ident, answer in zip(laws.ids, answers, strict=True)
        ]
        _save(folder / f"{nome_de_arquivo(model)}.csv", ["documento", "variavel", "valor", "falha"], votes)
    ours = {nome_de_arquivo(model) for model in laws.respostas}
    others = [path.stem for path in csv_files(folder, []) if path.stem not in ours]
    return [f"{folder}: {_some(others)} não vem deste arquivo; apague o que não for seu."] if others else []


def _save(path: Path, header: list[str], rows: Iterable[list[str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _summary(laws: Laws) -> list[str]:
    failures = sum(answer is None for answers in laws.respostas.values() for answer in answers)
    total = len(laws.ids) * len(laws.respostas)
    return [
        f"{len(laws.ids)} leis e {len(laws.respostas)} modelos importados em data/{VOTOS} e data/{VIVO}.",
        f"{failures} das {total} respostas têm código fora do codebook: são falhas (fora_do_codebook), não votos.",
        f"Rode com: make analise ESTUDO={VOTOS}",
    ]


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" e mais {rest}" if rest > 0 else "")
