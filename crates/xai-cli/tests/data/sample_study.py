"""Makes the files of the sample study about training-data attribution and texts: `python sample_study.py ../../sample`.

Training-data attribution: 240 UCI digits, 5 % with a flipped label, on which a logistic regression is trained; 40 other digits
are explained. `outputs.npy` are the margins of 40 models that were trained on half of the cases each.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

N_TRAIN, N_TEST, N_SUBSETS = 240, 40, 40


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
        np.save(folder / f"{name}.npy", attributions.astype(np.float32))
        np.save(folder / f"{name}_scores.npy", scores.astype(np.float64))
    np.save(folder / "train_labels.npy", labels.astype(np.int64))
    np.save(folder / "test_classes.npy", classes.astype(np.int64))
    np.save(folder / "flipped.npy", flags)
    np.save(folder / "subsets.npy", subsets.astype(np.int32))
    np.save(folder / "outputs.npy", outputs)
    np.save(folder / "train_images.npy", digits.images[train].astype(np.uint8))
    np.save(folder / "test_images.npy", digits.images[test].astype(np.uint8))


if __name__ == "__main__":
    data_attribution(Path(sys.argv[1]))
