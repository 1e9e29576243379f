"""A run: every head of every layer of one text, kept as queries and keys; weights are computed on demand."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from . import _fovea
from ._attention import AttentionStatistics
from ._explorer import MOST_WEIGHTS, VIEWS, Explorer, explorer_of, link_to
from ._measures import Table
from ._pictures import Picture, head_grid, heatmap, lines
from ._progress import bar

if TYPE_CHECKING:
    from ._serve import Server
    from ._study import Study

Head = Union[int, str]


@dataclass(frozen=True)
class Similarity:
    divergence: Any  # [heads, heads] Jensen-Shannon in nats, 0: the same .. ln 2
    layout: Any  # [heads, 2] a map of the heads
    order: list[int]  # similar heads side by side


def _stacked(layers: list[dict[str, Any]]) -> dict[str, Any]:
    """The same field of every layer as one array, the layers in front."""
    import numpy

    def stack(name: str) -> Any:
        values = [layer[name] for layer in layers]
        if isinstance(values[0], dict):
            return _stacked(values)
        if values[0] is None:
            return None
        shapes = {value.shape for value in values}
        if len(shapes) > 1:
            raise _fovea.Error(f"the layers have different shapes, {sorted(shapes)}: use head_statistics")
        return numpy.stack(values)

    return {name: stack(name) for name in layers[0]}


class HeadView:
    """One head of a run. Shows itself in a notebook; numpy.asarray(head) are its weights."""

    def __init__(self, run: Run, layer: int, head: Head, kind: str, batch: int) -> None:
        self.run, self.layer, self.head, self.kind, self.batch = run, layer, head, kind, batch
        _, heads, n, m = run.shape(layer, kind)
        if not isinstance(head, str) and not 0 <= head < heads:
            raise _fovea.Error(f"[run] layer {layer} has heads 0 to {heads - 1}, got {head}")
        self.shape = (n, m)

    @property
    def weights(self) -> Any:
        """[N, M], computed now."""
        return self.run.weights(self.layer, self.head, kind=self.kind, batch=self.batch)

    @property
    def statistics(self) -> AttentionStatistics:
        return self.run.head_statistics(self.layer, self.head, kind=self.kind, batch=self.batch)

    @property
    def mask(self) -> Any:
        return self.run.mask(self.layer, self.head, kind=self.kind, batch=self.batch)

    def plot(self, **options: Any) -> Any:
        return self.run.plot(self.layer, self.head, kind=self.kind, batch=self.batch, **options)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        weights = self.weights
        return weights if dtype is None else weights.astype(dtype)

    def _repr_svg_(self) -> str:
        """The weights; of more than 256 tokens, means of cells."""
        if max(self.shape) <= 256:
            return self.plot().svg
        cells = self.run.head_statistics(self.layer, self.head, kind=self.kind, batch=self.batch, thumbnail=256).thumbnail
        return heatmap(cells, title=f"{self.run.model} L{self.layer}H{self.head}, {self.shape[0]} x {self.shape[1]}".strip()).svg

    def __repr__(self) -> str:
        return f"<fovea.HeadView layer {self.layer}, head {self.head} ({self.kind}), {self.shape[0]} x {self.shape[1]}>"


class Run:
    """Layers, heads and sequences are counted from 0; head may be "mean" or "max" of all heads of the layer.

    kind is "encoder", "decoder" or "cross"; default: the first that there is.
    """

    def __init__(self, run: Any, cut: int = 0) -> None:
        self._run = run
        self.cut = cut  # tokens beyond the length that the model takes: left out
        # (Model, texts, what it read) of a run of our own models: the explorer shows the steps of its heads.
        self._model_read: Optional[tuple[Any, tuple[str, ...], Any]] = None

    @classmethod
    def from_weights(
        cls, weights: Any, tokens: Sequence[str] = (), key_tokens: Sequence[str] = (), *, mask: Any = None
    ) -> Run:
        """Weights computed elsewhere, [N, M], [H, N, M], [L, H, N, M] or [L, B, H, N, M]. Copied."""
        run = cls(_fovea.Run.from_weights(weights, mask))
        if tokens:
            run._run.set_tokens(run.kinds[0], list(tokens), list(key_tokens))
        return run

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Run:
        return cls(_fovea.Run.load(fspath(path)))

    def save(self, path: str | PathLike[str]) -> None:
        """One safetensors file."""
        self._run.save(fspath(path))

    @property
    def model(self) -> str:
        return self._run.model

    @property
    def kinds(self) -> list[str]:
        return self._run.kinds

    @property
    def bytes(self) -> int:
        """That queries, keys, values and stored weights take."""
        return self._run.bytes

    def _kind(self, kind: Optional[str]) -> str:
        return kind if kind is not None else self._run.kinds[0]

    @property
    def layers(self) -> int:
        """Layers of the first kind."""
        return self.layers_of(None)

    @property
    def heads(self) -> int:
        """Heads of the first layer."""
        return self.shape()[1]

    def layers_of(self, kind: Optional[str]) -> int:
        return self._run.layers(self._kind(kind))

    def shape(self, layer: int = 0, kind: Optional[str] = None) -> tuple[int, int, int, int]:
        """(B, H, N, M) of a layer."""
        return self._run.shape(self._kind(kind), layer)

    @property
    def tokens(self) -> list[str]:
        """Of the first kind's queries, first sequence; empty if they are not known."""
        return self.query_tokens()

    def query_tokens(self, kind: Optional[str] = None, batch: int = 0) -> list[str]:
        return self._run.query_tokens(self._kind(kind), batch)

    def key_tokens(self, kind: Optional[str] = None, batch: int = 0) -> list[str]:
        return self._run.key_tokens(self._kind(kind), batch)

    def set_tokens(
        self,
        queries: Union[Sequence[str], Sequence[Sequence[str]]],
        keys: Union[Sequence[str], Sequence[Sequence[str]]] = (),
        kind: Optional[str] = None,
    ) -> None:
        """Names of the queries, and of the keys (where N = M: as the queries): those of every sequence, or a list of
        names for each of them.
        """
        if all(isinstance(name, str) for name in (*queries, *keys)):
            self._run.set_tokens(self._kind(kind), list(queries), list(keys))
        else:
            self._run.set_tokens_of_each(self._kind(kind), [list(each) for each in queries], [list(each) for each in keys])

    def weights(
        self,
        layer: int,
        head: Head,
        *,
        kind: Optional[str] = None,
        batch: int = 0,
        rows: Optional[tuple[int, int]] = None,
        keys: Optional[tuple[int, int]] = None,
        mask: Any = None,
    ) -> Any:
        """The weights of a head, float32 [N, M], or of rows[0]..rows[1]-1 and keys[0]..keys[1]-1 alone.

        mask hides more than the model did; the softmax is computed again.
        """
        chosen = self._kind(kind)
        crop = None
        if rows is not None or keys is not None:
            _, _, n, m = self.shape(layer, chosen)
            crop = [*(rows or (0, n)), *(keys or (0, m))]
        return self._run.weights(chosen, layer, head, batch, mask, crop)

    def __getitem__(self, place: tuple[int, Head]) -> Any:
        """run[layer, head]: its weights [N, M]."""
        layer, head = place
        return self.weights(layer, head)

    def head(self, layer: int, head: Head, *, kind: Optional[str] = None, batch: int = 0) -> HeadView:
        """One head, which shows itself in a notebook."""
        return HeadView(self, layer, head, self._kind(kind), batch)

    def head_statistics(
        self,
        layer: int,
        head: Head,
        *,
        kind: Optional[str] = None,
        batch: int = 0,
        mask: Any = None,
        thumbnail: int = 256,
        top_k: int = 0,
    ) -> AttentionStatistics:
        """Of one head, without its N x M matrix: arrays [N], [M], [R, C]."""
        fields = self._run.statistics(self._kind(kind), layer, head, batch, mask, thumbnail, top_k)
        return AttentionStatistics._of(fields)

    def statistics(self, *, kind: Optional[str] = None, thumbnail: int = 0, top_k: int = 0) -> AttentionStatistics:
        """Of all heads: arrays [L, B, H, N], [L, B, H, M]; Ctrl-C ends it."""
        chosen = self._kind(kind)
        layers = [
            self._run.layer_statistics(chosen, layer, thumbnail, top_k)
            for layer in bar(range(self.layers_of(chosen)), "statistics")
        ]
        return AttentionStatistics._of(_stacked(layers))

    def measures(self, *, kind: Optional[str] = None, batch: int = 0, lang: str = "en") -> Table:
        """All measures of all heads, their roles, and the mean of each layer: one row each."""
        return Table(self._run.measures(self._kind(kind), batch, lang))

    def rollout(self, position: Optional[int] = None, *, kind: Optional[str] = None, batch: int = 0) -> Any:
        """Attention over all layers (Abnar and Zuidema): [N, N], or row `position` alone, in O(N) memory."""
        return self._run.rollout(self._kind(kind), batch, position)

    def similarity(self, *, kind: Optional[str] = None, batch: int = 0, rows: int = 0) -> Similarity:
        """Which heads look at the same things. rows: compare so many rows, evenly spaced; 0: all."""
        return Similarity(**self._run.similarity(self._kind(kind), batch, rows))

    def mask(self, layer: int, head: Head, *, kind: Optional[str] = None, batch: int = 0) -> Any:
        """What the head may see: a Mask."""
        return self._run.visible(self._kind(kind), layer, head, batch, None)

    def _labels(self, kind: str, batch: int) -> tuple[list[str], list[str]]:
        return self._run.query_labels(kind, batch), self._run.key_labels(kind, batch)

    def plot(
        self,
        layer: int,
        head: Optional[Head] = None,
        *,
        style: str = "heatmap",
        kind: Optional[str] = None,
        batch: int = 0,
        ax: Any = None,
        **options: Any,
    ) -> Any:
        """A picture of a head, or of all heads of a layer (head=None).

        style: "heatmap" or "lines"; the other options are those of fovea.heatmap, head_grid and lines.
        """
        chosen = self._kind(kind)
        queries, keys = self._labels(chosen, batch)
        name = f"L{layer} {head}" if isinstance(head, str) else f"L{layer}H{head}"
        if head is None:
            return self._plot_layer(layer, style, chosen, batch, (queries, keys), options)
        weights = self.weights(layer, head, kind=chosen, batch=batch)
        options.setdefault("title", f"{self.model} {name}".strip())
        if style == "lines":
            return lines(weights, queries, keys, heads=[name], **options)
        if style != "heatmap":
            raise ValueError(f'style: got "{style}", expected "heatmap" or "lines"')
        if ax is None:
            options.setdefault("mask", self.mask(layer, head, kind=chosen, batch=batch))
        return heatmap(weights, queries, keys, ax=ax, **options)

    def _plot_layer(
        self, layer: int, style: str, kind: str, batch: int, labels: tuple[list[str], list[str]], options: dict[str, Any]
    ) -> Picture:
        import numpy

        heads = self.shape(layer, kind)[1]
        weights = numpy.stack([self.weights(layer, h, kind=kind, batch=batch) for h in range(heads)])
        options.setdefault("title", f"{self.model} L{layer}".strip())
        if style == "lines":
            return lines(weights, *labels, heads=[f"H{h}" for h in range(heads)], **options)
        return head_grid(weights, *labels, **options)

    def _shown(self, batch: int = 0) -> Any:
        """One sequence of the run as the explorer takes it."""
        if len(self.kinds) > 1:
            for kind in self.kinds:
                _, _, n, m = self.shape(0, kind)
                if kind != "cross" and n != m:
                    raise ValueError(
                        f"the explorer shows whole sequences; this pass has {n} queries and {m} keys in its {kind}."
                        " Show the first one, run.passes[0], or a head with run.plot"
                    )
        if self._model_read is not None:
            model, texts, read = self._model_read
            second = texts[1] if len(texts) > 1 else None
            return _fovea.Shown.of(model.name, self._run, batch, texts[0], second, model._model, read, self.cut)
        text = " ".join(self._run.query_labels(self.kinds[0], batch))[:200]
        return _fovea.Shown.of(self.model or "run", self._run, batch, text, None, None, None, self.cut)

    def _steps(self, steps: Optional[Sequence[tuple[int, int]]]) -> list[tuple[str, int, int]]:
        if steps is None:
            steps = [(0, 0)] if self._model_read is not None else []
        return [(self.kinds[0], layer, head) for layer, head in steps]

    def explore(
        self,
        height: int = 640,
        *,
        view: Optional[str] = None,
        layer: Optional[int] = None,
        head: Optional[Head] = None,
        heads: Sequence[int] = (),
        kind: Optional[str] = None,
        batch: int = 0,
        steps: Optional[Sequence[tuple[int, int]]] = None,
    ) -> Explorer:
        """The explorer with one sequence of this run inside: shows itself in a notebook, or .save(path).

        One page without server or network; it works when the notebook is reopened. Weights are stored as
        float16 up to 128 tokens, as 8 bits up to 512; pages of longer texts have small pictures and measures
        only, and serve() shows all of them. view: "text", "matrix", "lines", "grid", "heads", ..; batch: which
        sequence of a padded batch; steps: (layer, head) pairs whose every step is stored (runs of our own
        models; default: the first head).
        """
        return explorer_of(self._shown(batch), self._steps(steps), link_to(view, layer, head, heads, kind), height)

    def to_html(self, path: str | PathLike[str], **options: Any) -> None:
        """Writes explore(**options) as one file, whole or not at all."""
        self.explore(**options).save(path)

    def serve(
        self,
        height: int = 640,
        *,
        port: int = 0,
        view: Optional[str] = None,
        layer: Optional[int] = None,
        head: Optional[Head] = None,
        heads: Sequence[int] = (),
        kind: Optional[str] = None,
        batch: int = 0,
        study: Union[None, Study, str, PathLike[str], Sequence[Union[Study, str, PathLike[str]]]] = None,
    ) -> Server:
        """The explorer at an address of this machine, for texts of any length: print(run.serve().url).

        Weights are computed when the page asks for them. A run of one of our own models takes new texts, too, and
        says what the model predicts, also with heads switched off. batch: which sequence of a padded batch;
        study: a fovea.Study, the file of one, or up to four of them, for the view Study, which is not there without.
        Ends with .close(), or with Python. In a notebook on another machine, the address is that machine's.
        """
        from ._serve import Server, studies_of

        studies = studies_of(study)
        link = link_to(view, layer, head, heads, kind, views=(*VIEWS, "study") if studies else VIEWS)
        return Server(self, batch, link, port, height, studies)

    def widget(self, height: int = 640, **start: Any) -> Any:
        """The explorer as a widget (needs anywidget): .selection is what the page shows, and changes it."""
        from ._widget import Widget

        return Widget(self.explore(height, **start).html, height)

    def _repr_html_(self) -> Optional[str]:
        weights = 0
        for kind in self.kinds:
            _, heads, n, m = self.shape(0, kind)
            weights += self.layers_of(kind) * heads * n * m
        if weights <= MOST_WEIGHTS:
            try:
                return self.explore()._repr_html_()
            except (RuntimeError, ValueError) as error:  # the text says what there is
                return f"<pre>{escape(repr(self))}</pre><p>{escape(str(error))}</p>"
        return (
            f"<pre>{escape(repr(self))}</pre><p>{weights / 1e6:,.0f} million weights: <code>run.serve()</code> opens the"
            " explorer and computes those that are looked at; <code>run.explore()</code> puts a page with all of them"
            " (up to 512 tokens) into the notebook.</p>"
        )

    def __repr__(self) -> str:
        parts = []
        for kind in self.kinds:
            _, heads, n, m = self.shape(0, kind)
            parts.append(f"{kind} {self.layers_of(kind)} layers x {heads} heads, {n} x {m}")
        name = f" {self.model}" if self.model else ""
        return f"<fovea.Run{name}: {'; '.join(parts)}; {self.bytes / 1e6:.1f} MB>"
