"""Runs notebooks without Jupyter: the cells' code in order, in one process; what they print and show is kept.

    python python/tests/notebooks.py FILE..     runs them and writes their outputs into the files
"""

import ast
import contextlib
import io
import json
import sys

LARGEST = 60_000  # characters of an output that is kept in the file: not the explorer's page


def needs(notebook):
    return notebook["metadata"]["fovea"]["needs"]


def varies(cell):
    return "varies" in cell["metadata"].get("tags", [])


def shown_as(value):
    """What a notebook would show of a value."""
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    for kind, name in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
        text = getattr(value, name)() if hasattr(value, name) else None
        if text and len(text) <= LARGEST:
            data[kind] = text.splitlines(keepends=True)
    return data


def run_cell(source, names):
    """The outputs of a cell."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last is not None else None
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        outputs.append({"data": shown_as(value), "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def run(notebook):
    """(cell, its outputs now) of each code cell."""
    names = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            yield cell, run_cell("".join(cell["source"]), names)


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            notebook = json.load(file)
        for number, (cell, outputs) in enumerate(run(notebook), 1):
            cell["execution_count"] = number
            cell["outputs"] = [{**each, "execution_count": number} if "execution_count" in each else each for each in outputs]
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n")
        print(path)


if __name__ == "__main__":
    main()
