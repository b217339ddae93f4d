"""write_page.py NOTEBOOK PAGE: runs the cells of a notebook in the percent format (# %%) and writes
them, with what they print and show, as a page; its pictures go into the folder pictures beside the
page."""
import ast
import contextlib
import io
import re
import sys
from pathlib import Path


def cells(text):
    """Each cell: whether it is text, and its lines."""
    for part in re.split(r"^# %%", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        yield "[markdown]" in head, body.strip("\n")


def run(code, scope):
    """What a cell prints, and the value of its last line, as a notebook has it."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), scope)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), scope) if last else None
    return said.getvalue(), value


def prose(body):
    return "\n".join(re.sub("^# ?", "", line) for line in body.splitlines())


def page_of(notebook, pictures):
    stem, shown = Path(notebook).stem.split("_")[0], 0
    parts, scope = [], {}
    for is_text, body in cells(Path(notebook).read_text()):
        if is_text:
            parts.append(prose(body))
            continue
        said, value = run(body, scope)
        parts.append(f"```python\n{body}\n```")
        if said:
            parts.append("".join(f"    {line}\n" for line in said.splitlines()).rstrip("\n"))
        if hasattr(value, "_repr_png_"):
            shown += 1
            name = f"{stem}-{shown}.png"
            (pictures / name).write_bytes(value._repr_png_())
            parts.append(f"![](pictures/{name})")
        elif value is not None:
            parts.append(f"    {value!r}")
    return "\n\n".join(parts) + "\n"


def main(notebook, page):
    pictures = Path(page).parent / "pictures"
    pictures.mkdir(exist_ok=True)
    Path(page).write_text(page_of(notebook, pictures))


if __name__ == "__main__":
    main(*sys.argv[1:])
