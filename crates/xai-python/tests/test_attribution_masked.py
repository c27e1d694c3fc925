"""A model of any modality, that is asked which features are kept."""

from __future__ import annotations

import errno
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xai_metrics.attribution import (
    AverageDrop,
    Comprehensiveness,
    Deletion,
    FaithfulnessEstimate,
    Infidelity,
    Irof,
    MaskedModel,
    MuFidelity,
    Sparseness,
    Words,
    color_text,
    evaluate,
    planned_calls,
    text_model,
)

WEIGHTS = [np.array([4.0, -0.5, 1.0]), np.array([0.25, 2.0, -1.0, 0.5, 3.0]), np.array([1.0, 1.5, -2.0]), np.array([2.0])]


def score(samples, kept):
    """The sum of the weights that are kept, and half the product of the first and the last."""
    answers = []
    for sample, row in zip(samples, kept):
        of = WEIGHTS[sample] * row
        answers.append(of.sum() + (0.5 * of[0] * of[-1] if len(of) > 1 else 0.0))
    return np.array(answers)


def test_each_sample_is_judged_as_if_it_were_alone():
    def only(sample):
        return lambda samples, kept: score(np.full(len(kept), sample), kept)

    for metric in (Deletion(), Comprehensiveness(), FaithfulnessEstimate(correlation="pearson"), Sparseness()):
        needs_model = "model" in metric.info.needs
        arguments = (MaskedModel(score), None, None, WEIGHTS) if needs_model else None
        if arguments is None:
            continue
        values = metric.evaluate(*arguments).per_sample
        for sample, weights in enumerate(WEIGHTS[:3]):
            alone = metric.evaluate(MaskedModel(only(sample)), None, None, [weights])
            assert values[sample] == alone.value, metric


def test_values_are_those_of_a_hand():
    # 4.5 + 2, −0.5 + 1 without the first, 1 without two, 0: areas under thirds.
    value = Deletion().evaluate(MaskedModel(score), None, None, WEIGHTS[:1])
    whole, first, two = 4.5 + 2.0, 0.5, -0.5
    assert value.value == pytest.approx((whole / 2 + first + two + 0.0) / 3)
    assert value.curve.n_features.tolist() == [0, 1, 2, 3]
    drop = Comprehensiveness(steps=[1]).evaluate(MaskedModel(score), None, None, WEIGHTS[:1])
    assert drop.value == pytest.approx(whole - first)


def test_features_of_a_masked_model_are_the_segments_of_irof():
    positive = MaskedModel(lambda samples, kept: score(samples, kept) + 4.0)
    values = Irof().evaluate(positive, None, None, WEIGHTS).per_sample
    # 10.5, 4.5, 3.5 and 4 without 0 to 3 features, as a share of the first.
    assert values[0] == pytest.approx(1 - ((10.5 + 4.0) / 2 + 4.5 + 3.5) / 3 / 10.5)
    with pytest.raises(ValueError, match="needs segments"):
        Irof().evaluate(lambda x: x, [[1.0, 2.0]], [0], [[1.0, 2.0]])


def test_given_subsets_are_of_each_sample():
    by_sample = [[[0], [1], [2]], [[0, 1], [1, 4], [2, 3]], [[0], [1], [2]], [[0], [0], [0]]]
    subsets = [[of_sample[draw] for of_sample in by_sample] for draw in range(3)]
    model, maps = MaskedModel(score), [w + 0.1 for w in WEIGHTS]
    fidelity = MuFidelity(draws=subsets, correlation="pearson").evaluate(model, None, None, maps).per_sample
    errors = Infidelity(draws=subsets).evaluate(model, None, None, maps).per_sample
    for sample, of_sample in enumerate(by_sample):
        sums = np.array([maps[sample][of].sum() for of in of_sample])
        whole = np.ones(len(maps[sample]), dtype=bool)
        removed = np.tile(whole, (len(of_sample), 1))
        for row, of in zip(removed, of_sample):
            row[of] = False
        drops = score([sample], whole[None])[0] - score([sample] * len(removed), removed)
        assert errors[sample] == pytest.approx(np.mean((sums - drops) ** 2))
        if sample < 3:
            assert fidelity[sample] == pytest.approx(np.corrcoef(sums, drops)[0, 1])
    assert np.isnan(fidelity[3])
    with pytest.raises(ValueError, match=r"draws\[1\]\[2\]: expected 1 features, as draws\[0\]\[0\]"):
        MuFidelity(draws=[subsets[0], [*subsets[1][:2], [0, 1], [0]]]).evaluate(model, None, None, maps)
    with pytest.raises(ValueError, match=r"draws\[0\]\[0\]: expected features of 0 to 2"):
        MuFidelity(draws=[[[3], *subsets[0][1:]], *subsets[1:]]).evaluate(model, None, None, maps)
    with pytest.raises(ValueError, match=r"draws\[0\]: expected the features of each of 4 samples.* swap the first two axes"):
        MuFidelity(draws=by_sample).evaluate(model, None, None, maps)


def test_draws_are_the_first_axis_as_they_are_for_models_of_inputs():
    rng = np.random.default_rng(0)
    # As many draws as samples: a transposed array would be read without a word if the axes were not these.
    weights, draws = rng.normal(size=(4, 6)), np.array([[rng.permutation(6)[:2] for _ in range(4)] for _ in range(4)])

    def of_masks(samples, kept):
        return (kept * weights[samples]).sum(axis=1) + (kept[:, 0] & kept[:, 1])

    maps = rng.normal(size=(4, 6))
    metric = MuFidelity(draws=draws, correlation="pearson")
    masked = metric.evaluate(MaskedModel(of_masks), None, None, list(maps)).per_sample
    for sample in range(4):
        model = MaskedModel(lambda _, kept, i=sample: of_masks(np.full(len(kept), i), kept))
        alone = MuFidelity(draws=draws[:, [sample]], correlation="pearson")
        assert alone.evaluate(model, None, None, [maps[sample]]).value == masked[sample]
        sums = maps[sample][draws[:, sample]].sum(axis=1)
        kept = np.ones((4, 6), dtype=bool)
        np.put_along_axis(kept, draws[:, sample], False, axis=1)
        drops = of_masks(np.full(4, sample), np.ones((4, 6), dtype=bool)) - of_masks(np.full(4, sample), kept)
        assert masked[sample] == pytest.approx(np.corrcoef(sums, drops)[0, 1])


def test_a_table_of_explainers_has_curves_where_numbers_of_features_are_equal():
    maps = {"weights": WEIGHTS, "size": [np.abs(w) for w in WEIGHTS]}
    table = evaluate(MaskedModel(score), None, None, maps, "standard")
    assert table.n_samples == 4 and {"deletion", "mu_fidelity", "sparseness"} <= set(table.metrics)
    assert "gives features other values" in table.skipped["average_drop"]
    same = {name: [of[0], of[2]] for name, of in maps.items()}
    pairs = [0, 2]
    equal = evaluate(MaskedModel(lambda i, kept: score([pairs[j] for j in i], kept)), None, None, same, ["deletion"])
    assert len(equal["deletion"]["weights"].curve.scores) == 4
    assert table["deletion"]["weights"].curve is None
    everything = evaluate(MaskedModel(score), None, None, maps, "all")
    assert len(everything.metrics) > 20 and "masks" in everything.skipped["pointing_game"]


def test_targets_are_read_from_several_outputs():
    def classes(samples, kept):
        of = score(samples, kept)
        return np.stack([of, -of], axis=1)

    first = Deletion().evaluate(MaskedModel(classes), None, [0, 0, 0, 0], WEIGHTS)
    mixed = Deletion().evaluate(MaskedModel(classes), None, [0, 1, 0, 1], WEIGHTS)
    assert (mixed.per_sample == first.per_sample * [1, -1, 1, -1]).all()
    probabilities = Deletion().evaluate(MaskedModel(classes), None, [0, 1, 0, 1], WEIGHTS, activation="softmax")
    assert ((probabilities.per_sample > 0) & (probabilities.per_sample < 1)).all()


def test_a_stopped_run_goes_on_from_its_cache(tmp_path):
    path, asked = tmp_path / "answers.jsonl", []

    def failing(samples, kept):
        if len(asked) >= 2:
            raise ConnectionError("gone")
        asked.append(len(samples))
        return score(samples, kept)

    maps = {"weights": WEIGHTS, "size": [np.abs(w) for w in WEIGHTS]}
    metrics = ["deletion", "insertion", "mu_fidelity"]
    with pytest.raises(ConnectionError, match="gone"):
        evaluate(MaskedModel(failing, cache=path), None, None, maps, metrics)
    known = path.read_text().count("\n")
    assert known == sum(asked)
    # A line that was begun.
    with path.open("a") as file:
        file.write('{"sample": 0, "ke')
    model = MaskedModel(score, cache=path)
    table = evaluate(model, None, None, maps, metrics)
    expected = evaluate(MaskedModel(score), None, None, maps, metrics)
    for metric in metrics:
        for name in maps:
            np.testing.assert_array_equal(table[metric][name].per_sample, expected[metric][name].per_sample)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == known + model.n_calls
    assert len({(line["sample"], line["kept"]) for line in lines}) == len(lines)
    again = MaskedModel(score, cache=path, max_calls=0)
    assert evaluate(again, None, None, maps, metrics)["deletion"].ranking == expected["deletion"].ranking
    path.write_text("sample,kept\n")
    with pytest.raises(ValueError, match="line 1 of .* is no answer of a model"):
        MaskedModel(score, cache=path)


def test_an_answer_that_is_no_number_is_not_remembered(tmp_path):
    model = MaskedModel(lambda samples, kept: np.where(samples == 2, np.nan, 1.0), cache=tmp_path / "answers.jsonl")
    with pytest.raises(ValueError, match="sample 2 is not a finite number, and is not remembered"):
        Deletion().evaluate(model, None, None, WEIGHTS)
    assert "NaN" not in (tmp_path / "answers.jsonl").read_text()


def test_calls_are_planned_and_limited():
    maps = {"weights": WEIGHTS}
    planned = planned_calls(MaskedModel(score), maps, ["deletion", "insertion"])
    # d − 1 steps each way, and two ends: 2 (d − 1) + 2 for d = 3, 5, 3 and 1.
    assert planned == 6 + 10 + 6 + 2
    model = MaskedModel(score)
    evaluate(model, None, None, maps, ["deletion", "insertion"])
    assert model.n_calls == planned + 1
    limited = MaskedModel(score, max_calls=planned + 1)
    evaluate(limited, None, None, maps, ["deletion", "insertion"])
    with pytest.raises(ValueError, match="max_calls"):
        evaluate(limited, None, None, maps, ["deletion"])
    limited = MaskedModel(score, max_calls=planned)
    with pytest.raises(ValueError, match=f"max_calls = {planned}: expected at least {planned + 1}: the {planned} that the metrics ask"):
        evaluate(limited, None, None, maps, ["deletion", "insertion"])
    assert limited.n_calls == 0
    evaluate(limited, None, None, maps, ["deletion", "insertion"], allow_batch_dependence=True)
    assert limited.n_calls == planned
    remembering = MaskedModel(score, cache=True, max_calls=3)
    with pytest.raises(ValueError, match="above the limit of 3"):
        evaluate(remembering, None, None, maps, ["deletion"])
    assert remembering.n_calls <= 3


@pytest.mark.parametrize("metric", ["naopc", "comprehensiveness", "faithfulness-estimate", "irof", "log-odds"])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_no_metric_asks_more_than_it_may(metric, n_outputs):
    # NAOPC searches the orders of twenty features by beams: its calls cannot be planned.
    weights = [np.arange(20) * 7 % 11 + 0.5, np.array([1.0, 3.0, 2.0])]

    def function(samples, kept):
        of_rows = np.array([(weights[i] * row).sum() for i, row in zip(samples, kept)])
        return np.stack([of_rows, 1 - of_rows], axis=1)[:, :n_outputs] if n_outputs > 1 else of_rows

    unlimited = MaskedModel(function)
    evaluate(unlimited, None, None, {"a": weights}, [metric])
    for most in (0, 1, 2, 3, unlimited.n_calls // 2, unlimited.n_calls - 1):
        limited = MaskedModel(function, max_calls=most)
        with pytest.raises(ValueError, match="max_calls|above the limit"):
            evaluate(limited, None, None, {"a": weights}, [metric])
        assert limited.n_calls <= most
    # A plan counts the row that is asked alone, also where no call turns out to have several rows to compare it with.
    enough = MaskedModel(function, max_calls=unlimited.n_calls + 1)
    evaluate(enough, None, None, {"a": weights}, [metric])
    assert enough.n_calls == unlimited.n_calls


def test_answers_that_depend_on_the_batch_are_refused():
    with pytest.raises(ValueError, match="alone"):
        Deletion().evaluate(MaskedModel(lambda i, kept: kept.mean(axis=1) + len(kept)), None, None, WEIGHTS)


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (lambda: AverageDrop().evaluate(MaskedModel(score), None, None, WEIGHTS), "other values than their own"),
        (lambda: Deletion(baseline="mean").evaluate(MaskedModel(score), None, None, WEIGHTS), "asked without the feature"),
        (lambda: Deletion().evaluate(MaskedModel(score), WEIGHTS, None, WEIGHTS), "inputs: expected None"),
        (lambda: Deletion().evaluate(MaskedModel(score), None, None, [[1.0, np.nan]]), r"\[0, 1\]: not a finite number"),
        (lambda: Deletion().evaluate(MaskedModel(score), None, None, []), "empty"),
        (lambda: Deletion().evaluate(MaskedModel(score, [3, 4]), None, None, WEIGHTS[:2]), r"\[1\]: expected 4 attributions, as n_features"),
        (lambda: Deletion().evaluate(MaskedModel(lambda i, kept: [1.0, 2.0, 3.0, 4.0, 5.0]), None, None, WEIGHTS), "expected outputs of shape"),
        (lambda: evaluate(MaskedModel(score), None, None, {"a": "random"}, ["deletion"]), "unknown without maps"),
        (lambda: evaluate(MaskedModel(score), None, None, {"a": WEIGHTS, "b": WEIGHTS[:2]}, ["deletion"]), r"'b'.*maps of 4 samples"),
        (lambda: evaluate(MaskedModel(score), None, None, {"a": WEIGHTS}, ["pointing_game"]), "needs masks"),
        (lambda: MaskedModel(3), "expected a function"),
    ],
)
def test_what_is_wrong_is_told(run, told):
    with pytest.raises((TypeError, ValueError), match=told):
        run()


def test_targets_that_are_not_given_are_the_answers_of_the_model():
    def classes(samples, kept):
        of = score(samples, kept) - 3.0
        return np.stack([-of, of], axis=1)

    model = MaskedModel(classes)
    predicted = Deletion().evaluate(model, None, None, WEIGHTS)
    assert predicted.assumed["targets"] == "the class of the largest output"
    targets = [int(score([i], np.ones((1, len(w)), bool))[0] > 3.0) for i, w in enumerate(WEIGHTS)]
    assert sorted(set(targets)) == [0, 1]
    given = Deletion().evaluate(MaskedModel(classes), None, targets, WEIGHTS)
    np.testing.assert_array_equal(predicted.per_sample, given.per_sample)
    # Whole samples are asked once.
    assert model.n_calls <= planned_calls(model, {"a": WEIGHTS}, ["deletion"]) + 1


@pytest.mark.parametrize("targets", [None, [0, 0, 0, 0]])
@pytest.mark.parametrize("metric", ["deletion", "mu_fidelity", "complexity"])
def test_the_plan_has_every_row(metric, targets):
    def classes(samples, kept):
        return np.stack([score(samples, kept), -score(samples, kept)], axis=1)

    maps = {"a": WEIGHTS, "b": "occlusion"}
    model = MaskedModel(classes)
    planned = planned_calls(model, maps, [metric], targets=targets)
    evaluate(model, None, targets, maps, [metric], replicates=0)
    # With the row that shows whether answers depend on the batch.
    assert model.n_calls == planned + (metric != "complexity")


@pytest.mark.parametrize("kind", ["table", "column of arrays"])
def test_maps_and_masks_may_be_tables(kind):
    pd = pytest.importorskip("pandas")
    maps, masks = [[3.0, 1.0], [1.0, 2.0]], [[True, False], [True, False]]

    def given(rows):
        return pd.DataFrame(rows, columns=["a", "b"]) if kind == "table" else pd.Series(rows)

    model = MaskedModel(lambda samples, kept: kept.mean(axis=1))
    tables = evaluate(model, None, None, {"a": given(maps)}, ["token_f1(k=1)"], masks=given(masks), replicates=0)
    lists = evaluate(model, None, None, {"a": maps}, ["token_f1(k=1)"], masks=masks, replicates=0)
    assert tables["token_f1"]["a"].per_sample.tolist() == lists["token_f1"]["a"].per_sample.tolist() == [1.0, 0.0]


def test_names_are_texts_and_one_per_sample(tmp_path):
    pd = pytest.importorskip("pandas")
    file = tmp_path / "answers"

    def evaluated(names):
        model = MaskedModel(lambda samples, kept: kept.mean(axis=1), cache=file, names=names)
        evaluate(model, None, None, {"a": [[1.0, 2.0], [2.0, 1.0]]}, ["deletion"], replicates=0)
        return model.n_calls

    assert evaluated(pd.Series([10, 11, 12]).iloc[1:]) > 0
    assert evaluated(["11", "12"]) == 0
    model = MaskedModel(lambda samples, kept: kept.mean(axis=1), cache=True, names=["one"])
    with pytest.raises(ValueError, match="names: expected 2, one per sample, got 1"):
        evaluate(model, None, None, {"a": [[1.0, 2.0], [2.0, 1.0]]}, ["deletion"])
    assert model.n_calls == 0
    with pytest.raises(TypeError, match="names: expected one per sample, got the text 'ab'"):
        MaskedModel(len, names="ab")


def test_settings_of_masked_models_are_checked():
    model = MaskedModel(lambda samples, kept: kept.mean(axis=1))
    for maps, how, told in (
        ([[1.0, 2.0]], {"batch_size": 2.0}, "batch_size: expected a whole number, got 2.0"),
        (("random",), {}, r"explainers\['a'\]: expected a reference explainer with its options, .* got \('random',\)"),
    ):
        with pytest.raises(TypeError, match=told):
            evaluate(model, None, None, {"a": maps}, "deletion", **how)


def test_words_of_texts_are_removed_or_masked():
    text = Words.of("It's, well... a  fine-ish (short) film!", r"\w+")
    everything, nothing = np.ones(len(text.offsets), bool), np.zeros(len(text.offsets), bool)
    assert text.kept(everything) == text.text
    assert text.kept(nothing, "_").count("_") == len(text.words)
    assert not any(word in text.kept(nothing).split() for word in text.words)
    with pytest.raises(ValueError, match=r"texts\[1\]: no word"):
        text_model(len, ["one", "..."])


def test_a_pipeline_over_words_is_judged_by_its_own_weights():
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    kinds = [["good", "fine", "great"], ["bad", "poor", "dull"]]
    fill = ["the", "film", "was", "a", "plot", "scene", "actor", "score", "end", "music"]
    labels = rng.integers(0, 2, 120)
    texts = [
        " ".join(rng.permutation([*rng.choice(fill, rng.integers(4, 9)), *rng.choice(kinds[y], rng.integers(1, 4))]))
        for y in labels
    ]
    pipeline = make_pipeline(CountVectorizer(token_pattern=r"\w+"), LogisticRegression()).fit(texts, labels)
    model = text_model(pipeline.predict_proba, texts)
    words, weights = pipeline[0].vocabulary_, pipeline[1].coef_[0]
    sign = np.where(pipeline.predict(texts) == 1, 1.0, -1.0)
    own = [np.array([s * weights[words[w]] for w in of]) for s, of in zip(sign, model.words)]
    random = [rng.normal(size=len(of)) for of in model.words]
    with pytest.warns(UserWarning, match="maps of `reversed`: they seem to explain the other class"):
        table = evaluate(model, None, None, {"weights": own, "random": random, "reversed": [-of for of in own]})
    # The weights are those of class 1 before they are turned to the targets.
    of_one = [np.array([weights[words[w]] for w in of]) for of in model.words]
    said = evaluate(model, None, None, {"weights": of_one}, ["deletion"], replicates=0, explained_class=1)
    np.testing.assert_array_equal(said["deletion"]["weights"].per_sample, table["deletion"]["weights"].per_sample)
    assert "explained_class" not in said.assumed and "explained_class" in table.assumed
    for metric in ("deletion", "insertion", "symmetric_relevance_gain", "mu_fidelity"):
        assert table[metric].ranking == ["weights", "random", "reversed"]
    assert table["deletion"].is_better("weights", than="random")
    page = color_text(model.texts[0], own[0], "weights")._repr_html_()
    assert page.count("<span") == len(model.words[0]) and "aria-label" in page


def praise(texts: list[str]) -> list[int]:
    return [text.count("good") - text.count("bad") for text in texts]


def test_a_cache_of_texts_belongs_to_text_mask_pattern_and_model(tmp_path: Path) -> None:
    texts, others = ["a good film", "bad, bad food"], ["bad, bad food", "a good film"]
    maps, asked = [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], []

    def counting(texts: list[str]) -> list[int]:
        asked.extend(texts)
        return praise(texts)

    def values(texts: list[str], maps: Any, **how: Any) -> list[float]:
        asked.clear()
        model = text_model(counting, texts, cache=tmp_path / "answers", **how)
        return Comprehensiveness(steps=[1]).evaluate(model, None, None, maps).per_sample.tolist()

    for of, of_maps in ((texts, maps), (others, maps[::-1]), (["a good good film"] * 2, [[0.0, 1.0, 0.0, 0.0]] * 2)):
        fresh = text_model(praise, of)
        expected = Comprehensiveness(steps=[1]).evaluate(fresh, None, None, of_maps).per_sample.tolist()
        assert values(of, of_maps) == expected
        assert bool(asked) == (of is not others)  # the same texts, in another order
        assert values(of, of_maps) == expected and not asked
    for how in ({"mask": "bad"}, {"pattern": r"\S+"}, {"name": "another model"}):
        fresh = text_model(praise, texts, **{k: v for k, v in how.items() if k != "name"})
        expected = Comprehensiveness(steps=[1]).evaluate(fresh, None, None, maps).per_sample.tolist()
        assert values(texts, maps, **how) == expected and asked


def test_a_cache_file_needs_the_name_of_a_model_that_has_none(tmp_path: Path) -> None:
    class Classifier:
        def __init__(self, weight: float) -> None:
            self.weight = weight

        def predict_proba(self, texts: list[str]) -> Any:
            return [self.weight * len(text) for text in texts]

    file, texts = tmp_path / "answers", ["a good film"]
    for model, kind in ((Classifier(1.0).predict_proba, "Classifier"), (lambda texts: [len(text) for text in texts], "lambda")):
        with pytest.raises(ValueError, match=f'name: needed with a cache file, because nothing tells this .*{kind}.*give name="'):
            text_model(model, texts, cache=file)
        # In memory the answers are those of one model.
        text_model(model, texts, cache=True)
    values = [
        text_model(Classifier(weight).predict_proba, texts, cache=file, name=f"weight {weight}")._outputs(
            np.array([0]), np.ones((1, 3), dtype=bool)
        )
        for weight in (1.0, 2.0)
    ]
    assert values[1] == 2 * values[0]


def test_one_metric_of_a_masked_model_says_its_ties() -> None:
    model = MaskedModel(lambda samples, kept: kept.sum(axis=1))
    maps = [[1.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0]]
    table = evaluate(model, None, None, {"explanations": maps}, ["deletion"], replicates=0)
    alone = Deletion().evaluate(model, None, None, maps)
    assert alone.assumed["ties"] == table.assumed["ties"]
    assert alone.assumed["ties"].startswith("86 % of the features of `explanations` have the same attribution as another one")


def test_a_full_disk_leaves_whole_answers_and_forgets_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, asked = tmp_path / "answers", []

    def score(samples: Any, kept: Any) -> Any:
        asked.extend(samples.tolist())
        return kept.mean(axis=1)

    model = MaskedModel(score, [2, 2], cache=file)
    rows = np.array([[True, False], [True, True]])
    model._outputs(np.array([0, 1]), rows)
    before, space = file.read_bytes(), [20]

    class Full(io.FileIO):
        def write(self, content: Any) -> int:
            n = min(len(content), space[0])
            space[0] -= n
            if n == 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(bytes(content[:n]))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda self, mode, buffering: Full(self, mode))
        with pytest.raises(OSError, match="No space left"):
            model._outputs(np.array([0]), rows[1:])
    assert file.read_bytes() == before
    # The answer is known, and is written with the next one.
    asked.clear()
    assert model._outputs(np.array([0]), rows[1:]).tolist() == [[1.0]] and not asked
    model._outputs(np.array([1]), rows[:1])
    assert file.read_bytes().startswith(before) and file.read_bytes().count(b"\n") == 4
    again = MaskedModel(score, [2, 2], cache=file)
    asked.clear()
    again._outputs(np.array([0, 1, 0, 1]), rows[[0, 1, 1, 0]])
    assert not asked


def test_a_torn_last_line_of_a_cache_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    rows = np.array([[True, False], [True, True]])
    MaskedModel(lambda samples, kept: kept.mean(axis=1), [2, 2], cache=file)._outputs(np.array([0, 1]), rows)
    whole = file.read_bytes()
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        model = MaskedModel(lambda samples, kept: kept.mean(axis=1), [2, 2], cache=file)
        assert model._outputs(np.array([0, 1]), rows).tolist() == [[0.5], [1.0]]
        assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())

