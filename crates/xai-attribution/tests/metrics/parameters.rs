//! What every parameter of every metric takes and refuses.

use xai_attribution::ErrorKind;
use xai_attribution::metric::registry::metrics;
use xai_core::describe::ends::{ends, outside};

use crate::all_metrics::{can_be_judged, example, settings};

/// With it the metric has a value in its range, or says what of the parameter or of the data leaves none.
#[test]
fn the_ends_of_a_parameter_are_values_of_it() {
    let problem = example();
    let (mut n_values, mut wrong) = (0, Vec::new());
    for entry in metrics() {
        for (param, value) in entry
            .params()
            .iter()
            .flat_map(|param| ends(&param.kind).into_iter().map(move |end| (param, end)))
        {
            let of = format!("{} = {value} of {}", param.name, entry.info.name);
            // As many draws as there can be, or as wide a blur, take minutes.
            let number = value.to_string().rsplit(':').next().map(str::parse::<f64>);
            let is_long = number.is_some_and(|number| number.is_ok_and(|number| number > 5000.0));
            let mut settings = settings(entry);
            settings.retain(|(name, _)| name != param.name);
            settings.push((param.name.to_owned(), value));
            let metric = entry
                .build::<f64>(&settings)
                .unwrap_or_else(|error| panic!("{of}: {error}"));
            if is_long || !can_be_judged(&entry) {
                continue;
            }
            match problem.outcome(&*metric, 64).0 {
                Ok(result) => {
                    let mut values = result
                        .per_sample
                        .into_iter()
                        .flatten()
                        .chain([result.value]);
                    // Some ranges hold for some values of a parameter only.
                    let range = &entry.info.range;
                    let within = |value| !range.when.is_empty() || range.contains(value);
                    if !values.all(|value| value.is_finite() && within(value)) {
                        wrong.push(of);
                    }
                    n_values += 1;
                }
                Err(error) => {
                    let is_about_it = error.input().name() == param.name;
                    if !is_about_it && error.help().is_none() {
                        wrong.push(format!("{of}: {error}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_values > 2 * metrics().len(), "{n_values}");
}

#[test]
fn a_wrong_value_is_an_error_about_the_parameter_by_its_name() {
    let mut n_params = 0;
    for entry in metrics().iter() {
        for param in entry.params() {
            let values = outside(&param.kind);
            assert!(values.len() > 2, "{} of {}", param.name, entry.info.name);
            for value in values {
                let of = format!("{} = {value:?} of {}", param.name, entry.info.name);
                let error = match entry.build::<f64>(&[(param.name.to_owned(), value)]) {
                    Ok(_) => panic!("{of}: built"),
                    Err(error) => error,
                };
                assert_eq!(error.input().name(), param.name, "{of}");
                assert!(
                    matches!(error.kind(), ErrorKind::InvalidParameter { .. }),
                    "{of}"
                );
            }
            n_params += 1;
        }
    }
    assert!(n_params > metrics().len());
}
