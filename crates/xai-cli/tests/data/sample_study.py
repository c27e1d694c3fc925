"""Makes the files of the sample study about training-data attribution and texts: `python sample_study.py ../../sample`.

Texts: short reviews that were written for this, with the words marked that say the opinion; a logistic regression over words
is trained on all of them. Training-data attribution: 200 UCI digits, 5 % with a flipped label, on which a logistic regression is trained; 20 other digits
are explained. `outputs.npy` are the margins of 40 models that were trained on half of the cases each. Numbers have 7 binary digits, so
that they take less room in the archive of the crate.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

N_TRAIN, N_TEST, N_SUBSETS = 200, 20, 40


def rounded(values):
    digits, exponents = np.frexp(values)
    return np.ldexp(np.round(digits * 128) / 128, exponents)


def fitted(images, labels):
    return LogisticRegression(C=0.1, max_iter=500).fit(images, labels)


def margins(model, images, classes):
    logits = model.decision_function(images)
    own = logits[np.arange(len(classes)), classes].copy()
    logits[np.arange(len(classes)), classes] = -np.inf
    top = logits.max(1)
    return own - top - np.log(np.exp(logits - top[:, None]).sum(1))


def data_attribution(folder):
    rng = np.random.default_rng(7)
    digits = load_digits()
    order = rng.permutation(len(digits.target))
    train, test = order[:N_TRAIN], order[N_TRAIN : N_TRAIN + N_TEST]
    x, z = digits.data[train] / 16, digits.data[test] / 16
    labels, classes = digits.target[train].copy(), digits.target[test]
    flags = np.zeros(N_TRAIN, bool)
    flags[rng.choice(N_TRAIN, N_TRAIN // 20, replace=False)] = True
    labels[flags] = (labels[flags] + rng.integers(1, 10, flags.sum())) % 10

    model = fitted(x, labels)
    eye = np.eye(10)
    residual = eye[labels] - model.predict_proba(x)  # minus the gradient of the loss by the logits
    answer = eye[classes] - model.predict_proba(z)
    with_one = lambda a: np.hstack([a, np.ones((len(a), 1))])
    gradients = (residual[:, :, None] * with_one(x)[:, None, :]).reshape(N_TRAIN, -1)
    of_test = (answer[:, :, None] * with_one(z)[:, None, :]).reshape(N_TEST, -1)
    p = model.predict_proba(x)
    hessian = np.einsum("nab,ni,nj->aibj", p[:, :, None] * eye - p[:, :, None] * p[:, None, :], with_one(x), with_one(x))
    size = 10 * (x.shape[1] + 1)
    hessian = hessian.reshape(size, size) + np.eye(size) / 0.1  # the penalty, C = 0.1
    inverse = np.linalg.inv(hessian)
    distance = np.linalg.norm(z[:, None] - x[None], axis=2)
    among = np.linalg.norm(x[:, None] - x[None], axis=2) + 1e9 * np.eye(N_TRAIN)
    near = np.argsort(among, axis=1)[:, :10]
    self_influence = lambda metric: np.einsum("ia,ab,ib->i", gradients, metric, gradients)
    random = rng.normal(size=(N_TEST, N_TRAIN))
    explainers = {
        "influence": (of_test @ inverse @ gradients.T, self_influence(inverse)),
        "gradients": (of_test @ gradients.T, self_influence(np.eye(size))),
        "nearest": (1 / (1 + distance), (labels[near] != labels[:, None]).mean(1)),
        "random": (random, rng.normal(size=N_TRAIN)),
    }
    subsets = np.sort(np.stack([rng.choice(N_TRAIN, N_TRAIN // 2, replace=False) for _ in range(N_SUBSETS)]), axis=1)
    models = [fitted(x[subset], labels[subset]) for subset in subsets]
    # No digit is lost from a subset: each model has all ten outputs.
    assert all(len(m.classes_) == 10 for m in models)
    outputs = np.stack([margins(m, z, classes) for m in models])

    folder = folder / "data_attribution"
    folder.mkdir(exist_ok=True)
    for name, (attributions, scores) in explainers.items():
        np.save(folder / f"{name}.npy", rounded(attributions).astype(np.float32))
        np.save(folder / f"{name}_scores.npy", rounded(scores).astype(np.float32))
    np.save(folder / "train_labels.npy", labels.astype(np.uint8))
    np.save(folder / "test_classes.npy", classes.astype(np.uint8))
    np.save(folder / "flipped.npy", flags)
    np.save(folder / "subsets.npy", subsets.astype(np.int32))
    np.save(folder / "outputs.npy", rounded(outputs).astype(np.float32))
    np.save(folder / "train_images.npy", digits.images[train].astype(np.uint8))
    np.save(folder / "test_images.npy", digits.images[test].astype(np.uint8))


REVIEWS = """
+ The soup was *wonderful* and the waiter was very *kind*.
+ A *warm* little place, we *loved* every dish.
+ *Great* coffee, and the cake is even *better*.
+ I would go back for the *fresh* bread alone.
+ The room was *clean*, *quiet* and close to the station.
+ *Friendly* people, *good* prices, and a *lovely* garden.
+ My children *enjoyed* the film from the first minute to the last.
+ A *clever* story with a *beautiful* ending.
+ The actors are *excellent*, the music is *great*.
+ It made me *laugh*, and I *loved* the songs.
+ The phone is *fast*, and the screen is *beautiful*.
+ It works *well*, and the battery *lasts* for days.
+ *Easy* to set up, *good* value for the money.
+ The staff were *kind* and *helped* us with the bags.
+ *Fresh* fish, *good* wine, *friendly* service.
+ A *quiet* night and an *excellent* breakfast.
+ The book is *clever* and *easy* to read.
+ We *enjoyed* the view, and the food was *good*.
- The soup was *cold* and the waiter was *rude*.
- A *dark* little place, we *hated* every dish.
- *Bad* coffee, and the cake is even *worse*.
- I would *never* go back, the bread was *stale*.
- The room was *dirty*, *loud* and far from the station.
- *Rude* people, *high* prices, and no garden.
- My children were *bored* from the first minute to the last.
- A *silly* story with a *terrible* ending.
- The actors are *bad*, the music is *awful*.
- It made me *sleep*, and I *hated* the songs.
- The phone is *slow*, and the screen is *broken*.
- It works *badly*, and the battery is *empty* in hours.
- *Hard* to set up, *poor* value for the money.
- The staff were *rude* and *lost* our bags.
- *Stale* fish, *bad* wine, *slow* service.
- A *loud* night and an *awful* breakfast.
- The book is *silly* and *hard* to read.
- The view was *not good*, and the food was *poor*.
"""


def texts(folder):
    rng = np.random.default_rng(7)
    lines = [line.split(" ", 1) for line in REVIEWS.strip().splitlines()]
    target = np.array([sign == "+" for sign, _ in lines])
    # A token is a word with the punctuation and the space behind it; stars are around what is marked.
    tokens, marks = [], []
    for _, line in lines:
        inside, of_line, marked = False, [], []
        for piece in re.findall(r"\*|\w+[^\w*]*|[^\w*]+", line):
            if piece == "*":
                inside = not inside
            elif re.search(r"\w", piece) or not of_line:
                of_line.append(piece)
                marked.append(int(inside))
            else:  # punctuation and spaces behind a star
                of_line[-1] += piece
        tokens.append(of_line)
        marks.append(marked)
    plain = ["".join(of) for of in tokens]
    pipeline = make_pipeline(CountVectorizer(token_pattern=r"\w+"), LogisticRegression(C=5.0)).fit(plain, target)
    words = lambda token: re.findall(r"\w+", token.lower())
    vocabulary, weights = pipeline[0].vocabulary_, pipeline[1].coef_[0]
    sign = np.where(target, 1, -1)
    score = lambda text, i: pipeline.predict_proba([text])[0, int(target[i])]
    explainers = {
        "weights": [[sum(s * weights[vocabulary[w]] for w in words(t)) for t in of] for of, s in zip(tokens, sign)],
        "leave one out": [
            [score("".join(of), i) - score("".join(of[:j] + of[j + 1 :]), i) for j in range(len(of))]
            for i, of in enumerate(tokens)
        ],
        "random": [rng.normal(size=len(of)).tolist() for of in tokens],
    }
    short = {name: [[round(float(x), 5) for x in of] for of in maps] for name, maps in explainers.items()}
    (folder / "texts").mkdir(exist_ok=True)
    stored = {"tokens": tokens, "explainers": short, "rationales": marks}
    (folder / "texts" / "reviews.json").write_text(json.dumps(stored, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    texts(Path(sys.argv[1]))
    data_attribution(Path(sys.argv[1]))
