"""How the page writes numbers and names: what must be seen for a value of report.json."""

import re
import unicodedata

DASH = "–"
MINUS = "\u2212"
NUMBER = re.compile(r"-?\d+(?:\.(\d+))?(?:e-?\d+)?")
# Characters that turn the direction of writing around them.
TURNING = set("\u200e\u200f\u061c\u2028\u2029") | {chr(c) for r in ((0x202A, 0x202F), (0x2066, 0x206A)) for c in range(*r)}


def acts(character):
    """Whether a character does something instead of being shown."""
    return unicodedata.category(character) == "Cc" or character in TURNING


def visible(text):
    """A name as the page shows it: a character that would act is written out."""
    short = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}
    return "".join(short.get(c, f"\\u{{{ord(c):x}}}") if acts(c) else c for c in text)


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


def problem_of_number(exact, text):
    """What is wrong with a shown number, or None: it must be the exact one, rounded to the digits that are shown."""
    if exact == "":
        return None if text == DASH else f"{text!r} for an undefined value"
    value = float(exact)
    plain = re.sub(r"[\u202f\u00a0]", "", text).replace(MINUS, "-").strip()
    plain = re.sub(r"^[▲▼]? ?\+?", "", plain)  # differences have their sign, large ones a mark
    pair = re.fullmatch(r"\[(\S+), (\S+)\]", plain)
    if pair:
        plain = pair[1]  # the lower end, by which the column is sorted
    bound = re.fullmatch(r"< ?(\S+)", plain)
    if bound:
        return None if value < float(bound[1]) else f"{text!r} for {exact}"
    percent = re.fullmatch(r"(\S+?) ?%", plain)
    if percent:
        plain, value = percent[1], 100 * value
    number = NUMBER.fullmatch(plain)
    if not number:
        return f"{text!r} is no number, for {exact}"
    kind = "e" if "e" in plain else "f"
    rounded = float(f"{value:.{len(number[1] or '')}{kind}}")
    below_zero = plain.startswith("-") and float(plain) == 0
    return f"{text!r} for {exact}" if rounded != float(plain) or below_zero else None
