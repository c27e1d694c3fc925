//! The section `[[graph]]`: results of `xai graph sweep` and `xai graph groundtruth`.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ndarray::{ArcArray2, Ix1, Ix2};
use xai_files::{Files, InFile, InFiles, arrays};
use xai_metrics::common::number::check_finite_slice;
use xai_metrics::graph::input;
use xai_report::sections::graph::{ExplainerResults, Graph, MaskWithTruth};

use crate::graph::groundtruth::Groundtruth;
use crate::graph::sweep::SweepCommand;
use crate::output::text::{decimals, interval, table};
use crate::report::init::found::{FoundFile, by_folder};
use crate::report::section::{
    Context, Draft, Explainers, Failure, Folder, Origin, Prepared, Report, SectionCommand,
    SectionKeys, SectionKind, StudySection, into_report,
};
use crate::report::study::arguments::CommandLine;
use crate::report::study::document::{Key, Table};
use crate::report::study::keys::canonical;

/// Keys of the drawings. `edge_index` and `edge_mask` are also options of the commands; `drawn_nodes` is a key of
/// studies only.
#[derive(Debug, Clone, clap::Args)]
struct DrawingKeys {
    /// The edges that the masks score, (2, e). Default: those of the model's graph.
    #[arg(long)]
    edge_index: Option<PathBuf>,
    /// The scores of the edges. Default: those of the sweep of a model, or of the comparison with a true explanation.
    #[arg(long)]
    edge_mask: Option<PathBuf>,
    /// Number of explained nodes that are drawn with their neighbourhoods.
    #[arg(long, default_value_t = 3)]
    drawn_nodes: usize,
}

const SWEEP: usize = 0;
const GROUNDTRUTH: usize = 1;
const DRAWING: usize = 2;

const COMMANDS: &[SectionCommand] = &[
    SectionCommand::new::<SweepCommand>(&["graph", "sweep"], &["out"]),
    SectionCommand {
        // `target` is the key of the sweep's true labels.
        renamed: &[("predicted", "edge_mask"), ("target", "edge_mask_true")],
        ..SectionCommand::new::<Groundtruth>(&["graph", "groundtruth"], &["out"])
    },
    SectionCommand::study_keys::<DrawingKeys>(),
];

pub(super) struct GraphSection;

impl StudySection for GraphSection {
    fn kind(&self) -> &'static SectionKind {
        &Graph::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        COMMANDS.to_vec()
    }

    fn explainers(&self) -> Explainers {
        Explainers::Keys {
            shared: &["drawn_nodes", "seed"],
        }
    }

    /// Prepares a sweep per explainer, and a comparison with the true explanation if there is one. Explainers are
    /// separate parts of a check, because each may run a model, and a check ends there.
    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        // Without tables of explainers, the keys of the section are those of its only explainer.
        let section = keys.section;
        let only_explainer = [Table {
            at: section.at.clone(),
            keys: Vec::new(),
        }];
        let tables = match section.explainers.as_slice() {
            [] => &only_explainer,
            tables => tables,
        };
        let mut lines = Vec::new();
        let mut explainers = Vec::with_capacity(tables.len());
        for table in tables {
            explainers.push(explainer(keys, table, &mut lines)?);
        }
        // The masks are read per explainer.
        let drawing_keys = section
            .keys
            .iter()
            .filter(|key| canonical(&key.name) != "edge_mask");
        let (line, drawing) = keys.command_from(DRAWING, drawing_keys, &section.at)?;
        lines.push(line);
        let inputs = Rc::new(GraphInputs {
            explainers,
            drawing,
        });
        let evaluate_range = |range: std::ops::Range<usize>| {
            let inputs = Rc::clone(&inputs);
            let section = move |origin, context: &Context| {
                evaluate(&inputs, &inputs.explainers[range.clone()], origin, context)
            };
            into_report(section, |report| &mut report.graph)
        };
        let n = tables.len();
        Ok(Prepared {
            parts: (0..n).map(|i| evaluate_range(i..i + 1)).collect(),
            ..keys.prepared(evaluate_range(0..n), &lines)
        })
    }

    /// Drafts a section for a folder with outputs on the full graph, and explainers in it or in its subfolders.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let full = folder.find(|file| file.shape().len() == 2 && file.name_contains(&["full"]))?;
        let explainers = explainer_folders(folder, full.shape());
        let (_, kept, _) = explainers.first()?;
        draft.begin(&folder.name(), "Is an explanatory subgraph sufficient and necessary? Keys: the options of `xai graph sweep` and `xai graph groundtruth`.");
        draft.file("full", full, false);
        let n_levels = kept.shape()[0];
        let mut entry = |key: &str, words: &[&str], fits: &dyn Fn(&[usize]) -> bool| {
            let file = folder.find(|file| file.name_contains(words) && fits(file.shape()));
            draft.guessed(key, file);
        };
        entry("index", &["index"], &|shape| shape.len() == 1);
        entry("levels", &["level", "fraction", "kept", "size"], &|shape| {
            shape == [n_levels]
        });
        entry("edge_mask_true", &["true", "truth"], &|shape| {
            shape.len() == 1
        });
        entry("edge_index", &["edge_index", "edges"], &|shape| {
            shape.len() == 2 && shape[0] == 2
        });
        for (explainer_folder, kept, complement) in &explainers {
            draft.begin_explainer(&explainer_folder.name());
            draft.file("kept", kept, false);
            draft.file("complement", complement, false);
            let mask = explainer_folder.find(|file| {
                file.shape().len() == 1
                    && file.name_contains(&["mask"])
                    && !file.name_contains(&["true", "truth"])
            });
            draft.guessed("edge_mask", mask);
        }
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.graph.iter().map(|section| {
            let rows = section.explainers.iter().map(|e| {
                let best = e.curve.get(e.best);
                let auroc = e.groundtruth.as_ref().map(|truth| truth.auroc);
                [
                    e.name.clone(),
                    best.map_or_else(String::new, |point| format!("{:.2}", point.level)),
                    decimals(best.and_then(|point| point.characterization.value)),
                    interval(best.and_then(|point| point.characterization.interval)),
                    decimals(e.fidelity_auc),
                    decimals(auroc.and_then(|auroc| auroc.value)),
                ]
            });
            let header = [
                &section.origin.name,
                "best size",
                "characterization ↑",
                "95 % interval",
                "curve AUC ↑",
                "AUROC ↑",
            ];
            table(&header, rows)
        });
        sections.collect()
    }
}

/// Reads the keys of an explainer and adds its commands to `lines`.
fn explainer(
    keys: &SectionKeys<'_>,
    table: &Table,
    lines: &mut Vec<CommandLine>,
) -> Result<ExplainerInputs, Failure> {
    let name = table.key("name").map(|key| keys.text(key)).transpose()?;
    // Keys of an explainer override those of the section.
    let section_keys = keys
        .section
        .keys
        .iter()
        .filter(|key| table.key(&canonical(&key.name)).is_none());
    let all: Vec<&Key> = section_keys.chain(&table.keys).collect();
    let is_named = |key: &Key, names: &[&str]| names.contains(&canonical(&key.name).as_str());
    let has = |name: &str| all.iter().any(|key| is_named(key, &[name]));
    // The sweep takes edges and mask only with a model. Otherwise they are for the drawing.
    let runs_model = has("model");
    if let Some(edges) = table.key("edge_index").filter(|_| !runs_model) {
        let what = "`edge_index` of an explainer without `model`";
        return Err(keys
            .failure(&edges.at, what)
            .help("all explainers are drawn on the edges of the section: move the key there"));
    }
    let is_for_sweep = |key: &&Key| runs_model || !is_named(key, &["edge_index", "edge_mask"]);
    let sweep_keys = all.iter().copied().filter(is_for_sweep);
    let (line, sweep) = keys.command_from(SWEEP, sweep_keys, &table.at)?;
    let mask_key = all
        .iter()
        .copied()
        .filter(|key| is_named(key, &["edge_mask"]));
    let (drawing_line, DrawingKeys { edge_mask, .. }) =
        keys.command_from(DRAWING, mask_key, &table.at)?;
    lines.extend([line, drawing_line]);
    let mut groundtruth = None;
    if has("edge_mask") && has("edge_mask_true") {
        let (line, arguments) = keys.command_from(GROUNDTRUTH, all.iter().copied(), &table.at)?;
        groundtruth = Some(arguments);
        lines.push(line);
    }
    Ok(ExplainerInputs {
        name: name.unwrap_or(&keys.section.name).to_owned(),
        sweep,
        edge_mask,
        groundtruth,
    })
}

/// Returns the folders with outputs on explanations and on their complements: `(folder, kept, complement)`.
fn explainer_folders<'a>(
    folder: &Folder<'a>,
    full: &[usize],
) -> Vec<(Folder<'a>, &'a FoundFile, &'a FoundFile)> {
    let is_same_or_subfolder = |other: &Folder<'_>| {
        folder.path.is_empty()
            || other
                .path
                .strip_prefix(folder.path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    by_folder(folder.all_files)
        .into_iter()
        .filter(is_same_or_subfolder)
        .filter_map(|candidate| {
            let find = |word: &str| {
                candidate
                    .find(|file| file.shape().get(1..) == Some(full) && file.name_contains(&[word]))
            };
            let (kept, complement) = (find("kept")?, find("complement")?);
            (kept.shape() == complement.shape()).then_some((candidate, kept, complement))
        })
        .collect()
}

/// Arguments of the commands of a section.
#[derive(Debug)]
struct GraphInputs {
    explainers: Vec<ExplainerInputs>,
    drawing: DrawingKeys,
}

/// Arguments of the commands of one explainer.
#[derive(Debug)]
struct ExplainerInputs {
    name: String,
    sweep: SweepCommand,
    /// The scores of the edges. Default: those of the sweep of a model, or of the comparison with a true explanation.
    edge_mask: Option<PathBuf>,
    groundtruth: Option<Groundtruth>,
}

/// Evaluates a section for some of its explainers.
fn evaluate(
    inputs: &GraphInputs,
    explainers: &[ExplainerInputs],
    origin: Origin,
    context: &Context,
) -> Result<Graph, Failure> {
    let edges_file = inputs.drawing.edge_index.as_deref();
    let edges = edges_file.map(read_edges).transpose()?;
    let mut results = Vec::with_capacity(explainers.len());
    for explainer in explainers {
        results.push(explainer_results(explainer, edges.as_ref(), context)?);
    }
    Ok(Graph::new(origin, results, inputs.drawing.drawn_nodes))
}

/// The edges as node pairs, (2, e), and their file.
type Edges<'a> = (&'a Path, ArcArray2<usize>);

/// Evaluates one explainer.
fn explainer_results(
    inputs: &ExplainerInputs,
    section_edges: Option<&Edges<'_>>,
    context: &Context,
) -> Result<ExplainerResults, Failure> {
    let sweep = inputs.sweep.evaluate(context)?;
    let with_truth = match &inputs.groundtruth {
        Some(command) => Some(compare_with_truth(command, context)?),
        None => None,
    };
    let (ground_truth, groundtruth_mask) = with_truth.unzip();
    let (model_edges, model_mask) = inputs.sweep.edges_and_mask();
    let mask_file = inputs.edge_mask.as_deref().or(model_mask);
    let mask = match mask_file {
        Some(file) => Some(read_mask(file)?),
        None => groundtruth_mask,
    };
    let own_edges = match section_edges {
        None => model_edges.map(read_edges).transpose()?,
        Some(_) => None,
    };
    let edges = section_edges.or(own_edges.as_ref());
    if let (Some(file), Some(mask), Some(edges)) = (mask_file, &mask, edges) {
        check_length(mask, file, edges)?;
    }
    Ok(ExplainerResults {
        name: inputs.name.clone(),
        sweep: sweep.curve,
        index: sweep.index,
        ground_truth,
        mask,
        edges: edges.map(|(_, edges)| edges.clone()),
    })
}

/// Compares a mask with its true explanation. Also returns the mask.
fn compare_with_truth(
    command: &Groundtruth,
    context: &Context,
) -> Result<(MaskWithTruth, Vec<f64>), Failure> {
    let result = command.evaluate(context)?;
    let mask = result.mask();
    let elements = command.elements(&result)?;
    let is_true = elements.iter().map(|element| element.is_true).collect();
    let curves = command.curves(&result)?;
    let with_truth = MaskWithTruth::new(&result.scores, curves, &mask, is_true)
        .map_err(Failure::new)
        .in_file(command.mask_file())?;
    Ok((with_truth, mask))
}

/// Reads the scores of edges.
fn read_mask(file: &Path) -> Result<Vec<f64>, Failure> {
    let mask = arrays::read_f64::<Ix1>(file)?.to_vec();
    let files = Files::new().file(&[input::EDGE_MASK], file);
    check_finite_slice(input::EDGE_MASK, &mask).in_files(&files)?;
    Ok(mask)
}

/// Fails if the number of scores in a file is not the number of edges. Masks that come only from a comparison with a
/// true explanation are not checked, because they may score nodes or features.
fn check_length(mask: &[f64], file: &Path, (edges_file, edges): &Edges<'_>) -> Result<(), Failure> {
    if mask.len() == edges.ncols() {
        return Ok(());
    }
    let (n, edges_file) = (edges.ncols(), edges_file.display());
    let text = format!("{} scores, but {edges_file} has {n} edges", mask.len());
    Err(Failure::new(text).help("pass the edges that the mask scores")).in_file(file)
}

/// Reads edges, (2, e).
fn read_edges(file: &Path) -> Result<Edges<'_>, Failure> {
    let stored = arrays::read_positions::<Ix2>(file)?;
    if stored.nrows() != 2 {
        let shape = stored.shape();
        let text = format!("expected edges of shape (2, e), got {shape:?}");
        let failure = Failure::new(text).help("save sources and targets as two rows");
        return Err(failure).in_file(file);
    }
    let negative = stored.indexed_iter().find(|(_, node)| **node < 0);
    if let Some(((row, edge), node)) = negative {
        let text = format!("[{row}, {edge}] = {node}: expected the number of a node, at least 0");
        return Err(Failure::new(text)).in_file(file);
    }
    let edges = stored.mapv(|node| usize::try_from(node).unwrap_or_default());
    Ok((file, edges.into_shared()))
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};
    use ndarray_npy::write_npy;
    use xai_report::sections::graph::GraphExplainer;

    use super::*;
    use crate::report::sections::testing::{context, origin, parsed, sample};

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    fn explainer(name: &str) -> ExplainerInputs {
        let file = |stem: &str| sample(&format!("graph/{name}/{stem}.npy"));
        let sweep = format!(
            "--full {} --kept {} --complement {} --levels {} --index {}",
            sample("graph/logits_full.npy"),
            file("logits_kept"),
            file("logits_complement"),
            sample("graph/kept_fraction.npy"),
            sample("graph/index.npy"),
        );
        let truth = sample("graph/edge_mask_true.npy");
        let groundtruth = format!("--predicted {} --target {truth}", file("edge_mask"));
        ExplainerInputs {
            name: name.to_owned(),
            sweep: parsed(&words(&sweep)),
            edge_mask: None,
            groundtruth: Some(parsed(&words(&groundtruth))),
        }
    }

    fn inputs() -> GraphInputs {
        GraphInputs {
            explainers: ["gnn_explainer", "saliency", "random"]
                .map(explainer)
                .into(),
            drawing: parsed(&["--edge-index", &sample("graph/edge_index.npy")]),
        }
    }

    fn section(inputs: &GraphInputs) -> Result<Graph, Failure> {
        evaluate(inputs, &inputs.explainers, origin(), &context())
    }

    /// Wilson interval of fid₊ of GNNExplainer at 0.3 of the edges, 146 of 200 nodes, computed by scipy.
    const WILSON: [f64; 2] = [0.664_565_648_013_315_7, 0.786_765_501_853_141_6];
    /// Jackknife interval of its characterization at 0.15 of the edges over 200 nodes, computed with numpy.
    const JACKKNIFE: [f64; 2] = [0.701_973_476_475_376_4, 0.797_049_324_827_555_4];

    #[test]
    fn the_sample_study_has_the_numbers_that_numpy_and_scikit_learn_give() {
        let section = section(&inputs()).unwrap();
        assert_eq!(section.n_explained, 200);
        let [gnn, saliency, random] = &section.explainers[..] else {
            panic!("{}", section.explainers.len());
        };
        // AUROC, average precision, and index of the best size.
        let expected = [
            (0.701_649_888_143_176_7, 0.547_748_571_397_574_5, 5),
            (0.708_654_222_595_078_3, 0.600_281_323_833_831_1, 5),
            (0.484_806_347_874_720_4, 0.239_212_529_153_868_48, 9),
        ];
        let explainers = [gnn, saliency, random].into_iter();
        for (explainer, (auroc, average_precision, best)) in explainers.zip(expected) {
            let truth = explainer.groundtruth.as_ref().unwrap();
            let close = |ours: Option<f64>, theirs: f64| (ours.unwrap() - theirs).abs() < 1e-12;
            assert!(close(truth.auroc.value, auroc));
            let found = truth.score("average_precision");
            assert!(close(found, average_precision));
            assert_eq!(truth.prevalence, 960.0 / 3940.0);
            assert_eq!(explainer.best, best, "{}", explainer.name);
            // Only the interval of the random mask contains chance.
            let [low, high] = truth.auroc.interval.unwrap();
            assert!(low < auroc && auroc < high && high - low < 0.05);
            assert_eq!(low < 0.5, explainer.name == "random");
            // The curves of the picture have the same areas as the figures.
            assert!((area(&truth.roc) - auroc).abs() < 1e-3 && truth.roc.len() <= 200);
            assert!((steps(&truth.precision_recall) - average_precision).abs() < 1e-3);
        }
        let best = &gnn.curve[gnn.best];
        assert_eq!(best.pos_fidelity.value, Some(0.73));
        let intervals = [
            (best.pos_fidelity.interval, WILSON),
            (gnn.curve[3].characterization.interval, JACKKNIFE),
        ];
        for (interval, expected) in intervals {
            let [low, high] = interval.unwrap();
            assert!((low - expected[0]).abs() < 1e-9 && (high - expected[1]).abs() < 1e-9);
        }
        let mask = gnn.mask.as_ref().unwrap();
        assert_eq!(mask.histogram.counts.iter().sum::<u64>(), 3940);
        let of_true = mask.histogram_of_true.as_ref().unwrap();
        assert_eq!(of_true.counts.iter().sum::<u64>(), 960);
    }

    fn area(points: &[[f64; 2]]) -> f64 {
        points
            .windows(2)
            .map(|p| (p[1][0] - p[0][0]) * (p[0][1] + p[1][1]) / 2.0)
            .sum()
    }

    fn steps(points: &[[f64; 2]]) -> f64 {
        points
            .windows(2)
            .map(|p| (p[1][0] - p[0][0]) * p[1][1])
            .sum()
    }

    #[test]
    fn all_explainers_are_drawn_around_the_same_nodes() {
        let section = section(&inputs()).unwrap();
        let drawn = |explainer: &GraphExplainer| -> Vec<usize> {
            let drawn = explainer.neighborhoods.iter();
            drawn.map(|around| around.node).collect()
        };
        let nodes = drawn(&section.explainers[0]);
        assert_eq!((nodes.len(), nodes[0], nodes[2]), (3, 300, 499));
        for explainer in &section.explainers {
            assert_eq!(drawn(explainer), nodes);
            for around in &explainer.neighborhoods {
                assert_eq!(around.nodes[0].node, around.node);
                // The true explanation is a house with five nodes and six edges.
                let edges = around.edges.iter();
                let n_true = edges.filter(|edge| edge.is_true == Some(true)).count();
                assert!(n_true >= 6 && around.nodes.len() <= 40);
            }
        }
    }

    #[test]
    fn without_edges_nothing_is_drawn_and_without_a_mask_nothing_is_summarised() {
        let mut inputs = inputs();
        inputs.drawing.edge_index = None;
        inputs.explainers[1].groundtruth = None;
        let section = section(&inputs).unwrap();
        let mut explainers = section.explainers.iter();
        assert!(explainers.all(|explainer| explainer.neighborhoods.is_empty()));
        let [with, without, _] = &section.explainers[..] else {
            panic!("{}", section.explainers.len());
        };
        assert!(with.mask.is_some() && with.groundtruth.is_some());
        assert!(without.mask.is_none() && without.groundtruth.is_none());
    }

    #[test]
    fn errors_name_masks_and_edges_that_do_not_fit() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        write_npy(file("short.npy"), &Array1::<f64>::zeros(3)).unwrap();
        write_npy(file("nan.npy"), &Array1::from_elem(3940, f64::NAN)).unwrap();
        write_npy(file("rows.npy"), &array![[0i64], [1], [2]]).unwrap();
        write_npy(file("negative.npy"), &array![[0i64], [-1]]).unwrap();
        for (mask, edges, wrong_file) in [
            (Some("short.npy"), None, "short.npy"),
            (Some("nan.npy"), None, "nan.npy"),
            (None, Some("rows.npy"), "rows.npy"),
            (None, Some("negative.npy"), "negative.npy"),
        ] {
            let mut inputs = inputs();
            inputs.explainers.truncate(1);
            inputs.explainers[0].edge_mask = mask.map(file);
            inputs.drawing.edge_index = edges.map(file).or(inputs.drawing.edge_index);
            let failure = section(&inputs).unwrap_err();
            let expected = file(wrong_file);
            assert_eq!(failure.place(), expected.to_str(), "{failure}");
        }
    }
}
