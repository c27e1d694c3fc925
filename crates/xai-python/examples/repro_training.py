"""A forest trained ten times: do the runs make the same predictions, and the same errors?

Needs `pip install scikit-learn`.
"""

from __future__ import annotations

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from xai_metrics import repro


def trained(n_runs: int, **settings: int) -> tuple[list, object]:
    """The predictions of some trainings that differ in their seed alone."""
    samples, labels = load_digits(return_X_y=True)
    split = train_test_split(samples, labels, test_size=0.5, random_state=0)
    known, held_out, known_labels, held_out_labels = split
    runs = []
    for seed in range(n_runs):
        forest = RandomForestClassifier(random_state=seed, n_jobs=1, **settings)
        runs.append(forest.fit(known, known_labels).predict(held_out))
    return runs, held_out_labels


def main() -> None:
    small, labels = trained(10, n_estimators=5)
    runs = repro.pairwise(small, labels)
    print(f"accuracy {runs.errors.accuracy.mean():.3f}")
    for name in ("ec_local", "ec_global", "pa_acc", "pa_kappa"):
        summary, interval = runs.summary(name), runs.interval(name)
        ends = f"[{interval.low:.3f}, {interval.high:.3f}]"
        print(f"{name:10} {summary.mean:.3f}  95 % over runs {ends}")
    always = len(runs.errors.always_wrong)
    print(f"{always} samples are always wrong, {len(runs.errors.ever_wrong)} ever")
    changing = repro.sample_consistency(small)
    print(f"the prediction of {len(changing.ever_changing)} samples is not the same in all runs")

    # More trees agree more. Is that chance?
    large, _ = trained(10, n_estimators=40)
    difference = repro.compare_groups(small, large, labels, metrics=["pa_acc"])["pa_acc"]
    print(f"40 trees less 5: {-difference.difference:+.3f}, p = {difference.p_value:.4f}")
    assert difference.difference < 0 and difference.p_value < 0.05
    assert 0 < runs.summary("ec_local").mean < 1


if __name__ == "__main__":
    main()
