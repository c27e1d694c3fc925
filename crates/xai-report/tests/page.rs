//! The whole page: of a report as a study gives it, and of one that tries what it must withstand.

mod fixture;

use std::collections::BTreeSet;

use fixture::extreme::{SCRIPT, extreme};
use fixture::realistic::realistic;
use xai_report::{Report, Verdict, findings, page};

/// The attributes `name="…"` of the page, the script aside.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let key = format!(" {name}=\"");
    let parts = page.split(key.as_str()).skip(1);
    parts.filter_map(|part| part.split('"').next()).collect()
}

#[test]
fn the_page_of_a_study_is_small_and_asks_for_nothing() {
    let page = page(&realistic());
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(!page.contains("http://") && !page.contains("https://"));
    let fetched = attributes(&page, "href")
        .into_iter()
        .chain(attributes(&page, "src"));
    for address in fetched {
        assert!(
            address.starts_with('#') || address.starts_with("data:") || address == "report.json",
            "{address}"
        );
    }
    assert_eq!(page.matches("<script>").count(), 1);
}

#[test]
fn the_page_of_500_runs_and_large_images_is_below_five_megabytes() {
    let page = page(&extreme());
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
}

#[test]
fn names_are_shown_and_never_run() {
    let page = page(&extreme());
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains(SCRIPT));
    // An attribute that ended early would let the rest of the name be one; all are in double quotes.
    assert!(!page.contains("\" hostile="));
    assert!(!page.contains(['\u{202e}', '\u{0}', '\u{1b}']));
    assert!(page.contains("\\u{202e}evil"));
    assert!(page.contains("&lt;script&gt;alert("));
}

#[test]
fn ids_are_unique_and_links_lead_somewhere() {
    for report in [realistic(), extreme()] {
        let page = page(&report);
        let ids = attributes(&page, "id");
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len());
        for address in attributes(&page, "href") {
            if let Some(id) = address.strip_prefix('#') {
                assert!(unique.contains(id), "#{id}");
            }
        }
        let labels = attributes(&page, "aria-labelledby");
        for id in labels.iter().flat_map(|ids| ids.split(' ')) {
            assert!(unique.contains(id), "{id}");
        }
    }
}

#[test]
fn every_picture_has_a_title_a_description_a_caption_and_a_table() {
    for report in [realistic(), extreme()] {
        let page = page(&report);
        let pictures: Vec<&str> = page.split("<figure>").skip(1).collect();
        assert!(pictures.len() > 20);
        for picture in pictures {
            let (figure, behind) = picture.split_once("</figure>").unwrap();
            let svg = figure
                .split_once("role=\"img\" aria-labelledby=\"")
                .unwrap()
                .1;
            assert!(svg.contains("-t\">") && svg.contains("-d\">"));
            assert!(!svg.contains("-t\"></title>") && !svg.contains("-d\"></desc>"));
            assert!(!figure.contains("<figcaption></figcaption>"));
            assert!(behind.starts_with("<details class=\"numbers\">"));
            let behind = behind.split_once("</details>").unwrap().0;
            assert!(behind.contains("<caption>") && behind.contains("<tbody>"));
        }
    }
}

#[test]
fn undefined_values_are_dashes_and_never_nan() {
    let page = page(&extreme());
    for number in attributes(&page, "data-value") {
        assert!(
            number.is_empty() || number.parse::<f64>().is_ok_and(f64::is_finite),
            "{number}"
        );
    }
    assert!(attributes(&page, "data-value").contains(&""));
    for attribute in ["x", "y", "cx", "cy", "x1", "y2", "d", "width", "height"] {
        let places = attributes(&page, attribute);
        assert!(
            places
                .iter()
                .all(|place| !place.contains("NaN") && !place.contains("inf"))
        );
    }
}

#[test]
fn many_significant_differences_are_folded_below_the_pictures() {
    let mut report = realistic();
    let section = &mut report.attribution[0].compared;
    let page_of = |report: &Report| {
        let page = page(report);
        let (_, section) = page.split_once("id=\"attribution-1\"").unwrap();
        section.split_once("id=\"texts-1\"").unwrap().0.to_owned()
    };
    let pair = section.metrics[0].comparisons[0].clone();
    for metric in &mut section.metrics {
        metric.comparisons.clear();
    }
    let mut significant = pair;
    significant.significant = true;
    section.metrics[0].comparisons = vec![significant.clone(); 8];
    let open = page_of(&report);
    assert!(open.contains("Differences that are significant after Holm's correction"));
    assert!(!open.contains("All 8 significant differences"));
    let section = &mut report.attribution[0].compared;
    section.metrics[0].comparisons = vec![significant; 9];
    let folded = page_of(&report);
    let (before, after) = folded
        .split_once("<details class=\"folded\"><summary><bdi>All 9 significant differences</bdi>")
        .unwrap();
    assert!(before.contains("Explainers by metric"));
    let (table, _) = after.split_once("</details>").unwrap();
    assert!(table.contains("Differences that are significant after Holm's correction"));
}

#[test]
fn runs_have_the_names_that_they_were_given() {
    let page = page(&realistic());
    let (_, section) = page.split_once("id=\"regression-1\"").unwrap();
    for name in ["seed 1", "seed 5"] {
        assert!(section.contains(name));
    }
    assert!(page.contains("The mean absolute error ranges from"));
    assert!(page.contains("The runs predict similar numbers"));
}

#[test]
fn findings_and_missing_inputs_come_first() {
    let page = page(&realistic());
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("Not computed: 1 section") < place("id=\"casebased-1\""));
    assert!(place("The mask of “GNNExplainer” finds the true edges") < place("id=\"casebased-1\""));
    assert!(page.contains("<a href=\"#graph-1\">"));
}

#[test]
fn an_empty_report_is_a_page() {
    let report = Report::new("Empty");
    assert!(page(&report).ends_with("</html>"));
}

#[test]
fn the_level_of_intervals_is_that_of_the_section() {
    let page = page(&realistic());
    assert!(page.contains("Mean over samples, 90 % interval"));
    assert!(page.contains("below 0.1 after Holm"));
    assert!(page.contains("its 95 % interval by a jackknife over runs"));
}

#[test]
fn letters_are_of_one_size_names_are_whole_and_nothing_is_said_under_every_picture() {
    let page = page(&realistic());
    for figure in page.split("<figure>").skip(1) {
        let figure = figure.split_once("</figure>").unwrap().0;
        // The legend has drawings too, the picture comes last.
        let size = attributes(figure, "viewBox").pop().unwrap();
        assert!(
            size.starts_with("0 0 460 ") || size.starts_with("0 0 300 "),
            "{size}"
        );
        assert!(!figure.contains('…'), "{figure}");
    }
    assert!(page.contains(">integrated gradients</text>"));
    let n = page.matches("higher is better").count();
    assert!(n < 20, "{n}");
}

#[test]
fn metrics_are_judged_by_how_often_the_best_explainer_stays() {
    let mut report = realistic();
    report.texts.clear();
    report.data_attribution.clear();
    let said = |report: &Report| {
        let mut all = findings(report).into_iter();
        all.find(|finding| finding.text.contains("stays the best"))
    };
    let metrics = &mut report.attribution[0].compared.metrics;
    let judged = metrics
        .iter()
        .filter_map(|metric| metric.reliability.as_ref());
    assert_eq!(judged.count(), metrics.len());
    for (share, metric) in [0.9, 0.25, 0.89].into_iter().zip(metrics.iter_mut()) {
        metric.reliability.as_mut().unwrap().same_best = Some(share);
    }
    metrics.truncate(3);
    metrics[1].title = "The second".to_owned();
    let text = said(&report).unwrap().text;
    assert_eq!(
        text,
        "By 1 of 3 metrics with a direction, the best explainer stays the best in at least 90 % of the resamples of the \
         samples; least often by The second (0.2500)."
    );
    assert!(page(&report).contains("Which metrics to believe here"));
    // Reports of before have no such numbers.
    for metric in &mut report.attribution[0].compared.metrics {
        metric.reliability = None;
    }
    assert_eq!(said(&report), None);
    assert!(!page(&report).contains("Which metrics to believe here"));
    let json = report.to_json().unwrap();
    assert!(!json.contains("same_best"));
    let read = Report::from_json(json.as_bytes()).unwrap();
    assert_eq!(read.attribution[0].compared.metrics[0].reliability, None);
}

#[test]
fn explanations_by_training_cases_have_their_curve_their_top_cases_and_sentences_by_the_rules() {
    let mut report = realistic();
    let page_of_images = page(&report);
    assert!(page_of_images.contains("Mislabeled training cases found by inspection"));
    // Two of the best and two of the worst test cases, each with 1 + 5 images of two explainers.
    let section = &report.data_attribution[0];
    assert_eq!(section.top_cases.len(), 4);
    let tops = || {
        section
            .top_cases
            .iter()
            .flat_map(|sample| &sample.explainers)
    };
    assert!(
        tops().all(|top| top.len() == 5 && top.is_sorted_by(|a, b| a.attribution >= b.attribution))
    );
    let start = page_of_images
        .find("Top training cases side by side")
        .unwrap();
    let end = page_of_images.find("id=\"graph-1\"").unwrap();
    assert_eq!(
        page_of_images[start..end].matches("<image").count(),
        4 * 2 * 6
    );
    let said = |report: &Report| -> Vec<(Verdict, String)> {
        let all = findings(report)
            .into_iter()
            .filter(|of| of.section == "data_attribution-1");
        all.map(|of| (of.verdict, of.text)).collect()
    };
    let sentences = said(&report);
    let starts = |start: &str| sentences.iter().find(|(_, text)| text.starts_with(start));
    let (verdict, _) =
        starts("Inspected by “tracin”, mislabeled training cases come before others").unwrap();
    assert_eq!(*verdict, Verdict::Better);
    let (verdict, text) =
        starts("“tracin” is significantly better than “random” by 2 of 2 metrics").unwrap();
    assert_eq!(*verdict, Verdict::Better);
    assert!(!text.contains("ask the model"));
    let found = report.data_attribution[0].mislabeling.as_mut().unwrap();
    found.curves[0].auroc.interval = Some([0.4, 0.6]);
    found.curves[1].auroc.interval = Some([0.1, 0.2]);
    let verdicts = said(&report)
        .into_iter()
        .filter(|(_, text)| text.starts_with("Inspected by"));
    let verdicts: Vec<Verdict> = verdicts.map(|(verdict, _)| verdict).collect();
    assert_eq!(verdicts, [Verdict::NoDifference, Verdict::Worse]);
    // Without images the top cases are tables.
    for sample in &mut report.data_attribution[0].top_cases {
        sample.image = None;
    }
    let page = page(&report);
    assert!(page.contains("Top training cases of test case"));
    assert!(!page.contains("Left: the test case"));
    let json = report.to_json().unwrap();
    let read = Report::from_json(json.as_bytes()).unwrap();
    assert_eq!(
        read.data_attribution[0].compared,
        report.data_attribution[0].compared
    );
}

#[test]
fn tokens_are_marked_by_colour_and_line_and_long_texts_are_cut() {
    let mut report = realistic();
    let section = &mut report.texts[0];
    section.texts.truncate(1);
    let text = &mut section.texts[0];
    text.tokens = ["good ", "but ", "<slow>"].map(str::to_owned).to_vec();
    text.rationale = Some(vec![true, false, false]);
    text.attributions = vec![vec![0.5, 0.0, -0.25], vec![0.01, -1.0, 0.01]];
    let html = page(&report);
    let start = html.find("<dl class=\"text\">").unwrap();
    let drawn = &html[start..start + html[start..].find("</dl>").unwrap()];
    // The largest of an explainer has the last strength; half as much the third of five.
    assert!(drawn.contains(
        "<span class=\"token for strength-5 marked\" title=\"0.5, marked\">good<span class=\"told\"> (0.5, marked)</span></span> \
         <span class=\"token\">but</span> <span class=\"token against strength-3\" title=\"−0.25\">&lt;slow&gt;"
    ), "{drawn}");
    assert!(
        drawn.contains("<span class=\"token marked\" title=\"marked\">good"),
        "{drawn}"
    );
    let said: Vec<String> = findings(&report).into_iter().map(|of| of.text).collect();
    let has = |start: &str| said.iter().any(|text| text.starts_with(start));
    assert!(has("By Rationale AUPRC, “weights” is best"), "{said:?}");
    assert!(has(
        "All 2 explainers have their largest attribution at the same token in"
    ));
    // Of the texts that are shown one has 400 tokens.
    let report = realistic();
    let n_more: usize = report.texts[0].texts.iter().map(|text| text.n_more).sum();
    assert_eq!(
        n_more,
        if report.texts[0].texts.iter().any(|text| text.sample == 3) {
            100
        } else {
            0
        }
    );
    let json = report.to_json().unwrap();
    assert_eq!(
        Report::from_json(json.as_bytes()).unwrap().texts,
        report.texts
    );
}
