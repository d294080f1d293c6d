"""A menu in JupyterLab, one fixed choice anywhere else: the same notebook works open and by command."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import ipywidgets
from IPython.display import display


def live() -> bool:
    """Whether a person has this notebook open: Jupyter's server names the session to its kernels.

    A kernel that papermill or nbclient started has no such name.
    """
    return bool(os.environ.get("JPY_SESSION_NAME"))


def choose(
    label: str, options: Sequence[str], show: Callable[[str], None], first: str
) -> ipywidgets.Dropdown | None:
    """Call `show(option)` for the option chosen in a menu, again at each change; `show(first)` where not live.

    Returns the menu (already displayed), or None. Raises ValueError where `first` is no option.
    """
    if first not in options:
        raise ValueError(f"{first} is none of {list(options)}")
    if not live():
        show(first)
        return None
    menu = ipywidgets.Dropdown(options=list(options), value=first, description=label)
    place = ipywidgets.Output()

    def redraw(_: object = None) -> None:
        place.clear_output(wait=True)
        with place:
            show(menu.value)

    menu.observe(redraw, names="value")
    display(menu, place)
    redraw()
    return menu
