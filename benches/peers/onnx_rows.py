"""Rows per second of models in ONNX files: the default engine of `xai` beside ONNX Runtime with 2 threads, in turns.

Ours is the command of Deletion, with two numbers of steps: the difference of the rows over the difference of the times, so
that start, reading and compiling of the model are left out, but what the metric does beside the model is in.
ONNX Runtime is given the same number of rows in ready batches in this process.

    python onnx_rows.py --xai PATH [--sample FOLDER] [--share 0.1] [--rounds 3] [NAME ...]

NAME: resnet18 mobilenet_v2 vit_tiny sample
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import numpy as np
import onnxruntime
import torch
import torchvision

parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="*")
parser.add_argument("--xai", required=True)
parser.add_argument("--sample", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "crates/xai-cli/sample/attribution")
parser.add_argument("--share", type=float, default=1.0)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data/onnx"))
asked = parser.parse_args()
asked.data.mkdir(parents=True, exist_ok=True)
BATCHES, FEW_STEPS = (16, 64), 8


def vit_tiny():
    return torchvision.models.VisionTransformer(
        image_size=224, patch_size=16, num_layers=12, num_heads=3, hidden_dim=192, mlp_dim=768
    )


NETWORKS = {"resnet18": torchvision.models.resnet18, "mobilenet_v2": torchvision.models.mobilenet_v2, "vit_tiny": vit_tiny}


def exported(name):
    """The model and its inputs: of the networks random weights, of the sample its own."""
    if name == "sample":
        return asked.sample / "model.onnx", np.load(asked.sample / "inputs.npy")
    path = asked.data / f"{name}.onnx"
    if not path.exists():
        torch.manual_seed(0)
        net, part = NETWORKS[name](), asked.data / f"part-{name}.onnx"
        for module in net.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.momentum = None
            if isinstance(module, torch.nn.Linear):
                torch.nn.init.normal_(module.weight, std=0.05)
        # Norms of batches from one batch, so that the outputs are of ordinary size.
        with torch.no_grad():
            net(torch.rand(16, 3, 224, 224))
        net.eval()
        torch.onnx.export(
            net, (torch.rand(2, 3, 224, 224),), part, input_names=["x"], output_names=["y"], dynamo=True,
            dynamic_shapes=({0: torch.export.Dim("batch")},), external_data=False, verbose=False,
        )
        part.rename(path)
    return path, np.random.default_rng(0).random((16, 3, 224, 224), dtype="float32")


def saved(name, **arrays):
    paths = {}
    for key, array in arrays.items():
        paths[key] = str(asked.data / f"{name}-{key}.npy")
        np.save(paths[key], array)
    return paths


def ours(model, files, steps, batch):
    command = [asked.xai, "attribution", "deletion", "--model", model, "--inputs", files["x"], "--targets", files["t"],
               "--explanations", files["e"], "--steps", str(steps), "--batch-size", str(batch), "--json"]
    start = time.perf_counter()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    took = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return took, json.loads(done.stdout)["curve"][0]["score"]


def measure(name):
    model, x = exported(name)
    if name == "sample":
        x = np.tile(x, (-(-4096 // len(x)), *[1] * (x.ndim - 1)))[: max(64, int(4096 * asked.share) // 64 * 64)]
    many_steps = FEW_STEPS + (max(4, int(32 * asked.share)) if name != "sample" else 32)
    n_rows = len(x) * (many_steps - FEW_STEPS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 2, 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    (port, *_) = session.get_inputs()
    mean = session.run(None, {port.name: x})[0][:, 0].mean()
    print(f"\n{name}: {n_rows} rows counted", flush=True)
    rng = np.random.default_rng(1)
    files = saved(name, x=x, t=np.zeros(len(x), "int64"), e=rng.standard_normal(x.shape, dtype="float32"))
    for batch in BATCHES:
        rows = np.resize(x, (batch, *x.shape[1:]))
        n_calls = max(1, n_rows // batch)
        few, many, theirs = [], [], []
        for at_round in range(asked.rounds + 1):
            time.sleep(0.3)
            (of_few, score), (of_many, _) = (ours(model, files, steps, batch) for steps in (FEW_STEPS, many_steps))
            assert np.isclose(score, mean, rtol=1e-3, atol=1e-3), f"mean score of the inputs: {score}, of ONNX Runtime {mean}"
            time.sleep(0.3)
            start = time.perf_counter()
            for _ in range(n_calls):
                session.run(None, {port.name: rows})
            took = time.perf_counter() - start
            if at_round or not asked.rounds:
                few.append(of_few), many.append(of_many), theirs.append(took)
        ours_rate, theirs_rate = n_rows / (min(many) - min(few)), n_calls * batch / min(theirs)
        print(f"  batch {batch:>3}: xai {ours_rate:10.1f} rows/s (command {min(few):.2f} s and {min(many):.2f} s), "
              f"ONNX Runtime {theirs_rate:10.1f} rows/s, ratio {ours_rate / theirs_rate:.2f}", flush=True)


def main():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    print(f"{cpu}, {os.cpu_count()} threads; onnxruntime {onnxruntime.__version__}, torch {torch.__version__}, {time.strftime('%F')}")
    for name in asked.names or [*NETWORKS, "sample"]:
        measure(name)


main()
