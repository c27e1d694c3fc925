"""Makes the files of this folder from the golden problems of the library: models and explainers as
ONNX, arrays, and what the commands on them are expected to answer.

    python make.py          onnx, numpy

The problems and the peers' numbers are those of xai-attribution/tests/golden/quantus.json.
"""

import json
import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = json.load(open(os.path.join(HERE, "../../../../xai-attribution/tests/golden/quantus.json")))


def array(stored):
    return np.array(stored["data"], dtype=np.float64).reshape(stored["shape"])


def save_array(name, values):
    np.save(os.path.join(HERE, name), values)


def save_model(name, nodes, inputs, output, constants):
    """A model of inputs (name, type, shape), whose first axis is free."""
    def value(name, kind, shape):
        return h.make_tensor_value_info(name, kind, ["n", *shape])

    constants = [nh.from_array(values, name) for name, values in constants.items()]
    graph = h.make_graph(nodes, "g", [value(*i) for i in inputs], [value(*output)], constants)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save_model(model, os.path.join(HERE, name + ".onnx"))


def single(values):
    exact = values.astype(np.float32)
    assert np.array_equal(exact, values)
    return exact


def nodes_of(problem, weights, shape):
    """The nodes from `x` to `logits`, from `x` and `targets` to `gradient`, and their constants."""
    classes = single(weights["W2"] if "W2" in weights else weights["W"]).T.copy()
    constants = {"classes": classes, "minus": np.array([-1], np.int64)}
    flat = [h.make_node("Flatten", ["x"], ["flat"], axis=1)]
    row = [h.make_node("Gather", ["classes", "targets"], ["row"], axis=0)]
    constants["shape"] = np.array([-1, *shape], np.int64)
    if problem == "mlp":
        constants |= {n: single(weights[n]) for n in ("W1", "b1", "W2", "b2")}
        constants |= {"W1t": single(weights["W1"]).T.copy(), "zero": np.float32(0).reshape(1)}
        hidden = flat + [h.make_node("Gemm", ["flat", "W1", "b1"], ["hidden"])]
        logits = hidden + [h.make_node("Relu", ["hidden"], ["active"]), h.make_node("Gemm", ["active", "W2", "b2"], ["logits"])]
        gradient = hidden + row + [
            h.make_node("Greater", ["hidden", "zero"], ["is_on"]), h.make_node("Cast", ["is_on"], ["on"], to=T.FLOAT),
            h.make_node("Mul", ["row", "on"], ["of_hidden"]), h.make_node("MatMul", ["of_hidden", "W1t"], ["rows"]),
            h.make_node("Reshape", ["rows", "shape"], ["gradient"])]
    elif problem == "conv":
        constants |= {n: single(weights[n]) for n in ("K", "c", "W", "b")}
        constants |= {"zero": np.float32(0).reshape(1), "planes": np.array([-1, 2, 4, 4], np.int64)}
        hidden = [h.make_node("Conv", ["x", "K", "c"], ["hidden"], strides=[1, 1], dilations=[1, 1], pads=[0, 0, 0, 0])]
        logits = hidden + [h.make_node("Relu", ["hidden"], ["active"]), h.make_node("Flatten", ["active"], ["rows"], axis=1), h.make_node("Gemm", ["rows", "W", "b"], ["logits"])]
        gradient = hidden + row + [
            h.make_node("Greater", ["hidden", "zero"], ["is_on"]), h.make_node("Cast", ["is_on"], ["on"], to=T.FLOAT),
            h.make_node("Reshape", ["row", "planes"], ["of_planes"]), h.make_node("Mul", ["of_planes", "on"], ["of_hidden"]),
            h.make_node("ConvTranspose", ["of_hidden", "K"], ["gradient"], strides=[1, 1], dilations=[1, 1], pads=[0, 0, 0, 0])]
    else:
        constants |= {n: single(weights[n]) for n in ("W", "b")}
        logits = flat + [h.make_node("Gemm", ["flat", "W", "b"], ["logits"])]
        gradient = row + [h.make_node("Reshape", ["row", "shape"], ["gradient"])]
    return logits, gradient, constants


def save_problem(name):
    stored = GOLDEN["problems"][name]
    weights = {n: array(stored[n]) for n in ("W", "b", "W1", "b1", "W2", "b2", "K", "c") if n in stored}
    x = array(stored["x"])
    # The peer's features are elements: of several channels they are those of rows.
    shape = x.shape[1:] if x.ndim == 2 or x.shape[1] == 1 else (x[0].size,)
    logits, gradient, constants = nodes_of(name, weights, shape)
    inputs = ("x", T.FLOAT, shape)
    used = lambda nodes: {n: constants[n] for n in constants if any(n in node.input for node in nodes)}
    save_model(f"{name}_model", logits, [inputs], ("logits", T.FLOAT, [stored["n_classes"]]), used(logits))
    asked = [inputs, ("targets", T.INT64, [])]
    save_model(f"{name}_gradient", gradient, asked, ("gradient", T.FLOAT, shape), used(gradient))
    product = gradient + [h.make_node("Mul", ["x", "gradient"], ["maps"])]
    save_model(f"{name}_input_x_gradient", product, asked, ("maps", T.FLOAT, shape), used(product))
    if name == "tabular":
        # The maps of every class at once.
        every = [h.make_node("Unsqueeze", ["x", "one"], ["row"]), h.make_node("Mul", ["row", "classes"], ["maps"])]
        of_classes = {"classes": constants["classes"], "one": np.array([1], np.int64)}
        save_model("tabular_every_class", every, [inputs], ("maps", T.FLOAT, [stored["n_classes"], *shape]), of_classes)
    n = len(x)
    save_array(f"{name}_inputs.npy", single(x).reshape(n, *shape))
    save_array(f"{name}_targets.npy", np.array(stored["targets"], np.int64))
    for of in ("distinct", "input_x_gradient", "single_channel"):
        if of in stored["maps"]:
            values = array(stored["maps"][of])
            fits = values.size == x.size
            save_array(f"{name}_{of}.npy", single(values.reshape(n, *shape) if fits else values[:, 0]))
    if "mask" in stored:
        save_array(f"{name}_masks.npy", array(stored["mask"])[:, 0] > 0)


for name in GOLDEN["problems"]:
    save_problem(name)


def case(number):
    return GOLDEN["cases"][number]


def numbers(output):
    """The peer's numbers, NaN as None."""
    values = output["data"] if isinstance(output, dict) else np.ravel(output)
    return [None if v is None or v != v else float(v) for v in values]


def baseline(c):
    return {"black": "sample-min", "mean": "sample-mean"}.get(c["params"]["perturb_baseline"], str(c["params"]["perturb_baseline"]))


def of_model(c, explainer=False):
    problem = c["problem"]
    maps = f"--explainer @{problem}_{c['explainer']}.onnx" if explainer else f"--explanations @{problem}_{c['map']}.npy"
    activation = " --activation softmax" if c["softmax"] is True else ""
    return f"--model @{problem}_model.onnx --inputs @{problem}_inputs.npy --targets @{problem}_targets.npy {maps}{activation}"


def without_model(c):
    return of_model(c, True).split(" ", 2)[2]


def of_maps(c):
    return f"--explanations @{c['problem']}_{c['map']}.npy"


def draws(number, values):
    save_array(f"draws_{number}.npy", values)
    return f"--draws @draws_{number}.npy"


EXPECTED = []


def expect(number, command, values=None, key="per_sample", tolerance=1e-5):
    """What the JSON of a command has under a key; the numbers of a case unless others are given."""
    expected = numbers(case(number)["output"]) if values is None else values
    EXPECTED.append(dict(case=number, command=command, key=key, expected=expected, tolerance=tolerance))


for n in (0, 5):
    c = case(n)
    expect(n, f"mu-fidelity {of_model(c)} --features positions --correlation pearson --baseline {baseline(c)} {draws(n, array(c['draws']['subsets']).astype(np.int64))}")
for n in (10, 12, 14):
    c = case(n)
    expect(n, f"faithfulness-estimate {of_model(c)} --group-size {c['params']['features_in_step']} --baseline {baseline(c)}")
for n in (29, 33, 37):
    # The command's curve is the mean over samples, and begins with the whole inputs.
    c = case(n)
    n_samples = len(GOLDEN["problems"][c["problem"]]["targets"])
    mean = np.reshape(numbers(c["output"]), (n_samples, -1)).mean(0).tolist()
    expect(n, f"deletion {of_model(c)} --steps every:{c['params']['features_in_step']} --baseline {baseline(c)}", mean, "curve")
for n in (90, 101):
    c = case(n)
    expect(n, f"local-lipschitz {without_model(c)} {draws(n, array(c['draws']['noise']))}")
for n in (92, 103):
    c = case(n)
    expect(n, f"maximum-stability {without_model(c)} --distance relative {draws(n, array(c['draws']['noise']))}", tolerance=1e-4)
for n in (119, 123, 125, 126, 127, 132, 136, 138, 139, 140):
    c = case(n)
    name = {"PointingGame": "pointing-game", "TopKIntersection": "top-k-intersection", "RelevanceRankAccuracy": "relevance-rank-accuracy",
            "RelevanceMassAccuracy": "relevance-mass-accuracy", "AUC": "localization-auroc"}[c["metric"]]
    options = {"TopKIntersection": "--k 20", "RelevanceMassAccuracy": "--relevance signed"}.get(c["metric"], "")
    # An empty mask has no value here, and is a hit to the peer.
    masks = array(GOLDEN["problems"][c["problem"]]["mask"])
    empty = [not mask.any() for mask in masks]
    values = [None if e else v for e, v in zip(empty, numbers(c["output"]))]

    expect(n, f"{name} {of_maps(c)} --masks @{c['problem']}_masks.npy {options}".rstrip(), values)
for n in (163, 167):
    c = case(n)
    expect(n, f"mst-compactness {of_maps(c)}")
for n in (185,):
    c = case(n)
    expect(n, f"completeness {of_model(c)} --gap absolute --baseline {baseline(c)}", [0.0] * len(c["output"]))
for n in (195, 200):
    c = case(n)
    noise = -np.swapaxes(array(c["draws"]["noise"]), 0, 1)
    noise = noise.reshape(*noise.shape[:2], -1) if c["problem"] == "mlp" else noise
    expect(n, f"infidelity {of_model(c)} --map-kind gradient {draws(n, noise)}", tolerance=1e-4)
for n in (223, 224):
    c = case(n)
    kind = "input" if c["metric"].endswith("RIS") else "output"
    # The peer explains the predicted class.
    predicted = array(GOLDEN["problems"]["tabular"]["logits"]).argmax(1)
    save_array("tabular_predicted.npy", predicted)
    command = f"relative-{kind}-stability {of_model(c, True)} {draws(n, np.swapaxes(array(c['draws']['noise']), 0, 1))}"
    expect(n, command.replace("tabular_targets", "tabular_predicted"), tolerance=1e-3)
json.dump(EXPECTED, open(os.path.join(HERE, "expected.json"), "w"), indent=1)
