"""Models of other libraries, given as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xai_metrics import graph
from xai_metrics.attribution import base_scores, evaluate, metrics

torch = pytest.importorskip("torch")

RANDOM = np.random.default_rng(8)
X = RANDOM.random((12, 5)).astype(np.float32)
W = RANDOM.normal(size=(5, 3)).astype(np.float32)
TARGETS = RANDOM.integers(0, 3, 12)
PICKED = (X @ W)[np.arange(12), TARGETS]


def linear() -> Any:
    layer = torch.nn.Linear(5, 3, bias=False)
    layer.weight.data = torch.from_numpy(W.T.copy())
    return layer


class Answering(torch.nn.Module):
    """A linear model that hands its answer to a function."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.layer, self.answer = linear(), answer

    def forward(self, x: Any) -> Any:
        return self.answer(self.layer(x))


def outputs() -> dict[str, tuple[Any, Any]]:
    modeling = pytest.importorskip("transformers.modeling_outputs")
    return {
        "tuple by place": (lambda out: (out[:, :1], out), 1),
        "tuple from its end": (lambda out: (out[:, :1], out), -1),
        "mapping by name": (lambda out: {"boxes": out[:, :1], "classes": out}, "classes"),
        "mapping by place": (lambda out: {"boxes": out[:, :1], "classes": out}, 1),
        "function": (lambda out: {"deep": {"er": out}}, lambda answer: answer["deep"]["er"]),
        "logits without asking": (
            lambda out: modeling.SequenceClassifierOutput(loss=out.sum(), logits=out),
            None,
        ),
        "hidden states": (
            lambda out: modeling.SequenceClassifierOutput(
                logits=out[:, :1], hidden_states=(out, out)
            ),
            lambda answer: answer.hidden_states[1],
        ),
    }


@pytest.mark.parametrize("which", range(7))
def test_one_of_several_outputs_is_scored(which: int) -> None:
    answer, output = list(outputs().values())[which]
    model = Answering(answer)
    np.testing.assert_allclose(base_scores(model, X, TARGETS, output=output), PICKED, rtol=1e-5)
    table = evaluate(model, X, TARGETS, {"a": X}, ["deletion"], output=output)
    value = metrics.Deletion().evaluate(linear(), X, TARGETS, X).value
    assert table["deletion"]["a"].value == pytest.approx(value)
    assert metrics.Deletion().evaluate(model, X, TARGETS, X, output=output).value == pytest.approx(
        value
    )


def test_an_output_that_is_not_there_is_named() -> None:
    several = Answering(lambda out: {"boxes": out[:, :1], "classes": out})
    with pytest.raises(TypeError, match="several arrays, boxes, classes; say which one .* output="):
        base_scores(several, X, TARGETS)
    with pytest.raises(
        ValueError, match="output: expected one of boxes, classes, or its place, got 'labels'"
    ):
        base_scores(several, X, TARGETS, output="labels")
    with pytest.raises(TypeError, match="output: the model answers one array"):
        base_scores(linear(), X, TARGETS, output="logits")


class Scaled(torch.nn.Module):
    """Has a second input, which scales its answer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = linear()

    def forward(self, x: Any, scale: Any) -> Any:
        assert len(x) == len(scale) and scale.dtype == torch.float32
        return self.layer(x) * scale[:, None]


@pytest.mark.parametrize("named", [False, True])
def test_other_inputs_go_along_row_by_row(named: bool) -> None:
    scale = RANDOM.random(12) + 0.5
    inputs: Any = {"x": X, "scale": scale} if named else (X, scale)
    tensors: Any = (
        {"x": torch.from_numpy(X), "scale": torch.from_numpy(scale)}
        if named
        else (X, torch.tensor(scale))
    )
    model = Scaled()
    np.testing.assert_allclose(base_scores(model, inputs, TARGETS), PICKED * scale, rtol=1e-5)
    for batch_size in (1, 5, None):
        asked = ["deletion", "insertion", "mu_fidelity", "monotonicity"]
        of = {"batch_size": batch_size, "replicates": 0}
        joint = evaluate(model, inputs, TARGETS, {"a": X}, asked, **of)
        # Of a linear model the answer scales.
        alone = evaluate(linear(), X, TARGETS, {"a": X}, asked, **of)
        for name in ("deletion", "insertion"):
            expected = alone[name]["a"].per_sample * scale
            np.testing.assert_allclose(joint[name]["a"].per_sample, expected, rtol=1e-4)
        np.testing.assert_allclose(
            joint["mu_fidelity"]["a"].per_sample, alone["mu_fidelity"]["a"].per_sample, rtol=1e-3
        )
    value = metrics.Deletion().evaluate(model, tensors, TARGETS, X)
    np.testing.assert_allclose(value.per_sample, joint["deletion"]["a"].per_sample, rtol=1e-6)
    with pytest.raises(ValueError, match="one row per sample, 12"):
        base_scores(model, {"x": X, "scale": scale[:4]}, TARGETS)


def test_parts_of_a_data_set_with_several_inputs_join() -> None:
    from xai_metrics.attribution import evaluate_part

    scale = RANDOM.random(12) + 0.5
    whole = evaluate(Scaled(), (X, scale), TARGETS, {"a": X}, ["mu_fidelity"], replicates=0)
    parts = [
        evaluate_part(
            Scaled(),
            (X[i:j], scale[i:j]),
            TARGETS[i:j],
            {"a": X[i:j]},
            ["mu_fidelity"],
            first_sample=i,
        )
        for i, j in ((0, 5), (5, 12))
    ]
    joined = parts[0].merge(parts[1]).table(replicates=0)["mu_fidelity"]["a"].per_sample
    np.testing.assert_allclose(joined, whole["mu_fidelity"]["a"].per_sample, rtol=1e-4)


def test_an_explainer_of_several_inputs_is_given_all_of_them() -> None:
    captum = pytest.importorskip("captum.attr")
    model, scale = Scaled(), RANDOM.random(12).astype(np.float32)
    method = captum.InputXGradient(model)
    seen = []

    def explainer(inputs: Any, targets: Any) -> Any:
        seen.append([tuple(of.shape) for of in inputs])
        return method.attribute(inputs, target=targets)

    maps = X * W.T[TARGETS] * scale[:, None]
    asked = ["completeness"]
    for given in (method, explainer):
        table = evaluate(
            model, (X, scale), TARGETS, {"a": given, "maps": (maps, torch.zeros(12))}, asked
        )
        for name in ("a", "maps"):
            np.testing.assert_allclose(table["completeness"][name].per_sample, 0.0, atol=1e-5)
    assert seen == [[(12, 5), (12,)]]
    with pytest.raises(ValueError, match="needs explainer"):
        evaluate(model, (X, scale), TARGETS, {"maps": maps}, ["average_stability"])


class Tokens(torch.nn.Module):
    """Sums the embeddings of tokens that a mask keeps."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.table = torch.nn.Embedding(20, 3)
        self.scale = torch.nn.Linear(3, 2)

    def forward(self, input_ids: Any, attention_mask: Any = None) -> Any:
        assert input_ids.dtype == torch.int64
        words = self.table(input_ids)
        if attention_mask is not None:
            assert attention_mask.dtype == torch.int64
            words = words * attention_mask[..., None]
        return {"logits": self.scale(words.sum(1)), "aux": words}


IDS = RANDOM.integers(1, 20, (6, 7))


def test_tokens_stay_whole_numbers() -> None:
    model, maps = Tokens(), RANDOM.random(IDS.shape)
    expected = model(torch.from_numpy(IDS))["logits"].detach().numpy()
    for ids in (IDS, IDS.tolist(), torch.from_numpy(IDS), IDS.astype(np.int32).astype(np.int64)):
        np.testing.assert_allclose(base_scores(model, ids, [1] * 6), expected[:, 1], rtol=1e-6)
    for function in (model, torch.compile(model, backend="eager")):
        value = metrics.Deletion(steps="all", baseline=0).evaluate(function, IDS, [1] * 6, maps)
        assert value.per_sample.shape == (6,) and value.value is not None
    function = lambda ids: model(ids)["logits"]  # noqa: E731
    scores = base_scores(function, IDS, [1] * 6, framework="torch")
    np.testing.assert_allclose(scores, expected[:, 1], rtol=1e-6)
    with pytest.raises(
        ValueError, match=r"inputs: the model takes whole numbers, and .* baseline of whole numbers"
    ):
        metrics.AverageDrop().evaluate(model, IDS, [1] * 6, maps, activation="softmax")
    table = evaluate(model, IDS, [1] * 6, {"a": maps, "random": "random"}, "all", replicates=0)
    assert table.skipped["average_drop"] == "may put fractions in the place of whole numbers"
    assert table["symmetric_relevance_gain"]["a"].value is not None
    # A layer without embeddings is given its own precision.
    np.testing.assert_allclose(
        base_scores(linear(), np.ones((2, 5), int), [0, 1]), W.sum(axis=0)[:2], rtol=1e-6
    )


def test_tokens_come_with_the_mask_of_attention() -> None:
    model, maps = Tokens(), RANDOM.random(IDS.shape)
    mask = np.ones_like(IDS)
    mask[:, 4:] = 0
    inputs = {"input_ids": IDS, "attention_mask": mask}
    expected = model(torch.from_numpy(IDS[:, :4]))["logits"].detach().numpy()
    np.testing.assert_allclose(base_scores(model, inputs, [0] * 6), expected[:, 0], rtol=1e-5)
    deletion = metrics.Deletion(steps="all", baseline=0)
    value = deletion.evaluate(model, inputs, [0] * 6, maps, batch_size=4)
    # Hidden positions are no features, whatever their attributions; samples of different lengths have no common curve.
    alone = deletion.evaluate(model, IDS[:, :4], [0] * 6, maps[:, :4])
    np.testing.assert_allclose(value.per_sample, alone.per_sample, rtol=1e-5)
    maps[:, 4:] = 0.5
    reordered = deletion.evaluate(model, inputs, [0] * 6, maps, batch_size=4)
    np.testing.assert_array_equal(value.per_sample, reordered.per_sample)
    assert value.curve is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_modules_of_any_precision(dtype: str) -> None:
    kind = getattr(torch, dtype)
    torch.manual_seed(0)
    layers = [torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(64, 3)]
    model = torch.nn.Sequential(*layers)
    x = RANDOM.random((20, 3, 6, 6)).astype(np.float32)
    y = RANDOM.integers(0, 3, 20)
    expected = evaluate(model, x, y, {"a": x}, ["deletion", "mu_fidelity"], replicates=0)
    given = evaluate(model.to(kind), x, y, {"a": x}, ["deletion", "mu_fidelity"], replicates=0)
    tolerance = {"float16": 1e-2, "bfloat16": 1e-1, "float64": 1e-4}[dtype]
    value = given["deletion"]["a"].value
    assert value == pytest.approx(expected["deletion"]["a"].value, rel=tolerance)
    assert given.assumed["layout"] == "channels-first"


def test_a_method_of_a_module_is_asked_as_the_module_is() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Dropout(0.9)).train()
    for precision in (torch.float32, torch.float64):
        module = module.to(precision)
        expected = evaluate(module, X, TARGETS, {"a": X}, ["deletion"])
        table = evaluate(module.forward, X, TARGETS, {"a": X}, ["deletion"])
        assert table.assumed == expected.assumed and "framework" not in table.assumed
        ours, theirs = (of["deletion"]["a"].per_sample for of in (table, expected))
        np.testing.assert_array_equal(ours, theirs)
    assert module.training and module[1].training


def test_functions_are_given_tensors_where_the_inputs_are_such() -> None:
    jax = pytest.importorskip("jax")
    module = linear()
    explainers = {"gradient": "input_x_gradient", "own": lambda x, y: x.abs()}
    x = torch.from_numpy(X).float()
    expected = evaluate(module, x, TARGETS, explainers, ["deletion"])
    table = evaluate(lambda x: module(x), x, TARGETS, explainers, ["deletion"])
    assert table.assumed["framework"] == "torch" and "framework" not in expected.assumed
    for name in explainers:
        ours, theirs = (of["deletion"][name].per_sample for of in (table, expected))
        np.testing.assert_array_equal(ours, theirs)

    def seen(kind: type) -> Any:
        def model(batch: Any) -> Any:
            assert isinstance(batch, kind)
            return np.asarray(batch).sum(axis=1)

        return model

    assert len(base_scores(seen(jax.Array), jax.numpy.asarray(X))) == len(X)
    assert len(base_scores(seen(torch.Tensor), {"batch": x})) == len(X)
    assert len(base_scores(seen(np.ndarray), x, framework="numpy")) == len(X)
    assert len(base_scores(seen(np.ndarray), X)) == len(X)


def test_a_compiled_module_is_a_module() -> None:
    model = torch.compile(torch.nn.Sequential(torch.nn.Dropout(), linear()), backend="eager")
    np.testing.assert_allclose(base_scores(model, X, TARGETS), PICKED, rtol=1e-5)
    assert model.training
    scripted = torch.jit.script(torch.nn.Sequential(torch.nn.Dropout(), linear()))
    np.testing.assert_allclose(base_scores(scripted, X, TARGETS), PICKED, rtol=1e-5)


def test_maps_and_boxes_are_scored_by_a_function() -> None:
    torch.manual_seed(0)
    model = torch.nn.Conv2d(3, 5, 3, padding=1)
    x = RANDOM.random((4, 3, 8, 8)).astype(np.float32)
    whole = model(torch.from_numpy(x)).detach().numpy()
    with pytest.raises(
        ValueError, match=r"got \(4, 5, 8, 8\); maps and boxes become one number per row by score="
    ):
        base_scores(model, x, [0] * 4)
    one = base_scores(model, x, score=lambda maps: maps[:, 2].sum((1, 2)))
    np.testing.assert_allclose(one, whole[:, 2].sum((1, 2)), rtol=1e-4)
    # One number stands for whatever target an explainer is given.
    again = base_scores(model, x, [3, 1, 0, 2], score=lambda maps: maps[:, 2].sum((1, 2)))
    np.testing.assert_array_equal(again, one)
    per_class = base_scores(model, x, [3, 1, 0, 2], score=lambda maps: maps.mean((2, 3)))
    np.testing.assert_allclose(per_class, whole.mean((2, 3))[np.arange(4), [3, 1, 0, 2]], rtol=1e-4)

    boxes = Answering(lambda out: {"boxes": out.reshape(-1, 1, 3), "labels": out})
    nearest = base_scores(boxes, X, output="boxes", score=lambda of: -(of - 1.0).abs().sum((1, 2)))
    np.testing.assert_allclose(nearest, -np.abs(X @ W - 1.0).sum(axis=1), rtol=1e-5)
    table = evaluate(
        model,
        x,
        [3, 1, 0, 2],
        {"a": x},
        ["deletion", "average_drop"],
        score=lambda maps: maps[:, 2].mean((1, 2)) + 5,
    )
    assert table["deletion"]["a"].value > 0


def test_keras_models_of_any_backend() -> None:
    keras = pytest.importorskip("keras")
    layer = keras.layers.Dense(3, use_bias=False)
    model = keras.Sequential([keras.layers.Input((5,)), keras.layers.Dropout(0.5), layer])
    layer.set_weights([W])
    np.testing.assert_allclose(base_scores(model, X, TARGETS), PICKED, rtol=1e-5)
    np.testing.assert_allclose(base_scores(model, X.astype(np.float64), TARGETS), PICKED, rtol=1e-5)
    first, second = keras.layers.Input((5,), name="first"), keras.layers.Input((1,), name="second")
    joined = keras.Model([first, second], keras.layers.Multiply()([layer(first), second]))
    scale = RANDOM.random((12, 1)).astype(np.float32)
    for several in ((X, scale), {"first": X, "second": scale}):
        np.testing.assert_allclose(
            base_scores(joined, several, TARGETS), PICKED * scale[:, 0], rtol=1e-5
        )
    images = keras.Sequential(
        [
            keras.layers.Input((6, 6, 3)),
            keras.layers.Conv2D(2, 3),
            keras.layers.GlobalAveragePooling2D(),
        ]
    )
    x = RANDOM.random((4, 6, 6, 3)).astype(np.float32)
    table = evaluate(
        images, x, [0, 1, 0, 1], {"a": x, "gradient": "input_x_gradient"}, ["deletion"]
    )
    assert table.assumed["layout"] == "channels-last"
    embedding = keras.Sequential(
        [
            keras.layers.Input((7,)),
            keras.layers.Embedding(20, 2),
            keras.layers.GlobalAveragePooling1D(),
        ]
    )
    expected = np.asarray(keras.ops.convert_to_numpy(embedding(IDS)))
    np.testing.assert_allclose(base_scores(embedding, IDS, [1] * 6), expected[:, 1], rtol=1e-6)


def test_functions_of_jax() -> None:
    jax = pytest.importorskip("jax")

    @jax.jit
    def model(x: Any) -> Any:
        assert isinstance(x, jax.Array)
        return x @ W

    np.testing.assert_allclose(base_scores(model, X, TARGETS), PICKED, rtol=1e-5)
    table = jax.numpy.asarray(RANDOM.random((20, 2)))
    scores = base_scores(lambda ids: table[ids].sum(1), IDS, [1] * 6, framework="jax")
    np.testing.assert_allclose(scores, np.asarray(table)[IDS].sum(1)[:, 1], rtol=1e-5)


def onnx_session(module: Any, example: Any, names: list[str], **options: Any) -> Any:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    import io

    file = io.BytesIO()
    torch.onnx.export(
        module.eval(),
        example,
        file,
        input_names=names,
        output_names=["scores"],
        dynamo=False,
        **options,
    )
    return runtime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])


def test_sessions_of_onnx_runtime() -> None:
    free = onnx_session(linear(), (torch.zeros(2, 5),), ["x"], dynamic_axes={"x": {0: "n"}})
    fixed = onnx_session(linear(), (torch.zeros(8, 5),), ["x"])
    for session in (free, fixed):
        for x in (X, X.astype(np.float64)):
            np.testing.assert_allclose(base_scores(session, x, TARGETS), PICKED, rtol=1e-5)
        value = metrics.Deletion().evaluate(session, X, TARGETS, X)
        expected = metrics.Deletion().evaluate(linear(), X, TARGETS, X)
        np.testing.assert_allclose(value.per_sample, expected.per_sample, rtol=1e-5)
    several = onnx_session(
        Scaled(),
        (torch.zeros(2, 5), torch.zeros(2)),
        ["x", "scale"],
        dynamic_axes={"x": {0: "n"}, "scale": {0: "n"}},
    )
    scale = RANDOM.random(12)
    for given in ((X, scale), {"x": X, "scale": scale}):
        np.testing.assert_allclose(base_scores(several, given, TARGETS), PICKED * scale, rtol=1e-5)


def boosted() -> tuple[Any, Any, Any]:
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame(RANDOM.random((200, 4)), columns=["a", "b", "c", "d"])
    two = (x["a"] + 0.3 * x["b"] > 0.6).astype(int).to_numpy()
    three = two + (x["c"] > 0.5).to_numpy()
    return x, two, three


def test_boosters_of_xgboost() -> None:
    xgboost = pytest.importorskip("xgboost")
    x, two, three = boosted()
    rows = np.arange(200)
    for y, objective, options in (
        (two, "binary:logistic", {}),
        (three, "multi:softprob", {"num_class": 3}),
        (three, "multi:softmax", {"num_class": 3}),
    ):
        booster = xgboost.train({"objective": objective, **options}, xgboost.DMatrix(x, y), 5)
        same = xgboost.train(
            {"objective": objective.replace("softmax", "softprob"), **options},
            xgboost.DMatrix(x, y),
            5,
        )
        p = same.predict(xgboost.DMatrix(x))
        expected = (np.column_stack([1 - p, p]) if y is two else p)[rows, y]
        for given in (x, x.to_numpy()):
            np.testing.assert_allclose(base_scores(booster, given, y), expected, rtol=1e-4)
        estimator = xgboost.XGBClassifier(n_estimators=5).fit(x, y)
        for given in (x, x.to_numpy()):
            np.testing.assert_allclose(
                base_scores(estimator, given, y), estimator.predict_proba(x)[rows, y], rtol=1e-5
            )
    unnamed = xgboost.train(
        {"objective": "reg:squarederror"}, xgboost.DMatrix(x.to_numpy(), x["a"]), 5
    )
    expected = unnamed.predict(xgboost.DMatrix(x.to_numpy()))
    np.testing.assert_allclose(base_scores(unnamed, x), expected, rtol=1e-5)
    value = metrics.Deletion().evaluate(booster, x, three, x)
    assert value.assumed["activation"] == "softmax"


def test_boosters_of_lightgbm() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    x, two, three = boosted()
    x["word"] = np.where(x["d"] > 0.5, "yes", "no")
    x["word"] = x["word"].astype("category")
    rows = np.arange(200)
    for y, options in (
        (two, {"objective": "binary"}),
        (three, {"objective": "multiclass", "num_class": 3}),
    ):
        booster = lightgbm.train({**options, "verbose": -1}, lightgbm.Dataset(x, y), 5)
        p = booster.predict(x)
        expected = (np.column_stack([1 - p, p]) if y is two else p)[rows, y]
        stored = lightgbm.Booster(model_str=booster.model_to_string())
        for one in (booster, stored):
            np.testing.assert_allclose(base_scores(one, x, y), expected, rtol=1e-6)
        estimator = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(
            x, np.array(["u", "v", "w"])[y]
        )
        names = np.array(["u", "v", "w"])[y]
        np.testing.assert_allclose(
            base_scores(estimator, x, names), estimator.predict_proba(x)[rows, y], rtol=1e-6
        )
    regression = lightgbm.train(
        {"objective": "regression", "verbose": -1}, lightgbm.Dataset(x, x["a"]), 5
    )
    np.testing.assert_allclose(base_scores(regression, x), regression.predict(x), rtol=1e-6)
    maps = np.zeros(x.shape)
    maps[:, 0] = 1.0
    assert metrics.Deletion(steps="all").evaluate(booster, x, three, maps).value is not None


def test_boosters_of_catboost() -> None:
    catboost = pytest.importorskip("catboost")
    x, two, three = boosted()
    x["word"] = np.where(x["d"] > 0.5, "yes", "no")
    names = np.array(["u", "v", "w"])[three]
    of = {"iterations": 5, "verbose": False, "allow_writing_files": False, "cat_features": ["word"]}
    rows = np.arange(200)
    classifier = catboost.CatBoostClassifier(**of).fit(x, names)
    expected = classifier.predict_proba(x)[rows, three]
    np.testing.assert_allclose(base_scores(classifier, x, names), expected, rtol=1e-6)
    plain = catboost.CatBoost({**of, "loss_function": "MultiClass"}).fit(x, names)
    np.testing.assert_allclose(
        base_scores(plain, x, names),
        plain.predict(x, prediction_type="Probability")[rows, three],
        rtol=1e-6,
    )
    regressor = catboost.CatBoostRegressor(**of).fit(x, x["a"])
    np.testing.assert_allclose(base_scores(regressor, x), regressor.predict(x), rtol=1e-6)
    value = metrics.Deletion(steps="all").evaluate(classifier, x, names, np.zeros(x.shape))
    assert value.value is not None


def test_modules_are_models_of_graphs() -> None:
    class Convolution(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop, self.layer = torch.nn.Dropout(), torch.nn.Linear(2, 2).double()

        def forward(self, x: Any, edge_index: Any, edge_weight: Any) -> Any:
            received = x.index_add(0, edge_index[1], edge_weight[:, None] * x[edge_index[0]])
            return self.layer(self.drop(received))

    model, x = Convolution(), np.array([[3.0, 0.0], [0.0, 1.0]])
    edge_index, mask = [[0, 1], [1, 0]], [0.9, 0.1]
    whole = graph.explained_outputs(model, x.astype(np.float32), edge_index, edge_mask=mask)
    assert model.training
    evaluated = graph.with_tensors(lambda *arrays: model.eval()(*arrays))
    expected = graph.explained_outputs(evaluated, x, edge_index, edge_mask=mask)
    np.testing.assert_allclose(whole.kept, expected.kept, rtol=1e-6)
    np.testing.assert_allclose(whole.complement, expected.complement, rtol=1e-6)


def test_a_classifier_of_text_of_transformers() -> None:
    transformers = pytest.importorskip("transformers")
    captum = pytest.importorskip("captum.attr")
    torch.manual_seed(0)
    sizes = {
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 8,
    }
    model = transformers.BertForSequenceClassification(
        transformers.BertConfig(vocab_size=20, num_labels=3, **sizes)
    )
    ids = torch.from_numpy(IDS)
    mask = torch.ones_like(ids)
    mask[:3, 4:] = 0
    inputs = transformers.BatchEncoding({"input_ids": ids, "attention_mask": mask})
    y = torch.tensor([0, 1, 2, 0, 1, 2])
    expected = model.eval()(**inputs).logits[torch.arange(6), y].detach().numpy()
    np.testing.assert_allclose(base_scores(model.train(), inputs, y), expected, rtol=1e-4)
    layer = captum.LayerIntegratedGradients(
        lambda ids, mask: model(ids, attention_mask=mask).logits,
        model.bert.embeddings.word_embeddings,
    )

    def gradients(inputs: Any, targets: Any) -> Any:
        given, others = inputs["input_ids"], (inputs["attention_mask"],)
        return layer.attribute(
            given, target=targets, additional_forward_args=others, n_steps=20
        ).sum(-1)

    explainers = {
        "gradients": gradients,
        "occlusion": ("occlusion", {"baseline": 3}),
        "random": "random",
    }
    asked = [metrics.Deletion(baseline=3), metrics.MuFidelity(baseline=3)]
    table = evaluate(model, inputs, y, explainers, asked, batch_size=5, replicates=0)
    assert table["mu_fidelity"]["occlusion"].value > table["mu_fidelity"]["random"].value
    # Tokens that the mask hides change nothing.
    from xai_metrics.attribution import explain

    hidden = explain(model, inputs, y, "occlusion", baseline=3)[:3, 4:]
    np.testing.assert_allclose(hidden, 0.0, atol=1e-6)
    assert (
        evaluate(model, inputs, y, explainers, replicates=0)["deletion"]["random"].value is not None
    )


def test_modules_are_models_and_layers_of_cases() -> None:
    from xai_metrics.casebased import CaseExplainer, HiddenActivations

    torch.manual_seed(0)
    body, head = (
        torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Dropout()),
        torch.nn.Linear(4, 3),
    )
    model = torch.nn.Sequential(body, head).train()
    with torch.no_grad():
        hidden = model.eval()[0](torch.from_numpy(X)).numpy()
        predicted = model(torch.from_numpy(X)).argmax(1).numpy()
    model.train()
    labels = np.arange(12) % 3
    by_layer = CaseExplainer(X, labels, k=3, similarity=HiddenActivations(body))
    by_array = CaseExplainer(
        X, labels, k=3, similarity=HiddenActivations(lambda rows: of_hidden(rows, hidden))
    )
    found = by_layer.explain_batch(X, model=model)
    expected = by_array.explain_batch(X, predictions=predicted)
    assert [of.predicted_class for of in found] == predicted.tolist()
    for one, other in zip(found, expected):
        assert [of.index for of in one.neighbors] == [of.index for of in other.neighbors]
    assert model.training


def of_hidden(rows: Any, hidden: Any) -> Any:
    """The activations of the training rows that rows are."""
    places = [int(np.flatnonzero((X == row).all(axis=1))[0]) for row in rows.astype(np.float32)]
    return hidden[places]
