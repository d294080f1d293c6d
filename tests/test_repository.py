"""What a reader of the repository relies on: thin notebooks, whole locks, equal READMEs, targets that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

RAIZ = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((RAIZ / "notebooks").glob("*.ipynb"))
SETUP = ["requirements.lock", "environment.yml", "pyproject.toml", "Makefile", ".ci/run", "postBuild"]


def code_cells(path: Path) -> list[dict[str, object]]:
    return [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_notebooks_are_thin(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert sum("parameters" in c["metadata"].get("tags", []) for c in cells) == 1
    for cell in code_cells(path):
        source = "".join(cell["source"])  # type: ignore[arg-type]
        assert cell["outputs"] == [] and cell["execution_count"] is None
        assert not re.search(r"^\s*(def|class) ", source, re.M), source
        assert source.count("\n") < 25, source
    opening = "".join(cells[0]["source"])
    for part in ("vai fazer", "vai aprender", "recisa"):
        assert part in opening


def test_set_up_files_name_no_address_and_no_machine() -> None:
    for name in [*SETUP, "benchmarks/requirements.lock"]:
        text = (RAIZ / name).read_text(encoding="utf-8")
        assert not re.search(r"https?://|index-url|find-links", text), name
        assert "/root/" not in text and "/work/" not in text, name


def test_lock_has_a_hash_for_every_package() -> None:
    text = (RAIZ / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", text)
    assert len(entries) > 100
    assert [e.split("\n")[0] for e in entries if "--hash=sha256:" not in e] == []


def test_modules_are_short() -> None:
    long = {
        str(p.relative_to(RAIZ)): n
        for p in (RAIZ / "src").rglob("*.py")
        if (n := len(p.read_text(encoding="utf-8").splitlines())) > 320
    }
    assert long == {}


def blocks(name: str) -> list[str]:
    return re.findall(r"```\n(.*?)```", (RAIZ / name).read_text(encoding="utf-8"), re.S)


def test_both_readmes_give_the_same_commands_and_targets_exist() -> None:
    assert blocks("README.md") == blocks("LEIAME.md")
    targets = set(re.findall(r"^([a-z-]+):", (RAIZ / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"^make ([a-z-]+)", "\n".join(blocks("README.md")), re.M))
    assert named and named <= targets


def test_make_alone_lists_the_targets() -> None:
    if shutil.which("make") is None:
        pytest.skip("sem make neste computador")
    done = subprocess.run(["make"], cwd=RAIZ, capture_output=True, text=True, check=True)
    for target in ("paper", "test", "analise", "verificar", "estudo"):
        assert re.search(rf"^  {target} ", done.stdout, re.M)


def test_an_old_python_is_said_in_one_sentence(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("sem make neste computador")
    shutil.copy(RAIZ / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    (tmp_path / "src" / "compendio").mkdir(parents=True)
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.1"\nexit 1\n')
    old.chmod(0o755)
    command = ["make", "ambiente", f"PYTHON3={old}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "precisa do Python 3.11, 3.12 ou 3.13, e este é o Python 3.9.1" in done.stderr
    assert not (tmp_path / ".venv").exists()
