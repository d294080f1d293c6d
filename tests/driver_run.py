"""A small command that asks a server n questions, as a notebook would: killed and resumed by tests.

`python tests/driver_run.py <server> <database> <n> <export>`
"""

from __future__ import annotations

import sys
from pathlib import Path

from model_calls import calls

from compendio.models.ollama import OllamaModel
from compendio.models.run import ask_all
from compendio.models.store import Store

if __name__ == "__main__":
    server, database, n, export = sys.argv[1:]
    with Store(Path(database)) as store:
        ask_all(OllamaModel("m", host=server, tempo_limite=20), calls(int(n)), store)
        store.export_jsonl(Path(export))
