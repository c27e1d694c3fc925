"""Two studies to look at besides the sample: `hostile.toml`, whose names try to be run, and `small.toml`."""

import csv
import json
import random

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
# What must stand on the page of the hostile study, to the letter.
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


def table(header, **keys):
    """A table of TOML: a string of JSON is one of TOML."""
    return [header, *(f"{key} = {json.dumps(str(value)) if key != 'k' else value}" for key, value in keys.items())]


def cases(title, name):
    """The head of a study and its section of predictions."""
    keys = dict(train="train.csv", test="test.csv", label="class", predicted="guess", k=3)
    return table("", title=title) + table("[[casebased]]", name=name, **keys)


def hostile(sample):
    """The lines of the hostile study; `sample` is the folder of the sample study."""
    images, graph, runs = sample / "attribution", sample / "graph", sample / "repro"
    lines = cases(TITLE, LONG)
    lines += table("[[attribution]]", name=SCRIPT, model=images / "model.onnx", inputs=images / "inputs.npy",
                   targets=images / "targets.npy", activation="softmax", channels="first")
    for name, maps in ((TAG, "saliency"), (UNBROKEN, "occlusion"), (TURNED, "random")):
        lines += table("[[attribution.explainers]]", name=name, maps=images / f"{maps}.npy")
    lines += table("[[graph]]", name=TURNED, full=graph / "logits_full.npy", index=graph / "index.npy",
                   levels=graph / "kept_fraction.npy", edge_mask_true=graph / "edge_mask_true.npy",
                   edge_index=graph / "edge_index.npy")
    for name, of in ((ATTRIBUTE, graph / "saliency"), (UNBROKEN, graph / "random")):
        lines += table("[[graph.explainers]]", name=name, kept=of / "logits_kept.npy",
                       complement=of / "logits_complement.npy", edge_mask=of / "edge_mask.npy")
    # The second cannot be computed: the rest is there, and the reason is shown as text.
    for name, predictions in ((TEMPLATE, runs / "predictions.npy"), (BROKEN, BROKEN_FILE)):
        lines += table("[[repro]]", name=name, predictions=predictions, labels=runs / "labels.npy")
    return lines + ["[[simulation]]", f"name = {json.dumps(UNBROKEN)}", "iterations = 100"]


def write(sample, out):
    """Writes both studies and their data to a folder."""
    draws = random.Random(1)
    write_table(out / "train.csv", 60, draws, with_prediction=False)
    write_table(out / "test.csv", 40, draws, with_prediction=True)
    for name, lines in (("hostile", hostile(sample)), ("small", cases("Small study", "Cases"))):
        (out / f"{name}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
