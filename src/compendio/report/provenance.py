"""Where a generated file comes from: the notebook, the cell and the function of the package that made it.

Read from the notebooks themselves, so the list in the article cannot fall behind them. A file is found by
the name under which a cell saves it: a literal text in a call (`publish(kappas, tabelas, "validacao-kappas")`)
or the file name of a path (`tabelas / "validacao-diferencas.csv"`).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compendio.erros import ErroDeEstudo


@dataclass(frozen=True)
class Origin:
    """What made a file."""

    notebook: str
    celula: str
    funcao: str


@dataclass(frozen=True)
class _Cell:
    notebook: str
    celula: str
    tree: ast.Module


def origins(notebooks: Path, nomes: list[str]) -> dict[str, Origin]:
    """Name of a generated file (without ending) → what made it.

    Raises ErroDeEstudo for names that no notebook saves, all at once.
    """
    cells = list(_cells(notebooks))
    found, problems = {}, []
    for nome in nomes:
        origin = _origin(cells, nome)
        if origin is None:
            problems.append(f"Nenhum notebook de {notebooks} grava «{nome}»; confira o nome usado no artigo.")
        else:
            found[nome] = origin
    if problems:
        raise ErroDeEstudo(problems)
    return found


def _cells(notebooks: Path) -> Iterator[_Cell]:
    for path in sorted(notebooks.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield _Cell(path.stem, cell.get("id", ""), ast.parse("".join(cell["source"])))


def _origin(cells: list[_Cell], nome: str) -> Origin | None:
    for place, cell in enumerate(cells):
        for statement in _statements(cell.tree):
            for call in _calls(statement):
                if _saves(call, nome):
                    before = [c for c in cells[: place + 1] if c.notebook == cell.notebook]
                    return Origin(cell.notebook, cell.celula, _maker(call, before))
    return None


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign):
            yield node


def _calls(node: ast.AST) -> list[ast.Call]:
    """The calls of a statement, innermost last."""
    return [child for child in ast.walk(node) if isinstance(child, ast.Call)]


def _saves(call: ast.Call, nome: str) -> bool:
    """Whether the call is given the name itself, or a path that ends in it."""
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        last = argument.right if isinstance(argument, ast.BinOp) else argument
        if isinstance(last, ast.Constant) and isinstance(last.value, str):
            text = last.value
            if text == nome or (text.startswith(f"{nome}.") and "/" not in text):
                return True
    return False


def _maker(call: ast.Call, cells: list[_Cell]) -> str:
    """The function that made what the call saves: its first argument, or the object whose method it is."""
    subject: ast.expr = call.func.value if isinstance(call.func, ast.Attribute) and not call.args else call
    if call.args and not _is_name_of_file(call.args[0]):
        subject = call.args[0]
    elif isinstance(call.func, ast.Attribute):
        subject = call.func.value
    return _resolved(subject, cells, set())


def _is_name_of_file(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp | ast.Constant)


def _resolved(node: ast.expr, cells: list[_Cell], seen: set[str]) -> str:
    """The dotted name of the function behind an expression, followed through assignments."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        inner = node.func
        if isinstance(inner, ast.Attribute) and not _is_module(inner.value, cells):
            return _resolved(inner.value, cells, seen)  # a method of what another call made
        return ast.unparse(inner)
    if isinstance(node, ast.Name) and node.id not in seen:
        value = _assigned(node.id, cells)
        if value is not None:
            return _resolved(value, cells, {*seen, node.id})
    return ast.unparse(node)


def _is_module(node: ast.expr, cells: list[_Cell]) -> bool:
    """Whether a name was imported (a module of the package), not assigned."""
    return isinstance(node, ast.Name) and _assigned(node.id, cells) is None


def _assigned(name: str, cells: list[_Cell]) -> ast.expr | None:
    """What was last assigned to a name; of several names at once, the whole right-hand side or its part."""
    for cell in reversed(cells):
        for node in reversed(list(ast.walk(cell.tree))):
            if not isinstance(node, ast.Assign):
                continue
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    return node.value
                if isinstance(target, ast.Tuple):
                    names = [part.id if isinstance(part, ast.Name) else "" for part in target.elts]
                    if name in names:
                        values = node.value.elts if isinstance(node.value, ast.Tuple) else None
                        return values[names.index(name)] if values else node.value
    return None
