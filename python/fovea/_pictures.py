"""Pictures, as SVG; on matplotlib's axes where asked."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, Optional, Sequence

from . import _fovea


class Picture:
    """An SVG that shows itself in a notebook. str(picture) is its text."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a file; its name ends in .svg."""
        if not fspath(path).endswith(".svg"):
            raise ValueError(f"a picture is saved as .svg, got {fspath(path)!r}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<fovea.Picture, {len(self.svg)} characters of SVG>"

    def _repr_svg_(self) -> str:
        return self.svg


def _detached(weights: Any) -> Any:
    return weights.detach() if getattr(weights, "requires_grad", False) else weights


def _labels(weights: Any, tokens: Sequence[str], key_tokens: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of the queries, and of the keys: those of the queries, where N = M and no others are given."""
    queries = list(tokens)
    return queries, list(key_tokens) or (queries if weights.shape[-1] == weights.shape[-2] else [])


def _on_axes(weights: Any, queries: Sequence[str], keys: Sequence[str], ax: Any, colormap: str, title: Any) -> Any:
    import numpy
    from matplotlib.colors import ListedColormap

    colours = ListedColormap(_fovea.colormap(colormap or "viridis"))
    image = ax.imshow(numpy.asarray(_detached(weights)), cmap=colours, aspect="auto", interpolation="nearest")
    if queries:
        ax.set_yticks(range(len(queries)), labels=list(queries))
    if keys:
        ax.set_xticks(range(len(keys)), labels=list(keys), rotation=45, ha="right")
    ax.set_xlabel("Key")
    ax.set_ylabel("Query")
    if title:
        ax.set_title(title)
    return image


def heatmap(
    weights: Any,
    tokens: Sequence[str] = (),
    key_tokens: Sequence[str] = (),
    *,
    ax: Any = None,
    title: Optional[str] = None,
    mask: Any = None,
    colormap: str = "",
    range: Any = None,
    theme: str = "light",
    lang: str = "en",
) -> Any:
    """Weights [N, M] as a heatmap: a Picture, or matplotlib's image on ax.

    tokens name the queries, key_tokens the keys (as the queries, where N = M). range: "unit", "row",
    "data", "log" or (low, high). Cells that the mask hides are hatched.
    """
    queries, keys = _labels(weights, tokens, key_tokens)
    if ax is not None:
        return _on_axes(weights, queries, keys, ax, colormap, title)
    return Picture(_fovea.heatmap_svg(_detached(weights), queries, keys, title, mask, colormap, range, theme, lang))


def head_grid(
    weights: Any,
    tokens: Sequence[str] = (),
    key_tokens: Sequence[str] = (),
    *,
    title: Optional[str] = None,
    mask: Any = None,
    colormap: str = "",
    range: Any = None,
    theme: str = "light",
    lang: str = "en",
) -> Picture:
    """Many heads side by side: weights [H, N, M] or [L, H, N, M]."""
    queries, keys = _labels(weights, tokens, key_tokens)
    return Picture(_fovea.grid_svg(_detached(weights), queries, keys, title, mask, colormap, range, theme, lang))


def lines(
    weights: Any,
    tokens: Sequence[str] = (),
    key_tokens: Sequence[str] = (),
    *,
    heads: Sequence[str] = (),
    title: Optional[str] = None,
    mass: float = 0.9,
    query: Optional[int] = None,
    theme: str = "light",
    lang: str = "en",
) -> Picture:
    """Lines from queries to keys: weights [N, M] or [H, N, M], a colour per head, up to 300 tokens.

    mass: of each query, the largest weights that hold this share are drawn.
    """
    queries, keys = _labels(weights, tokens, key_tokens)
    return Picture(_fovea.lines_svg(_detached(weights), queries, keys, list(heads), title, mass, query, theme, lang))


def mask_picture(mask: Any, n: int, m: Optional[int] = None, *, title: Optional[str] = None, lang: str = "en") -> Picture:
    """A mask for n queries and m keys (m: as n)."""
    value = _fovea.Mask.parse(mask) if isinstance(mask, str) else mask
    return Picture(value.to_svg(n, m, title, lang))
