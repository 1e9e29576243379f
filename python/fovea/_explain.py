"""One attention step by step: every matrix with its formula, its shape and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Optional, Sequence

from . import _fovea


@dataclass(frozen=True)
class Step:
    name: str  # "scores", "weights", ..
    title: str
    formula: str
    matrix: Any  # float64 [rows, columns]
    rows: list[str]  # tokens, or none
    columns: list[str]
    sentence: str  # with numbers of this very computation
    head: Optional[int]


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits and value == value else str(value)


def _table(step: Step, digits: int, most: int = 24) -> str:
    """The matrix as an HTML table; of large ones the first rows and columns."""
    rows, columns = step.matrix.shape
    shown_rows, shown_columns = min(rows, most), min(columns, most)
    head = ""
    if step.columns:
        head = "".join(f"<th>{escape(name)}</th>" for name in step.columns[:shown_columns])
        head = f"<tr>{'<th></th>' if step.rows else ''}{head}</tr>"
    shade = step.name == "weights"
    body = []
    for i in range(shown_rows):
        cells = [f"<th>{escape(step.rows[i])}</th>"] if step.rows else []
        for j in range(shown_columns):
            value = float(step.matrix[i, j])
            style = f' style="background:rgba(31,119,180,{0.6 * value:.3f})"' if shade and value == value else ""
            cells.append(f"<td{style}>{_number(value, digits)}</td>")
        if columns > shown_columns:
            cells.append("<td>…</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    if rows > shown_rows:
        body.append("<tr><td>…</td></tr>")
    return f"<table>{head}{''.join(body)}</table>"


class Explanation:
    """The steps of one attention. Shows itself in a notebook; print() gives the text."""

    def __init__(self, account: Any, lang: str = "en", digits: int = 4) -> None:
        self._account = account
        self._lang = lang
        self._digits = digits

    @property
    def title(self) -> str:
        return self._account.title(self._lang)

    @property
    def tokens(self) -> list[str]:
        return self._account.tokens

    @property
    def steps(self) -> list[Step]:
        return [Step(**fields) for fields in self._account.steps(self._lang)]

    @property
    def notes(self) -> list[str]:
        return self._account.notes(self._lang)

    def __getitem__(self, name: str) -> Any:
        """The matrix of a step, float64: explanation["weights"]. Of several heads, the first."""
        return self._account.matrix(name, 0)

    def matrix(self, name: str, head: int = 0) -> Any:
        """The matrix of a step, float64 [rows, columns]."""
        return self._account.matrix(name, head)

    def to_markdown(self) -> str:
        return self._account.to_markdown(self._lang, self._digits)

    def to_json(self) -> str:
        """Both languages, all digits."""
        return self._account.to_json()

    def __str__(self) -> str:
        return self._account.to_text(self._lang, self._digits)

    def __repr__(self) -> str:
        return f"<fovea.Explanation {self.title!r}, {len(self.steps)} steps; print() shows them>"

    def _repr_html_(self) -> str:
        parts = [f"<h3>{escape(self.title)}</h3>"]
        for step in self.steps:
            rows, columns = step.matrix.shape
            head = "" if step.head is None else f" · head {step.head + 1}"
            parts.append(
                f"<p><b>{escape(step.title)}</b>{head} &nbsp; <code>{escape(step.formula)}</code> "
                f"[{rows}, {columns}]</p>{_table(step, self._digits)}<p>{escape(step.sentence)}</p>"
            )
        parts += [f"<p><i>{escape(note)}</i></p>" for note in self.notes]
        return f'<div class="fovea-explanation">{"".join(parts)}</div>'


def explain(
    q: Any = None,
    k: Any = None,
    v: Any = None,
    *,
    x: Any = None,
    memory: Any = None,
    w_q: Any = None,
    w_k: Any = None,
    w_v: Any = None,
    w_o: Any = None,
    heads: int = 1,
    tokens: Sequence[str] = (),
    memory_tokens: Sequence[str] = (),
    mask: Any = None,
    bias: Any = None,
    scale: Optional[float] = None,
    softcap: float = 0.0,
    lang: str = "en",
    digits: int = 4,
) -> Explanation:
    """Attention step by step, in float64, every matrix with a sentence.

    Either explain(q, k, v): q [N, D], k [M, D], v [M, Dv]; or explain(x=x, w_q=, w_k=, w_v=, w_o=, heads=):
    x [N, E], projected (what is not given: x itself), with keys and values from memory [M, E2] if there
    is one. lang: "en" or "zh".
    """
    names, memory_names = list(tokens), list(memory_tokens)
    if x is not None:
        if q is not None or k is not None or v is not None:
            raise TypeError("explain: got x and q, k, v; expected one or the other")
        account = _fovea.explain_projections(
            x, memory, w_q, w_k, w_v, w_o, heads, names, memory_names, mask, bias, scale, softcap
        )
    else:
        if q is None or k is None or v is None:
            raise TypeError("explain: expected q, k and v, or x=")
        account = _fovea.explain(q, k, v, names, memory_names, mask, bias, scale, softcap)
    return Explanation(account, lang, digits)


def example_ids() -> list[str]:
    """The worked examples of the tutorials: "qkv", "i-love-ai", .."""
    return _fovea.example_ids()


def example(name: str, *, lang: str = "en", digits: int = 4) -> Explanation:
    """A worked example, with a note wherever a tutorial prints a wrong number."""
    return Explanation(_fovea.example(name), lang, digits)
