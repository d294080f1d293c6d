"""All benchmarks, one after the other, each to its end; then every target that was missed, if any.

    python benchmarks/run.py [name ...]

`make bench` calls this. Exit code 1 where a target was missed or a benchmark broke off.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from targets import MISSED

HERE = Path(__file__).resolve().parent
ALL = ["agreement", "votes", "evidence", "robust"]


def main() -> int:
    missed = []
    path = os.pathsep.join([str(HERE.parent / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    for name in sys.argv[1:] or ALL:
        print(f"== {name}", flush=True)
        script = subprocess.Popen(
            [sys.executable, "-u", str(HERE / f"{name}.py")],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        assert script.stdout is not None
        found = []
        for line in script.stdout:
            print(line, end="", flush=True)
            if line.startswith(MISSED):
                found.append(f"{name}: {line.removeprefix(MISSED).strip()}")
        if script.wait() and not found:
            found = [f"{name}: broke off with code {script.returncode}"]
        missed += found
        print()
    print("== targets missed" if missed else "== all targets met")
    print("\n".join(missed))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
