"""Makes the models of this folder and the answers that are expected of them.

    python make.py networks            onnx, onnxruntime
    python make.py classical           also scikit-learn, skl2onnx, lightgbm, xgboost, onnxmltools
    python make.py exported            torch, and nothing else: files of the exporter
    python make.py exported-answers    onnx, onnxruntime: their variants, and the answers
    python make.py dynamo              torch 2.15, onnxscript, onnx, onnxruntime: its newer exporter

The expected answers are those of ONNX Runtime in Python: NAME_expected.npy for the inputs
KIND_inputs.npy. Made with onnx 1.23.2, onnxruntime 1.31.1, scikit-learn 1.9.1, skl2onnx 1.20.0,
lightgbm 4.7.0, xgboost 3.2.0, onnxmltools 1.16.0, torch 1.13, and torch 2.15 for `dynamo`.
"""

import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, name)


def answers(name, inputs, output=None):
    """What ONNX Runtime answers, as a table."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path(name + ".onnx"))
    given = session.get_inputs()[0]
    kind = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}
    found = session.run([output or session.get_outputs()[0].name], {given.name: inputs.astype(kind[given.type])})[0]
    if isinstance(found, list):
        found = [[row[key] for key in sorted(row)] for row in found]
    return np.asarray(found, np.float32).reshape(len(inputs), -1)


def networks():
    import onnx
    from onnx import TensorProto as T
    from onnx import helper as h
    from onnx import numpy_helper as nh

    rng = np.random.default_rng(0)
    types = {np.float32: T.FLOAT, np.float64: T.DOUBLE, np.float16: T.FLOAT16}

    def save(name, nodes, inputs, outputs, constants=(), domains=(), data_file=None, ir=8):
        graph = h.make_graph(nodes, "g", inputs, outputs, [nh.from_array(a, n) for n, a in constants])
        opsets = [h.make_opsetid("", 18)] + [h.make_opsetid(d, v) for d, v in domains]
        model = h.make_model(graph, opset_imports=opsets, ir_version=ir)
        if data_file:
            if os.path.exists(path(data_file)):
                os.remove(path(data_file))
            onnx.save_model(model, path(name), save_as_external_data=True, location=data_file, size_threshold=0)
        else:
            onnx.save_model(model, path(name))

    def value(name, kind, shape):
        return h.make_tensor_value_info(name, kind, shape)

    w1, b1 = rng.normal(size=(4, 8)), rng.normal(size=8)
    w2, b2 = rng.normal(size=(8, 3)), rng.normal(size=3)

    def mlp(name, kind=np.float32, batch="batch", after=((), ()), shape=None, outputs=(), ir=8, given=False, **rest):
        """A network of one hidden layer; nodes that stand after it have the input z."""
        nodes = [
            h.make_node("Gemm", ["x", "w1", "b1"], ["h"]),
            h.make_node("Relu", ["h"], ["r"]),
            h.make_node("Gemm", ["r", "w2", "b2"], ["z" if after[0] else "y"]),
        ]
        constants = [("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2)]
        constants = [(n, a.astype(kind)) for n, a in constants]
        inputs = [value("x", types[kind], [batch, 4])]
        if given:
            inputs += [value(n, types[kind], a.shape) for n, a in constants]
        scores = value("y", types[kind], shape or [batch, 3])
        save(name, nodes + list(after[0]), inputs, [scores, *outputs], constants + list(after[1]), ir=ir, **rest)

    mlp("mlp.onnx")
    # With weights of 11 bits.
    mlp("mlp_f16.onnx", np.float16)
    mlp("mlp_f64.onnx", np.float64)
    mlp("mlp_batch_1.onnx", batch=1)
    mlp("mlp_batch_4.onnx", batch=4)
    mlp("mlp_external.onnx", data_file="mlp_external.onnx.data")
    mlp("mlp_other_file.onnx", data_file="weights.bin")
    mlp("mlp_weights_as_inputs.onnx", ir=3, given=True)
    mlp("mlp_two_outputs.onnx", outputs=[value("r", T.FLOAT, ["batch", 8])])
    trailing = h.make_node("Unsqueeze", ["z", "axes"], ["y"])
    mlp("mlp_trailing.onnx", after=([trailing], [("axes", np.array([2, 3]))]), shape=["batch", 3, 1, 1])
    column = h.make_node("ReduceSum", ["z", "axes"], ["y"], keepdims=0)
    mlp("column.onnx", after=([column], [("axes", np.array([1]))]), shape=["batch"])
    # The answer to a sample with a negative score is not a number.
    mlp("logarithm.onnx", after=([h.make_node("Log", ["z"], ["y"])], []))

    n4, n3 = ["n", 4], ["n", 3]
    kernel = rng.normal(size=(4, 1, 1, 1)).astype(np.float32)
    save(
        "pixels.onnx",
        [h.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[1, 1])],
        [value("x", T.FLOAT, ["n", 1, 8, 8])],
        [value("y", T.FLOAT, ["n", 4, 8, 8])],
        [("w", kernel)],
    )
    # As many outputs as the batch has rows.
    save(
        "changing.onnx",
        [h.make_node("Transpose", ["x"], ["t"], perm=[1, 0]), h.make_node("MatMul", ["x", "t"], ["y"])],
        [value("x", T.FLOAT, n4)],
        [value("y", T.FLOAT, ["n", "n2"])],
    )
    save(
        "sums_batch.onnx",
        [h.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=1)],
        [value("x", T.FLOAT, n4)],
        [value("y", T.FLOAT, [1, 4])],
        [("axes", np.array([0]))],
    )
    # Nothing says where these images have their channels; a transposition does.
    axes = ("axes", np.array([2, 3]))
    images, means = [value("x", T.FLOAT, ["n", "a", "b", "c"])], [value("y", T.FLOAT, ["n", "classes"])]
    mean = h.make_node("ReduceMean", ["x", "axes"], ["y"], keepdims=0)
    save("any_images.onnx", [mean], images, means, [axes])
    turned = h.make_node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2])
    mean = h.make_node("ReduceMean", ["t", "axes"], ["y"], keepdims=0)
    save("images_last.onnx", [turned, mean], images, means, [axes])
    # Eight convolutions that treat each of two channels by itself, and one that does not.
    names = [f"x{at}" for at in range(10)]
    layers = [h.make_node("Conv", [a, "w"], [b], group=2, pads=[1] * 4, strides=[1, 1], dilations=[1, 1]) for a, b in zip(names, names[1:9])]
    layers += [h.make_node("Conv", ["x8", "v"], ["x9"], pads=[0] * 4, strides=[1, 1], dilations=[1, 1]), h.make_node("ReduceMean", ["x9", "axes"], ["y"], keepdims=0)]
    given = [value("x0", T.FLOAT, ["n", 2, "h", "w"])]
    weights = [("w", np.full((2, 1, 3, 3), 0.1, np.float32)), ("v", np.ones((3, 2, 1, 1), np.float32))]
    save("depthwise.onnx", layers, given, [value("y", T.FLOAT, n3)], [axes, *weights])
    # 4 TB of zeros.
    zeros = [
        h.make_node("ConstantOfShape", ["shape"], ["zeros"], name="zeros_of_the_example"),
        h.make_node("ReduceMax", ["zeros"], ["zero"], keepdims=0),
        h.make_node("Add", ["x", "zero"], ["y"]),
    ]
    shape = ("shape", np.array([10**6, 10**6]))
    save("huge_constant.onnx", zeros, [value("x", T.FLOAT, n4)], [value("y", T.FLOAT, n4)], [shape])
    save(
        "tokens.onnx",
        [h.make_node("Gather", ["table", "tokens"], ["e"]), h.make_node("ReduceMean", ["e", "axes"], ["y"], keepdims=0)],
        [value("tokens", T.INT64, ["n", "length"])],
        [value("y", T.FLOAT, n3)],
        [("table", rng.normal(size=(10, 3)).astype(np.float32)), ("axes", np.array([1]))],
    )
    save(
        "labels.onnx",
        [h.make_node("ArgMax", ["x"], ["y"], axis=1, keepdims=0)],
        [value("x", T.FLOAT, n4)],
        [value("y", T.INT64, ["n"])],
    )
    relu = [h.make_node("Relu", ["x"], ["y"])]
    save("bfloat16.onnx", relu, [value("x", T.BFLOAT16, n4)], [value("y", T.BFLOAT16, n4)])
    texts = [h.make_node("StringNormalizer", ["x"], ["s"]), h.make_node("Shape", ["s"], ["i"])]
    texts.append(h.make_node("Cast", ["i"], ["y"], to=T.FLOAT))
    save("texts.onnx", texts, [value("x", T.STRING, ["n"])], [value("y", T.FLOAT, [1])])
    added = [h.make_node("Add", ["a", "b"], ["y"])]
    save("two_inputs.onnx", added, [value("a", T.FLOAT, n4), value("b", T.FLOAT, n4)], [value("y", T.FLOAT, n4)])
    save("det.onnx", [h.make_node("Det", ["x"], ["y"])], [value("x", T.FLOAT, ["n", 4, 4])], [value("y", T.FLOAT, ["n"])])
    quantised = [
        h.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
        h.make_node("ConvInteger", ["q", "w", "zero"], ["i"], kernel_shape=[3, 3], strides=[1, 1], dilations=[1, 1], pads=[0] * 4),
        h.make_node("Cast", ["i"], ["f"], to=T.FLOAT),
        h.make_node("Mul", ["f", "scale"], ["m"]),
        h.make_node("ReduceMean", ["m", "axes"], ["y"], keepdims=0),
    ]
    kernel = np.random.default_rng(3).integers(-100, 100, size=(3, 1, 3, 3)).astype(np.int8)
    save(
        "conv_integer.onnx",
        quantised,
        [value("x", T.FLOAT, ["n", 1, 8, 8])],
        [value("y", T.FLOAT, n3)],
        [("w", kernel), ("axes", np.array([2, 3]))],
    )
    leaves = {
        "nodes_treeids": [0, 0, 0],
        "nodes_nodeids": [0, 1, 2],
        "nodes_featureids": [0, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_values": [0.5, 0.0, 0.0],
        "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0],
        "target_treeids": [0, 0],
        "target_nodeids": [1, 2],
        "target_ids": [0, 0],
        "target_weights": [1.0, 2.0],
    }
    tree = h.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1, **leaves)
    save("trees.onnx", [tree], [value("x", T.FLOAT, n4)], [value("y", T.FLOAT, ["n", 1])], domains=[("ai.onnx.ml", 3)])
    graph = [
        h.make_node("Gather", ["table", "x"], ["g"]),
        h.make_node("ReduceMean", ["g", "one"], ["h"], keepdims=0),
        h.make_node("Shape", ["e"], ["s"]),
        h.make_node("Cast", ["s"], ["f"], to=T.FLOAT),
        h.make_node("ReduceMax", ["f"], ["m"], keepdims=0),
        h.make_node("Mul", ["h", "m"], ["y"]),
    ]
    save(
        "graph_tokens.onnx",
        graph,
        [value("x", T.INT64, ["n", 3]), value("e", T.INT64, [2, "e"])],
        [value("y", T.FLOAT, ["n", 2])],
        [("table", rng.normal(size=(4, 2)).astype(np.float32)), ("one", np.array([1]))],
    )
    inputs = rng.normal(size=(7, 4)).astype(np.float32)
    np.save(path("mlp_inputs.npy"), inputs)
    np.save(path("mlp_expected.npy"), answers("mlp", inputs))
    # Of weights of 11 bits, with sums in single precision.
    half = [a.astype(np.float16).astype(np.float32) for a in (w1, b1, w2, b2)]
    np.save(path("mlp_f16_expected.npy"), np.maximum(inputs @ half[0] + half[1], 0) @ half[2] + half[3])


def classical():
    import lightgbm
    import onnx
    import xgboost
    from onnxmltools import convert_lightgbm, convert_xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType as Floats
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.svm import SVC

    rng = np.random.default_rng(1)
    x = rng.normal(size=(120, 4)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] ** 2 > 0.5).astype(int) + (x[:, 2] > 1)
    words = np.array(["ape", "bee", "cat"])[y]
    real = x[:, 0] * 2 + np.sin(x[:, 1])
    opsets = {"": 18, "ai.onnx.ml": 3}
    inputs = rng.normal(size=(6, 4)).astype(np.float32)
    np.save(path("classical_inputs.npy"), inputs)

    def keep(name, model, output=None):
        onnx.save(model, path(name + ".onnx"))
        np.save(path(name + "_expected.npy"), answers(name, inputs, output))

    def sklearn(name, model, zipmap=None, kind=FloatTensorType):
        options = {} if zipmap is None else {"options": {id(model): {"zipmap": zipmap}}}
        model = convert_sklearn(model, initial_types=[("X", kind([None, 4]))], target_opset=opsets, **options)
        names = [output.name for output in model.graph.output]
        keep(name, model, names[1] if len(names) > 1 else None)

    forest = RandomForestClassifier(4, max_depth=3, random_state=0)
    sklearn("forest", forest.fit(x, y), zipmap=False)
    sklearn("forest_maps", forest, zipmap=True)
    sklearn("forest_of_words_maps", forest.fit(x, words), zipmap=True)
    sklearn("forest_binary", RandomForestClassifier(3, max_depth=3, random_state=0).fit(x, y > 0), zipmap=False)
    columns = convert_sklearn(forest.fit(x, y), initial_types=[("X", FloatTensorType([None, 4]))], target_opset=opsets, options={id(forest): {"zipmap": "columns"}})
    onnx.save(columns, path("forest_columns.onnx"))
    integers = convert_sklearn(forest, initial_types=[("X", Int64TensorType([None, 4]))], target_opset=opsets)
    onnx.save(integers, path("forest_of_integers.onnx"))
    ridge = make_pipeline(StandardScaler(), Ridge()).fit(x, real)
    several = convert_sklearn(ridge, initial_types=[(name, FloatTensorType([None, 1])) for name in "abcd"], target_opset=opsets)
    onnx.save(several, path("ridge_of_columns.onnx"))
    sklearn("boosting", GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0).fit(x, y), zipmap=False)
    logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
    sklearn("logistic", logistic, zipmap=False)
    sklearn("logistic_maps", logistic, zipmap=True)
    sklearn("logistic_f64", logistic, zipmap=False, kind=DoubleTensorType)
    vectors = make_pipeline(MinMaxScaler(), SVC(probability=True, random_state=0)).fit(x[:60], y[:60])
    sklearn("support_vectors", vectors, zipmap=False)
    network = make_pipeline(StandardScaler(), MLPClassifier((6,), max_iter=200, random_state=0)).fit(x, y)
    sklearn("perceptron", network, zipmap=False)
    sklearn("forest_regression", RandomForestRegressor(3, max_depth=3, random_state=0).fit(x, real))
    sklearn("ridge", make_pipeline(StandardScaler(), Ridge()).fit(x, real))
    boosted = lightgbm.LGBMClassifier(n_estimators=3, num_leaves=4, verbose=-1, random_state=0).fit(x, y)
    floats = [("X", Floats([None, 4]))]
    keep("lightgbm", convert_lightgbm(boosted, initial_types=floats, zipmap=False, target_opset=15), "probabilities")
    keep("lightgbm_maps", convert_lightgbm(boosted, initial_types=floats, target_opset=15), "probabilities")
    boosted = lightgbm.LGBMRegressor(n_estimators=3, num_leaves=4, verbose=-1, random_state=0).fit(x, real)
    keep("lightgbm_regression", convert_lightgbm(boosted, initial_types=floats, target_opset=15))
    for name, labels in (("xgboost", y), ("xgboost_binary", (y > 0).astype(int))):
        boosted = xgboost.XGBClassifier(n_estimators=3, max_depth=2, random_state=0).fit(x, labels)
        keep(name, convert_xgboost(boosted, initial_types=floats, target_opset=15), "probabilities")
    boosted = xgboost.XGBRegressor(n_estimators=3, max_depth=2, random_state=0).fit(x, real)
    keep("xgboost_regression", convert_xgboost(boosted, initial_types=floats, target_opset=15))


EXPORTED = {"cnn": (1, 8, 8), "vit": (1, 8, 8), "lstm": (6, 3), "gru": (6, 3), "upsampling": (1, 8, 8)}


def exported():
    import inspect

    import torch
    import torch.nn.functional as F
    from torch import nn

    torch.manual_seed(0)

    class Cnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.norm = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.second, self.head = nn.Conv2d(4, 6, 3, stride=2, padding=1), nn.Linear(24, 3)

        def forward(self, x):
            x = F.hardswish(self.second(F.relu(self.norm(self.first(x)))))
            return self.head(F.max_pool2d(x, 2).flatten(1))

    class Recurrent(nn.Module):
        def __init__(self, kind, bidirectional=False):
            super().__init__()
            self.cells = kind(3, 5, batch_first=True, bidirectional=bidirectional)
            self.head = nn.Linear(10 if bidirectional else 5, 3)

        def forward(self, x):
            return self.head(self.cells(x)[0][:, -1])

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.hidden = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

        def forward(self, x):
            n, tokens, width = x.shape
            qkv = self.qkv(self.norm1(x)).reshape(n, tokens, 3, self.heads, width // self.heads)
            q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
            weights = (q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5).softmax(-1)
            x = x + self.out((weights @ v).transpose(1, 2).reshape(n, tokens, width))
            return x + self.hidden(self.norm2(x))

    class Vit(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches, self.block, self.head = nn.Conv2d(1, 8, 4, 4), Block(8, 2), nn.Linear(8, 3)
            self.first = nn.Parameter(torch.randn(1, 1, 8))
            self.places = nn.Parameter(torch.randn(1, 5, 8) / 10)

        def forward(self, x):
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1) + self.places
            return self.head(self.block(x)[:, 0])

    class Upsampling(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.norm, self.head = nn.ConvTranspose2d(1, 2, 2, 2), nn.GroupNorm(2, 2), nn.Linear(32, 3)

        def forward(self, x):
            x = F.silu(self.norm(self.up(x)))
            x = F.interpolate(x, scale_factor=0.5, mode="bilinear", align_corners=False)
            return self.head(F.avg_pool2d(x, 2).flatten(1)).softmax(1)

    class Gnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(3, 6), nn.Linear(6, 2)

        def gather(self, x, edges, weights):
            messages = x.index_select(0, edges[0]) * weights.unsqueeze(1)
            return torch.zeros_like(x).index_put((edges[1],), messages, accumulate=True) + x

        def forward(self, x, edges, weights):
            x = F.relu(self.gather(self.first(x), edges, weights))
            return self.gather(self.second(x), edges, weights)

    rest = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}

    def save(name, model, arguments, opset, axes, inputs=("x",)):
        model.eval()
        names = {"input_names": list(inputs), "output_names": ["y"], "dynamic_axes": axes}
        torch.onnx.export(model, arguments, path(name + ".onnx"), opset_version=opset, **names, **rest)

    models = {"cnn": Cnn(), "vit": Vit(), "lstm": Recurrent(nn.LSTM, True), "gru": Recurrent(nn.GRU), "upsampling": Upsampling()}
    for name, shape in EXPORTED.items():
        example = torch.randn(5, *shape)
        batch = {"x": {0: "batch"}, "y": {0: "batch"}}
        save(f"{name}_opset11", models[name], (example,), 11, batch)
        save(f"{name}_opset17", models[name], (example,), 17, batch)
        save(f"{name}_one_sample", models[name], (example[:1],), 17, None)
    edges = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    axes = {"x": {0: "nodes"}, "edges": {1: "edges"}, "weights": {0: "edges"}}
    graph = (torch.randn(4, 3), edges, torch.ones(4))
    save("gnn", Gnn(), graph, 17, axes, ("x", "edges", "weights"))


def exported_answers():
    import onnx
    import onnxruntime
    from onnx import version_converter
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static

    rng = np.random.default_rng(2)

    class Samples(CalibrationDataReader):
        def __init__(self, shape):
            self.left = [{"x": rng.normal(size=(4, *shape)).astype(np.float32)} for _ in range(4)]

        def get_next(self):
            return self.left.pop() if self.left else None

    for name, shape in EXPORTED.items():
        inputs = rng.normal(size=(5, *shape)).astype(np.float32)
        np.save(path(f"{name}_inputs.npy"), inputs)
        np.save(path(f"{name}_expected.npy"), answers(f"{name}_opset17", inputs))
        newest = version_converter.convert_version(onnx.load(path(f"{name}_opset17.onnx")), 23)
        onnx.save(newest, path(f"{name}_opset23.onnx"))
    # Quantised while it runs, and before; answers of the unfused operators, which is what the file says.
    # Of 8 bits, and of 7: products of 8 overflow on some processors.
    for name, reduce_range in (("lstm_int8", False), ("lstm_int8_reduced", True)):
        of = {"op_types_to_quantize": ["MatMul"], "reduce_range": reduce_range}
        quantize_dynamic(path("lstm_opset17.onnx"), path(f"{name}.onnx"), **of)
    quantize_static(path("cnn_opset17.onnx"), path("cnn_int8.onnx"), Samples(EXPORTED["cnn"]), quant_format=QuantFormat.QDQ)
    unfused = onnxruntime.SessionOptions()
    unfused.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for name in ("lstm_int8", "lstm_int8_reduced", "cnn_int8"):
        session = onnxruntime.InferenceSession(path(f"{name}.onnx"), unfused)
        inputs = np.load(path(f"{name[:name.index('_')]}_inputs.npy"))
        # One at a time: what is quantised while the model runs takes its scale from the batch.
        found = [session.run(None, {"x": sample[None]})[0] for sample in inputs]
        np.save(path(f"{name}_expected.npy"), np.concatenate(found))
    session = onnxruntime.InferenceSession(path("gnn.onnx"))
    features = rng.normal(size=(6, 3)).astype(np.float32)
    edges = np.array([[0, 1, 2, 3, 4, 5, 0, 2], [1, 2, 3, 4, 5, 0, 3, 5]])
    weights = rng.uniform(size=8).astype(np.float32)
    for part, array in (("features", features), ("edges", edges), ("weights", weights)):
        np.save(path(f"gnn_{part}.npy"), array)
    # The explanation is the first half of the edges.
    mask = (np.arange(8) < 4).astype(np.float32)
    for part, kept in (("full", np.ones(8, np.float32)), ("kept", mask), ("complement", 1 - mask)):
        given = {"x": features, "edges": edges, "weights": weights * kept}
        found = session.run(None, given)[0]
        np.save(path(f"gnn_{part}.npy"), found if part == "full" else found[None])


def dynamo():
    """The exporter of torch that goes through `torch.export`: a free batch, a file of weights, a program."""
    import onnx
    import torch
    from torch import nn

    torch.manual_seed(3)

    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.cells, self.head = nn.LSTM(3, 5, batch_first=True), nn.Linear(5, 3)

        def forward(self, x):
            return self.head(self.cells(x)[0][:, -1])

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
            self.first, self.head = nn.Linear(3, 8), nn.Linear(8, 3)

        def forward(self, x):
            return self.head(self.layer(self.first(x)).mean(1))

    cnn = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(), nn.Linear(16, 3))
    free = ({0: torch.export.Dim.DYNAMIC},)
    for kind, model in (("cnn", cnn), ("lstm", Last()), ("encoder", Encoder())):
        model.eval()
        inputs = torch.from_numpy(np.load(path(f"{'lstm' if kind == 'encoder' else kind}_inputs.npy")))
        np.save(path(f"{kind}_dynamo_expected.npy"), model(inputs).detach().numpy())
        for variant, opset in (("opset18", 18), ("opset23", 23), ("data", 18), ("program", 20)):
            name = path(f"{kind}_dynamo_{variant}.onnx")
            given = torch.export.export(model, (inputs,), dynamic_shapes=free) if variant == "program" else model
            program = torch.onnx.export(given, (inputs,), dynamo=True, opset_version=opset, dynamic_shapes=free, verbose=False)
            # The places in the source that nodes come from are of this machine.
            for node in program.model.graph:
                node.metadata_props.clear()
            program.save(name, external_data=variant == "data")
        assert np.allclose(answers(f"{kind}_dynamo_opset18", inputs.numpy()), np.load(path(f"{kind}_dynamo_expected.npy")), atol=1e-5)


if __name__ == "__main__":
    for part in sys.argv[1:]:
        {"networks": networks, "classical": classical, "exported": exported, "exported-answers": exported_answers, "dynamo": dynamo}[part]()
