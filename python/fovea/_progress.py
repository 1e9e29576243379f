"""A bar for work that takes longer than a second: in a notebook and in a terminal, nowhere else."""

from __future__ import annotations

import sys
import time
from typing import Any, Iterator, Sequence, TypeVar

T = TypeVar("T")

_display: Any = None  # of a notebook
_width = 0  # of the line in a terminal; 0: none


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def show(name: str, share: float) -> None:
    """The share of the work that is done, 0 to 1."""
    global _display, _width
    share = min(max(share, 0.0), 1.0)
    if _in_notebook():
        from IPython.display import HTML, display

        html = HTML(f'<label>{name} <progress max="1" value="{share:.3f}"></progress> {100 * share:.0f} %</label>')
        if _display is None:
            _display = display(html, display_id=True)
        else:
            _display.update(html)
    elif sys.stderr is not None and sys.stderr.isatty():
        line = f"{name} [{'#' * int(30 * share):<30}] {100 * share:3.0f} %"
        _width = len(line)
        sys.stderr.write("\r" + line)
        sys.stderr.flush()


def end() -> None:
    """Takes the bar away."""
    global _display, _width
    if _display is not None:
        from IPython.display import HTML

        _display.update(HTML(""))
        _display = None
    if _width:
        sys.stderr.write("\r" + " " * _width + "\r")
        sys.stderr.flush()
        _width = 0


def bar(items: Sequence[T], name: str) -> Iterator[T]:
    """The items, with a bar where they take long."""
    begin = time.monotonic()
    shown = False
    try:
        for done, item in enumerate(items):
            if time.monotonic() - begin > 1 and done:
                show(name, done / len(items))
                shown = True
            yield item
    finally:
        if shown:
            end()
