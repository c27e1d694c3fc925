//! Targets that read studies, settings of metrics, and reports.

use xai_metrics::attribution::metric::{Entry, registry};
use xai_metrics::common::describe::{Setting, Settings};
use xai_report::{Report, diff, findings, page};

pub(crate) fn study(bytes: &[u8]) {
    let _ = xai_cli::check_study(bytes);
}

pub(crate) fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(settings) = text.parse::<Settings>() else {
        return;
    };
    let written = settings.to_string();
    let again = written.parse::<Settings>().ok();
    assert_eq!(
        again.as_ref(),
        Some(&settings),
        "{text:?} was written as {written:?}"
    );
    for setting in &settings.0 {
        let _ = registry::from_setting::<f64>(setting);
        let json = serde_json::to_string(setting).expect("a setting as JSON");
        let stored = serde_json::from_str::<Setting>(&json);
        assert!(stored.is_ok(), "{json}: {stored:?}");
    }
}

/// Returns the settings of every metric, with all defaults.
pub(crate) fn examples() -> Vec<Vec<u8>> {
    let default_setting = |entry: &Entry| {
        let params = entry
            .params()
            .into_iter()
            .map(|param| (param.name.to_owned(), param.value));
        let setting = Setting {
            name: entry.key(),
            params: params.collect(),
        };
        setting.to_string().into_bytes()
    };
    registry::metrics().iter().map(default_setting).collect()
}

pub(crate) fn report(bytes: &[u8]) {
    let Ok(report) = Report::from_json(bytes) else {
        return;
    };
    let _ = findings(&report);
    let _ = page(&report);
    let _ = diff(&report, &report);
    let json = report.to_json().expect("a report as JSON");
    Report::from_json(json.as_bytes()).expect("a report that was just written");
}

/// Returns reports with one section each and one without sections. A report with all sections would be larger than the
/// largest input.
pub(crate) fn reports() -> Vec<Vec<u8>> {
    let Report {
        casebased,
        attribution,
        texts,
        data_attribution,
        graph,
        repro,
        simulation,
        findings,
        missing,
        ..
    } = crate::realistic::realistic();
    let empty = || Report::new("Study");
    let mut reports = vec![empty(); 9];
    let [a, b, c, d, e, f, g, h, _] = &mut reports[..] else {
        unreachable!("there are nine")
    };
    a.casebased = casebased.into_iter().take(1).collect();
    (b.attribution, c.texts, d.data_attribution) = (attribution, texts, data_attribution);
    (e.graph, f.repro, g.simulation) = (graph, repro, simulation);
    (h.findings, h.missing) = (findings, missing);
    let json = |report: Report| report.to_json().expect("a report as JSON").into_bytes();
    reports.into_iter().map(json).collect()
}
