//! The list of all metrics. These tests stand here because a test program of the library itself would compile every
//! metric once more.

use xai_attribution::metric::registry::{find, metrics};
use xai_core::describe::Value;

#[test]
fn names_are_in_kebab_case_and_found() {
    for entry in metrics() {
        let name = entry.info.name;
        assert!(
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{name}"
        );
        assert!(std::ptr::eq(find(&entry.key()).unwrap(), entry));
    }
}

#[test]
fn every_default_is_of_its_kind_and_is_read_as_it_is_written() {
    for entry in metrics().iter() {
        let params = entry.params();
        for (i, param) in params.iter().enumerate() {
            let name = param.name;
            assert!(params[..i].iter().all(|other| other.name != name), "{name}");
            assert!(param.check().is_ok(), "{name} of {}", entry.info.name);
            assert!(
                !param.doc.is_empty() && !param.doc.contains("::"),
                "{name}: {}",
                param.doc
            );
            let text = param.value.to_string();
            if param.value != Value::Given {
                let settings = [(name.to_owned(), Value::Text(text))];
                let built = entry.build::<f64>(&settings).unwrap();
                assert_eq!(built.params(), params, "{name} of {}", entry.info.name);
                #[cfg(feature = "f32")]
                assert_eq!(entry.build::<f32>(&settings).unwrap().params(), params);
            }
        }
        let unknown = entry.build::<f64>(&[("no_such_parameter".into(), 1.0.into())]);
        assert!(unknown.is_err(), "{}", entry.info.name);
    }
}
