"""Explanations of texts: ferret, with a model that takes no time."""
import types

import numpy as np
import torch

from absent import bare, stand_for
from compare import Peer, close

stand_for("transformers", "datasets", "captum", "shap", "lime", "seaborn", "thermostat", "joblib", "pytreebank")
bare("ferret", "ferret.explainers")
from ferret.evaluators.faithfulness_measures import (  # noqa: E402
    AOPC_Comprehensiveness_Evaluation,
    AOPC_Sufficiency_Evaluation,
    TauLOO_Evaluation,
)
from ferret.evaluators.plausibility_measures import (  # noqa: E402
    AUPRC_PlausibilityEvaluation,
    Tokenf1_PlausibilityEvaluation,
    TokenIOU_PlausibilityEvaluation,
)
from ferret.explainers.explanation import ExplanationWithRationale  # noqa: E402

VERSIONS = ["ferret-xai", "torch", "numpy"]
TEXTS, WORDS, CLASSES = 200, 1000, 2
PAD, FIRST, LAST, MASK, SPECIAL = 0, 1, 2, 3, 4


class Tokenizer:
    """Words are numbers; a text is between two special tokens."""

    cls_token, mask_token_id = "[CLS]", MASK

    def __call__(self, texts, **_):
        texts = [texts] if isinstance(texts, str) else texts
        rows = [[FIRST, *map(int, text.split()), LAST] for text in texts]
        width = max(map(len, rows))
        ids = torch.tensor([row + [PAD] * (width - len(row)) for row in rows])
        return {"input_ids": ids, "attention_mask": (ids != PAD).long()}

    def decode(self, ids):
        return " ".join(map(str, ids))


class Model:
    """The sum of what each word says for each class."""

    device = "cpu"

    def __init__(self, weights):
        self.weights = torch.from_numpy(weights)

    def __call__(self, input_ids, attention_mask, output_hidden_states):
        return types.SimpleNamespace(logits=self.weights[input_ids].sum(1))


def ferret(data):
    """200 texts of 10 to 60 words, whose maps know the model; people marked a few words of each."""
    from xai_metrics import attribution

    rng = data.rng
    weights = 0.3 * rng.standard_normal((SPECIAL + WORDS, CLASSES))
    weights[:SPECIAL] = 0.0
    # Of each word one: words that say the same are ties, or differ by rounding.
    texts = [SPECIAL + rng.permutation(WORDS)[: rng.integers(10, 61)] for _ in range(TEXTS)]
    totals = np.array([weights[text].sum(0) for text in texts])
    targets = totals.argmax(1)
    # Not a map without a positive score, of which the peer makes 0 or 1.
    maps = [np.abs(weights[text, of]) + rng.random(len(text)) for text, of in zip(texts, targets)]
    marks = [rng.random(len(text)) < 0.2 for text in texts]
    for of in marks:
        of[0] = True

    def words(text, scores, mark, target):
        scores, mark = np.pad(scores, 1), np.pad(mark.astype(int), 1)
        tokens = ["[CLS]", *map(str, text), "[SEP]"]
        return ExplanationWithRationale(" ".join(map(str, text)), tokens, scores, "given", target, mark)

    given = [words(*of) for of in zip(texts, maps, marks, targets.tolist())]

    def softmax(logits):
        raised = np.exp(logits - logits.max(1, keepdims=True))
        return raised / raised.sum(1, keepdims=True)

    padded = np.zeros((TEXTS, 60), dtype=int)
    for row, text in zip(padded, texts):
        row[: len(text)] = text

    def of_kept(samples, kept):
        """The same model: the tokens that are cut out say nothing."""
        kept = np.asarray(kept)
        said = weights[padded[np.asarray(samples), : kept.shape[1]]]
        return softmax(np.einsum("rt,rtc->rc", kept.astype(float), said))

    model = attribution.MaskedModel(of_kept)
    tenths = dict(steps=10, positive_only=True)
    peers = []
    for name, evaluator, metric, inputs in [
        ("comprehensiveness", AOPC_Comprehensiveness_Evaluation, attribution.Comprehensiveness(**tenths), "model"),
        ("sufficiency", AOPC_Sufficiency_Evaluation, attribution.RationaleSufficiency(**tenths), "model"),
        ("tau_loo", TauLOO_Evaluation, attribution.FaithfulnessEstimate(correlation="kendall"), "model"),
        ("auprc", AUPRC_PlausibilityEvaluation, attribution.RationaleAuprc(area="trapezoid", positive_only=True), "marks"),
        ("token_f1", Tokenf1_PlausibilityEvaluation, attribution.TokenF1(k=5), "marks"),
        ("token_iou", TokenIOU_PlausibilityEvaluation, attribution.TokenIou(k=5), "marks"),
    ]:
        theirs = evaluator(Model(weights), Tokenizer())

        def run(theirs=theirs):
            return [theirs.compute_evaluation(of, of.target).score for of in given]

        def ours(metric=metric, inputs=inputs):
            value = metric.evaluate(*([maps, marks] if inputs == "marks" else [model, None, targets, maps]))
            return {"values": value.per_sample}

        data.package[f"ferret_{name}"] = (lambda ours=ours: ours, 1)
        compare = lambda answer, of: close(answer, of("values"), 0.0, 1e-5)
        peers.append(Peer(f"ferret {name}", run, 1, {f"ferret_{name}": compare}))
    return peers


WORKLOADS = {"ferret": ferret}
