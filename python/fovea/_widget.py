"""The explorer as a widget: what is selected in the page is a value in Python, and back. Needs anywidget."""

from __future__ import annotations

from typing import Any

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("run.widget() needs anywidget: pip install anywidget") from error

from ._explorer import frame

_SCRIPT = """
function render({ model, el }) {
  el.innerHTML = model.get("_frame");
  const frame = el.querySelector("iframe");
  frame.srcdoc = model.get("_html");
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  let told = {};
  const tell = () => {
    const selection = model.get("selection");
    if (Object.keys(selection).length && !same(selection, told)) {
      told = selection;
      frame.contentWindow.postMessage({ fovea: "select", selection }, "*");
    }
  };
  const hear = (event) => {
    if (event.source !== frame.contentWindow || event.data?.fovea !== "selection") return;
    if (event.data.ready) return tell();
    told = event.data.selection;
    if (same(told, model.get("selection"))) return;
    model.set("selection", told);
    model.save_changes();
  };
  window.addEventListener("message", hear);
  model.on("change:selection", tell);
  return () => {
    window.removeEventListener("message", hear);
    model.off("change:selection", tell);
  };
}
export default { render };
"""


class Widget(anywidget.AnyWidget):
    """selection: {"view", "kind", "layer", "head", "tokens" (selected queries), "key"}.

    Changes in the page arrive here (widget.observe(f, "selection")); setting it, or some of its fields by
    select(), changes the page.
    """

    _esm = _SCRIPT
    _html = traitlets.Unicode("").tag(sync=True)
    _frame = traitlets.Unicode("").tag(sync=True)
    selection = traitlets.Dict().tag(sync=True)

    def __init__(self, html: str, height: int) -> None:
        super().__init__(_html=html, _frame=frame("", height))

    def select(self, **fields: Any) -> None:
        """widget.select(layer=1, head=0)"""
        unknown = set(fields) - {"view", "kind", "layer", "head", "tokens", "key"}
        if unknown:
            raise TypeError(f"select: unknown fields {', '.join(sorted(unknown))}")
        self.selection = {**self.selection, **fields}
