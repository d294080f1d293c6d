"""The verbs of `python -m compendio`: all that is no notebook. Make calls them; so may anyone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from compendio.erros import ErroDeEstudo
from compendio.study import load_study


class _Ajuda(argparse.RawDescriptionHelpFormatter):
    def add_usage(self, usage, actions, groups, prefix=None):  # type: ignore[no-untyped-def]
        super().add_usage(usage, actions, groups, "uso: " if prefix is None else prefix)


class _Leitor(argparse.ArgumentParser):
    """An argument parser whose words are Portuguese."""

    def __init__(self, **options: object) -> None:
        super().__init__(add_help=False, formatter_class=_Ajuda, **options)  # type: ignore[arg-type]
        self._positionals.title, self._optionals.title = "argumentos", "opções"
        self.add_argument("-h", "--help", action="help", help="mostra esta ajuda e sai")

    def error(self, message: str) -> None:  # type: ignore[override]
        raise ErroDeEstudo(f"{_translated(message)} Veja: {self.prog} --help")


def _translated(message: str) -> str:
    for english, portuguese in (
        ("the following arguments are required:", "faltam argumentos:"),
        ("unrecognized arguments:", "argumentos desconhecidos:"),
        ("expected one argument", "espera um valor"),
        ("expected at least one argument", "espera ao menos um valor"),
        ("invalid choice:", "verbo desconhecido:"),
        ("choose from", "os conhecidos são"),
        ("argument ", "argumento "),
    ):
        message = message.replace(english, portuguese)
    return message + "."


def parser() -> argparse.ArgumentParser:
    """All verbs and their options."""
    top = _Leitor(
        prog="python -m compendio",
        description="compendio: um júri de modelos locais codifica um corpus. O que não é notebook é um destes verbos.",
    )
    verbs = top.add_subparsers(dest="verbo", metavar="verbo", title="verbos", required=True)

    def verb(name: str, text: str, estudo: bool = True) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = verbs.add_parser(name, help=text, description=text)
        if estudo:
            added.add_argument(
                "--estudo", default="demo", help="nome do estudo em data/, ou uma pasta (padrão: demo)"
            )
        return added

    run = verb("executar", "roda um notebook e guarda o resultado em reports/", estudo=False)
    run.add_argument("notebook", type=Path, help="o notebook, por exemplo notebooks/1-classificacao.ipynb")
    run.add_argument("--destino", type=Path, required=True, help="onde fica o notebook executado")
    run.add_argument(
        "-p",
        dest="parametros",
        action="append",
        default=[],
        metavar="nome=valor",
        help="um parâmetro do notebook",
    )
    verb("verificar", "diz o que há e o que falta neste computador para rodar o estudo")
    new = verb("estudo", "cria a pasta de um estudo novo, pronta para rodar", estudo=False)
    new.add_argument("nome", help="nome da pasta em data/: letras minúsculas, números e hífen")
    laws = verb(
        "importar-leis", "lê as leis baixadas e escreve os dados de leis-br e leis-vivo", estudo=False
    )
    laws.add_argument("arquivo", help="o arquivo baixado, por exemplo policy_PT.csv")
    verb("exportar-respostas", "grava respostas.jsonl, as respostas dos modelos que o estudo usa")
    verb("supervisor-pedidos", "escreve os lotes de pedidos para o supervisor e a auditoria")
    verb("supervisor-ler", "confere as respostas do supervisor e da auditoria, linha a linha")
    api = verb(
        "supervisor-api", "pergunta por uma API paga o que falta ao supervisor e à auditoria: envia os textos"
    )
    api.add_argument(
        "--confirmar-envio",
        action="store_true",
        help="confirma, nesta execução, que os textos podem sair daqui",
    )
    api.add_argument("--lote", action="store_true", help="envia tudo num lote da API, em vez de um a um")
    api.add_argument(
        "--repetir-falhas",
        action="store_true",
        help="pergunta de novo também o que o próprio modelo errou (paga de novo)",
    )
    verb("resultados", "junta os números dos notebooks em resultados.json")
    verb("reproducao", "compara cada número publicado com o recalculado, em reproducao.csv e numa página")
    verb("artigo", "monta o artigo em PDF, DOCX e HTML a partir dos resultados")
    return top


def run(arguments: argparse.Namespace) -> str:
    """Do what the verb says; the text to print."""
    if arguments.verbo == "executar":
        return _executar(arguments)
    if arguments.verbo == "verificar":
        return _verificar(arguments.estudo)
    if arguments.verbo == "estudo":
        from compendio.new_study import create_study

        return create_study(arguments.nome)
    if arguments.verbo == "importar-leis":
        from compendio.import_laws import import_laws

        return import_laws(arguments.arquivo)
    study = load_study(arguments.estudo)
    if arguments.verbo == "exportar-respostas":
        from compendio.recording import export_replies

        return f"{export_replies(study)} respostas gravadas em {study.pasta / 'respostas.jsonl'}."
    if arguments.verbo == "resultados":
        from compendio.report.results import merge_results

        return str(merge_results(study.relatorios))
    if arguments.verbo in ("reproducao", "artigo"):
        from compendio.report.article import artigo
        from compendio.report.reproduction import reproducao

        make = {"reproducao": reproducao, "artigo": artigo}[arguments.verbo]
        return "\n".join(str(path) for path in make(study))
    if arguments.verbo == "supervisor-api":
        from compendio.jury.api_consent import asker
        from compendio.jury.api_run import run_api

        return run_api(
            study,
            confirmar_envio=arguments.confirmar_envio,
            em_lote=arguments.lote,
            repetir_falhas=arguments.repetir_falhas,
            perguntar=asker(),
        )
    from compendio.jury import supervisor

    verbs = {"supervisor-pedidos": supervisor.write_requests, "supervisor-ler": supervisor.report_answers}
    return verbs[arguments.verbo](study)


def _executar(arguments: argparse.Namespace) -> str:
    from compendio.execution import executar

    parameters = {}
    for text in arguments.parametros:
        name, equals, value = text.partition("=")
        if not equals:
            raise ErroDeEstudo(f"-p {text}: escreva nome=valor, por exemplo -p estudo=demo.")
        parameters[name.strip()] = value
    return f"{executar(arguments.notebook, arguments.destino, parameters)}: pronto."


def _verificar(estudo: str) -> str:
    from compendio.models.checks import verificar

    items = verificar(lambda: load_study(estudo))
    lines = [f"{'ok   ' if item.ok else 'FALTA'} {item.texto}" for item in items]
    lines += [f"\n- {item.como_consertar}" for item in items if not item.ok]
    if not all(item.ok for item in items):
        raise ErroDeEstudo(lines)
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code: 0, 2 for what the user can mend (plain sentences, no traceback), 130 after Ctrl-C."""
    try:
        print(run(parser().parse_args(argv)))
    except ErroDeEstudo as error:
        print("\n".join(error.problemas), file=sys.stderr)
        return 2
    except OSError as error:
        where = error.filename or "um arquivo do projeto"
        print(
            f"Não foi possível ler ou escrever {where} ({error.strerror}): confira as permissões da pasta e o espaço "
            "em disco.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print(
            "Interrompido. O que foi respondido está guardado; o mesmo comando continua de onde parou.",
            file=sys.stderr,
        )
        return 130
    return 0
