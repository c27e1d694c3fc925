"""Texts: maps and rationales of different lengths, tokens with padding, and pipelines of transformers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xai_metrics._results import NEGATIVE, POSITIVE
from xai_metrics.attribution import (
    Comprehensiveness,
    Deletion,
    MaskedModel,
    RationaleAuprc,
    Sparseness,
    TokenF1,
    Words,
    base_scores,
    color_text,
    evaluate,
    evaluate_stream,
    explain,
    planned_calls,
    text_model,
)

WEIGHTS = [np.array([4.0, -0.5, 1.0]), np.array([0.25, 2.0, -1.0, 0.5, 3.0]), np.array([1.0, 1.5, -2.0]), np.array([2.0])]
RATIONALES = [[1, 0, 0], [0, 1, 0, 0, 1], [0, 1, 0], [1]]


def score(samples: Any, kept: Any) -> Any:
    return np.array([(WEIGHTS[sample] * row).sum() for sample, row in zip(samples, kept)])


def classes(samples: Any, kept: Any) -> Any:
    return np.column_stack([-score(samples, kept), score(samples, kept)])


def test_one_table_has_rationales_and_faithfulness() -> None:
    maps = {"weights": WEIGHTS, "size": [np.abs(of) for of in WEIGHTS]}
    asked = ["deletion", "token_f1(k=2)", "rationale_auprc", "localization_auroc", "sparseness"]
    table = evaluate(MaskedModel(score), None, None, maps, asked, masks=RATIONALES, replicates=0)
    assert table.metrics == ["deletion", "token_f1", "rationale_auprc", "localization_auroc", "sparseness"]
    for name, given in maps.items():
        for metric in (TokenF1(k=2), RationaleAuprc()):
            value = metric.evaluate(given, RATIONALES)
            np.testing.assert_array_equal(table[metric.name][name].per_sample, value.per_sample)
        deletion = Deletion().evaluate(MaskedModel(score), None, None, given)
        np.testing.assert_array_equal(table["deletion"][name].per_sample, deletion.per_sample)
    # By hand: the two largest of the first map are 4 and 1, of which the first is marked.
    assert table["token_f1"]["weights"].per_sample[0] == pytest.approx(2 * 0.5 * 1.0 / 1.5)
    standard = evaluate(MaskedModel(score), None, None, maps, "all", masks=RATIONALES, replicates=0)
    assert "pointing_game" in standard.metrics and "masks" not in str(standard.skipped)


def test_maps_of_different_lengths_need_no_model() -> None:
    maps = {"weights": WEIGHTS, "constant": "constant", "random": "random"}
    table = evaluate(None, None, None, maps, ["token_f1", "sparseness", "localization_auroc"], masks=RATIONALES, replicates=0)
    for sample, (of, marked) in enumerate(zip(WEIGHTS, RATIONALES)):
        alone = evaluate(None, None, None, {"weights": [of]}, ["token_f1", "sparseness"], masks=[marked], replicates=0)
        for metric in ("token_f1", "sparseness"):
            np.testing.assert_array_equal(table[metric]["weights"].per_sample[sample], alone[metric]["weights"].per_sample[0])
    value = Sparseness().evaluate(WEIGHTS)
    np.testing.assert_array_equal(value.per_sample, table["sparseness"]["weights"].per_sample)
    everything = evaluate(None, None, None, maps, "all", replicates=0)
    assert "complexity" in everything.metrics
    assert everything.skipped["deletion"] == "needs model, inputs, targets"
    shares = [np.array(of) * 0.5 for of in RATIONALES]
    mae = evaluate(None, None, None, {"weights": RATIONALES}, ["mask_mae"], masks=shares, replicates=0)
    np.testing.assert_allclose(mae["mask_mae"]["weights"].per_sample, [0.5 / 3, 1.0 / 5, 0.5 / 3, 0.5])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"masks": RATIONALES[:3]}, r"masks: expected one of 4 samples, as weights, got 3"),
        ({"masks": [[1, 0], *RATIONALES[1:]]}, r"masks\[0\]: expected 3 values, as weights, got 2"),
        ({"masks": [[[1, 0, 0]], *RATIONALES[1:]]}, r"masks\[0\]: expected one value per feature, got shape \(1, 3\)"),
        ({"layout": "tabular"}, "layout: expected None for maps of different sizes"),
        ({"metrics": ["deletion"]}, "deletion: needs model, inputs, targets"),
        ({"metrics": ["token_f1"]}, "token_f1: needs masks"),
        ({"baseline": 0.0}, "baseline: expected None"),
        ({"explainers": {"a": WEIGHTS, "b": "edges"}}, r"explainers\['b'\]: expected maps, .* 'random', 'constant', 'occlusion'; got 'edges'"),
        ({"explainers": {"a": WEIGHTS, "b": ("random", {"step": 1})}}, "random: has no option 'step'; it has seed"),
        ({"explainers": {"a": WEIGHTS, "b": "occlusion"}}, "model: needed by the reference explainer 'occlusion'"),
    ],
)
def test_what_is_wrong_with_maps_of_different_lengths_is_named(how: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"explainers": {"weights": WEIGHTS}, "metrics": ["sparseness"], **how}
    with pytest.raises((TypeError, ValueError), match=message):
        evaluate(None, None, None, **given)


def test_reference_explainers_of_a_masked_model() -> None:
    explainers = {"weights": WEIGHTS, "occlusion": "occlusion", "random": "random", "other": ("random", {"seed": 2})}
    table = evaluate(MaskedModel(score), None, None, explainers, ["comprehensiveness", "complexity"], replicates=0)
    # The fall of the score without a feature of a sum is its weight.
    for metric in table.metrics:
        np.testing.assert_allclose(table[metric]["occlusion"].per_sample, table[metric]["weights"].per_sample)
    assert (table["complexity"]["random"].per_sample[:3] != table["complexity"]["other"].per_sample[:3]).all()
    again = evaluate(MaskedModel(score), None, None, explainers, ["complexity"], replicates=0)
    np.testing.assert_array_equal(again["complexity"]["random"].per_sample, table["complexity"]["random"].per_sample)
    # Of two classes the fall is that of the target, predicted or given, after the activation.
    model = MaskedModel(classes, n_features=[3, 5, 3, 1])
    found = evaluate(model, None, None, {"occlusion": "occlusion"}, ["completeness"], activation="softmax", replicates=0)
    assert found.assumed["targets"] == "the class of the largest output"
    for targets, signs in (([1, 1, 1, 1], [1, 1, 1, 1]), (["no", "yes", "no", "yes"], [-1, 1, -1, 1])):
        labelled = MaskedModel(classes, labels=["no", "yes"])
        maps = {"weights": [sign * of for sign, of in zip(signs, WEIGHTS)], "occlusion": "occlusion"}
        of = evaluate(labelled, None, targets, maps, ["faithfulness_estimate(correlation=pearson)", "complexity"], replicates=0)
        np.testing.assert_allclose(of["complexity"]["occlusion"].per_sample, of["complexity"]["weights"].per_sample)
    with pytest.raises(ValueError, match=r"targets\[0\]: 'maybe' is no label of the model; its labels are 'no', 'yes'"):
        evaluate(MaskedModel(classes, labels=["no", "yes"]), None, ["maybe"] * 4, {"a": WEIGHTS}, ["deletion"])


def test_calls_of_occlusion_are_planned() -> None:
    explainers = {"weights": WEIGHTS, "occlusion": "occlusion"}
    for metrics in (["comprehensiveness"], ["complexity"]):
        planned = planned_calls(MaskedModel(score), explainers, metrics)
        unlimited = MaskedModel(score)
        evaluate(unlimited, None, None, explainers, metrics, replicates=0)
        assert unlimited.n_calls <= planned + 1
        with pytest.raises(ValueError, match="max_calls"):
            evaluate(MaskedModel(score, max_calls=planned - 1), None, None, explainers, metrics, replicates=0)
        enough = MaskedModel(score, max_calls=planned + 1)
        evaluate(enough, None, None, explainers, metrics, replicates=0)
    assert planned_calls(MaskedModel(score), {"o": "occlusion", "w": WEIGHTS}, ["complexity"]) == 4 + 3 + 5 + 3 + 1


CLS, SEP, PAD, MASK = 1, 2, 0, 3
IDS = np.array([[CLS, 5, 8, SEP, PAD, PAD], [CLS, 6, 7, 9, 4, SEP], [CLS, 4, SEP, PAD, PAD, PAD]])
ATTENDED = (IDS != PAD).astype(int)
SPECIAL = np.isin(IDS, (CLS, SEP, PAD)).astype(int)
TOKEN_WEIGHTS = np.array([0.0, 0.5, -0.5, 0.0, 1.0, 2.0, -1.0, 3.0, -2.0, 0.5])
TOKEN_MAPS = [TOKEN_WEIGHTS[row][special == 0] for row, special in zip(IDS, SPECIAL)]


def tokens_model(input_ids: Any, attention_mask: Any) -> Any:
    total = (TOKEN_WEIGHTS[np.asarray(input_ids).astype(int)] * attention_mask).sum(axis=1)
    return np.column_stack([-total, total])


def test_special_tokens_are_no_features_if_their_mask_is_given() -> None:
    inputs = {"input_ids": IDS, "attention_mask": ATTENDED, "special_tokens_mask": SPECIAL}
    targets = np.array([1, 1, 1])

    def dense(special: bool) -> Any:
        return TOKEN_WEIGHTS[IDS] * (ATTENDED if special else 1 - SPECIAL)

    def of(maps: Any, **how: Any) -> Any:
        metric = Comprehensiveness(steps=[1.0], baseline=MASK)
        return evaluate(tokens_model, inputs, targets, {"a": maps, "occlusion": "occlusion"}, [metric], baseline=MASK, replicates=0, **how)

    table = of(TOKEN_MAPS)
    assert table.assumed["features"] == "the positions of the attention mask, the others are special tokens and padding"
    # All words are removed, and special tokens stay: 2 − 2, −1 + 3 + 0.5 + 1, 1.
    np.testing.assert_allclose(table["comprehensiveness"]["a"].per_sample, [0.0, 3.5, 1.0], atol=1e-12)
    np.testing.assert_allclose(table["comprehensiveness"]["occlusion"].per_sample, [0.0, 3.5, 1.0], atol=1e-12)
    attended = [TOKEN_WEIGHTS[row][mask == 1] for row, mask in zip(IDS, ATTENDED)]
    for same in (attended, dense(False), dense(True), [row.tolist() for row in TOKEN_MAPS], np.array(TOKEN_MAPS, dtype=object)):
        np.testing.assert_array_equal(of(same)["comprehensiveness"]["a"].per_sample, table["comprehensiveness"]["a"].per_sample)
    counted = of(attended, special_tokens=True)
    assert counted.assumed["features"] == "the positions of the attention mask, the others are padding"
    np.testing.assert_allclose(counted["comprehensiveness"]["a"].per_sample, [0.0 + 0.5 - 0.5, 3.5, 1.0], atol=1e-12)
    np.testing.assert_array_equal(base_scores(tokens_model, inputs, targets), tokens_model(IDS, ATTENDED)[:, 1])
    with pytest.raises(ValueError, match=r"explainers\['a'\]\[0\]: expected 2 or 4 or 6 values, one per feature or position, got 3"):
        of([[1.0, 2.0, 3.0], *TOKEN_MAPS[1:]])


def test_rationales_of_tokens_are_of_different_lengths_too() -> None:
    inputs = {"input_ids": IDS, "attention_mask": ATTENDED, "special_tokens_mask": SPECIAL}
    rationales = [[1, 0], [0, 1, 0, 1], [1]]
    asked = ["token_f1(k=1)", "deletion", "sparseness"]
    table = evaluate(tokens_model, inputs, [1, 1, 1], {"a": TOKEN_MAPS}, asked, masks=rationales, baseline=MASK, replicates=0)
    value = TokenF1(k=1).evaluate(TOKEN_MAPS, rationales)
    np.testing.assert_array_equal(table["token_f1"]["a"].per_sample, value.per_sample)


class Captum:
    """An explainer with the interface of Captum, for tokens and their embedding."""

    def __init__(self, forward_func: Any, n_elements: int | None = None) -> None:
        self.forward_func = forward_func
        self.n_elements = n_elements

    def attribute(self, inputs: Any, target: Any = None, additional_forward_args: Any = None, n_steps: int = 50) -> Any:
        scores = self.forward_func(inputs, *(additional_forward_args or ()))
        assert scores.shape == (len(inputs), 2) and n_steps == 5
        maps = TOKEN_WEIGHTS[np.asarray(inputs).astype(int)] * np.where(target == 1, 1.0, -1.0)[:, None]
        return maps if self.n_elements is None else np.repeat(maps[..., None], self.n_elements, axis=-1)


def test_explainers_of_captum_are_given_inputs_by_name() -> None:
    seen: list[Any] = []

    def forward(input_ids: Any, token_type_ids: Any = None, attention_mask: Any = None) -> Any:
        seen.append(token_type_ids)
        # As models of transformers answer.
        return SimpleNamespace(logits=tokens_model(input_ids, attention_mask))

    inputs = {"input_ids": IDS, "attention_mask": ATTENDED}
    explainers = {
        "flat": (Captum(forward), {"n_steps": 5}),
        "layer": (Captum(forward, 4), {"n_steps": 5}),
        "maps": TOKEN_WEIGHTS[IDS] * ATTENDED,
    }
    table = evaluate(tokens_model, inputs, [1, 1, 1], explainers, ["deletion"], baseline=MASK, replicates=0)
    for name in ("flat", "layer"):
        np.testing.assert_allclose(table["deletion"][name].per_sample, table["deletion"]["maps"].per_sample)
    assert table.assumed["maps of layer"] == "summed over the elements of the embedding"
    assert seen == [None, None] and "maps of flat" not in table.assumed
    reversed_inputs = {"attention_mask": ATTENDED, "input_ids": IDS}
    with pytest.raises(ValueError, match="captum explains the first argument of the model, 'input_ids'"):
        explain(tokens_model, reversed_inputs, [1, 1, 1], (Captum(forward), {"n_steps": 5}))


def test_arguments_between_those_of_captum_have_their_defaults() -> None:
    inputs = {"input_ids": np.array([[4, 5], [5, 6]]), "attention_mask": np.ones((2, 2), int)}

    seen: list[float] = []

    def forward(input_ids: Any, scale: float = 2.0, attention_mask: Any = None) -> Any:
        seen.append(scale)
        return tokens_model(input_ids, attention_mask)

    def required(input_ids: Any, scale: Any, attention_mask: Any) -> Any:
        raise AssertionError

    def named(input_ids: Any, *, attention_mask: Any) -> Any:
        raise AssertionError

    def maps(function: Any) -> Any:
        return explain(tokens_model, inputs, [1, 1], (Captum(function), {"n_steps": 5}))

    maps(forward)
    assert seen == [2.0]
    with pytest.raises(ValueError, match="inputs: the model needs 'scale', too, which comes before 'attention_mask'"):
        maps(required)
    with pytest.raises(ValueError, match="inputs: captum .* positional arguments, and 'attention_mask' takes only a name"):
        maps(named)


class TextClassificationPipeline:
    """A pipeline with the interface of transformers, over the words of a small language."""

    __module__ = "transformers.pipelines.text_classification"
    vocabulary = ("[PAD]", "[CLS]", "[SEP]", "[MASK]", "a", "good", "bad", "great", "poor", "film")

    def __init__(self, **postprocess: Any) -> None:
        config = SimpleNamespace(id2label={0: "NEGATIVE", 1: "POSITIVE"}, problem_type=None, max_position_embeddings=8)
        self.model = Model(config)
        self.tokenizer = Tokenizer(self.vocabulary)
        self._preprocess_params: dict[str, Any] = {}
        self._postprocess_params = postprocess

    def __call__(self, texts: list[str], top_k: int | None = 1) -> Any:
        encoded = self.tokenizer(texts, padding=True)
        logits = self.model(encoded["input_ids"], encoded["attention_mask"]).logits
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        rows = [[{"label": self.model.config.id2label[i], "score": p} for i, p in enumerate(row)] for row in shares]
        return [sorted(row, key=lambda entry: -entry["score"])[:top_k] for row in rows]


class Model:
    def __init__(self, config: Any) -> None:
        self.config = config

    def __call__(self, input_ids: Any, attention_mask: Any) -> Any:
        return SimpleNamespace(logits=tokens_model(input_ids, attention_mask))


class Tokenizer:
    mask_token, mask_token_id = "[MASK]", MASK

    def __init__(self, vocabulary: Any) -> None:
        self.ids = {word: index for index, word in enumerate(vocabulary)}

    def __call__(self, texts: Any, **how: Any) -> Any:
        if isinstance(texts, str):
            found = list(Words.of(texts).offsets)
            return {"offset_mapping": [(0, 0), *found, (0, 0)], "special_tokens_mask": [1, *([0] * len(found)), 1]}
        rows = [[CLS, *(self.ids[word] for word in text.split()), SEP] for text in texts]
        ids = np.array([row + [PAD] * (max(map(len, rows)) - len(row)) for row in rows])
        return {"input_ids": ids, "attention_mask": (ids != PAD) * 1, "special_tokens_mask": np.isin(ids, (PAD, CLS, SEP)) * 1}


TEXTS = ["good film", "a bad great film", "poor film"]


def test_a_pipeline_is_evaluated_on_the_tokens_of_its_tokenizer() -> None:
    pipeline = TextClassificationPipeline()
    tokens = pipeline.tokenizer(TEXTS)
    answered = np.array([[entry["score"] for entry in sorted(row, key=lambda e: e["label"])] for row in pipeline(TEXTS, top_k=None)])
    labels = ["POSITIVE", "POSITIVE", "NEGATIVE"]
    columns = np.array([1, 1, 0])
    np.testing.assert_allclose(base_scores(pipeline, TEXTS, labels), answered[np.arange(3), columns])
    signs = np.where(columns == 1, 1.0, -1.0)
    maps = [sign * TOKEN_WEIGHTS[[pipeline.tokenizer.ids[word] for word in text.split()]] for sign, text in zip(signs, TEXTS)]
    explainers = {"mine": maps, "occlusion": "occlusion", "random": "random"}
    asked = ["deletion", "comprehensiveness", "token_f1(k=1)"]
    rationales = [[1, 0], [0, 1, 1, 0], [1, 0]]
    table = evaluate(pipeline, TEXTS, labels, explainers, asked, masks=rationales, replicates=0)
    assert table.assumed["baseline"] == "3, [MASK] of the tokenizer"
    assert table.assumed["activation"] == "softmax, as the pipeline applies"
    assert table.assumed["features"] == "the positions of the attention mask, the others are special tokens and padding"
    same = evaluate(
        tokens_model, tokens, columns, explainers, asked, masks=rationales, baseline=MASK, activation="softmax", replicates=0
    )
    for metric in table.metrics:
        for name in explainers:
            np.testing.assert_allclose(table[metric][name].per_sample, same[metric][name].per_sample)
    value = Deletion().evaluate(pipeline, TEXTS, columns, maps)
    np.testing.assert_array_equal(value.per_sample, table["deletion"]["mine"].per_sample)
    given = evaluate(pipeline, np.array(TEXTS), None, {"mine": maps}, ["deletion"], baseline=PAD, replicates=0)
    assert "baseline" not in given.assumed
    maps_of_tokens = explain(pipeline, TEXTS, columns, "occlusion")
    assert maps_of_tokens.shape == tokens["input_ids"].shape and (maps_of_tokens[tokens["special_tokens_mask"] == 0] != 0.0).any()


def test_activations_and_errors_of_a_pipeline() -> None:
    raw = TextClassificationPipeline(function_to_apply="none")
    expected = tokens_model(**{k: v for k, v in raw.tokenizer(TEXTS).items() if k != "special_tokens_mask"})
    np.testing.assert_allclose(base_scores(raw, TEXTS, [0, 1, 0]), expected[np.arange(3), [0, 1, 0]])
    pipeline = TextClassificationPipeline()
    with pytest.raises(ValueError, match=r"targets\[1\]: 'FINE' is no label of the model; its labels are 'NEGATIVE', 'POSITIVE'"):
        base_scores(pipeline, TEXTS, ["POSITIVE", "FINE", "POSITIVE"])
    with pytest.raises(TypeError, match="inputs: expected several texts, got one"):
        base_scores(pipeline, "good film", None)
    with pytest.raises(TypeError, match=r"inputs\[0\]: expected a text, got list"):
        base_scores(pipeline, [[1, 2]], None)
    with pytest.raises(ValueError, match=r"inputs\[1\]: the text has 12 tokens, and the model takes 8; make the pipeline with trunc"):
        base_scores(pipeline, ["good film", "a " * 10], None)
    pipeline.tokenizer.model_max_length = 3  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"inputs\[1\]: the text has 6 tokens, and the model takes 3"):
        base_scores(pipeline, ["film", "a bad great film"], None)
    with pytest.raises(TypeError, match="model: a pipeline is evaluated by evaluate"):
        evaluate_stream(pipeline, [TEXTS], {"a": "random"}, ["deletion"])


def test_words_are_the_features_of_a_text_model_of_a_pipeline() -> None:
    pipeline = TextClassificationPipeline()
    model = text_model(pipeline, TEXTS, mask="[MASK]")
    pipeline.tokenizer.ids["[MASK]"] = MASK
    maps = [[2.0, 0.5], [1.0, -1.0, 3.0, 0.5], [-2.0, 0.5]]
    table = evaluate(model, None, ["POSITIVE"] * 3, {"weights": maps, "occlusion": "occlusion"}, ["deletion"], replicates=0)
    assert table["deletion"].ranking[0] in ("occlusion", "weights") and table.n_samples == 3
    words = Words.of_tokens("a good film", pipeline.tokenizer)
    assert words.words == ["a", "good", "film"]
    with pytest.raises(TypeError, match="tokenizer: expected a fast tokenizer"):
        Words.of_tokens("a", SimpleNamespace(is_fast=False))


@pytest.mark.parametrize("kind", ["pipeline", "words"])
def test_targets_and_maps_follow_the_index_of_texts(kind: str) -> None:
    pd = pytest.importorskip("pandas")
    pipeline = TextClassificationPipeline()
    texts = pd.Series(["good film", "bad film"], index=[5, 3])
    targets = pd.Series(["NEGATIVE", "POSITIVE"], index=[3, 5])
    maps = pd.DataFrame([[-1.0, 0.0], [2.0, 0.5]], index=[3, 5])
    model, inputs = (pipeline, texts) if kind == "pipeline" else (text_model(pipeline, texts), None)
    table = evaluate(model, inputs, targets, {"m": maps}, ["deletion"], replicates=0)
    ordered = (pipeline, list(texts)) if kind == "pipeline" else (text_model(pipeline, list(texts)), None)
    same = evaluate(*ordered, ["POSITIVE", "NEGATIVE"], {"m": [[2.0, 0.5], [-1.0, 0.0]]}, ["deletion"], replicates=0)
    np.testing.assert_array_equal(table["deletion"]["m"].per_sample, same["deletion"]["m"].per_sample)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one", "texts: expected several texts, got one"),
        ({"text": ["good"]}, "texts: expected a list of texts, got dict; give one column of a table"),
        (np.array([["good"]]), "texts: expected a list of texts, got ndarray"),
        ([None, "good"], r"texts\[0\]: expected a text, got NoneType"),
        (["good", float("nan")], r"texts\[1\]: expected a text, got float"),
    ],
)
def test_other_values_than_texts_are_refused(texts: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        text_model(len, texts)  # type: ignore[arg-type]


def test_colours_mean_the_same_everywhere() -> None:
    page = color_text("good bad film", [1.0, -0.5, 0.0])._repr_html_()
    good, bad, film = page.split("<span")[1:]
    assert f"background:{POSITIVE}99" in good and "solid" in good
    assert f"background:{NEGATIVE}4c" in bad and "dotted" in bad
    assert "border" not in film
    report = evaluate(None, None, None, {"a": [[1.0, 2.0]]}, ["sparseness"]).report().html
    assert f"--for: {POSITIVE}; --against: {NEGATIVE}" in report
    matplotlib = pytest.importorskip("matplotlib")
    from xai_metrics._results import DIVERGING

    low, middle, high = (matplotlib.colormaps[DIVERGING](share)[:3] for share in (0.1, 0.5, 0.9))
    # Colour maps are interpolated.
    np.testing.assert_allclose([high, low], [matplotlib.colors.to_rgb(POSITIVE), matplotlib.colors.to_rgb(NEGATIVE)], atol=0.01)
    assert min(middle) > 0.95


def test_words_and_tokens_are_coloured() -> None:
    assert str(color_text(["good", "film"], [1.0, 0.0])) == "good(+1) film(+0)"
    assert str(color_text(np.array(["not", "##s o"]), [1.0, -2.0])) == "not(+1) ##s o(-2)"
    with pytest.raises(ValueError, match="attributions: expected 2, one per word, got 1"):
        color_text(("good", "film"), [1.0])
    with pytest.raises(ValueError, match=r"attributions\[1\]: expected a finite number, got nan"):
        color_text(("good", "film"), [1.0, np.nan])
    for text in ([1, 2], 5, [["good"], ["film"]]):
        with pytest.raises(TypeError, match="text: expected a text, its words, or one of the texts of a TextModel, got (int|list)"):
            color_text(text, [1.0, 0.0])  # type: ignore[arg-type]
