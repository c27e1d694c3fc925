"""Streams of the data sets of torch and of Hugging Face: the numbers of one call on the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import EvaluationTable, evaluate, evaluate_stream

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset  # noqa: E402

N = 23
METRICS = ["deletion", "mu_fidelity", "sparseness"]


class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Sums pixel by pixel, so that a row is answered alike in any batch."""

    def __init__(self) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.weight = torch.nn.Parameter(torch.rand(3, 36, generator=generator))

    def forward(self, x: Any) -> Any:
        return torch.stack([(x.flatten(1) * w).sum(dim=1) for w in self.weight], dim=1)


IMAGES = torch.rand(N, 1, 6, 6, generator=torch.Generator().manual_seed(1))
LABELS = torch.arange(N) % 3
NET = Net()


def explainer(x: Any, y: Any) -> Any:
    return x * NET.weight[y].reshape(x.shape)


EXPLAINERS = {"gradient": explainer}


@pytest.fixture(scope="module")
def whole() -> EvaluationTable:
    return evaluate(NET, IMAGES, LABELS, EXPLAINERS, METRICS)


def same(stream: EvaluationTable, whole: EvaluationTable) -> bool:
    for metric in whole:
        ours, theirs = stream.values.per_sample(metric), whole.values.per_sample(metric)
        np.testing.assert_array_equal(ours, theirs)
        assert stream[metric]["gradient"].interval == whole[metric]["gradient"].interval
    return True


class Images(Dataset):  # type: ignore[misc, type-arg]
    """A data set that makes each sample when it is asked for."""

    def __len__(self) -> int:
        return N

    def __getitem__(self, place: int) -> Any:
        return IMAGES[place], int(LABELS[place])


class Endless(IterableDataset):  # type: ignore[misc, type-arg]
    """A data set without places."""

    def __iter__(self) -> Any:
        return ({"image": x, "label": y} for x, y in zip(IMAGES, LABELS))


def test_loaders_and_data_sets_of_torch(whole: EvaluationTable) -> None:
    for data in (
        DataLoader(TensorDataset(IMAGES, LABELS), batch_size=5),
        DataLoader(Images(), batch_size=8),
        Images(),
        TensorDataset(IMAGES, LABELS),
        torch.utils.data.Subset(Images(), range(N)),
        (IMAGES, LABELS),
    ):
        assert same(evaluate_stream(NET, data, EXPLAINERS, METRICS, batch_size=6), whole)
    named = {"inputs": "image", "targets": "label"}
    for data in (Endless(), DataLoader(Endless(), batch_size=4)):
        assert same(evaluate_stream(NET, data, EXPLAINERS, METRICS, batch_size=6, **named), whole)


def test_a_stopped_loader_goes_on(whole: EvaluationTable, tmp_path: Path) -> None:
    file = tmp_path / "run.checkpoint"
    n_calls = 0

    def stopped(x: Any, y: Any) -> Any:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 3:
            raise KeyboardInterrupt
        return explainer(x, y)

    loader = DataLoader(Images(), batch_size=5)
    with pytest.raises(KeyboardInterrupt):
        evaluate_stream(NET, loader, {"gradient": stopped}, METRICS, checkpoint=file)
    assert same(evaluate_stream(NET, loader, EXPLAINERS, METRICS, checkpoint=file), whole)
    shuffled = DataLoader(Images(), batch_size=5, shuffle=True)
    with pytest.raises(ValueError, match="checkpoint: the data is shuffled"):
        evaluate_stream(NET, shuffled, EXPLAINERS, METRICS, checkpoint=file)


def test_arrays_of_all_samples_are_refused_beside_shuffled_data() -> None:
    maps = {"stored": explainer(IMAGES, LABELS)}
    data = TensorDataset(IMAGES, LABELS)
    of_batches = torch.utils.data.BatchSampler(torch.utils.data.RandomSampler(data), 5, False)
    of_a_process = torch.utils.data.DistributedSampler(data, num_replicas=1, rank=0)
    for how in (
        {"batch_size": 5, "shuffle": True},
        {"batch_sampler": of_batches},
        {"sampler": of_a_process},
    ):
        loader: Any = DataLoader(data, **how)
        with pytest.raises(ValueError, match=r"explainers\['stored'\]: .* shuffle=False"):
            evaluate_stream(NET, loader, maps, METRICS)
        with pytest.raises(ValueError, match="masks: an array of all samples"):
            evaluate_stream(NET, loader, EXPLAINERS, ["pointing_game"], masks=IMAGES[:, 0] > 0.5)
    # Maps in the batches are shuffled with them; the values are those of the samples.
    together = DataLoader(TensorDataset(IMAGES, LABELS, *maps.values()), batch_size=5, shuffle=True)
    shuffled = evaluate_stream(NET, together, {"stored": [2]}, METRICS)
    whole = evaluate(NET, IMAGES, LABELS, maps, METRICS)
    for metric in ("deletion", "sparseness"):
        ours, theirs = (table.values.per_sample(metric) for table in (shuffled, whole))
        np.testing.assert_array_equal(np.sort(ours), np.sort(theirs))


def test_data_sets_of_hugging_face(whole: EvaluationTable, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    held = datasets.Dataset.from_dict({"image": IMAGES.numpy(), "label": LABELS.numpy()})
    # Images are lists of lists in it, in double precision unless it says otherwise.
    features = datasets.Features(
        {"image": datasets.Array3D((1, 6, 6), "float32"), "label": datasets.Value("int64")}
    )
    held = held.cast(features)
    named = {"inputs": "image", "targets": "label", "batch_size": 7}
    for data in (
        held,
        held.with_format("torch"),
        held.to_iterable_dataset(),
        held.to_iterable_dataset(num_shards=3),
    ):
        assert same(evaluate_stream(NET, data, EXPLAINERS, METRICS, **named), whole)
    with pytest.raises(
        TypeError, match=r"data: expected one split, got train; take one, data\['train'\]"
    ):
        evaluate_stream(NET, datasets.DatasetDict({"train": held}), EXPLAINERS, METRICS)

    file = tmp_path / "run.checkpoint"
    first = held.select(range(10))
    evaluate_stream(NET, first, EXPLAINERS, METRICS, checkpoint=file, **named)
    for data in (held, held.to_iterable_dataset()):
        kept = file.read_bytes()
        assert same(
            evaluate_stream(NET, data, EXPLAINERS, METRICS, checkpoint=file, **named), whole
        )
        file.write_bytes(kept)
