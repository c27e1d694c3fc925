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


def text(doc):
    """What stands before the first heading or example, links to other items as plain names."""
    said = re.split(r"\n(?:# |```\n(?!\n))", "\n".join(doc) + "\n")[0]
    said = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", said)
    return re.sub(r"\[(`[^`\]]*`)\]", r"\1", said).strip()


def blocks(doc):
    """The blocks of code: their language and their lines."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", "\n".join(doc), re.DOTALL | re.MULTILINE)


def formula(doc):
    """The blocks of plain text."""
    return "\n".join(lines for language, lines in blocks(doc) if language == "text").strip()


def example(doc):
    """The first example, without the lines that readers need not see."""
    lines = next(lines for language, lines in blocks(doc) if not language)
    return "\n".join(line for line in lines.splitlines() if not re.match(r"# |#$", line))


def limits(family):
    """What the numbers of a family do not tell."""
    lines = [line.removeprefix("//!").strip() for line in _lines(f"xai-{family}/src/lib.rs") if line.startswith("//!")]
    said = re.search(r"# What the numbers? do(?:es)? not tell\n\n(.*?)\n\n", "\n".join(lines), re.DOTALL)
    return re.sub(r"\[(`[^`\]]*`)\](?:\([^)]*\))?", r"\1", said[1])


def title(family, name):
    """The title of a score."""
    for file in (CRATES / f"xai-{family}/src").rglob("*.rs"):
        found = re.search(rf'Score::new\(\s*"{name}",\s*"([^"]*)"', file.read_text("utf-8"))
        if found:
            return found[1]
    raise LookupError(name)
