"""Studies to look at: `studies.py SAMPLE OUT` writes `hostile.toml`, whose names try to be run, and `small.toml`.

The hostile one uses data of the sample study; of the page of the small one broken copies are made.
"""

import csv
import json
import pathlib
import random
import sys

TITLE = "<script>document.title=\"run\"</script>\"'&"
SCRIPT = "</title></desc></svg><script>window.__hostile=1;alert(1)</script>"
IMAGE = "\"><img src=x onerror=window.__hostile=2>"
ATTRIBUTE = "' onmouseover='window.__hostile=3' x=\"&amp;&lt;"
# A name that may have no equals sign.
TAG = "\"><svg onload><b onclick>'&\""
LONG = "a name of 300 characters, with 'one' & \"another\" quote ".ljust(299, "x") + "."
UNBROKEN = "w" * 300
TURNED = "מבחן مجموعة \u202eevil\u202c \u2067x"
TEMPLATE = "{{ title }} {% if 1 %} ${1+1} `&#x41;"
COLUMNS = [f"<b>bold</b> {IMAGE}", f"width {TURNED}", f"{LONG[:250]} {ATTRIBUTE}", "plain"]
CLASSES = ["<i onclick=alert(4)>early</i>", f"late \"quoted\" '&' {TURNED}"]
BROKEN_FILE = "no <img src=x onerror=alert(5)> file.npy"
BROKEN = f"Not there {IMAGE}"

# What must stand on the page, to the letter.
NAMES = [TITLE, SCRIPT, IMAGE, TAG, ATTRIBUTE, LONG, UNBROKEN, TURNED, TEMPLATE, BROKEN, BROKEN_FILE, *COLUMNS, *CLASSES]


def write_table(file, n_rows, draws, with_prediction):
    """Rows of two classes that differ a little, some of them predicted wrongly."""
    with open(file, "w", encoding="utf-8", newline="") as table:
        writer = csv.writer(table)
        writer.writerow([*COLUMNS, "class", *(["guess"] if with_prediction else [])])
        for row in range(n_rows):
            true = row % 2
            values = [round(draws.gauss(true * (place + 1), 1.0), 3) for place in range(len(COLUMNS))]
            guess = true if draws.random() < 0.8 else 1 - true
            writer.writerow([*values, CLASSES[true], *([CLASSES[guess]] if with_prediction else [])])


def text(value):
    """A string of TOML: one of JSON is one."""
    return json.dumps(value)


def cases(title, name):
    """The head of a study and its section of predictions."""
    return [f"title = {text(title)}", "[[casebased]]", f"name = {text(name)}", 'train = "train.csv"', 'test = "test.csv"',
            'label = "class"', 'predicted = "guess"', "k = 3"]


def hostile(sample):
    """The lines of the hostile study; `sample` is the folder of the sample study."""

    def path(name):
        return text(str(sample / name))

    lines = cases(TITLE, LONG)
    lines += ["[[attribution]]", f"name = {text(SCRIPT)}", f"model = {path('attribution/model.onnx')}",
              f"inputs = {path('attribution/inputs.npy')}", f"targets = {path('attribution/targets.npy')}",
              'activation = "softmax"', 'channels = "first"']
    for name, maps in ((TAG, "saliency"), (UNBROKEN, "occlusion"), (TURNED, "random")):
        lines += ["[[attribution.explainers]]", f"name = {text(name)}", f"maps = {path(f'attribution/{maps}.npy')}"]
    lines += ["[[graph]]", f"name = {text(TURNED)}"]
    for key, file in (("full", "logits_full"), ("index", "index"), ("levels", "kept_fraction"),
                      ("edge_mask_true", "edge_mask_true"), ("edge_index", "edge_index")):
        lines.append(f"{key} = {path(f'graph/{file}.npy')}")
    for name, folder in ((ATTRIBUTE, "saliency"), (UNBROKEN, "random")):
        lines += ["[[graph.explainers]]", f"name = {text(name)}"]
        for key, file in (("kept", "logits_kept"), ("complement", "logits_complement"), ("edge_mask", "edge_mask")):
            lines.append(f"{key} = {path(f'graph/{folder}/{file}.npy')}")
    lines += ["[[repro]]", f"name = {text(TEMPLATE)}", f"predictions = {path('repro/predictions.npy')}",
              f"labels = {path('repro/labels.npy')}"]
    # One that cannot be computed: the rest is there, and the reason is shown as text.
    lines += ["[[repro]]", f"name = {text(BROKEN)}", f"predictions = {text(BROKEN_FILE)}",
              f"labels = {path('repro/labels.npy')}"]
    lines += ["[[simulation]]", f"name = {text(UNBROKEN)}", "iterations = 100"]
    return lines


def main():
    sample, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    draws = random.Random(1)
    write_table(out / "train.csv", 60, draws, with_prediction=False)
    write_table(out / "test.csv", 40, draws, with_prediction=True)
    for file, lines in (("hostile.toml", hostile(sample.resolve())), ("small.toml", cases("Small study", "Cases"))):
        (out / file).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
