//! What must not leave the explainer does not.

use ndarray::{Array2, array};
use proptest::prelude::*;
use xai_casebased::training::MetadataValue;
use xai_casebased::{CaseExplainer, Distance, Error, ErrorKind, help, input};

#[test]
fn metadata_of_every_type_reaches_the_explanation() {
    let explainer = CaseExplainer::builder()
        .k(1)
        .feature_names(["width"])
        .metadata("year", vec![1999i64, 2004])
        .metadata("mass", vec![1.5, 2.5])
        .metadata("valid", vec![true, false])
        .metadata("site", vec!["north", "south"])
        .class_name(7, "rust")
        .fit(array![[0.0], [1.0]].view(), &[3, 7])
        .unwrap();
    let explanations = explainer.explain_batch(array![[0.9]].view(), &[7]).unwrap();
    let explanation = &explainer.with_truth(explanations, &[7]).unwrap()[0];
    let case = &explanation.cases[0];
    assert_eq!(case.metadata["year"], MetadataValue::Integer(2004));
    assert_eq!(case.metadata["mass"], MetadataValue::Number(2.5));
    assert_eq!(case.metadata["valid"], MetadataValue::Boolean(false));
    assert_eq!(case.metadata["site"], MetadataValue::Text("south".into()));
    assert_eq!(explanation.feature_names.to_vec(), ["width"]);
    assert_eq!(explanation.truth_name.as_deref(), Some("rust"));
    assert_eq!(explanation.is_correct(), Some(true));
    let info = explainer.training_info();
    assert_eq!((info.n_rows, info.class_counts[&3], info.k), (2, 1, 1));
    assert_eq!(
        info.to_string(),
        "2 rows, 1 features (standardised), 2 classes; 1 nearest by euclidean distance (features, \
         brute-force)"
    );
}

/// An explainer with the features `a` and `secret`, of which the second is redacted.
fn redacting(distance: Distance, scale: bool, train: Array2<f64>) -> Result<CaseExplainer, Error> {
    let labels = vec![0; train.nrows()];
    let builder = CaseExplainer::builder().feature_names(["a", "secret"]);
    let builder = builder.redact("secret").distance(distance).scale(scale);
    builder.fit(train.view(), &labels)
}

#[test]
fn compared_features_are_without_redacted_ones() {
    let train = array![[1.0, 7.25], [2.0, 5.0], [3.0, 4.0]];
    let explainer = redacting(Distance::Euclidean, true, train).unwrap();
    let sample = array![[2.0, 6.5]];
    let explanations = explainer.explain_batch(sample.view(), &[0]).unwrap();
    let features = explainer.compare_features(&explanations, sample.view());
    let features = features.unwrap().remove(0);
    assert_eq!((features.len(), features[0].feature.as_str()), (1, "a"));
    let builder = CaseExplainer::builder().provenance(false);
    let silent = builder.fit(array![[1.0], [2.0]].view(), &[0, 1]).unwrap();
    let sample = array![[2.0]];
    let explanations = silent.explain_batch(sample.view(), &[0]).unwrap();
    let features = silent.compare_features(&explanations, sample.view());
    assert_eq!(features.unwrap(), [vec![]]);
}

/// Whether an error is about a value, and does not tell it.
fn conceals(error: &Error, value: &str) -> bool {
    let redacted = matches!(error.kind(), ErrorKind::RedactedValue { .. });
    redacted && !format!("{error} {error:?}").contains(value)
}

#[test]
fn errors_do_not_contain_redacted_values() {
    let good = array![[1.0, 2.0], [2.0, 5.0], [3.0, 4.0]];
    // Beyond the domain of the distance: a training cell, a sample's cell.
    for distance in [Distance::BrayCurtis, Distance::Canberra] {
        let bad = array![[1.0, 2.0], [2.0, 7.25e305]];
        let error = redacting(distance.clone(), false, bad.clone()).unwrap_err();
        assert!(conceals(&error, "7.25e305"), "{error}");
        assert_eq!((error.input(), error.index()), (input::TRAIN, &[1, 1][..]));
        let explainer = redacting(distance, false, good.clone()).unwrap();
        for error in [
            explainer.explain_votes(bad.view()).unwrap_err(),
            explainer.aggregate(bad.view(), None).unwrap_err(),
        ] {
            assert!(conceals(&error, "7.25e305"), "{error}");
            assert_eq!(
                (error.input(), error.index()),
                (input::SAMPLES, &[1, 1][..])
            );
        }
        // Other features are told as ever.
        let error = explainer
            .explain_votes(array![[-2e301, 1.0]].view())
            .unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfDomain { value, .. } if *value == -2e301));
    }
    // A whole row, whose value is that of each of its features.
    let constant = array![[1.0, 2.0], [8.125, 8.125]];
    let error = redacting(Distance::Correlation, false, constant.clone()).unwrap_err();
    assert!(conceals(&error, "8.125"), "{error}");
    let explainer = redacting(Distance::Correlation, false, good.clone()).unwrap();
    let error = explainer.explain_votes(constant.view()).unwrap_err();
    assert!(conceals(&error, "8.125"), "{error}");
    // What is not finite is no number that could be told.
    let error = redacting(
        Distance::Euclidean,
        true,
        array![[1.0, f64::NAN], [1.0, 2.0]],
    );
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::NonFinite));
    let explainer = redacting(Distance::Euclidean, false, good).unwrap();
    let far = explainer
        .explain_votes(array![[1.0, 3.5e200]].view())
        .unwrap_err();
    assert!(!format!("{far} {far:?}").contains("3.5e200"), "{far}");
}

/// Every form in which some bytes could tell a number.
#[cfg(feature = "serde")]
fn forms(value: f64) -> Vec<Vec<u8>> {
    let single = value as f32;
    vec![
        value.to_string().into_bytes(),
        format!("{value:e}").into_bytes(),
        single.to_string().into_bytes(),
        value.to_le_bytes().to_vec(),
        value.to_be_bytes().to_vec(),
        single.to_le_bytes().to_vec(),
        single.to_be_bytes().to_vec(),
    ]
}

#[cfg(feature = "serde")]
fn holds(bytes: &[u8], form: &[u8]) -> bool {
    bytes.windows(form.len()).any(|window| window == form)
}

/// Rows of `a`, `secret` and `b`. Values of `secret`, and those in units of its spread, have so many digits that no
/// other number has them by chance.
#[cfg(feature = "serde")]
fn secrets() -> (Array2<f64>, Vec<f64>) {
    let secrets: Vec<f64> = (0..12)
        .map(|i| (f64::from(i + 1) * 1.7).sin() * 12_345.678_9)
        .collect();
    let train = Array2::from_shape_fn((12, 3), |(i, j)| match j {
        1 => secrets[i],
        _ => ((i * 5 + j * 3) % 13) as f64,
    });
    let scaled = xai_casebased::training::Standardization::fit(train.view()).unwrap();
    let scaled = scaled.apply(train.view()).unwrap();
    let values = secrets
        .into_iter()
        .chain(scaled.column(1).to_vec())
        .collect();
    (train, values)
}

#[cfg(feature = "persistence")]
#[test]
fn files_hold_redacted_features_only_with_the_option() {
    use xai_casebased::SaveOptions;
    let (train, values) = secrets();
    for redacted in [&["feature_1"][..], &["feature_1", "weight"]] {
        let builder = CaseExplainer::builder().metadata("weight", train.column(1).to_vec());
        let builder = redacted
            .iter()
            .fold(builder, |builder, name| builder.redact(*name));
        let explainer = builder.fit(train.view(), &[0; 12]).unwrap();
        let mut file = Vec::new();
        let refusal = explainer.save(&mut file).unwrap_err();
        assert!(file.is_empty());
        assert!(
            matches!(refusal.kind(), ErrorKind::Refused { .. }),
            "{refusal}"
        );
        assert_eq!(refusal.input(), input::STORED_EXPLAINER);
        assert_eq!(refusal.help(), Some(help::STORE_REDACTED));
        assert!(refusal.to_string().contains("(feature_1)"), "{refusal}");
        let options = SaveOptions::new().store_redacted(true);
        explainer.save_with(&mut file, options).unwrap();
        assert_eq!(file[12..16], [1, 0, 0, 0]);
        assert!(
            values[..12]
                .iter()
                .all(|value| holds(&file, &value.to_le_bytes()))
        );
        let info = CaseExplainer::load(&*file).unwrap().training_info();
        assert!(info.file_holds_redacted);
        assert!(
            info.to_string()
                .ends_with("its file holds the values of redacted features")
        );
        // A header that says otherwise is not believed.
        file[12] = 0;
        let end = file.len() - 8;
        let checksum = xxhash_rust::xxh3::xxh3_64(&file[..end]).to_le_bytes();
        file[end..].copy_from_slice(&checksum);
        let error = CaseExplainer::load(&*file).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    }
    // Redacted metadata needs no permission: it is not in the file.
    let builder = CaseExplainer::builder().metadata("weight", train.column(1).to_vec());
    let rest = train.select(ndarray::Axis(1), &[0, 2]);
    let explainer = builder.redact("weight").fit(rest.view(), &[0; 12]).unwrap();
    let mut file = Vec::new();
    explainer.save(&mut file).unwrap();
    assert_eq!(file[12..16], [0; 4]);
    for form in values.iter().flat_map(|value| forms(*value)) {
        assert!(!holds(&file, &form), "{form:?}");
    }
    assert!(
        !CaseExplainer::load(&*file)
            .unwrap()
            .training_info()
            .file_holds_redacted
    );
}

#[cfg(feature = "serde")]
#[test]
fn no_state_or_debug_output_holds_redacted_values() {
    use xai_casebased::{Accumulator, Audit};
    let (train, values) = secrets();
    let builder = CaseExplainer::builder()
        .k(4)
        .metadata("weight", train.column(1).to_vec())
        .redact("feature_1")
        .redact("weight");
    let mut outputs: Vec<(&str, Vec<u8>)> = Vec::new();
    outputs.push(("builder", format!("{builder:?} {builder:#?}").into_bytes()));
    let closed = builder
        .clone()
        .aggregate_only(2)
        .fit(train.view(), &[0; 12])
        .unwrap();
    let explainer = builder.fit(train.view(), &[0; 12]).unwrap();
    outputs.push((
        "explainer",
        format!("{explainer:?} {explainer:#?}").into_bytes(),
    ));
    let explanations = explainer.explain_votes(train.view()).unwrap();
    let mut audit = Audit::new();
    audit.update(&explanations).unwrap();
    let report = audit.finish().unwrap();
    let arrays = explainer
        .case_arrays(train.view(), xai_casebased::CaseOptions::new())
        .unwrap();
    let released: Vec<_> = closed.aggregate(train.view(), None).unwrap();
    let released: Vec<_> = released
        .iter()
        .filter_map(xai_casebased::Aggregate::released)
        .collect();
    assert!(!released.is_empty());
    let info = explainer.training_info();
    macro_rules! states {
        ($($name:literal: $value:expr),+ $(,)?) => {$(
            outputs.push(($name, format!("{:?} {:#?}", $value, $value).into_bytes()));
            outputs.push(($name, serde_json::to_vec(&$value).unwrap()));
            outputs.push(($name, postcard::to_stdvec(&$value).unwrap()));
        )+};
    }
    states!("explanations": explanations, "audit": audit, "report": report, "arrays": arrays,
        "aggregates": released, "info": info);
    for (name, output) in &outputs {
        for form in values.iter().flat_map(|value| forms(*value)) {
            assert!(!holds(output, &form), "{name} holds {form:?}");
        }
    }
    // The mean of a constant feature is its value.
    assert!(matches!(
        explainer.standardization().unwrap_err().kind(),
        ErrorKind::Refused { .. }
    ));
    assert!(matches!(
        explainer.training_rows().unwrap_err().kind(),
        ErrorKind::Refused { .. }
    ));
}

#[cfg(feature = "persistence")]
#[test]
fn a_stored_explainer_has_no_redacted_metadata() {
    let fit = |redact: bool| {
        let builder = CaseExplainer::builder()
            .metadata("patient", vec!["Ada Lovelace", "Alan Turing"])
            .metadata("site", vec!["north", "south"]);
        let builder = match redact {
            true => builder.redact("patient"),
            false => builder,
        };
        let mut file = Vec::new();
        let explainer = builder.fit(array![[0.0], [1.0]].view(), &[0, 1]).unwrap();
        explainer.save(&mut file).unwrap();
        file
    };
    assert!(holds(&fit(false), b"Lovelace"));
    let file = fit(true);
    assert!(!holds(&file, b"Lovelace") && holds(&file, b"north"));
    let explainer = CaseExplainer::load(&*file).unwrap();
    let case = &explainer.explain_votes(array![[0.1]].view()).unwrap()[0].cases[0];
    assert_eq!(case.metadata.len(), 1);
    assert_eq!(case.metadata["site"], MetadataValue::Text("north".into()));
    assert_eq!(explainer.training_info().redacted, ["patient"]);
}

proptest! {
    /// Every value of a redacted column is a number of so many digits that no distance has them by
    /// chance.
    #[test]
    fn redacted_values_are_in_no_output(
        secrets in prop::collection::vec(1_000_000_000_000u64..9_000_000_000_000, 12),
        k in 1usize..15,
    ) {
        let train = Array2::from_shape_fn((12, 3), |(i, j)| match j {
            1 => secrets[i] as f64,
            _ => (i * 3 + j) as f64 / 8.0,
        });
        let names: Vec<String> = secrets.iter().map(|s| format!("N{s}")).collect();
        let explainer = CaseExplainer::builder()
            .k(k)
            .feature_names(["a", "secret", "b"])
            .metadata("patient", names)
            .metadata("site", vec!["x"; 12])
            .redact("secret")
            .redact("patient");
        let told = format!("{explainer:?}");
        for secret in &secrets {
            prop_assert!(!told.contains(&secret.to_string()));
        }
        let explainer = explainer.fit(train.view(), &[0; 12]).unwrap();
        for explanation in explainer.explain_votes(train.view()).unwrap() {
            prop_assert_eq!(explanation.feature_names.to_vec(), ["a", "b"]);
            let text = format!("{explanation} {explanation:?}");
            #[cfg(feature = "serde")]
            let text = text + &serde_json::to_string(&explanation).unwrap();
            for secret in &secrets {
                prop_assert!(!text.contains(&secret.to_string()));
            }
            for case in &explanation.cases {
                prop_assert_eq!(case.features[0], train[[case.index, 0]]);
                prop_assert_eq!(case.features[1], train[[case.index, 2]]);
                prop_assert_eq!(case.metadata.len(), 1);
            }
        }
        let info = explainer.training_info();
        prop_assert_eq!(info.redacted, ["secret", "patient"]);
    }

    /// An aggregate is released exactly when enough distinct rows stand behind it, and it is the
    /// aggregate of the explanation.
    #[test]
    fn an_aggregate_has_enough_distinct_rows_behind_it(
        values in prop::collection::vec(0u8..6, 30),
        k in 1usize..12,
        minimum in 2usize..6,
    ) {
        let train = Array2::from_shape_fn((30, 1), |(i, _)| f64::from(values[i]));
        let labels: Vec<i64> = (0..30).map(|i| i % 3).collect();
        let builder = CaseExplainer::builder().k(k);
        let open = builder.clone().fit(train.view(), &labels).unwrap();
        let closed = builder.aggregate_only(minimum).fit(train.view(), &labels).unwrap();
        prop_assert!(closed.explain_votes(train.view()).is_err());
        let explanations = open.explain_votes(train.view()).unwrap();
        let released = closed.aggregate(train.view(), None).unwrap();
        for (explanation, released) in explanations.iter().zip(released) {
            let mut rows: Vec<_> = explanation.cases.iter().map(|c| values[c.index]).collect();
            rows.sort_unstable();
            rows.dedup();
            match released.into_result() {
                Err(e) => {
                    prop_assert!(rows.len() < minimum);
                    let refused = matches!(e.kind(), ErrorKind::Refused { .. });
                    prop_assert!(refused);
                    prop_assert_eq!(e.input(), input::AGGREGATE);
                    prop_assert_eq!(e.help(), Some(help::USE_MORE_NEIGHBORS));
                }
                Ok(aggregate) => {
                    prop_assert!(rows.len() >= minimum);
                    prop_assert_eq!(aggregate.n_distinct, rows.len());
                    prop_assert_eq!(aggregate.correspondence, explanation.correspondence.score);
                    prop_assert_eq!(aggregate.level, explanation.level());
                    let (nearest, farthest) = aggregate.distance_range.unwrap();
                    prop_assert_eq!(nearest, explanation.cases[0].distance);
                    prop_assert_eq!(farthest, explanation.cases[k - 1].distance);
                    let sum: f64 = aggregate.class_shares.values().sum();
                    prop_assert!((sum - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}
