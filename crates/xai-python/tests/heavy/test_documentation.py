"""The lines of the documentation that name other libraries."""

from __future__ import annotations

import inspect
import io
import re
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import evaluate

torch = pytest.importorskip("torch")
LINES = re.findall(r"^ +(evaluate\(.*\))$", inspect.getdoc(evaluate) or "", re.MULTILINE)
RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the lines call by name."""
    captum, shap = pytest.importorskip("captum.attr"), pytest.importorskip("shap")
    tabular = pytest.importorskip("lime.lime_tabular")
    jax, keras = pytest.importorskip("jax"), pytest.importorskip("keras")
    pandas, xgboost = pytest.importorskip("pandas"), pytest.importorskip("xgboost")
    ensemble = pytest.importorskip("sklearn.ensemble")
    compose = pytest.importorskip("sklearn.compose")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    runtime = pytest.importorskip("onnxruntime")
    grad_cam, torchcam = pytest.importorskip("pytorch_grad_cam"), pytest.importorskip("torchcam.methods")
    zennit, shapiq = pytest.importorskip("zennit"), pytest.importorskip("shapiq")
    transformers = pytest.importorskip("transformers")
    make_pipeline = pytest.importorskip("sklearn.pipeline").make_pipeline
    torch.manual_seed(0)
    layers = [
        torch.nn.Conv2d(3, 4, 3, stride=2),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.LazyLinear(2),
    ]
    cnn = torch.nn.Sequential(*layers)
    x = RANDOM.random((6, 4)).astype(np.float32)
    y = np.array([0, 1, 0, 1, 1, 0])
    people = pandas.DataFrame({"age": RANDOM.integers(18, 80, 6), "city": ["Rome", "Oslo"] * 3})
    people["city"] = people["city"].astype("category")
    answers = np.where(y == 1, "yes", "no")
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(x, y)
    words = compose.ColumnTransformer(
        [("w", preprocessing.OneHotEncoder(), ["city"])], remainder="passthrough"
    )
    pipeline = make_pipeline(words, ensemble.RandomForestClassifier(5, random_state=0)).fit(
        people, answers
    )
    booster = xgboost.train(
        {"objective": "binary:logistic"}, xgboost.DMatrix(people, y, enable_categorical=True), 3
    )
    contributions = booster.predict(
        xgboost.DMatrix(people, enable_categorical=True), pred_contribs=True
    )
    file = io.BytesIO()
    linear = torch.nn.Linear(4, 2)
    torch.onnx.export(linear, (torch.zeros(6, 4),), file, dynamo=False)
    bert = transformers.BertForSequenceClassification(
        transformers.BertConfig(
            vocab_size=9,
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=8,
        )
    )
    tokenizer = transformers.BertTokenizer(vocab={word: i for i, word in enumerate("[PAD] [UNK] [CLS] [SEP] [MASK] a good bad film".split())})
    columns = list(people.columns)
    cnn(torch.zeros(1, 3, 8, 8))
    return {
        "evaluate": evaluate,
        "torch": torch,
        "cnn": cnn,
        "images": torch.rand(6, 3, 8, 8),
        "y": y,
        "IntegratedGradients": captum.IntegratedGradients,
        "LayerGradCam": captum.LayerGradCam,
        "GradCAM": grad_cam.GradCAM,
        "LayerCAM": torchcam.LayerCAM,
        "EpsilonPlus": zennit.composites.EpsilonPlus,
        "Gradient": zennit.attribution.Gradient,
        "trees": shapiq.TreeExplainer(forest, max_order=1, class_index=1),
        "values": RANDOM.random((6, 4)),
        "segments": np.arange(64).reshape(8, 8) // 16,
        "forest": forest,
        "x": x,
        "TreeExplainer": shap.TreeExplainer,
        "lime": tabular.LimeTabularExplainer(x, discretize_continuous=False),
        "pipeline": pipeline,
        "people": people,
        "answers": answers,
        "explanation": shap.Explanation(
            RANDOM.random((6, 2, 2)), data=people.to_numpy(), feature_names=columns
        ),
        "booster": booster,
        "booster_explanation": shap.Explanation(
            contributions[:, :-1], data=people, feature_names=columns
        ),
        "session": runtime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"]),
        "keras_model": keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2)]),
        "jax": jax,
        "weights": RANDOM.random((4, 2)).astype(np.float32),
        "bert": bert,
        "ids": RANDOM.integers(4, 9, (6, 5)),
        "mask": np.ones((6, 5), int),
        "LayerIntegratedGradients": captum.LayerIntegratedGradients,
        "text_pipeline": transformers.pipeline("text-classification", model=bert, tokenizer=tokenizer),
        "texts": ["a good film", "bad"],
        "labels": ["LABEL_1", "LABEL_0"],
    }


@pytest.mark.parametrize("line", LINES)
def test_lines_of_the_documentation(line: str, names: dict[str, Any]) -> None:
    table = eval(line, dict(names))  # noqa: S307
    values = [value.value for metric in table for value in table[metric].values.values()]
    assert any(value is not None for value in values)


def test_there_are_such_lines() -> None:
    assert len(LINES) == 15
