"""What the documentation of Rust code says, as Markdown."""

import re
from functools import cache
from pathlib import Path

CRATES = Path(__file__).parents[2] / "crates"


@cache
def _lines(file):
    return (CRATES / file).read_text("utf-8").splitlines()


def documentation(file, item):
    """The lines above an item of a file: `fidelity`, or `Fidelity.pos` for a field or a method."""
    lines, at = _lines(file), 0
    for name in item.split("."):
        declared = re.compile(rf"\s*pub (?:fn |struct |const )?{name}\b")
        at = next(i for i, line in enumerate(lines) if i >= at and declared.match(line))
    doc = []
    while (line := lines[at - 1].strip()).startswith(("///", "#[")):
        at -= 1
        if line.startswith("///"):
            doc.insert(0, line.removeprefix("///").removeprefix(" "))
    assert doc, (file, item)
    return doc


def blocks(doc):
    """The blocks of code: their language and their lines."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", "\n".join(doc), re.DOTALL | re.MULTILINE)


def example(doc):
    """The first example, without the lines that readers need not see."""
    lines = next(lines for language, lines in blocks(doc) if not language)
    return "\n".join(line for line in lines.splitlines() if not re.match(r"# |#$", line))


def limits(family):
    """What the numbers of a family do not tell."""
    lines = [line.removeprefix("//!").strip() for line in _lines(f"xai-{family}/src/lib.rs") if line.startswith("//!")]
    said = re.search(r"# What the numbers? do(?:es)? not tell\n\n(.*?)\n\n", "\n".join(lines), re.DOTALL)
    return re.sub(r"\[(`[^`\]]*`)\](?:\([^)]*\))?", r"\1", said[1])
