"""Texts as Markdown."""

import re


def plain(text):
    """A text of a description: nothing of it but code is markup."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<\[|$#])", r"\\\1", part) for part in parts)


def cell(text):
    """A text in a table, where a bar would end the cell in code, too."""
    return re.sub(r"(?<!\\)\|", r"\\|", plain(text))


def code(text, language):
    """A block of code; lines of `sh` and `none` are broken where they are too long for a page."""
    return f"```{language}\n{text.strip()}\n```"


def parameters(described):
    """A list of parameters, and of the words that each takes."""
    lines = []
    for one in described:
        default = "" if one.default is None else f"; default `{_spelled(one.default)}`"
        lines.append(f"- **`{one.name}`**: {plain(one.expected)}{default}. {plain(one.doc)}")
        lines += [f"  - `{word}`: {plain(meaning)}" for word, meaning in one.words]
    return "\n".join(lines)


def _spelled(value):
    """A value as the command line and studies take it."""
    if isinstance(value, tuple):
        return ",".join(map(_spelled, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
