"""The verbs: help in Portuguese, and what a user can get wrong in one sentence, without a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from compendio.cli import main


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    try:
        code = main(argv)
    except SystemExit as stop:  # --help
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_help_is_portuguese_and_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert out.startswith("uso: python -m compendio")
    verbs = ["executar", "verificar", "estudo", "importar-leis", "exportar-respostas", "supervisor-pedidos"]
    for verb in [*verbs, "resultados"]:
        assert verb in out
    assert not any(word in out for word in ("usage", "optional", "show this help", "positional"))


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["fazer"], "verbo desconhecido"),
        ([], "faltam argumentos"),
        (["verificar", "--estudos-todos"], "argumentos desconhecidos"),
        (["executar", "x.ipynb"], "faltam argumentos: --destino"),
        (["resultados", "--estudo"], "espera um valor"),
        (["resultados", "--estudo", "nao-existe"], "nao-existe"),
        (["executar", "nada.ipynb", "--destino", "d.ipynb"], "não existe"),
        (["executar", "nada.ipynb", "--destino", "d.ipynb", "-p", "estudo"], "escreva nome=valor"),
        (["estudo", "Meu Estudo"], "não serve de nome"),
        (["importar-leis"], "faltam argumentos: arquivo"),
        (["importar-leis", "nada.csv"], "o arquivo não existe"),
    ],
)
def test_what_a_user_gets_wrong(capsys: pytest.CaptureFixture[str], argv: list[str], says: str) -> None:
    code, out, err = run(capsys, *argv)
    assert code == 2
    assert says in err
    assert "Traceback" not in out + err


def test_verificar_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")  # nobody listens on the discard port
    code, _, err = run(capsys, "verificar", "--estudo", "demo")
    assert code == 2
    assert "FALTA" in err and "Ollama" in err and "ok" in err


def test_results_are_merged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from compendio.new_study import create_study
    from compendio.report.results import save_results

    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    create_study("meu")
    code, _, err = run(capsys, "resultados", "--estudo", "meu")
    assert code == 2 and "rode antes os notebooks" in err
    number = {"id": "a", "valor": 1, "impresso": "1", "celula": "c"}
    save_results([number], tmp_path / "reports" / "meu" / "resultados", "1-x")
    save_results([{**number, "id": "b"}], tmp_path / "reports" / "meu" / "resultados", "2-y")
    code, out, _ = run(capsys, "resultados", "--estudo", "meu")
    assert code == 0
    assert Path(out.strip()).read_text(encoding="utf-8").count('"notebook"') == 2
    save_results([number], tmp_path / "reports" / "meu" / "resultados", "2-y")
    code, _, err = run(capsys, "resultados", "--estudo", "meu")
    assert code == 2 and err.count("\n") == 1
    assert "«a» está mais de uma vez nos resultados (1-x, 2-y)" in err
