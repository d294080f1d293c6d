"""What a user can get wrong in a study folder: each one a sentence, all of them together."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_study import CODEBOOK, CORPUS, ESTUDO, VOTOS, problems, votes, write_study

from compendio import projeto
from compendio.erros import ErroDeEstudo

MEMBROS = ESTUDO.split("\n", 1)[1]
TWO = {"d1": ("qualitativa", "falas", "1991"), "d2": ("quantitativa", "", "1998")}


@pytest.mark.parametrize(
    ("estudo", "said"),
    [
        (
            ESTUDO + "deliberação: false\n",
            "linha 6, chave «deliberação»: chave desconhecida; você quis dizer «deliberacao»?",
        ),
        (
            ESTUDO + "deliberacao: não\n",
            "linha 6, chave «deliberacao»: «não» não é verdadeiro nem falso para o YAML",
        ),
        (ESTUDO + 'deliberacao: "true"\n', "escreva true ou false"),
        (ESTUDO + "aviso: no\n", "o YAML lê «no» como verdadeiro/falso, não como texto"),
        (ESTUDO + "titulo: outro\n", "linha 6: a chave «titulo» já está na linha 1"),
        (
            ESTUDO + "principal: alpha\n",
            "linha 6, chave «principal»: «alpha» não é nome de nenhum membro; você quis dizer «alfa»?",
        ),
        (ESTUDO + "evidencia: dispensado\n", "você quis dizer «dispensada»?"),
        (ESTUDO + "chamadas: documento\n", "«documento» não é uma das opções"),
        (ESTUDO + "amostra: {n: 0, semente: 1}\n", "o número deve ser no mínimo 1."),
        (ESTUDO + "amostra: {n: 2}\n", "chave «amostra.semente»: falta esta chave"),
        (ESTUDO + "amostra: {n: 4, semente: 1}\n", "a amostra pede 4 documentos e o corpus tem 3"),
        (ESTUDO + "amostra: 20\n", "«20» não serve aqui; escreva chaves com valores"),
        (ESTUDO + 'amostra: {n: "2", semente: 1}\n', "«2» não serve aqui; escreva um número inteiro."),
        (ESTUDO + "tempo_limite: 0\n", "o número deve ser maior que 0"),
        (ESTUDO + "tempo_limite: .inf\n", "escreva um número finito"),
        (
            ESTUDO + "opcoes: {num_ctxt: 1}\n",
            "chave «opcoes.num_ctxt»: opção desconhecida; você quis dizer «num_ctx»?",
        ),
        (ESTUDO + "opcoes: {num_ctx: muito}\n", "chave «opcoes.num_ctx»: deve ser um número; escreva 4096"),
        (ESTUDO + "opcoes: {temperature: true}\n", "chave «opcoes.temperature»: deve ser um número"),
        (
            ESTUDO.replace("um}", "um, opcoes: {sed: 1}}"),
            "linha 3, chave «membros[1].opcoes.sed»: opção desconhecida",
        ),
        (
            ESTUDO.replace("nome: beta", "nome: alfa"),
            "linha 4, chave «membros[2].nome»: o membro «alfa» está repetido",
        ),
        (
            ESTUDO.replace("alfa", '"a:b"').replace("beta", "A-b"),
            "«A-b» e «a:b» dariam o mesmo nome de arquivo",
        ),
        (ESTUDO.replace("nome: beta", "nome: juri"), "«juri» é nome reservado ao júri"),
        (
            ESTUDO.replace("nome: beta", "nome: a.rodada-2"),
            "«a.rodada-2» termina como os arquivos da segunda",
        ),
        (ESTUDO + "amostra: {n: 010, semente: 1}\n", "amostra.n»: o YAML lê «010» como outro número"),
        (ESTUDO + "amostra: {n: 2, semente: 1:30}\n", "amostra.semente»: o YAML lê «1:30» como outro número"),
        (ESTUDO + "opcoes: {temperature: .nan}\n", "opcoes.temperature»: deve ser um número a partir de 0"),
        (ESTUDO + "opcoes: {temperature: -5}\n", "opcoes.temperature»: deve ser um número a partir de 0"),
        (ESTUDO + "opcoes: {top_p: abc}\n", "opcoes.top_p»: deve ser um número a partir de 0, e não abc."),
        (
            ESTUDO + "opcoes: {stop: 2020-01-01}\n",
            "opcoes.stop»: datetime.date(2020, 1, 1) não vai num pedido",
        ),
        (
            ESTUDO.replace("nome: beta", "nome: 1.10"),
            "o YAML lê «1.10» como número, não como texto; ponha entre aspas",
        ),
        (ESTUDO.replace(", familia: dois", ""), "linha 4, chave «membros[2].familia»: falta esta chave"),
        (ESTUDO.replace("familia: dois", "família: dois"), "você quis dizer «familia»?"),
        ("titulo: x\nmembros:\n  - {nome: alfa, familia: um}\n", "um júri precisa de pelo menos 2 membros"),
        ("titulo: x\nmembros: []\n", "um júri precisa de pelo menos 2 membros"),
        ("titulo: x\n", "chave «membros»: falta esta chave"),
        ("titulo: x\nmembros: alfa\n", "escreva uma lista"),
        ("titulo: x\nmembros: [alfa, beta]\n", "«alfa» não serve aqui; escreva chaves com valores"),
        (MEMBROS, "chave «titulo»: falta esta chave"),
        (ESTUDO + "supervisor: {modo: APIs}\n", "você quis dizer «api»?"),
        (ESTUDO + "supervisor: {limite_gasto: -1}\n", "o número deve ser no mínimo 0."),
        (ESTUDO + "supervisor: {limite_gasto: '2,50'}\n", "escreva um número, como 0.80 (com ponto)."),
        (ESTUDO + "supervisor: {limite_gasto: .nan}\n", "escreva um número finito."),
        (
            ESTUDO + "supervisor: {precos: {entrada: 1, saida: 2, moeda: USD, data: ontem}}\n",
            "chave «supervisor.precos.data»: «ontem» não serve aqui; escreva uma data, como 2026-01-31.",
        ),
        (
            ESTUDO + "validacao: {referencia: ana}\n",
            "não há o codificador «ana»; a pasta referencia/ não tem",
        ),
        (ESTUDO + "validacao: {familias: {ana: humana}}\n", "não há esse codificador"),
        (ESTUDO + "validacao: {familias: {alfa: outra}}\n", "em «membros» a família é «um»"),
        (ESTUDO + "validacao: {familias: {alfa: no}}\n", "o YAML lê «no» como verdadeiro/falso"),
    ],
)
def test_each_problem_of_the_settings(tmp_path: Path, estudo: str, said: str) -> None:
    found = problems(write_study(tmp_path, {"estudo.yaml": estudo}))
    assert any(said in sentence for sentence in found), found
    assert all(sentence.startswith("estudo.yaml") for sentence in found), found


HEAD = "documento,variavel,valor,evidencia\n"


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (
            HEAD + "d1,abordagem,qualitativo,\n",
            "linha 2: «qualitativo» não é categoria de «abordagem» no codebook.yaml; "
            "você quis dizer «qualitativa»?",
        ),
        (HEAD + "d1,fontes,falas|radio,\n", "«radio» não é categoria de «fontes»"),
        (HEAD + "d1,fontes,falas|falas,\n", "a categoria «falas» está repetida na mesma célula"),
        (HEAD + "d1,fontes,falas|,\n", "apague o separador que sobra."),
        (HEAD + "d1,fontes,falas|leis,um só trecho\n", "há 2 escolhas e 1 evidências em «fontes»"),
        (
            HEAD + "d1,abordagens,qualitativa,\n",
            "a variável «abordagens» não está no codebook.yaml; você quis dizer «abordagem»?",
        ),
        (HEAD + "D1,abordagem,qualitativa,\n", "o documento «D1» não é deste estudo; você quis dizer «d1»?"),
        (HEAD + ",abordagem,qualitativa,\n", "falta o id do documento"),
        (
            HEAD + 2 * "d1,abordagem,qualitativa,\n",
            "linha 3: «abordagem» do documento «d1» já está na linha 2",
        ),
        (
            HEAD + "d1,abordagem,,\nd1,abordagem,qualitativa,\n",
            "linha 3: «abordagem» do documento «d1» já está",
        ),
        (
            "doc,variavel,valor\nd1,abordagem,x\n",
            "linha 1: falta a coluna «documento»; a mais parecida é «doc»: renomeie-a.",
        ),
        (HEAD + "d1,abordagem,qualitativa\n", "linha 2: tem 3 campos e o cabeçalho tem 4"),
        (
            "documento,variavel,valor,codificador\nd1,abordagem,qualitativa,\n",
            "falta o nome de quem codificou",
        ),
        ("", "o arquivo está vazio"),
    ],
)
def test_each_problem_of_a_reference(tmp_path: Path, reference: str, said: str) -> None:
    found = problems(write_study(tmp_path, {"referencia/ana.csv": reference}))
    assert any(said in sentence for sentence in found), found
    assert all(sentence.startswith("referencia/ana.csv") for sentence in found), found


def test_the_same_problem_on_many_lines_is_one_sentence(tmp_path: Path) -> None:
    text = HEAD + "".join(f"d{i},abordagem,mixta,\n" for i in range(1, 9))
    corpus = "id,texto\n" + "".join(f"d{i},texto {i}\n" for i in range(1, 9))
    (found,) = problems(write_study(tmp_path, {"corpus.csv": corpus, "referencia/ana.csv": text}))
    assert found.startswith("referencia/ana.csv, linhas 2, 3, 4, 5, 6 e mais 3: «mixta» não é categoria")


def test_coders_need_names_of_their_own(tmp_path: Path) -> None:
    text = HEAD + "d1,abordagem,qualitativa,\n"
    (found,) = problems(write_study(tmp_path / "a", {"referencia/Beta.csv": text}))
    assert "o codificador «Beta» tem o mesmo nome que «beta», do júri" in found
    (found,) = problems(write_study(tmp_path / "b", {"referencia/juri.csv": text}))
    assert "o codificador «juri» tem o mesmo nome que «juri»" in found
    twice = "documento,variavel,valor,codificador\nd1,abordagem,qualitativa,ana\n"
    (found,) = problems(write_study(tmp_path / "c", {"referencia/ana.csv": text, "referencia/x.csv": twice}))
    assert (
        found == "referencia/x.csv: o codificador «ana» já está em referencia/ana.csv; "
        "junte os dois arquivos num só."
    )


def study_of_votes(folder: Path, alfa: str, estudo: str = ESTUDO + VOTOS) -> Path:
    good = votes(TWO)
    files = {"estudo.yaml": estudo, "corpus.csv": None, "votos/alfa.csv": alfa}
    return write_study(folder, {**files, "votos/beta.csv": good, "votos/gama.csv": good})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "1,qualitativa",
            "1,mista",
            "linha 2: «mista» não é categoria de «abordagem» no codebook.yaml; "
            "o que está fora dele marca-se com falha = fora_do_codebook",
        ),
        ("1,qualitativa", "1,", "linha 2: não há valor nem falha"),
        ("d1,abordagem,1", "d1,abordagem,3", "linha 2: «rodada» é «3»; escreva 1 ou 2."),
        ("d1,abordagem,1", "d1,abordagem,um", "«rodada» é «um»"),
        ("d1,abordagem", "d1,abordagen", "você quis dizer «abordagem»?"),
        (
            "d1,abordagem,1,qualitativa\n",
            "",
            "faltam 1 respostas da rodada 1 (a primeira: documento «d1», variável «abordagem»)",
        ),
        ("d2,abordagem", "d1,abordagem", "(rodada 1, repetição 0) já está na linha 2"),
        ("documento,", "doc,", "falta a coluna «documento»; a mais parecida é «doc»"),
    ],
)
def test_each_problem_of_votes(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = votes(TWO)
    assert old in text
    found = problems(study_of_votes(tmp_path, text.replace(old, new, 1)))
    assert len(found) == 1, found
    assert any(said in sentence for sentence in found), found
    assert all(sentence.startswith("votos/alfa.csv") for sentence in found), found


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "d3,abordagem,,,fora do codebook,",
            "«fora do codebook» não é uma falha conhecida; você quis dizer «fora_do_codebook»?",
        ),
        ("d3,abordagem,qualitativa,exato,,", "«exato» não é um nível de evidência; você quis dizer «exata»?"),
        ("d3,fontes,falas|leis,exata,,", "há 2 escolhas e 1 níveis de evidência"),
        ("d3,abordagem,qualitativa,,sem_resposta,", "há valor e falha na mesma linha; apague um dos dois."),
        ("d3,abordagem,qualitativa,,,depressa", "«segundos» é «depressa»; escreva um número"),
        ("d3,abordagem,qualitativa,,,-1", "«segundos» é «-1»"),
        ("d3,abordagem,qualitativa,,,nan", "«segundos» é «nan»"),
    ],
)
def test_each_problem_of_the_columns_of_votes(tmp_path: Path, row: str, said: str) -> None:
    text = "documento,variavel,valor,nivel_evidencia,falha,segundos\n" + row + "\n"
    found = problems(study_of_votes(tmp_path, text))
    assert any(said in sentence for sentence in found), found


def test_a_study_of_votes_says_that_evidence_is_exempt_and_whether_it_deliberated(tmp_path: Path) -> None:
    found = problems(study_of_votes(tmp_path, votes(TWO), ESTUDO))
    assert len(found) == 2
    assert "escreva evidencia: dispensada." in found[0]
    assert "os votos não têm rodada 2" in found[1] and "deliberacao: false" in found[1]


def test_a_member_without_votes(tmp_path: Path) -> None:
    folder = study_of_votes(tmp_path, votes(TWO))
    (folder / "votos" / "gama.csv").rename(folder / "votos" / "gamma.csv")
    found = problems(folder)
    assert found == ["votos/gama.csv: falta o arquivo de votos do membro «gama»; você quis dizer «gamma»?"]


def test_neither_texts_nor_votes_or_too_much_of_both(tmp_path: Path) -> None:
    (found,) = problems(write_study(tmp_path / "nada", {"corpus.csv": None}))
    assert found.startswith("nada: não há textos (corpus.csv, corpus.parquet, corpus.jsonl) nem votos")
    (found,) = problems(write_study(tmp_path / "dois", {"corpus.jsonl": '{"id": "a", "texto": "b"}'}))
    assert found == "dois: há corpus.csv e corpus.jsonl; deixe um só arquivo de corpus."
    (found,) = problems(write_study(tmp_path / "ambos", {"votos/alfa.csv": votes(TWO)}))
    assert "os votos substituem os textos: deixe um dos dois" in found


def test_an_empty_folder(tmp_path: Path) -> None:
    assert [sentence.split(":")[0] for sentence in problems(tmp_path)] == [
        "estudo.yaml",
        "codebook.yaml",
        tmp_path.name,
    ]


def test_all_problems_of_all_files_at_once(tmp_path: Path) -> None:
    found = problems(
        write_study(
            tmp_path,
            {
                "estudo.yaml": ESTUDO + "principal: x\nsemente: 1\n",
                "corpus.csv": CORPUS + "d1,,\n",
                "codebook.yaml": CODEBOOK.replace("pergunta: Que anos?", "pergunta:"),
                "referencia/ana.csv": HEAD + "d1,abordagem,x,\n",
            },
        )
    )
    assert [sentence.split(",")[0] for sentence in found] == [
        "estudo.yaml",
        "estudo.yaml",
        "codebook.yaml",
        "corpus.csv",
        "corpus.csv",
    ]  # the reference waits for the codebook and the documents it is checked against


def test_settings_and_references_together(tmp_path: Path) -> None:
    files = {"estudo.yaml": ESTUDO + "principal: x\n", "referencia/ana.csv": HEAD + "d1,abordagem,x,\n"}
    assert len(problems(write_study(tmp_path, {**files}))) == 2


def test_the_root_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path / "nada"))
    with pytest.raises(ErroDeEstudo, match="COMPENDIO_RAIZ aponta para"):
        projeto.raiz()
    monkeypatch.delenv("COMPENDIO_RAIZ")
    inner = tmp_path / "com espaço e ação" / "notebooks"
    inner.mkdir(parents=True)
    (inner.parent / "pyproject.toml").write_text('[project]\nname = "compendio"\n', encoding="utf-8")
    monkeypatch.chdir(inner)
    assert projeto.raiz() == inner.parent
    # A project of another name, or a broken file, is not ours: the package's own folder is.
    (inner.parent / "pyproject.toml").write_text('[project]\nname = "outro"\n', encoding="utf-8")
    assert projeto.raiz() == Path(projeto.__file__).resolve().parents[2]
    (inner.parent / "pyproject.toml").write_bytes(b"\xff[")
    assert projeto.raiz() == Path(projeto.__file__).resolve().parents[2]
