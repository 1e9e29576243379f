"""Measures of heads, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Iterator, Sequence

from . import _fovea


@dataclass(frozen=True)
class Definition:
    name: str
    title: str
    formula: str
    definition: str
    range: str
    caveat: str


def measure_definitions(lang: str = "en") -> dict[str, Definition]:
    """What each measure means, by name: formula, definition, range and caveat."""
    return {fields["name"]: Definition(**fields) for fields in _fovea.measure_definitions(lang)}


_SHOWN = ("layer", "head", "entropy", "confidence", "diagonal", "previous_token", "first_token", "distance", "reading")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.3f}"
    return str(value)


class Table:
    """Rows of equal columns: table["entropy"], len(table), table.rows, to_pandas(), to_polars()."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.rows = list(rows)

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0]) if self.rows else []

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> list[Any]:
        if column not in self.columns:
            raise KeyError(f"{column!r}; columns: {', '.join(self.columns)}")
        return [row[column] for row in self.rows]

    def heads(self) -> Table:
        """Only single heads, without the means of layers."""
        return Table([row for row in self.rows if row["head"] != "mean"])

    def sorted_by(self, column: str, descending: bool = True) -> Table:
        """The largest first; rows to which the measure does not apply (NaN) last."""
        values = self[column]
        known = [i for i, value in enumerate(values) if value == value]
        rest = [i for i, value in enumerate(values) if value != value]
        known.sort(key=lambda i: values[i], reverse=descending)
        return Table([self.rows[i] for i in known + rest])

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; pandas must be installed."""
        import pandas

        return pandas.DataFrame(self.rows)

    def to_polars(self) -> Any:
        """A polars.DataFrame; polars must be installed. Heads are texts there: "0", "mean"."""
        import polars

        return polars.DataFrame([{**row, "head": str(row["head"])} for row in self.rows])

    def _shown(self) -> list[str]:
        return [name for name in _SHOWN if name in self.columns] or self.columns

    def __repr__(self) -> str:
        names = self._shown()
        lines = [[_cell(row[name]) for name in names] for row in self.rows[:60]]
        widths = [max([len(name)] + [len(line[i]) for line in lines]) for i, name in enumerate(names)]
        text = [" ".join(name.ljust(width) for name, width in zip(names, widths))]
        text += [" ".join(cell.ljust(width) for cell, width in zip(line, widths)) for line in lines]
        if len(self.rows) > 60:
            text.append(f"… {len(self.rows) - 60} more rows")
        return "\n".join(line.rstrip() for line in text)

    def _repr_html_(self) -> str:
        names = self._shown()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row[name]))}</td>" for name in names) + "</tr>"
            for row in self.rows[:60]
        )
        more = f"<p>… {len(self.rows) - 60} more rows</p>" if len(self.rows) > 60 else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"


def measure_weights(
    weights: Any, *, mask: Any = None, tokens: Sequence[str] = (), key_tokens: Sequence[str] = (), lang: str = "en"
) -> Table:
    """All measures of weights [N, M], [H, N, M], [B, H, N, M] or [L, B, H, N, M].

    The mask says which keys were visible; without one, all were. Measures that need tokens are NaN without.
    """
    return Table(_fovea.measure_weights(weights, mask, list(tokens), list(key_tokens), lang))
