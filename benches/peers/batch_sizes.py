"""Time per row of models by the number of rows per call, against the default of the library.

    python batch_sizes.py [--rounds 5] [--seconds 0.5] [NAME ...]

Each round calls every model with every batch size, one after the other, on the same rows; a time is the best of the rounds. On a busy machine
`--cpu` measures the processor time of one thread. Needs torch, torchvision, scikit-learn and onnxruntime.
"""

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from torch import nn
from xai_metrics.attribution._data import Run

warnings.filterwarnings("ignore")
SIZES = {"table": [64, 256, 1024, 2048, 4096, 8192, 16384, 32768], "other": [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024]}
rng = np.random.default_rng(0)
torch.manual_seed(0)


def numbers(*shape):
    return rng.random(shape, dtype=np.float32)


def cnn():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 64, 10),
    ).eval()


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    ).eval()


def mlp():
    return nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)).eval()


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 128)
        layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(128, 2)

    def forward(self, ids):
        return self.head(self.encoder(self.embedding(ids)).mean(1))


def resnet():
    from torchvision.models import resnet18

    return resnet18().eval()


def fitted(estimator):
    x = rng.normal(size=(5000, 30))
    return estimator.fit(x, (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(int)), rng.normal(size=(32768, 30))


def linear():
    weights = rng.normal(size=(30, 10))
    return (lambda x: x @ weights), rng.normal(size=(32768, 30))


def in_onnx(module, *shape, dtype=torch.float32):
    import onnxruntime

    example = torch.zeros((2, *shape), dtype=dtype)
    file = str(Path(tempfile.mkdtemp()) / "model.onnx")
    torch.onnx.export(module, (example,), file, input_names=["x"], dynamic_axes={"x": {0: "batch"}}, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1 if asked.cpu else 2
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


#: Kind of batch sizes, and a function that makes the model and its rows.
MODELS = {
    "CNN, 3 x 32 x 32": ("other", lambda: (cnn(), numbers(1024, 3, 32, 32))),
    "LeNet, 28 x 28": ("other", lambda: (lenet(), numbers(4096, 1, 28, 28))),
    "ResNet-18, 224 x 224": ("other", lambda: (resnet(), numbers(64, 3, 224, 224))),
    "transformer, 2 layers, 64 tokens": ("other", lambda: (Transformer().eval(), rng.integers(0, 1000, (1024, 64)))),
    "MLP, 30 features": ("table", lambda: (mlp(), numbers(32768, 30))),
    "gradient boosting, 30 features": ("table", lambda: fitted(HistGradientBoostingClassifier())),
    "random forest, 30 features": ("table", lambda: fitted(RandomForestClassifier(n_jobs=1 if asked.cpu else 2))),
    "NumPy x @ W, 30 features": ("table", linear),
    "CNN in ONNX Runtime": ("other", lambda: (in_onnx(cnn(), 3, 32, 32), numbers(1024, 3, 32, 32))),
    "LeNet in ONNX Runtime": ("other", lambda: (in_onnx(lenet(), 1, 28, 28), numbers(4096, 1, 28, 28))),
    "transformer in ONNX Runtime": (
        "other",
        lambda: (in_onnx(Transformer().eval(), 64, dtype=torch.int64), rng.integers(0, 1000, (1024, 64))),
    ),
    "MLP in ONNX Runtime": ("table", lambda: (in_onnx(mlp(), 30), numbers(32768, 30))),
}

parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="*")
parser.add_argument("--all", action="store_true", help="also print the ratios of all batch sizes")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--seconds", type=float, default=0.5, help="time per batch size and round, at most one pass over the rows")
parser.add_argument("--cpu", action="store_true", help="measure the processor time of one thread")
asked = parser.parse_args()
clock = time.process_time if asked.cpu else time.perf_counter
if asked.cpu:
    torch.set_num_threads(1)


def seconds_per_row(function, rows, size):
    """Call the model with batches of one size for a while."""
    start, n = clock(), 0
    while n + size <= len(rows):
        function(rows[n : n + size], np.arange(n, n + size))
        n += size
        if clock() - start > asked.seconds:
            break
    return (clock() - start) / n


print("| model | row | default | best | default / best | within 10 % of the best |\n|---|---:|---:|---:|---:|---|")
for name, (kind, make) in MODELS.items():
    if asked.names and not any(part in name for part in asked.names):
        continue
    model, inputs = make()
    run = Run(model=model, inputs=inputs)
    function, rows = run.function, run.array
    default = run.batch_size
    sizes = sorted({size for size in [*SIZES[kind], default] if size <= len(rows)})
    best = dict.fromkeys(sizes, float("inf"))
    for _ in range(asked.rounds + 1):
        for size in sizes:
            best[size] = min(best[size], seconds_per_row(function, rows, size))
    fastest = min(best, key=best.get)
    near = ", ".join(str(size) for size in sizes if best[size] <= 1.1 * best[fastest])
    ratio = best[default] / best[fastest]
    print(f"| {name} | {run.array[0].nbytes} B | {default} | {fastest} | {ratio:.2f} | {near} |", flush=True)
    if asked.all:
        print({size: round(best[size] / best[fastest], 2) for size in sizes}, flush=True)
