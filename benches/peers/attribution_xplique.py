"""Attribution metrics: Xplique on TensorFlow."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np
import tensorflow as tf
from xplique.metrics import AverageDropMetric, Deletion

from compare import Peer, close

VERSIONS = ["xplique", "tensorflow"]
SAMPLES, SIDE, CHANNELS, CLASSES = 64, 64, 3, 10


def linear(data):
    shape, features = (SAMPLES, SIDE, SIDE, CHANNELS), SIDE * SIDE * CHANNELS
    inputs, maps = data.rng.random(shape, dtype="float32"), data.rng.standard_normal(shape, dtype="float32")
    targets = data.rng.integers(0, CLASSES, SAMPLES)
    # Logits of a few units, so that softmax neither saturates nor is flat.
    weights = 0.03 * data.rng.standard_normal((features, CLASSES), dtype="float32")
    bias = 0.1 * data.rng.standard_normal(CLASSES, dtype="float32")
    data.save(inputs=inputs, maps=maps, targets=targets, weights=weights, bias=bias)

    dense = tf.keras.layers.Dense(CLASSES)
    model = tf.keras.Sequential([tf.keras.layers.Input(shape[1:]), tf.keras.layers.Flatten(), dense])
    dense.set_weights([weights, bias])
    one_hot = np.eye(CLASSES, dtype="float32")[targets]
    average_drop = AverageDropMetric(model, inputs, one_hot, activation="softmax")
    deletion = Deletion(model, inputs, one_hot, steps=50, activation="softmax")

    def peer(name, metric):
        compare = lambda answer, ours: close([answer], ours("value"), 1e-4)
        run = lambda: float(metric.evaluate(maps))
        return Peer("xplique " + name, run, 1, {name: compare})

    return [peer("average_drop", average_drop), peer("deletion", deletion)]


WORKLOADS = {"linear": linear}
