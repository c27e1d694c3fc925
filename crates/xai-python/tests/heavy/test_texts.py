"""A pipeline of transformers over a tiny BERT with random weights, and explainers of its tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import Comprehensiveness, Deletion, Words, base_scores, color_text, evaluate, explain, text_model

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "good", "bad", "film", "not", "very", "music", "##s"]
TEXTS = ["a good film", "not bad films", "very very bad music", "good"]
LABELS = ["POSITIVE", "POSITIVE", "NEGATIVE", "NEGATIVE"]
COLUMNS = np.array([1, 1, 0, 0])
N_TOKENS = [3, 4, 4, 1]
METRICS = "deletion(steps=all), comprehensiveness, sparseness"


@pytest.fixture(scope="module")
def pipeline() -> Any:
    torch.manual_seed(3)
    tokenizer = transformers.BertTokenizer(vocab={word: index for index, word in enumerate(WORDS)})
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        initializer_range=1.0,
        id2label={0: "NEGATIVE", 1: "POSITIVE"},
        label2id={"NEGATIVE": 0, "POSITIVE": 1},
    )
    model = transformers.BertForSequenceClassification(config).eval()
    return transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)


def answers(pipeline: Any, texts: list[str]) -> Any:
    rows = [sorted(row, key=lambda entry: entry["label"]) for row in pipeline(texts, top_k=None)]
    return np.array([[entry["score"] for entry in row] for row in rows])


def by_hand(pipeline: Any, removed: list[list[int]]) -> Any:
    """Scores of the labels without some words, which the mask token stands for."""
    masked = []
    for text, positions in zip(TEXTS, removed):
        tokens = pipeline.tokenizer.tokenize(text)
        masked.append(" ".join("[MASK]" if index in positions else token for index, token in enumerate(tokens)))
    return answers(pipeline, [text.replace(" ##", "") for text in masked])[np.arange(len(TEXTS)), COLUMNS]


def test_a_pipeline_is_scored_as_it_answers(pipeline: Any) -> None:
    expected = answers(pipeline, TEXTS)[np.arange(4), COLUMNS]
    np.testing.assert_allclose(base_scores(pipeline, TEXTS, LABELS), expected, rtol=1e-4)
    sizes = [list(range(n)) for n in N_TOKENS]
    # Without any word there are only special tokens and masks.
    maps = [np.arange(n, 0, -1.0) for n in N_TOKENS]
    table = evaluate(pipeline, TEXTS, LABELS, {"mine": maps, "random": "random"}, "comprehensiveness(steps=1.0)", replicates=0)
    drops = expected - by_hand(pipeline, sizes)
    np.testing.assert_allclose(table["comprehensiveness"]["mine"].per_sample, drops, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(table["comprehensiveness"]["random"].per_sample, drops, rtol=1e-3, atol=1e-5)
    assert table.assumed["baseline"] == "4, [MASK] of the tokenizer"
    assert table.assumed["features"] == "the positions of the attention mask, the others are special tokens and padding"


def test_explainers_of_tokens_in_one_table(pipeline: Any) -> None:
    attr = pytest.importorskip("captum.attr")
    bert = pipeline.model
    method = attr.LayerIntegratedGradients(bert, bert.bert.embeddings)
    rationales = [[0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1]]
    explainers = {
        "integrated gradients": (method, {"n_steps": 30, "baselines": pipeline.tokenizer.mask_token_id}),
        "occlusion": "occlusion",
        "random": "random",
        "lengths": [np.arange(n + 2.0) for n in N_TOKENS],
    }
    asked = "deletion(steps=all), comprehensiveness, token_f1(k=1), sparseness"
    table = evaluate(pipeline, TEXTS, LABELS, explainers, asked, masks=rationales, replicates=0)
    assert table.assumed["maps of integrated gradients"] == "summed over the elements of the embedding"
    assert not np.isnan(table["deletion"]["integrated gradients"].per_sample).any()
    # Integrated gradients of the logit add up to its difference from that of masks.
    maps = explain(pipeline, TEXTS, LABELS, method, n_steps=200, baselines=4)
    tokens = pipeline.tokenizer(TEXTS, padding=True, return_tensors="pt")
    blank = {**tokens, "input_ids": torch.full_like(tokens["input_ids"], 4)}
    with torch.no_grad():
        logits = [pipeline.model(**of).logits.numpy()[np.arange(4), COLUMNS] for of in (tokens, blank)]
    np.testing.assert_allclose(maps.sum(axis=1), logits[0] - logits[1], rtol=0.1, atol=0.1)
    # The same of the module and inputs by name.
    inputs = {name: values.numpy() for name, values in tokens.items()}
    dense = explain(bert, inputs, COLUMNS, method, n_steps=200, baselines=4)
    np.testing.assert_allclose(dense, maps, rtol=1e-4, atol=1e-5)


def test_values_of_shap_for_texts(pipeline: Any) -> None:
    shap = pytest.importorskip("shap")
    scored = transformers.pipeline("text-classification", model=pipeline.model, tokenizer=pipeline.tokenizer, top_k=None)
    explainer = shap.Explainer(scored, silent=True)
    explanation = explainer(TEXTS)
    table = evaluate(
        scored, TEXTS, LABELS, {"values": explanation, "explainer": explainer, "random": "random"}, METRICS, replicates=0
    )
    first = np.asarray(explanation.values[0])[1:-1, 1]
    alone = Deletion(steps="all").evaluate(scored, TEXTS[:1], LABELS[:1], [first])
    assert alone.value == pytest.approx(table["deletion"]["values"].per_sample[0])
    for metric in table.metrics:
        np.testing.assert_allclose(table[metric]["values"].per_sample, table[metric]["explainer"].per_sample, rtol=1e-6)


def test_words_of_a_pipeline_are_features_of_a_text_model(pipeline: Any) -> None:
    model = text_model(pipeline, TEXTS, mask=pipeline.tokenizer.mask_token)
    table = evaluate(model, None, LABELS, {"occlusion": "occlusion", "random": "random"}, METRICS, replicates=0)
    full = answers(pipeline, TEXTS)[np.arange(4), COLUMNS]
    without = answers(pipeline, ["[MASK] good film", "[MASK] bad films", "[MASK] very bad music", "[MASK]"])
    drops = full - without[np.arange(4), COLUMNS]
    first = [[1.0] + [0.0] * (len(of) - 1) for of in model.words]
    # One word: a number alone is a number of steps.
    of_words = evaluate(model, None, LABELS, {"first": first}, Comprehensiveness(steps=[1]), replicates=0)
    np.testing.assert_allclose(of_words["comprehensiveness"]["first"].per_sample, drops, rtol=1e-4, atol=1e-6)
    assert table.n_samples == 4
    words = Words.of_tokens("not bad films", pipeline.tokenizer)
    assert words.words == ["not", "bad", "film", "s"]
    assert color_text(words, [0.5, -1.0, 0.0, 0.0])._repr_html_().count("<span") == 4
