"""How the page writes numbers and names: what must be seen for a value of report.json."""

import re
import unicodedata

MINUS = "\u2212"
# Characters that turn the direction of writing around them.
TURNING = set("\u200e\u200f\u061c\u2028\u2029") | {chr(c) for r in ((0x202A, 0x202F), (0x2066, 0x206A)) for c in range(*r)}


def acts(character):
    """Whether a character does something instead of being shown."""
    return unicodedata.category(character) == "Cc" or character in TURNING


def visible(text):
    """A name as the page shows it: characters that would act written out, breaks and repeated spaces folded."""
    short = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}
    return folded("".join(short.get(c, f"\\u{{{ord(c):x}}}") if acts(c) else c for c in text))


def folded(text):
    """A text without the breaks and the repeated spaces that a page does not show."""
    return " ".join(text.split())


def decimals(value):
    """Four decimals, or powers of ten where these would hide the value."""
    if value == 0 or 5e-5 <= abs(value) < 1e7:
        text = f"{value:.4f}"
    else:
        text = re.sub(r"e([+-])0*(\d)", lambda m: f"e{m[1].strip('+')}{m[2]}", f"{value:.3e}")
    return text.replace("-", MINUS)


def interval(ends):
    """The ends of an interval."""
    return f"[{decimals(ends[0])}, {decimals(ends[1])}]"


def is_rounded(exact, text):
    """Whether a shown number is the exact one, rounded to the digits that are shown."""
    if exact == "":
        return text == "–"
    value = float(exact)
    plain = re.sub(r"[\u202f\u00a0]", "", text).replace(MINUS, "-").strip()
    # Differences have their sign, large ones a mark; an interval is sorted by its lower end.
    plain = re.sub(r"^[▲▼]? ?\+?|^\[(\S+), \S+\]$", r"\1", plain)
    if plain.startswith("<"):
        return value < float(plain[1:])
    if plain.endswith("%"):
        plain, value = plain[:-1].strip(), 100 * value
    number = re.fullmatch(r"-?\d+(?:\.(\d+))?(?:e-?\d+)?", plain)
    if not number:
        return False
    rounded = float(f"{value:.{len(number[1] or '')}{'e' if 'e' in plain else 'f'}}")
    return rounded == float(plain) and not (plain.startswith("-") and float(plain) == 0)
