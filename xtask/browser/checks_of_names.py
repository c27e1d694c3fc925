"""Checks of a page whose names try to be run."""

import studies
from shown import acts, folded, visible

STATE = """
const acting = [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => /^on|^x$|javascript:/i.test(
  a.name === 'x' && e.closest('svg') ? '' : a.name)));
return { title: document.title, run: typeof window.__hostile, scripts: document.scripts.length,
  acting: acting.map((e) => e.outerHTML.slice(0, 100)), images: [...document.images].filter((i) => !i.src.startsWith('data:')).length,
  foreign: document.querySelectorAll('body b > img, i[onclick], main b b').length,
  text: document.documentElement.textContent };
"""


def names_are_text(page):
    """Names of files are on the page to the letter, and nothing of them runs."""
    if page.browser.has_alert():
        return ["an alert is open"]
    page.browser.run("for (const e of document.querySelectorAll('bdi, td, th')) { e.click(); }")
    state, problems = page.browser.run(STATE), []
    if not state["title"].startswith(visible(studies.TITLE)):
        problems.append(f"the title of the document is {state['title']!r}")
    if state["run"] != "undefined":
        problems.append("a name was run")
    if state["scripts"] != 1:
        problems.append(f"{state['scripts']} scripts")
    if state["images"] or state["foreign"]:
        problems.append(f"{state['images']} images and {state['foreign']} elements that only a name can bring")
    problems += [f"an attribute from a name: {html}" for html in state["acting"]]
    text = folded(state["text"])
    problems += [f"not shown as text: {name[:80]!r}" for name in studies.NAMES if folded(visible(name)) not in text]
    raw = page.file.read_text(encoding="utf-8")
    turning = sorted({f"U+{ord(c):04X}" for c in raw if acts(c) and c != "\n"})
    return problems + ([f"characters that act: {', '.join(turning)}"] if turning else [])
