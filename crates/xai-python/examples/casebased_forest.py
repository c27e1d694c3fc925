"""Which predictions of a random forest do the training cases support?

    python casebased_forest.py

Needs scikit-learn.
"""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from xai_metrics.casebased import AuditReport, CaseExplainer, ForestProximity


def main() -> dict[str, AuditReport]:
    """Explains a test set by features and by the forest's own leaves; returns both reports."""
    data = load_breast_cancer()
    names = data.target_names[data.target]
    X_train, X_test, y_train, y_test = train_test_split(
        data.data, names, test_size=0.3, random_state=0, stratify=names
    )
    forest = RandomForestClassifier(200, random_state=0, n_jobs=-1).fit(X_train, y_train)
    predictions = forest.predict(X_test)

    similarities = {"features": None, "the forest's leaves": ForestProximity(forest)}
    reports = {}
    for name, similarity in similarities.items():
        explainer = CaseExplainer(
            X_train,
            y_train,
            k=9,
            feature_names=data.feature_names.tolist(),
            similarity=similarity,
        )
        report = explainer.audit(X_test, y_test, predictions)
        reports[name] = report
        print(f"By {name}: mean correspondence {report.mean_correspondence:.3f}")
        for level in report.by_level.values():
            if level.accuracy_interval is not None:
                low, high = level.accuracy_interval
                print(
                    f"  {level.level:<6} {level.n:>4} predictions, {level.accuracy:.1%} right "
                    f"(95 % interval {low:.1%} to {high:.1%})"
                )

        # The prediction with the least support, and the cases against it.
        least = report.least_supported[0]["sample"]
        explanation = explainer.explain_instance(
            X_test[least], test_index=least, true_class=y_test[least], model=forest
        )
        print(explanation.summary(), end="\n\n")
    return reports


if __name__ == "__main__":
    main()
