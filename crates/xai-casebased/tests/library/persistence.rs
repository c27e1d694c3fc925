//! What is stored comes back, and nothing else does.
use ndarray::{Array2, array};
use proptest::prelude::*;
use xai_casebased::similarity::Embedding;
use xai_casebased::{
    CaseExplainer, CaseExplainerBuilder, Distance, Engine, Error, ErrorKind, Kernel, SaveOptions,
    help, input,
};
use xai_core::distance::Mahalanobis;

fn builder() -> CaseExplainerBuilder {
    CaseExplainer::builder()
        .k(3)
        .class_name(1, "late")
        .feature_names(["a", "b"])
        .metadata("site", vec!["n", "s", "e", "w"])
        .metadata("mass", vec![1.0, 2.0, f64::NAN, 4.0])
        .redact("b")
        .weighting(Kernel::Gaussian { bandwidth: 2.0 })
        .class_weight(1, 2.5)
}

fn stored(builder: CaseExplainerBuilder) -> Vec<u8> {
    let train = array![[0.0, 1.0], [0.5, 0.25], [4.0, 5.0], [4.5, 5.5]];
    let explainer = builder.fit(train.view(), &[0, 0, 1, 1]).unwrap();
    let mut bytes = Vec::new();
    let options = SaveOptions::new().store_redacted(true);
    explainer.save_with(&mut bytes, options).unwrap();
    bytes
}

fn load(bytes: &[u8]) -> Result<CaseExplainer, Error> {
    CaseExplainer::load(bytes)
}

/// The checksum that a forger who knows the format would write.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

#[test]
fn a_loaded_explainer_explains_as_the_stored_one() {
    let train = Array2::from_shape_fn((700, 4), |(i, j)| ((i * 37 + j * 101) % 89) as f64);
    let labels: Vec<usize> = (0..700).map(|i| i % 4).collect();
    let covariance = Mahalanobis::from_rows(train.view()).unwrap();
    for distance in [
        Distance::Euclidean,
        Distance::Minkowski(3.5),
        Distance::Mahalanobis(covariance),
    ] {
        for engine in [Engine::Auto, Engine::BruteForce, Engine::KdTree] {
            let builder = CaseExplainer::builder()
                .distance(distance.clone())
                .class_weight(2, 0.5)
                .engine(engine);
            let explainer = builder.fit(train.view(), &labels).unwrap();
            let mut bytes = Vec::new();
            explainer.save(&mut bytes).unwrap();
            let again = load(&bytes).unwrap();
            let queries = train.mapv(|x| x + 0.25);
            assert_eq!(
                again.explain_votes(queries.view()).unwrap(),
                explainer.explain_votes(queries.view()).unwrap()
            );
            assert_eq!(again.training_info(), explainer.training_info());
            assert_eq!(again.class_weights(), [(2, 0.5)]);
        }
    }
}

#[test]
fn files_that_are_not_ours_are_named() {
    let bytes = stored(builder());
    let refused = |bytes: &[u8], says: &str| {
        let error = load(bytes).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
        assert_eq!(error.input(), input::STORED_EXPLAINER);
        let text = error.to_string();
        assert!(
            text.starts_with("stored explainer: ") && text.contains(says),
            "{text}"
        );
    };
    let foreign = "not a stored explainer: it does not begin with XAICASES";
    refused(b"", foreign);
    refused(b"\x93NUMPY and more", foreign);
    refused(&bytes[..10], "ends within its header");
    refused(&bytes[..bytes.len() - 1], "cut off or damaged");
    refused(&[&bytes[..], b"x"].concat(), "cut off or damaged");
    let mut newer = bytes.clone();
    newer[8] = 3;
    refused(
        &newer,
        "version 3 of the format; this build reads version 2",
    );
    let mut unknown = bytes.clone();
    unknown[12] = 2;
    refused(&sealed(unknown), "unknown flags");
    let mut damaged = bytes.clone();
    damaged[33] ^= 0x40;
    refused(&damaged, "the checksum does not match");
}

#[test]
fn closures_are_not_stored() {
    let train = array![[0.0], [1.0]];
    let save = |builder: CaseExplainerBuilder| {
        let explainer = builder.fit(train.view(), &[0, 1]).unwrap();
        explainer.save(Vec::new()).unwrap_err()
    };
    let closure = CaseExplainer::builder().weighting_with(|d: f64| 1.0 / (1.0 + d));
    let error = save(closure);
    assert_eq!(error.input(), input::WEIGHTING);
    assert_eq!(error.help(), Some(help::CHOOSE_A_KERNEL));
    let distance = |a: &[f64], b: &[f64]| (a[0] - b[0]).abs();
    let error = save(CaseExplainer::builder().distance_with(distance));
    assert_eq!(error.input(), input::DISTANCE);
    assert_eq!(error.help(), Some(help::FIT_AGAIN));
    let same = |rows: ndarray::ArrayView2<'_, f64>| Ok::<_, std::fmt::Error>(rows.to_owned());
    let embedding = CaseExplainer::builder().similarity(Embedding::new(same));
    let error = save(embedding);
    assert_eq!(error.input(), input::SIMILARITY);
    assert_eq!(error.help(), Some(help::FIT_AGAIN));
}

/// A file with the right checksum whose content announces rows that are not there.
#[test]
fn forged_sizes_are_refused_before_anything_is_allocated() {
    let train = array![[7.0]];
    let mut bytes = Vec::new();
    let explainer = CaseExplainer::builder().fit(train.view(), &[0]).unwrap();
    explainer.save(&mut bytes).unwrap();
    // The content ends in: features, labels (count, one label), rows (count, eight bytes).
    let end = bytes.len() - 8 - 12;
    assert_eq!(bytes[end..end + 4], [1, 1, 0, 1]);
    for features in [1u64 << 40, 1 << 62, u64::MAX, 0] {
        let mut forged = bytes[..end].to_vec();
        let mut rest = features;
        loop {
            let low = (rest & 0x7f) as u8;
            rest >>= 7;
            forged.push(if rest == 0 { low } else { low | 0x80 });
            if rest == 0 {
                break;
            }
        }
        forged.extend([0, 0]);
        let length = (forged.len() - 24) as u64;
        forged[16..24].copy_from_slice(&length.to_le_bytes());
        forged.extend([0; 8]);
        let error = load(&sealed(forged)).map(|_| ()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100_000, ..ProptestConfig::default() })]

    /// Without the right checksum nothing is believed.
    #[test]
    fn no_damaged_file_is_read(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..=255), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        thread_local!(static BYTES: Vec<u8> = stored(builder()));
        let (original, mut bytes) = BYTES.with(|b| (b.clone(), b.clone()));
        for (place, by) in changes {
            let place = place.index(bytes.len());
            bytes[place] ^= by;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if bytes != original {
            let error = load(&bytes).unwrap_err();
            let corrupt = matches!(error.kind(), ErrorKind::Corrupt { .. });
            prop_assert!(corrupt);
        }
    }

    /// Even a file with the right checksum gives an explainer that works, or an error.
    #[test]
    fn no_forged_file_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        thread_local!(static BYTES: Vec<u8> = stored(builder()));
        let mut bytes = BYTES.with(Clone::clone);
        for (place, to) in changes {
            let place = 24 + place.index(bytes.len() - 32);
            bytes[place] = to;
        }
        if let Ok(explainer) = load(&sealed(bytes)) {
            let sample = Array2::from_elem((1, explainer.training_info().n_features), 0.5);
            let _ = explainer.explain_votes(sample.view());
        }
    }
}
