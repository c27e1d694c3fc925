"""What is checked of a page: each function raises an AssertionError that says what is wrong."""

import base64
import json
import re

import studies
from selenium.webdriver import ActionChains, Keys
from shown import acts, decimals, folded, interval, is_rounded, visible

FAMILIES = ("casebased", "attribution", "texts", "data_attribution", "counterfactual", "graph", "repro", "simulation")


def console(page):
    """Nothing is said on the console."""
    assert [entry for entry in page.browser.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")] == []


def requests(page):
    """Nothing is asked for but the file itself."""
    messages = [json.loads(entry["message"])["message"] for entry in page.browser.get_log("performance")]
    asked = {m["params"]["request"]["url"].split("#")[0] for m in messages if m["method"] == "Network.requestWillBeSent"}
    assert {url for url in asked if not url.startswith(("data:", "about:"))} == {page.file.as_uri()}


def speed(page):
    """It is there in a second. A busy machine makes any page slow: only one that is late five times fails."""
    times = []
    while len(times) < 5 and (not times or times[-1] > 1000):
        page.open()
        times.append(page.run("return performance.getEntriesByType('navigation')[0].loadEventEnd"))
    assert min(times) <= 1000, f"opens in {times} ms"


OPEN_ALL = "document.querySelectorAll('details').forEach((details) => { details.open = true; });"
WIDE_ELEMENTS = """
const width = document.documentElement.clientWidth;
if (document.scrollingElement.scrollWidth <= width) { return []; }
const scrolls = (e) => e && e !== document.body && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
const wide = [...document.body.querySelectorAll('*')].filter((e) =>
  e.getBoundingClientRect().right > width + 0.5 && !scrolls(e.parentElement) && !e.closest('svg svg, svg *'));
return ['the page', ...wide.map((e) => `${e.tagName}.${e.className} ${e.textContent.trim().slice(0, 40)}`)].slice(0, 4);
"""


def width(page):
    """The page does not scroll sideways, with everything unfolded."""
    assert page.run(OPEN_ALL + WIDE_ELEMENTS) == []


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
    cells = page.run(CELLS)
    assert cells and [cell for cell in cells if not is_rounded(*cell[:2])] == []


def estimates(value):
    """All estimates of a part of report.json."""
    if isinstance(value, dict) and {"value", "interval", "n"} <= value.keys():
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from estimates(part)


def figures_of_sections(page):
    """Every estimate of report.json stands in its section, with its interval."""
    cells = page.run(CELLS)
    texts = page.run("return Object.fromEntries([...document.querySelectorAll('section[id]')].map((s) => [s.id, s.textContent]))")
    for section in (section for family in FAMILIES for section in page.report.get(family, [])):
        there = {float(exact) for exact, _, of in cells if of == section["id"] and exact}
        all_of_it = list(estimates(section))
        assert {e["value"] for e in all_of_it} - {None} - there == set()
        assert {interval(e["interval"]) for e in all_of_it if e["interval"]} - set(re.findall(r"\[.*?\]", texts[section["id"]])) == set()


FINDINGS = """
return [...document.querySelectorAll('#findings .findings li')].map((item) => {
  const to = item.querySelector('a[href^="#"]').getAttribute('href').slice(1);
  return [item.textContent, document.getElementById(to) && to];
});
"""


def findings(page):
    """Every finding of report.json stands on the page, by family, with its number and a link to its section."""
    wanted = sorted(page.report["findings"], key=lambda finding: FAMILIES.index(finding["section"].rsplit("-", 1)[0]))
    for (text, to), finding in zip(page.run(FINDINGS), wanted, strict=True):
        estimate = finding["estimate"] or {"value": None, "interval": None}
        assert visible(finding["text"]) in folded(text)
        assert estimate["value"] is None or decimals(estimate["value"]) in folded(text)
        assert estimate["interval"] is None or interval(estimate["interval"]) in folded(text)
        assert to == finding["section"]


# What a picture is drawn with is nothing to a screen reader, and rows, numbers behind pictures and texts on axes
# are alike: without most of them axe-core takes seconds instead of minutes.
THINNED = """
const rest = (all, n) => [...all].slice(n).forEach((e) => e.remove());
rest(document.querySelectorAll('details.numbers'), 8);
document.querySelectorAll('figure svg[role=img]').forEach((svg) => {
  rest(svg.querySelectorAll('path, line, circle, rect, polygon, polyline, image'), 0);
  rest(svg.querySelectorAll('text'), 4);
});
document.querySelectorAll('tbody').forEach((body) => rest(body.rows, 2));
document.querySelectorAll('tr').forEach((row) => rest(row.cells, 6));
"""
AXE = """;
const rules = { 'color-contrast': { enabled: arguments[0] } };
return axe.run(document, { rules, preload: false, iframes: false, resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ help, nodes }) => [help, nodes.length, nodes[0].html.slice(0, 160), nodes[0].failureSummary]));
"""


def accessibility(page):
    """axe-core, which finds what keeps people from a page, finds no violation, with everything unfolded."""
    # Contrast takes the most time, and does not depend on the width.
    assert page.run(OPEN_ALL + THINNED + page.axe + AXE, page.width > 1000) == []


PICTURES = """
return [...document.querySelectorAll('figure')].map((figure) => [figure.querySelector('svg[role=img], img'),
  figure.querySelector('figcaption')?.textContent.trim(),
  (figure.closest('.picture') ?? figure).querySelectorAll('details table tbody tr').length]);
"""
OTHER_PICTURES = """
return [...document.querySelectorAll('svg, img')].filter((e) => !e.closest('figure, [aria-hidden=true]') && !e.parentElement.closest('svg'));
"""


def pictures(page):
    """Every picture has a name for those who do not see it, a caption, and a table behind it."""
    figures = page.run(PICTURES)
    assert figures and all(caption and rows for _, caption, rows in figures)
    for picture in [picture for picture, _, _ in figures] + page.run(OTHER_PICTURES):
        assert picture.accessible_name.strip(), picture.get_attribute("outerHTML")[:200]


MARKS = """
return [...document.querySelectorAll('figure svg[role=img]')].map((svg) =>
  [...svg.querySelectorAll(':scope * > title')].slice(0, 40).map((title) => [title.parentNode, title.textContent])
).filter((marks) => marks.length);
"""
# A place of the window where the pointer is on the mark, or nothing where other marks lie over all of it.
PLACE = """
const mark = arguments[0];
mark.scrollIntoView({ block: 'center', behavior: 'instant' });
const box = mark.getBoundingClientRect();
const places = [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.5, .05], [.05, .5]].map(([across, down]) =>
  [Math.round(box.left + across * box.width), Math.round(box.top + down * box.height)]);
return places.find(([x, y]) => mark.contains(document.elementFromPoint(x, y))) ?? null;
"""
HINT = "const hint = document.getElementById('hint'); return hint && hint.checkVisibility() ? hint.textContent : null;"


def hints(page):
    """A mark of a picture tells its value under the pointer, and with the keyboard if it can be focused."""
    of_pictures = page.run(MARKS)
    assert of_pictures
    for marks in of_pictures:
        place, text = next((place, text) for mark, text in marks if (place := page.run(PLACE, mark)))
        for x, y in ([0, 0], place):
            pointer = ActionChains(page.browser, duration=0)
            pointer.w3c_actions.pointer_action.move_to_location(x, y)
            pointer.perform()
        assert page.run(HINT) == text
    for mark in page.run("return [...document.querySelectorAll('figure svg [tabindex=\"0\"]')].slice(0, 5)"):
        page.run("arguments[0].focus()", mark)
        assert page.run(HINT)


SORT = """
const collator = (a, b) => a.localeCompare(b, 'en', { numeric: true });
const [problems, tables] = [[], [...document.querySelectorAll('table.sortable')].filter((table) => table.tBodies[0].rows.length > 1)];
for (const table of tables) {
  const [body, heads] = [table.tBodies[0], [...table.tHead.rows[0].cells]];
  const rows = new Set(body.rows);
  heads.forEach((head, column) => {
    const wrong = (what) => problems.push(`${table.caption?.textContent.slice(0, 60)}, ${head.textContent.trim().slice(0, 30)}: ${what}`);
    for (const [way, sign] of [['ascending', 1], ['descending', -1]]) {
      head.querySelector('button').click();
      if (heads.some((other) => other.getAttribute('aria-sort') !== (other === head ? way : null))) { wrong(`aria-sort, ${way}`); }
      if (body.rows.length !== rows.size || [...body.rows].some((row) => !rows.has(row))) { wrong('rows are lost'); }
      const cells = [...body.rows].map((row) => row.cells[column]);
      const exact = cells.map((cell) => cell.getAttribute('data-value'));
      if (new Set(exact.map((value) => value === null)).size > 1) { wrong('some cells lack data-value'); }
      const follows = (a, b, i) => a === null ? sign * collator(cells[i - 1].textContent.trim(), cells[i].textContent.trim()) <= 0
        : a === '' ? b === '' : b === '' || sign * (Number(a) - Number(b)) <= 0;
      if (!exact.every((value, i) => i === 0 || follows(exact[i - 1], value, i))) { wrong(`not ${way}`); }
    }
  });
}
return [problems, tables.length];
"""
# One script makes all tables sortable, so keys are pressed on the heads of some of them.
HEADS = """
const buttons = [...document.querySelectorAll('table.sortable')].map((table) => table.querySelector('thead button')).filter((b) => b);
return buttons.filter((_, place) => place % Math.ceil(buttons.length / 8) === 0);
"""


def sorting(page):
    """A click on a head sorts up, another one down, what is undefined last; Enter does the same."""
    problems, n_tables = page.run(SORT)
    assert n_tables and problems == []
    page.open()
    for button in page.run(OPEN_ALL + HEADS):
        for way in ("ascending", "descending"):
            button.send_keys(Keys.ENTER)
            assert page.run("return arguments[0].closest('th').getAttribute('aria-sort')", button) == way


CONTENT = """
const seen = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).length;
return { findings: seen('.findings li'), tables: document.querySelectorAll('table').length,
  rows: document.querySelectorAll('tbody tr').length, pictures: seen('figure svg, figure img'),
  marks: document.querySelectorAll('svg *:not(desc):not(title)').length, text: document.querySelector('main').innerText.length };
"""


def without_script(page):
    """Without script the page has the same findings, tables and pictures."""
    there = page.run(CONTENT)
    page.tools("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.open()
        assert page.run("return document.querySelectorAll('thead button').length") == 0, "the script ran all the same"
        bare = page.run(CONTENT)
    finally:
        page.tools("Emulation.setScriptExecutionDisabled", {"value": False})
    assert {what: (bare[what], n) for what, n in there.items() if bare[what] == 0 or bare[what] < 0.99 * n} == {}


def printing(page):
    """It prints on more than two pages."""
    pdf = base64.b64decode(page.tools("Page.printToPDF", {})["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 2


STATE = """
document.querySelectorAll('bdi, td, th').forEach((e) => e.click());
const is_foreign = (e) => [...e.attributes].some((a) => /^on/i.test(a.name) || a.name === 'x' && !e.closest('svg'));
return [typeof window.__hostile, document.scripts.length,
  document.querySelectorAll('img:not([src^="data:"]), body b > img, i[onclick], main b b').length,
  [...document.querySelectorAll('*')].filter(is_foreign).map((e) => e.outerHTML.slice(0, 100))];
"""


def names_are_text(page):
    """Names of files are on the page to the letter, and nothing of them runs."""
    assert page.run(STATE) == ["undefined", 1, 0, []]
    assert page.run("return document.title").startswith(visible(studies.TITLE))
    text = folded(page.run("return document.documentElement.textContent"))
    assert [name for name in studies.NAMES if visible(name) not in text] == []
    assert {c for c in page.file.read_text(encoding="utf-8") if acts(c)} == {"\n"}
