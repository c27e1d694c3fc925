"""Makes the files that the examples of the attribution metrics read on the command line.

    python make.py          onnx, numpy

The data are those of the examples in Rust (xai-attribution/tests/metrics/examples.rs) and in Python: a quadratic model, and
an explainer that takes it for a linear one. All numbers are exact in single precision. A file has the name of its option. The
folder `tabular` has the inputs as a table, `images` as images with one channel, for the metrics that need images.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

HERE = Path(__file__).parent
X = (np.arange(64) % 32 * 7 % 17).reshape(4, 16) / np.array([[16], [16], [32], [32]])
WEIGHTS = np.arange(32).reshape(16, 2) * 5 % 9 / 64
TARGETS = np.array([0, 1, 0, 1])


def save_model(file, nodes, inputs, output, constants):
    """A model of inputs (name, type, shape), whose first axis is free."""

    def value(name, kind, shape):
        return h.make_tensor_value_info(name, kind, ["n", *shape])

    constants = [nh.from_array(values, name) for name, values in constants.items()]
    graph = h.make_graph(nodes, "g", [value(*i) for i in inputs], [value(*output)], constants)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save_model(model, file)


for kind, shape in (("tabular", (16,)), ("images", (4, 4, 1))):
    folder = HERE / kind
    folder.mkdir(exist_ok=True)
    x = X.reshape(4, *shape).astype(np.float32)
    maps = x * WEIGHTS[:, TARGETS].T.reshape(x.shape).astype(np.float32)
    plane = shape[:2] if len(shape) > 1 else (1, *shape)
    arrays = {
        "inputs": x,
        "targets": TARGETS,
        "explanations": maps,
        "other-explanations": x,
        "masks": x.reshape(4, *plane) > 0.5,
        "segments": np.arange(16).reshape(plane) // 4,
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    weights = WEIGHTS.astype(np.float32)
    given = ("x", T.FLOAT, shape)
    scores = [
        h.make_node("Flatten", ["x"], ["flat"], axis=1),
        h.make_node("Mul", ["flat", "flat"], ["square"]),
        h.make_node("MatMul", ["square", "weights"], ["y"]),
    ]
    save_model(folder / "model.onnx", scores, [given], ("y", T.FLOAT, [2]), {"weights": weights})
    of_targets = [
        h.make_node("Gather", ["classes", "targets"], ["rows"], axis=0),
        h.make_node("Reshape", ["rows", "shape"], ["weights"]),
        h.make_node("Mul", ["x", "weights"], ["maps"]),
    ]
    constants = {"classes": weights.T.copy(), "shape": np.array([-1, *shape], np.int64)}
    asked = [given, ("targets", T.INT64, [])]
    save_model(folder / "explainer.onnx", of_targets, asked, ("maps", T.FLOAT, shape), constants)
