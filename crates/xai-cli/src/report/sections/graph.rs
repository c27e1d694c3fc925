//! Explanatory subgraphs: what `xai graph sweep` and `xai graph groundtruth` find.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ndarray::{ArcArray2, Ix1, Ix2};
use xai_files::{Files, InFile, InFiles, arrays};
use xai_metrics::core::number::check_finite_slice;
use xai_metrics::graph::input;
use xai_report::sections::graph::{ExplainerResults, Graph, MaskWithTruth};

use crate::graph::groundtruth::Groundtruth;
use crate::graph::sweep::SweepCommand;
use crate::output::text::{decimals, interval, table};
use crate::report::init::found::{FoundFile, by_folder};
use crate::report::section::{
    CommandOfSection, Context, Draft, Explainers, Failure, Folder, Origin, Prepared, Report,
    SectionKeys, SectionKind, StudySection, into_report,
};
use crate::report::study::arguments::CommandLine;
use crate::report::study::document::{Key, Table};
use crate::report::study::keys::canonical;

/// Keys of the drawings, which only studies have. The graph and the mask of an explainer are keys of its commands too.
#[derive(Debug, Clone, clap::Args)]
struct DrawingKeys {
    /// The edges that the masks score, (2, e). Without it those of a model's graph.
    #[arg(long)]
    edge_index: Option<PathBuf>,
    /// The scores of the edges. Without it those that a model was swept with, or that have a truth.
    #[arg(long)]
    edge_mask: Option<PathBuf>,
    /// How many explained nodes are drawn with their surroundings.
    #[arg(long, default_value_t = 3)]
    drawn_nodes: usize,
}

const SWEEP: usize = 0;
const GROUNDTRUTH: usize = 1;
const DRAWING: usize = 2;

const COMMANDS: &[CommandOfSection] = &[
    CommandOfSection::new::<SweepCommand>(&["graph", "sweep"], &["out"]),
    CommandOfSection {
        // `target` are the true labels of the nodes.
        renamed: &[("predicted", "edge_mask"), ("target", "edge_mask_true")],
        ..CommandOfSection::new::<Groundtruth>(&["graph", "groundtruth"], &["out"])
    },
    CommandOfSection::keys_alone::<DrawingKeys>(),
];

pub(super) struct GraphSection;

impl StudySection for GraphSection {
    fn kind(&self) -> &'static SectionKind {
        &Graph::KIND
    }

    fn commands(&self) -> Vec<CommandOfSection> {
        COMMANDS.to_vec()
    }

    fn explainers(&self) -> Explainers {
        Explainers::Keys
    }

    /// One command per explainer, and another where the truth is known. Each explainer asks its model by itself, and is checked by
    /// itself.
    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        // Without a table of explainers the section is one.
        let section = keys.section;
        let alone = [Table {
            at: section.at.clone(),
            keys: Vec::new(),
        }];
        let tables = match section.explainers.as_slice() {
            [] => &alone,
            tables => tables,
        };
        let mut lines = Vec::new();
        let explainers = tables
            .iter()
            .map(|table| explainer(keys, table, &mut lines));
        let explainers = explainers.collect::<Result<Vec<_>, _>>()?;
        // The masks are those of the explainers.
        let own = section
            .keys
            .iter()
            .filter(|key| canonical(&key.name) != "edge_mask");
        let (line, drawing) = keys.command_of(DRAWING, own, &section.at)?;
        lines.push(line);
        let inputs = Rc::new(GraphInputs {
            explainers,
            drawing,
        });
        let of_explainers = |places: std::ops::Range<usize>| {
            let inputs = Rc::clone(&inputs);
            let evaluate = move |origin, context: &Context| {
                evaluate(&inputs, &inputs.explainers[places.clone()], origin, context)
            };
            into_report(evaluate, |report| &mut report.graph)
        };
        let n = tables.len();
        Ok(Prepared {
            parts: (0..n).map(|i| of_explainers(i..i + 1)).collect(),
            ..keys.prepared(of_explainers(0..n), &lines)
        })
    }

    /// Drafts a section for a folder with outputs on the full graph, and explainers in it or below.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let full = folder.find(|file| file.shape().len() == 2 && file.is_called(&["full"]))?;
        let explainers = explainer_folders(folder, full.shape());
        let (_, kept, _) = explainers.first()?;
        draft.begin(&folder.name(), "Is an explanatory subgraph sufficient and necessary? Keys: the options of `xai graph sweep` and `xai graph groundtruth`.");
        draft.file("full", full, false);
        let n_levels = kept.shape()[0];
        let mut entry = |key: &str, words: &[&str], fits: &dyn Fn(&[usize]) -> bool| {
            let file = folder.find(|file| file.is_called(words) && fits(file.shape()));
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
        for (of, kept, complement) in &explainers {
            draft.begin_explainer(&of.name());
            draft.file("kept", kept, false);
            draft.file("complement", complement, false);
            let mask = of.find(|file| {
                file.shape().len() == 1
                    && file.is_called(&["mask"])
                    && !file.is_called(&["true", "truth"])
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

/// Reads the keys of an explainer, and adds its commands.
fn explainer(
    keys: &SectionKeys<'_>,
    table: &Table,
    lines: &mut Vec<CommandLine>,
) -> Result<ExplainerInputs, Failure> {
    let name = table.key("name").map(|key| keys.text(key)).transpose()?;
    // What an explainer says of itself decides over what the section says.
    let of_section = keys.section.keys.iter();
    let of_section = of_section.filter(|key| table.key(&canonical(&key.name)).is_none());
    let all: Vec<&Key> = of_section.chain(&table.keys).collect();
    let is = |key: &Key, names: &[&str]| names.contains(&canonical(&key.name).as_str());
    let has = |name: &str| all.iter().any(|key| is(key, &[name]));
    // The graph itself is for a model; else it is for the drawing.
    let runs_model = has("model");
    let is_of_sweep = |key: &&Key| runs_model || !is(key, &["edge_index", "edge_mask"]);
    let of_sweep = all.iter().copied().filter(is_of_sweep);
    let (line, sweep) = keys.command_of(SWEEP, of_sweep, &table.at)?;
    // The mask is drawn, also where no command reads it.
    let mask = all.iter().copied().filter(|key| is(key, &["edge_mask"]));
    let (drawn, DrawingKeys { edge_mask, .. }) = keys.command_of(DRAWING, mask, &table.at)?;
    lines.extend([line, drawn]);
    let mut groundtruth = None;
    if has("edge_mask") && has("edge_mask_true") {
        let all = all.iter().copied();
        let (line, arguments) = keys.command_of(GROUNDTRUTH, all, &table.at)?;
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

/// Folders with outputs on explanations and their complements: `(folder, kept, complement)`.
fn explainer_folders<'a>(
    folder: &Folder<'a>,
    full: &[usize],
) -> Vec<(Folder<'a>, &'a FoundFile, &'a FoundFile)> {
    let is_below = |of: &Folder<'_>| {
        folder.path.is_empty()
            || of
                .path
                .strip_prefix(folder.path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let below = by_folder(folder.all).into_iter().filter(is_below);
    below
        .filter_map(|of| {
            let find = |word: &str| {
                of.find(|file| file.shape().get(1..) == Some(full) && file.is_called(&[word]))
            };
            let (kept, complement) = (find("kept")?, find("complement")?);
            (kept.shape() == complement.shape()).then_some((of, kept, complement))
        })
        .collect()
}

/// What a section is made from.
#[derive(Debug)]
struct GraphInputs {
    explainers: Vec<ExplainerInputs>,
    drawing: DrawingKeys,
}

/// One explainer.
#[derive(Debug)]
struct ExplainerInputs {
    name: String,
    /// Its scores over sizes.
    sweep: SweepCommand,
    /// The scores of the edges. Without it those that a model was swept with, or that have a truth.
    edge_mask: Option<PathBuf>,
    /// Its mask against the truth.
    groundtruth: Option<Groundtruth>,
}

/// Evaluates a section of some of its explainers.
fn evaluate(
    inputs: &GraphInputs,
    explainers: &[ExplainerInputs],
    origin: Origin,
    context: &Context,
) -> Result<Graph, Failure> {
    let edges = inputs.drawing.edge_index.as_deref();
    let edges = edges.map(read_edges).transpose()?;
    let results = explainers
        .iter()
        .map(|explainer| results(explainer, edges.as_ref(), context));
    let results = results.collect::<Result<_, _>>()?;
    Ok(Graph::new(origin, results, inputs.drawing.drawn_nodes))
}

/// The ends of edges, (2, e), and their file.
type Edges<'a> = (&'a Path, ArcArray2<usize>);

/// Scores one explainer.
fn results(
    inputs: &ExplainerInputs,
    edges: Option<&Edges<'_>>,
    context: &Context,
) -> Result<ExplainerResults, Failure> {
    let sweep = inputs.sweep.evaluate(context)?;
    let truth = inputs.groundtruth.as_ref();
    let truth = truth.map(|command| against_truth(command, context));
    let (ground_truth, mask_of_truth) = truth.transpose()?.unzip();
    let (model_edges, model_mask) = inputs.sweep.edges_and_mask();
    let file = inputs.edge_mask.as_deref().or(model_mask);
    let mask = match file {
        Some(file) => Some(read_mask(file)?),
        None => mask_of_truth,
    };
    let own_edges = match edges {
        None => model_edges.map(read_edges).transpose()?,
        Some(_) => None,
    };
    let edges = edges.or(own_edges.as_ref());
    if let (Some(file), Some(mask), Some(edges)) = (file, &mask, edges) {
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

/// Scores a mask against its truth; gives the mask too.
fn against_truth(
    command: &Groundtruth,
    context: &Context,
) -> Result<(MaskWithTruth, Vec<f64>), Failure> {
    let compared = command.evaluate(context)?;
    let mask = compared.mask();
    let elements = command.elements(&compared)?;
    let is_true = elements.iter().map(|element| element.is_true).collect();
    let curves = command.curves(&compared)?;
    let with_truth = MaskWithTruth::new(&compared.scores, curves, &mask, is_true)
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

/// Refuses a file of another number of scores than there are edges. A mask that is known by its truth alone may be
/// one of nodes or features.
fn check_length(mask: &[f64], file: &Path, (edges_file, edges): &Edges<'_>) -> Result<(), Failure> {
    if mask.len() == edges.ncols() {
        return Ok(());
    }
    let (n, place) = (edges.ncols(), edges_file.display());
    let text = format!("{} scores, but {place} has {n} edges", mask.len());
    Err(Failure::new(text)).in_file(file)
}

/// Reads the ends of the edges, (2, e).
fn read_edges(file: &Path) -> Result<Edges<'_>, Failure> {
    let stored = arrays::read_places::<Ix2>(file)?;
    if stored.nrows() != 2 {
        let shape = stored.shape();
        let text = format!("expected two rows, sources and targets, got shape {shape:?}");
        return Err(Failure::new(text)).in_file(file);
    }
    let negative = stored.indexed_iter().find(|(_, node)| **node < 0);
    if let Some(((row, edge), node)) = negative {
        let text = format!("expected nodes, at least 0, got {node} at [{row}, {edge}]");
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
        let of = |file: &str| sample(&format!("graph/{name}/{file}.npy"));
        let sweep = format!(
            "--full {} --kept {} --complement {} --levels {} --index {}",
            sample("graph/logits_full.npy"),
            of("logits_kept"),
            of("logits_complement"),
            sample("graph/kept_fraction.npy"),
            sample("graph/index.npy"),
        );
        let truth = sample("graph/edge_mask_true.npy");
        let groundtruth = format!("--predicted {} --target {truth}", of("edge_mask"));
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

    fn of(inputs: &GraphInputs) -> Result<Graph, Failure> {
        evaluate(inputs, &inputs.explainers, origin(), &context())
    }

    /// fid₊ of GNNExplainer at 0.3 of the edges, 146 of 200, by Wilson's formula in scipy.
    const WILSON: [f64; 2] = [0.664_565_648_013_315_7, 0.786_765_501_853_141_6];
    /// Its characterization at 0.15 of the edges, with each of 200 nodes left out by numpy.
    const JACKKNIFE: [f64; 2] = [0.701_973_476_475_376_4, 0.797_049_324_827_555_4];

    #[test]
    fn the_sample_study_has_the_numbers_that_numpy_and_scikit_learn_give() {
        let section = of(&inputs()).unwrap();
        assert_eq!(section.n_explained, 200);
        let [gnn, saliency, random] = &section.explainers[..] else {
            panic!("{}", section.explainers.len());
        };
        // AUROC, average precision, the place of the best size.
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
            // Chance is within the interval of the random mask alone.
            let [low, high] = truth.auroc.interval.unwrap();
            assert!(low < auroc && auroc < high && high - low < 0.05);
            assert_eq!(low < 0.5, explainer.name == "random");
            // The picture says what the number says.
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
        let section = of(&inputs()).unwrap();
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
                // A house has five nodes and six edges, all of them true.
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
        let section = of(&inputs).unwrap();
        let mut explainers = section.explainers.iter();
        assert!(explainers.all(|it| it.neighborhoods.is_empty()));
        let [with, without, _] = &section.explainers[..] else {
            panic!("{}", section.explainers.len());
        };
        assert!(with.mask.is_some() && with.groundtruth.is_some());
        assert!(without.mask.is_none() && without.groundtruth.is_none());
    }

    #[test]
    fn masks_and_edges_that_do_not_fit_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        write_npy(file("short.npy"), &Array1::<f64>::zeros(3)).unwrap();
        write_npy(file("nan.npy"), &Array1::from_elem(3940, f64::NAN)).unwrap();
        write_npy(file("rows.npy"), &array![[0i64], [1], [2]]).unwrap();
        write_npy(file("negative.npy"), &array![[0i64], [-1]]).unwrap();
        for (mask, edges, place) in [
            (Some("short.npy"), None, "short.npy"),
            (Some("nan.npy"), None, "nan.npy"),
            (None, Some("rows.npy"), "rows.npy"),
            (None, Some("negative.npy"), "negative.npy"),
        ] {
            let mut inputs = inputs();
            inputs.explainers.truncate(1);
            inputs.explainers[0].edge_mask = mask.map(file);
            inputs.drawing.edge_index = edges.map(file).or(inputs.drawing.edge_index);
            let failure = of(&inputs).unwrap_err();
            let expected = file(place);
            assert_eq!(failure.place(), expected.to_str(), "{failure}");
        }
    }
}
