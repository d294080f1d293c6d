"""`python -m compendio`: see `cli`."""

from compendio.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
