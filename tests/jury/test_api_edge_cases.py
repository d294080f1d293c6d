"""What a study, a computer or a person can get wrong with the API mode: one sentence each, before anything is sent."""

from __future__ import annotations

import datetime
import importlib.util
from pathlib import Path

import pytest
from api_study import PRECOS, answer, api_study, keys, run
from servidor_anthropic import ServidorAnthropic, servindo
from small_study import ESTUDO

from compendio.cli import main
from compendio.erros import ErroDeEstudo
from compendio.jury.api_consent import asker
from compendio.jury.api_run import run_api
from compendio.study import load_study

TOMORROW = datetime.date.today() + datetime.timedelta(days=1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("  modelo: modelo-de-teste\n", ""), "falta supervisor.modelo"),
        (("  familia: claude\n", ""), "falta supervisor.familia"),
        ((f"  precos: {PRECOS}\n", ""), "sem preço conhecido nada é enviado"),
        (("entrada: 3,", "entrada: 0,"), "supervisor.precos.entrada é zero"),
        (("saida: 15,", "saida: 0.0,"), "supervisor.precos.saida é zero"),
        (("2026-11-01", str(TOMORROW)), "está no futuro"),
        (("  limite_gasto: 1.00\n", ""), "falta supervisor.limite_gasto"),
        (("limite_gasto: 1.00", "limite_gasto: 0"), "falta supervisor.limite_gasto maior que zero"),
        (("  modo: api\n", "  modo: arquivos\n"), "supervisor.modo é «arquivos»"),
    ],
)
def test_a_study_that_lacks_something_sends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], says: str
) -> None:
    study = api_study(tmp_path, monkeypatch)
    text = keys()
    assert change[0] in text
    (study.pasta / "estudo.yaml").write_text(ESTUDO + text.replace(*change), encoding="utf-8")
    with servindo(ServidorAnthropic(answer)) as servidor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", servidor.endereco)
        with pytest.raises(ErroDeEstudo) as caught:
            run_api(load_study("meu"), confirmar_envio=True)
        assert servidor.pedidos == []
    assert says in "\n".join(caught.value.problemas)


def test_all_that_is_missing_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = api_study(tmp_path, monkeypatch)
    (study.pasta / "estudo.yaml").write_text(ESTUDO + "supervisor: {modo: api}\n", encoding="utf-8")
    with pytest.raises(ErroDeEstudo) as caught:
        run_api(load_study("meu"), confirmar_envio=True)
    assert [line.partition("falta ")[2].split()[0].strip(",") for line in caught.value.problemas] == [
        "supervisor.modelo", "supervisor.familia", "supervisor.precos", "supervisor.limite_gasto",
    ]  # fmt: skip


def test_without_the_extra_one_sentence_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = api_study(tmp_path, monkeypatch)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "anthropic" else found(name, *a)
    )
    with pytest.raises(ErroDeEstudo, match=r"pip install \"compendio\[anthropic\]\""):
        run_api(study, confirmar_envio=True)


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_without_a_key_one_sentence_says_where_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    study = api_study(tmp_path, monkeypatch)
    if value is None:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
    else:
        monkeypatch.setenv("ANTHROPIC_API_KEY", value)
    with pytest.raises(ErroDeEstudo, match="ANTHROPIC_API_KEY"):
        run_api(study, confirmar_envio=True)


def test_old_prices_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = api_study(tmp_path, monkeypatch, precos=PRECOS.replace("2026-11-01", "2025-01-01"))
    shown: list[str] = []
    run_api(study, mostrar=shown.append)
    assert "01/01/2025" in shown[0] and "dias" in shown[0]


def test_without_cache_prices_nothing_is_marked_for_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = api_study(tmp_path, monkeypatch, precos="{entrada: 3, saida: 15, moeda: USD, data: 2026-11-01}")
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
        assert all("cache_control" not in m["system"][0] for m in servidor.mensagens)


def test_a_batch_without_its_share_of_the_price_counts_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = api_study(tmp_path, monkeypatch, precos="{entrada: 3, saida: 15, moeda: USD, data: 2026-11-01}")
    with servindo(ServidorAnthropic(answer)) as servidor:
        assert "o lote é contado pelo preço cheio" in run(study, servidor, monkeypatch, em_lote=True)


def test_nobody_is_asked_where_nobody_sits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert asker() is None


def test_the_verb_sends_nothing_without_its_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api_study(tmp_path, monkeypatch)
    with servindo(ServidorAnthropic(answer)) as servidor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", servidor.endereco)
        assert main(["supervisor-api", "--estudo", "meu"]) == 0
        assert servidor.pedidos == []
        assert "falta a confirmação desta execução" in capsys.readouterr().out
        assert main(["supervisor-api", "--estudo", "meu", "--confirmar-envio", "--lote"]) == 0
        assert len(servidor.lotes) == 1
        assert "Nada falta" in capsys.readouterr().out


def test_a_study_of_votes_has_no_texts_to_send(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = api_study(tmp_path, monkeypatch).model_copy(update={"textos": False})
    with servindo(ServidorAnthropic(answer)) as servidor:
        with pytest.raises(ErroDeEstudo, match="não traz os textos"):
            run(study, servidor, monkeypatch)
        assert servidor.pedidos == []
