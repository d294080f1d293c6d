"""The codebook: loading, the evidence rule, the schema of an answer, the difference of two."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_study import CODEBOOK

from compendio.codebook import Codebook, answer_schema, diff_codebooks, load_codebook
from compendio.erros import ErroDeEstudo

DEMO = Path(__file__).resolve().parents[1] / "data" / "demo" / "codebook.yaml"


@pytest.fixture
def codebook(tmp_path: Path) -> Codebook:
    return load(tmp_path, CODEBOOK)


def load(folder: Path, text: str) -> Codebook:
    path = folder / "codebook.yaml"
    path.write_text(text, encoding="utf-8")
    return load_codebook(path)


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ErroDeEstudo) as caught:
        load(folder, text)
    return caught.value.problemas


def one(**lines: str) -> str:
    """A codebook of one categorical variable, with lines of it replaced ("" takes a line out)."""
    body = {
        "tipo": "categorica",
        "pergunta": "Que cor?",
        "categorias": "{azul: {definicao: céu}, verde: {definicao: mata}}",
    }
    body.update(lines)
    keys = "".join(f"    {key}: {value}\n" for key, value in body.items() if value)
    return f'titulo: Cores\nversao: "1"\nvariaveis:\n  cor:\n{keys}'


def test_the_embedded_codebook_loads() -> None:
    codebook = load_codebook(DEMO)
    tipos = [v.tipo for v in codebook.variaveis.values()]
    assert tipos.count("categorica") == 5 and tipos.count("multipla") == 1 and tipos.count("texto") == 1


def test_names_come_from_the_keys_and_order_is_kept(codebook: Codebook) -> None:
    assert [v.nome for v in codebook.variaveis.values()] == ["abordagem", "fontes", "periodo"]
    assert list(codebook.variaveis["fontes"].categorias) == ["falas", "midia", "leis"]
    assert codebook.variaveis["periodo"].limite == 30


def test_the_one_evidence_rule(codebook: Codebook) -> None:
    abordagem, periodo = codebook.variaveis["abordagem"], codebook.variaveis["periodo"]
    assert abordagem.dispensa("nao_informada")
    assert not abordagem.dispensa("qualitativa")
    assert not abordagem.dispensa("desconhecida")
    assert abordagem.dispensa("qualitativa", estudo_dispensa=True)
    assert periodo.dispensa("não informado")
    assert periodo.dispensa(" Não  informado.")  # one answer in its normal form
    assert not periodo.dispensa("1998")
    assert periodo.dispensa("1998", estudo_dispensa=True)


def test_without_valor_ausente_no_text_is_exempt(tmp_path: Path) -> None:
    codebook = load(tmp_path, one(tipo="texto", categorias=""))
    assert not codebook.variaveis["cor"].dispensa("")


def test_schema_has_evidence_before_the_value_and_limits_everywhere(codebook: Codebook) -> None:
    schema = answer_schema(codebook.variaveis.values())
    assert schema["required"] == ["abordagem", "fontes", "periodo"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["abordagem"] == {
        "type": "object",
        "properties": {
            "evidencia": {"type": "string", "maxLength": 200},
            "valor": {"type": "string", "enum": ["qualitativa", "quantitativa", "nao_informada"]},
        },
        "required": ["evidencia", "valor"],
        "additionalProperties": False,
    }
    assert list(schema["properties"]["abordagem"]["properties"]) == ["evidencia", "valor"]
    fontes = schema["properties"]["fontes"]
    assert fontes["type"] == "array" and fontes["maxItems"] == 3
    assert list(fontes["items"]["properties"]) == ["evidencia", "categoria"]
    assert fontes["items"]["properties"]["categoria"]["enum"] == ["falas", "midia", "leis"]
    assert schema["properties"]["periodo"]["properties"]["valor"] == {"type": "string", "maxLength": 30}


def test_schema_of_some_variables_only(codebook: Codebook) -> None:
    assert list(answer_schema([codebook.variaveis["fontes"]])["properties"]) == ["fontes"]


def test_no_difference(codebook: Codebook) -> None:
    assert diff_codebooks(codebook, codebook) == []


def test_one_line_a_change(tmp_path: Path, codebook: Codebook) -> None:
    new = load(
        tmp_path,
        CODEBOOK.replace('versao: "1.0"', 'versao: "1.1"')
        .replace("definicao: mede", "definicao: conta e mede")
        .replace(
            "      leis: {definicao: leis}", "      leis: {definicao: leis}\n      mapas: {definicao: mapas}"
        )
        .replace("      nao_informada: {definicao: não diz, dispensa_evidencia: true}\n", "")
        .replace("limite: 30", "limite: 40")
        .replace("  periodo:", "  anos:"),
    )
    assert diff_codebooks(codebook, new) == [
        "codebook: versao era «1.0», agora é «1.1»",
        "saiu a variável «periodo»",
        "entrou a variável «anos»",
        "abordagem: saiu a categoria «nao_informada»",
        "abordagem, quantitativa: definicao era «mede», agora é «conta e mede»",
        "fontes: entrou a categoria «mapas»",
    ]


def test_order_and_exemption_are_changes_too(tmp_path: Path, codebook: Codebook) -> None:
    new = load(
        tmp_path,
        CODEBOOK.replace(", dispensa_evidencia: true", ", exemplos: [um, dois]").replace(
            "      falas: {definicao: o que disseram}\n      midia: {definicao: jornais}\n",
            "      midia: {definicao: jornais}\n      falas: {definicao: o que disseram}\n",
        ),
    )
    assert diff_codebooks(codebook, new) == [
        "abordagem, nao_informada: exemplos era (nada), agora é «um»; «dois»",
        "abordagem, nao_informada: dispensa_evidencia era sim, agora é não",
        "fontes: mudou a ordem das categorias: midia, falas, leis",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (one(pergunta="no"), "linha 6, chave «variaveis.cor.pergunta»: o YAML lê «no» como verdadeiro/falso"),
        (one(orientacao="1.10"), 'o YAML lê «1.10» como número, não como texto; ponha entre aspas: "1.10".'),
        (one(orientacao="2026-01-31"), "o YAML lê «2026-01-31» como data"),
        (one(pergunta="~"), "chave «variaveis.cor.pergunta»: está vazia"),
        (one(pergunta='""'), "chave «variaveis.cor.pergunta»: está vazia"),
        (one(pergunta=""), "chave «variaveis.cor.pergunta»: falta esta chave"),
        (
            one(tipo="categorical"),
            "linha 5, chave «variaveis.cor.tipo»: «categorical» não é uma das opções; você quis",
        ),
        (one(tipo="x"), "os conhecidos são: categorica, multipla, texto."),
        (one(perguntas="x"), "chave desconhecida; você quis dizer «pergunta»?"),
        (one(nome="x"), "o nome da variável é a própria chave"),
        (one().replace("cor:", '"a/b c":'), "«a/b c» não serve de nome de variável; use só letras"),
        (
            one().replace("cor:", "todas:"),
            "«todas» é nome reservado nas tabelas; escolha outro, como «todas_1».",
        ),
        (one().replace("cor:", '"n":'), "«n» é nome reservado nas tabelas"),
        (one(pergunta="[a, b]"), "deve ser um texto, e não uma lista ou chaves"),
        (one(categorias="[a, b]"), "escreva chaves com valores (nome: …)."),
        (one(categorias="{a: {definicao: x}}"), "tem menos de 2 categorias"),
        (one(categorias=""), "tem menos de 2 categorias"),
        (one(tipo="texto"), "variável de texto não tem categorias"),
        (one(limite="3"), "só serve para tipo: texto"),
        (one(tipo="texto", categorias="", limite="0"), "o número deve ser no mínimo 1."),
        (
            one(tipo="texto", categorias="", limite="30.5"),
            "«30.5» não serve aqui; escreva um número inteiro.",
        ),
        (one(tipo="texto", categorias="", limite="3", valor_ausente="nenhum"), "mais longo que limite (3)"),
        (one(categorias="{a|b: {definicao: x}, c: {definicao: x}}"), "«|» (separa escolhas)"),
        (
            one(categorias="{no: {definicao: x}, c: {definicao: x}}"),
            "o YAML lê a chave «no» como verdadeiro/falso",
        ),
        (one(categorias="{20: {definicao: x}, c: {definicao: x}}"), 'ponha-a entre aspas: "20".'),
        (
            one(categorias="{a: {definicao: x, dispensa_evidencia: não}, c: {definicao: x}}"),
            "escreva true ou false",
        ),
        (
            one(categorias="{a: {definicao: x, dispensa_evidencia: 1}, c: {definicao: x}}"),
            "escreva true ou false",
        ),
        (one(categorias="{a: {definicao: x}, a: {definicao: y}}"), "já está na linha 7"),
        (one(categorias="{a: {definicao: x}, b: }"), "chave «variaveis.cor.categorias.b»: está vazia"),
        ("titulo: x\nversao: '1'\nvariaveis: {}\n", "chave «variaveis»: está vazia"),
        (
            one() + "autor: x\n",
            "chave «autor»: chave desconhecida; os conhecidos são: titulo, versao, variaveis.",
        ),
        ("titulo: a: b\n", "um texto com dois-pontos precisa estar entre aspas"),
        ("titulo: a\n\tversao: b\n", "o recuo tem tabulações"),
        ("- a\n- b\n", "deve ter chaves"),
        ("", "o arquivo está vazio"),
        ("# só um comentário\n", "o arquivo está vazio"),
        ("titulo: a\x07b\n", "caractere de controle"),
        ("a: &x\n  b: *x\n", "a âncora aponta para si mesma"),
        ("? [a, b]\n: c\n", "a chave deve ser um nome simples"),
    ],
)
def test_each_problem_is_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    found = problems(tmp_path, text)
    assert any(said in sentence for sentence in found), found
    assert all(sentence.startswith("codebook.yaml") for sentence in found)
    assert all("Input should" not in sentence and "valid" not in sentence for sentence in found)


def test_all_problems_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        CODEBOOK.replace('versao: "1.0"', "versao: 1.10")
        .replace("pergunta: Que fontes?", "pergnta: Que fontes?")
        .replace("midia: {definicao: jornais}", "midia: {definição: jornais}")
        .replace("limite: 30", "limite: trinta"),
    )
    assert found == [
        "codebook.yaml, linha 2, chave «versao»: o YAML lê «1.10» como número, "
        'não como texto; ponha entre aspas: "1.10".',
        "codebook.yaml, linha 11, chave «variaveis.fontes.pergunta»: falta esta chave; acrescente-a.",
        "codebook.yaml, linha 16, chave «variaveis.fontes.categorias.midia.definicao»: "
        "falta esta chave; acrescente-a.",
        "codebook.yaml, linha 16, chave «variaveis.fontes.categorias.midia.definição»: chave desconhecida; "
        "você quis dizer «definicao»?",
        "codebook.yaml, linha 13, chave «variaveis.fontes.pergnta»: chave desconhecida; "
        "você quis dizer «pergunta»?",
        "codebook.yaml, linha 21, chave «variaveis.periodo.limite»: «trinta» não serve aqui; "
        "escreva um número inteiro.",
    ]


def test_a_codebook_in_windows_1252_is_read(tmp_path: Path) -> None:
    path = tmp_path / "codebook.yaml"
    path.write_bytes(CODEBOOK.encode("cp1252"))
    assert load_codebook(path).variaveis["periodo"].valor_ausente == "não informado"


def test_quoted_traps_are_text(tmp_path: Path) -> None:
    codebook = load(tmp_path, one(categorias='{"no": {definicao: "1.10"}, "20": {definicao: x}}'))
    assert list(codebook.variaveis["cor"].categorias) == ["no", "20"]
    assert codebook.variaveis["cor"].categorias["no"].definicao == "1.10"


def test_names_are_composed(tmp_path: Path) -> None:
    codebook = load(
        tmp_path, one(categorias="{ção: {definicao: x}, b: {definicao: x}}".replace("ç", "c\u0327"))
    )
    assert list(codebook.variaveis["cor"].categorias) == ["ção", "b"]


def test_aliases_may_repeat_a_definition(tmp_path: Path) -> None:
    codebook = load(tmp_path, one(categorias="{a: &d {definicao: x}, b: *d}"))
    assert codebook.variaveis["cor"].categorias["b"].definicao == "x"


def test_a_missing_file_names_the_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "codebook.yml").write_text(CODEBOOK, encoding="utf-8")
    with pytest.raises(ErroDeEstudo, match=r"a pasta tem «codebook.yml»: renomeie-o"):
        load_codebook(tmp_path / "codebook.yaml")
