"""How every notebook opens: the study, what it is, and what loading noticed."""

from __future__ import annotations

from IPython.display import Markdown, display

from compendio.report.style import aplicar
from compendio.study import Study, load_study


def abrir(estudo: str) -> Study:
    """Load a study, set the look of figures, and show its title, its notice and what loading noticed."""
    study = load_study(estudo)
    aplicar()
    lines = [f"**Estudo:** {study.titulo} (`{study.nome}`)"]
    if study.aviso:
        lines.append(f"> **Atenção.** {study.aviso}")
    lines += [f"- {aviso}" for aviso in study.avisos]
    display(Markdown("\n\n".join(lines)))
    return study
