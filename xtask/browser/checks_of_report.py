"""Checks of what the page says: its numbers, names and findings are those of report.json."""

from page import FAMILIES
from shown import decimals, folded, interval, problem_of_number, visible

# Where a table compares things with themselves its cells are empty: there is no value, rather than an undefined one.
CELLS = """
const itself = (cell) => cell.dataset.value === '' && cell.textContent.trim() === '' && cell.cellIndex > 0
  && cell.closest('table').tHead.rows[0].cells[cell.cellIndex].textContent === cell.parentElement.cells[0].textContent;
return [...document.querySelectorAll('[data-value]')].filter((e) => !itself(e)).map((e) => {
  const own = e.cloneNode(true);
  own.querySelectorAll('small, .note').forEach((note) => note.remove());
  return [e.dataset.value, own.textContent.trim(), e.closest('section[id]')?.id ?? ''];
});
"""


def shown_numbers(page):
    """Every number that is shown is its exact value, rounded to the digits that are shown."""
    cells = page.browser.run(CELLS)
    problems = [problem and f"{section}: {problem}" for exact, text, section in cells
                if (problem := problem_of_number(exact, text))]
    return problems or ([] if cells else ["the page has no number"])


def estimates(value, path=""):
    """All estimates of a part of report.json, each with its place."""
    if isinstance(value, dict):
        if {"value", "interval", "n"} <= value.keys():
            yield path, value
        else:
            for key, part in value.items():
                yield from estimates(part, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from estimates(part, f"{path}[{place}]")


def figures_of_sections(page):
    """Every estimate of report.json stands in its section, with its interval."""
    cells = page.browser.run(CELLS)
    texts = page.browser.run(
        "return Object.fromEntries([...document.querySelectorAll('section[id]')].map((s) => [s.id, s.textContent]))")
    problems = []
    for section in page.sections():
        if section["id"] not in texts:
            problems.append(f"no section {section['id']}")
            continue
        there = {float(exact) for exact, _, of in cells if of == section["id"] and exact}
        text = texts[section["id"]]
        for path, estimate in estimates(section):
            place = f"{section['id']}.{path}"
            if estimate["value"] is not None and estimate["value"] not in there:
                problems.append(f"{place}: {estimate['value']} ({decimals(estimate['value'])}) is not in the section")
            if estimate["interval"] and interval(estimate["interval"]) not in text:
                problems.append(f"{place}: {interval(estimate['interval'])} is not in the section")
    return problems


FINDINGS = """
return [...document.querySelectorAll('#findings .findings li')].map((item) => {
  const link = item.querySelector('a[href^="#"]');
  const to = link ? link.getAttribute('href').slice(1) : null;
  return { text: item.textContent, to, exists: to !== null && document.getElementById(to) !== null };
});
"""


def findings(page):
    """Every finding of report.json stands on the page, in order, with its number and a link to its section."""
    items = page.browser.run(FINDINGS)
    # The page has them by family.
    wanted = sorted(page.report["findings"], key=lambda finding: FAMILIES.index(finding["section"].rsplit("-", 1)[0]))
    problems = [] if len(items) == len(wanted) else [f"{len(items)} findings, report.json has {len(wanted)}"]
    for item, finding in zip(items, wanted):
        text, estimate = folded(item["text"]), finding["estimate"]
        if folded(visible(finding["text"])) not in text:
            problems.append(f"{text!r} where report.json has {finding['text']!r}")
        if estimate and estimate["value"] is not None and decimals(estimate["value"]) not in text:
            problems.append(f"{text!r} lacks {decimals(estimate['value'])}")
        if estimate and estimate["interval"] and interval(estimate["interval"]) not in text:
            problems.append(f"{text!r} lacks {interval(estimate['interval'])}")
        if item["to"] != finding["section"] or not item["exists"]:
            problems.append(f"{text!r} leads to {item['to']!r} and not to the section {finding['section']!r}")
    return problems
