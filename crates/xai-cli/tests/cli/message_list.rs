//! Errors, remarks and help texts in one file, so that their wording can be reviewed.
//!
//! `tests/messages/messages.txt` has commands with the messages that they print on standard error, and the help of each
//! command group. The inputs are made here and listed in the file. After messages changed, write the file again and
//! review the difference:
//!
//! ```text
//! XAI_WRITE_MESSAGES=1 cargo test -p xai-cli --test cli message_list
//! ```

use std::fmt::{Debug, Write};
use std::path::PathBuf;

use ndarray::{Array, Array1, Array2, Array3, Array4, Dimension, array};
use ndarray_npy::WritableElement;

use crate::harness::{Files, sample};

/// Environment variable with which the test writes the file instead of comparing it.
const WRITE: &str = "XAI_WRITE_MESSAGES";

/// Text of the file, and the inputs of the current group of commands.
struct Messages {
    text: String,
    files: Files,
    n_commands: usize,
}

impl Messages {
    fn new() -> Self {
        let text = "Messages of `xai` on standard error, with the exit code. The inputs of the commands are listed first.\n\
                    Written by `XAI_WRITE_MESSAGES=1 cargo test -p xai-cli --test cli message_list`.\n";
        Self {
            text: text.to_owned(),
            files: Files::new(),
            n_commands: 0,
        }
    }

    fn line(&mut self, line: impl std::fmt::Display) {
        writeln!(self.text, "{line}").expect("a string takes text");
    }

    /// Begins a group of commands in an empty folder.
    fn group(&mut self, title: &str) {
        self.files = Files::new();
        self.line(format_args!(
            "\n\n{}\n{title}\n{0}\n",
            "=".repeat(title.len())
        ));
    }

    /// Writes an array and lists it, with its values if they are few.
    fn array<T: WritableElement + Debug, D: Dimension>(&mut self, name: &str, array: &Array<T, D>) {
        self.files.array(name, array);
        let element = std::any::type_name::<T>();
        let shape: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
        let values = match array.len() {
            0..=12 => format!("  {:?}", array.iter().collect::<Vec<_>>()),
            _ => String::new(),
        };
        self.line(format_args!(
            "  {name}  {element} ({}){values}",
            shape.join(", ")
        ));
    }

    /// Writes a text file and lists its contents in one line.
    fn text_file(&mut self, name: &str, content: &str) {
        self.files.text(name, content);
        self.line(format_args!("  {name}  {content:?}"));
    }

    /// Copies a file of the sample study.
    fn sample_file(&mut self, name: &str, path: &str) {
        let bytes = std::fs::read(sample(path)).expect("a file of the sample study");
        self.files.bytes(name, &bytes);
        self.line(format_args!("  {name}  sample/{path}"));
    }

    /// Runs a command and adds its messages.
    fn run(&mut self, command: &str) {
        self.n_commands += 1;
        let output = self.files.run(command);
        let messages = String::from_utf8(output.stderr).expect("text");
        let code = output.status.code().expect("an exit code");
        assert!(!messages.contains("panicked"), "{command}\n{messages}");
        self.line(format_args!(
            "\n$ xai {command}\n{}\n[exit code {code}]",
            messages.trim_end()
        ));
    }

    /// Runs a command several times with different last arguments.
    fn run_each(&mut self, command: &str, endings: &[&str]) {
        for ending in endings {
            self.run(&format!("{command} {ending}"));
        }
    }

    /// Adds the help of a command.
    fn help(&mut self, command: &str) {
        let arguments = format!("{command} --help");
        let output = self.files.run(&arguments);
        assert!(output.status.success(), "{arguments}");
        let help = String::from_utf8(output.stdout).expect("text");
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        self.line(format_args!(
            "\n$ xai {}\n{}",
            arguments.trim(),
            lines.join("\n").trim_end()
        ));
    }
}

fn general(messages: &mut Messages) {
    messages.group("All commands");
    messages.array("mask.npy", &array![0.5, 0.25, 1.0]);
    messages.run("graf mask --mask mask.npy");
    messages.run("graph masks --mask mask.npy");
    messages.run("attribution smoothgrad --explanations mask.npy");
    messages.run("graph mask");
    messages.run("graph mask --maks mask.npy");
    messages.run_each(
        "graph mask --mask mask.npy",
        &[
            "--seed -1",
            "--seed 1.5",
            "--threads 0",
            "--json yes",
            "mask.npy",
        ],
    );
    messages.run("completions tcsh");
    messages.run("completions bash --json");
    messages.run("man --json");
    messages.run("man --out -");
    messages.run("graph characterization --pos mask.npy --neg mask.npy --out mask.npy");
    messages.run("graph characterization --pos mask.npy --neg mask.npy --out missing/rows.csv");
    messages.run("graph characterization --pos mask.npy --neg mask.npy --out - --json");
}

fn graph(messages: &mut Messages) {
    messages.group("graph");
    messages.array("full.npy", &array![[2.0, 1.0], [0.0, 1.0], [3.0, -1.0]]);
    messages.array("kept.npy", &array![[1.0, 0.0], [0.5, 1.5], [1.0, 0.5]]);
    messages.array("short.npy", &array![[1.0, 0.0], [0.5, 1.5]]);
    messages.array("nan.npy", &array![[1.0, 0.0], [f64::NAN, 1.5], [1.0, 0.5]]);
    messages.array("scores.npy", &array![0.5, 0.25, 0.75]);
    messages.array("cube.npy", &Array3::<f64>::zeros((2, 3, 2)));
    messages.array("labels.npy", &array![0i64, 1, 0]);
    messages.array("two_labels.npy", &array![0i64, 1]);
    messages.array("index.npy", &array![0i64, 7]);
    messages.array("negative_index.npy", &array![0i64, -1]);
    messages.array("zeros_and_ones.npy", &array![0i64, 1]);
    messages.array("flags.npy", &array![true, false]);
    messages.array("large.npy", &array![0.5, 1.5, 0.75]);
    messages.array("ones.npy", &array![1.0, 1.0, 1.0]);
    messages.array("sizes.npy", &array![0.1, 0.5]);
    messages.array("edges.npy", &array![[0i64, 1, 2], [1, 2, 4]]);
    messages.text_file("model.onnx", "not a model");
    messages.run("graph fidelity --full full.npy");
    let fidelity = "graph fidelity --full full.npy --kept kept.npy --complement";
    messages.run_each(
        fidelity,
        &[
            "missing.npy",
            "model.onnx",
            "short.npy",
            "nan.npy",
            "scores.npy",
            "cube.npy",
        ],
    );
    messages.run_each(
        &format!("{fidelity} kept.npy"),
        &[
            "--mode phenomenon",
            "--mode both",
            "--target two_labels.npy",
            "--target scores.npy",
            "--index index.npy",
            "--index negative_index.npy",
            "--index flags.npy",
            "--index scores.npy",
        ],
    );
    messages.run(
        "graph fidelity --full short.npy --kept short.npy --complement short.npy --index zeros_and_ones.npy",
    );
    messages.run_each(
        "graph characterization --pos scores.npy --neg",
        &[
            "sizes.npy",
            "large.npy",
            "scores.npy --pos-weight 0 --neg-weight 0",
            "scores.npy --pos-weight -1",
        ],
    );
    messages.run("graph fidelity-auc --pos scores.npy --neg ones.npy --x scores.npy");
    messages.run("graph fidelity-auc --pos scores.npy --neg scores.npy --x sizes.npy");
    messages.run("graph unfaithfulness --full full.npy --kept kept.npy --return-type probs");
    messages.run("graph unfaithfulness --full scores.npy --kept scores.npy");
    messages.run_each(
        "graph groundtruth --predicted scores.npy --target",
        &[
            "sizes.npy",
            "large.npy",
            "ones.npy --threshold 2",
            "ones.npy --selection largest",
            "ones.npy --selection top-k:0",
        ],
    );
    messages.run("graph groundtruth --predicted large.npy --target ones.npy");
    messages.run("graph sweep --full full.npy");
    messages.run("graph sweep --levels sizes.npy");
    messages.run(
        "graph sweep --full full.npy --kept cube.npy --complement cube.npy --levels scores.npy",
    );
    messages.run("graph sweep --model model.onnx");
    messages.run(
        "graph sweep --model model.onnx --features full.npy --edge-index edges.npy --edge-mask scores.npy --by top-k",
    );
    messages.run(
        "graph robust-fidelity --model model.onnx --features full.npy --edge-index edges.npy --edge-mask scores.npy",
    );
    messages.run("graph mask --mask full.npy");
    messages.run("graph mask --mask scores.npy --n-nodes 5");
    messages.run("graph mask --mask scores.npy --edge-index edges.npy --n-nodes 2");
    messages.run("graph mask --mask large.npy");
}

fn repro(messages: &mut Messages) {
    messages.group("repro");
    messages.array(
        "runs.npy",
        &array![[0i64, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]],
    );
    messages.array("y.npy", &array![0i64, 1, 1, 0]);
    messages.array("three.npy", &array![0i64, 1, 1]);
    messages.array("two.npy", &array![0i64, 1]);
    messages.array("other_classes.npy", &array![5i64, 6, 5, 6]);
    messages.array("one_run.npy", &array![[0i64, 1, 0, 1]]);
    messages.array("probabilities.npy", &array![0.5, 0.25, 0.75, 1.0]);
    messages.array("numbers.npy", &array![[1.0, 2.0, 4.0], [1.0, 0.0, 2.0]]);
    messages.array("nan.npy", &array![1.0, f64::NAN, 3.0]);
    messages.text_file("runs.csv", "class,a,b\ndog,dog,cat\ncat,cat,cat\n");
    messages.text_file("words.csv", "class,a,b\n0,0,dog\n1,1,0\n");
    messages.text_file(
        "noted.csv",
        "class,a,b,note\n0,0,1,2\n1,1,1,3\n0,1,0,4\n1,0,1,2\n",
    );
    messages.text_file("first.csv", ",class,a,b\nr1,0,0,1\nr2,1,1,1\n");
    messages.text_file("second.csv", ",class,a,b\nr2,0,0,1\nr1,1,1,1\n");
    messages.text_file("truth.csv", "class,weight\n0,1\n1,2\n");
    messages.run("repro pairwise --predictions runs.npy");
    messages.run_each(
        "repro pairwise --predictions runs.npy --labels",
        &[
            "missing.npy",
            "class",
            "three.npy",
            "two.npy",
            "probabilities.npy",
            "other_classes.npy",
            "truth.csv",
        ],
    );
    messages.run("repro pairwise --predictions one_run.npy --labels y.npy");
    messages.run("repro pairwise --predictions y.npy --labels y.npy");
    messages.run("repro pairwise --predictions y.npy two.npy --labels y.npy");
    messages.run("repro pairwise --predictions words.csv --labels class");
    messages.run("repro pairwise --predictions noted.csv --labels class");
    messages.run("repro pairwise --predictions runs.csv --labels label");
    messages.run("repro pairwise --predictions runs.csv --labels class --drop-column c");
    messages.run(
        "repro pairwise --predictions runs.csv --labels class --drop-column a --drop-column b",
    );
    messages.run("repro pairwise --predictions first.csv second.csv --labels class");
    messages.run_each(
        "repro pairwise --predictions runs.npy --labels y.npy",
        &[
            "--metrics kappa",
            "--metrics pa_acc,pa_acc",
            "--interval exact",
            "--level 1.5",
            "--inconsistent -1",
            "--summary-only --out pairs.csv",
        ],
    );
    messages.run("repro compare --first runs.npy --second one_run.npy --labels y.npy");
    messages.run("repro compare --first first.csv --second second.csv --labels class");
    messages.run("repro regression --predictions numbers.npy --targets nan.npy");
    messages.run("repro regression --predictions numbers.npy --targets two.npy");
    messages.run_each(
        "repro simulate",
        &[
            "classes --kind gauss --n-classes 3",
            "classes --kind step --n-classes 0",
            "classes --kind step --n-classes 200000000",
            "study --iterations 0",
            "study --n-runs 1",
            "study --n-samples 1000000000",
            "study --out draws.parquet",
        ],
    );
}

fn casebased(messages: &mut Messages) {
    messages.group("casebased");
    messages.text_file("train.csv", "a,b,class\n1,2,yes\n2,1,no\n3,5,yes\n4,4,no\n");
    messages.text_file("test.csv", "a,b,class,model\n1,1,yes,no\n2,2,no,no\n");
    messages.text_file("noted.csv", "id,a,b,class\nx7,1,2,yes\nx8,2,1,no\n");
    messages.text_file("word.csv", "a,b,class\n1,2,yes\n2,many,no\n");
    messages.text_file("missing.csv", "a,b,class\n1,2,yes\n2,,no\n");
    messages.text_file("no_class.csv", "a,b,class\n1,2,yes\n2,3,\n");
    messages.text_file("huge.csv", "a,b,class\n1,2,yes\n2,1e308,no\n3,-1e308,yes\n");
    messages.text_file("same.csv", "a,b,class\n1,1,yes\n2,2,no\n3,3,yes\n");
    messages.text_file("commas.csv", "a;b;class\n1,5;2;yes\n2,5;1;no\n");
    messages.text_file("twice.csv", "a,a,class\n1,2,yes\n2,1,no\n");
    messages.text_file("header.csv", "a,b,class\n");
    messages.text_file("numbers.csv", "1.5,2.5,3.5\n1,2,0\n2,1,1\n");
    messages.text_file("unknown.csv", "a,b,model\n1,1,maybe\n");
    messages.text_file("words_only.csv", "name,class\nann,yes\nbob,no\n");
    messages.text_file("neighbors.csv", "distance,label\n1,0\n2,1\n");
    messages.text_file("bad_neighbors.csv", "distance,label\n1,0\n-2,1\n");
    messages.array("array.npy", &array![[1.0, 2.0], [2.0, 1.0]]);
    messages.run("casebased explain --test test.csv --label class");
    messages.run("casebased explain --train train.csv --test test.csv");
    let explain = "casebased explain --test test.csv --label class --train";
    messages.run_each(
        explain,
        &[
            "missing.txt",
            "array.npy",
            "header.csv",
            "numbers.csv",
            "twice.csv",
            "words_only.csv",
            "word.csv",
            "missing.csv",
            "no_class.csv",
            "huge.csv",
            "commas.csv",
            "same.csv --distance mahalanobis",
            "noted.csv",
        ],
    );
    messages.run_each(
        &format!("{explain} train.csv"),
        &[
            "-k 0",
            "-k many",
            "--distance euklid",
            "--limit 0",
            "--class-weight yes",
            "--class-weight maybe=2",
            "--class-weight yes=-1",
            "--metadata name",
            "--drop-column class",
            "--redact class",
            "--redact salary",
            "--predicted guess",
            "--explainer fitted.xai",
        ],
    );
    messages.run("casebased explain --train train.csv --test test.csv --label Class");
    messages.run("casebased explain --train train.csv --test header.csv --label class");
    messages.run("casebased explain --train train.csv --test missing.csv --label class");
    messages.run("casebased explain --train train.csv --test words_only.csv --label class");
    messages.run(
        "casebased explain --train train.csv --test unknown.csv --label class --predicted model",
    );
    messages.run("casebased explain --explainer array.npy --test test.csv");
    messages.run("casebased explain --explainer missing.xai --test test.csv");
    messages.run("casebased explain --explainer array.npy --test test.csv -k 3");
    messages
        .run("casebased audit --train train.csv --test test.csv --label class --aggregate-only 2");
    messages.run("casebased fit --train train.csv --label class");
    messages.run("casebased fit --train train.csv --label class --redact a --out fitted.xai");
    messages.run_each(
        "casebased correspondence --predicted 1 --neighbors",
        &["bad_neighbors.csv", "train.csv", "neighbors.csv --high 2"],
    );
    messages.run("casebased correspondence --predicted yes --neighbors neighbors.csv");
}

fn attribution(messages: &mut Messages) {
    messages.group("attribution");
    messages.sample_file("model.onnx", "attribution/model.onnx");
    messages.sample_file("inputs.npy", "attribution/inputs.npy");
    messages.sample_file("targets.npy", "attribution/targets.npy");
    messages.sample_file("maps.npy", "attribution/saliency.npy");
    messages.array("zeros.npy", &Array2::<f64>::zeros((3, 4)));
    messages.array("constant.npy", &Array2::<f64>::ones((2, 4)));
    messages.array("nan.npy", &array![[1.0, f64::NAN], [0.5, 0.5]]);
    messages.array("scores.npy", &array![0.5, -1.0]);
    messages.array("one_score.npy", &array![0.5]);
    messages.array("two_targets.npy", &array![0i64, 1]);
    messages.array("large_targets.npy", &Array1::<i64>::from_elem(60, 12));
    messages.array("flat_maps.npy", &Array2::<f32>::ones((60, 9)));
    messages.array("color.npy", &Array4::<f32>::ones((60, 3, 8, 8)));
    messages.array("ambiguous.npy", &Array4::<f32>::ones((2, 3, 5, 4)));
    messages.text_file("text.npy", "hello");
    messages.text_file(
        "tokens.json",
        r#"{"tokens": [["not", "bad"]], "explainers": {"a": [[0.5]]}}"#,
    );
    messages.text_file("tokens.csv", "sample,word,a\n0,not,1\n0,bad,0\n");
    messages.run("attribution relative-representation-stability --model model.onnx");
    messages.run_each(
        "attribution complexity --explanations",
        &[
            "missing.npy",
            "text.npy",
            "nan.npy",
            "scores.npy",
            "ambiguous.npy",
            "text.npy:a",
        ],
    );
    messages.run("attribution sparseness --explanations zeros.npy");
    messages.run("attribution average-drop");
    messages.run_each(
        "attribution average-drop --base scores.npy --masked",
        &[
            "one_score.npy",
            "scores.npy",
            "scores.npy --base-score-policy ignore",
        ],
    );
    let with_model = "attribution deletion --model model.onnx --inputs inputs.npy";
    messages.run(with_model);
    messages.run_each(
        &format!("{with_model} --explanations maps.npy --targets"),
        &[
            "two_targets.npy",
            "large_targets.npy",
            "flat_maps.npy",
            "targets.npy --steps 0",
            "targets.npy --max-fraction 2",
            "targets.npy --baseline fog",
            "targets.npy --activation relu",
            "targets.npy --channels middle",
            "targets.npy --batch-size 0",
            "targets.npy --masks maps.npy",
        ],
    );
    messages.run(&format!(
        "{with_model} --targets targets.npy --explanations flat_maps.npy"
    ));
    messages.run("attribution deletion --model text.npy --inputs inputs.npy --targets targets.npy --explanations maps.npy");
    messages.run("attribution deletion --model missing.onnx --inputs inputs.npy --targets targets.npy --explanations maps.npy");
    messages.run("attribution deletion --model model.onnx --inputs color.npy --targets targets.npy --explanations maps.npy");
    messages.run("attribution pointing-game --explanations maps.npy");
    messages.run(
        "attribution sufficiency --threshold 0 --model model.onnx --inputs inputs.npy --targets targets.npy --explanations maps.npy",
    );
    let compare =
        "attribution compare --model model.onnx --inputs inputs.npy --targets targets.npy";
    messages.run(compare);
    messages.run_each(
        &format!("{compare} --activation softmax --explanations"),
        &[
            "maps.npy",
            "a=missing.npy",
            "a=flat_maps.npy",
            "a=maps.npy a=maps.npy",
            "a=maps.npy --metrics fidelity",
            "a=maps.npy --metrics deletion(steps=fog)",
            "a=maps.npy --metrics deletion(step=2)",
            "a=maps.npy --metrics deletion(steps=2",
            "a=maps.npy --metrics pointing-game",
            "a=maps.npy --level 1.5",
        ],
    );
    messages.run("attribution texts --texts tokens.json");
    messages.run("attribution texts --texts tokens.csv");
    messages.run("attribution reliability --scores text.npy");
}

fn data_attribution(messages: &mut Messages) {
    messages.group("casebased attribution");
    messages.array("tau.npy", &array![[0.5, -0.25, 0.125], [0.25, 0.75, -0.5]]);
    messages.array(
        "nan.npy",
        &array![[0.5, f64::NAN, 0.125], [0.25, 0.75, -0.5]],
    );
    messages.array(
        "transposed.npy",
        &array![[0.5, 0.25], [-0.25, 0.75], [0.125, -0.5]],
    );
    messages.array("labels.npy", &array![0i64, 1, 0]);
    messages.array("two_labels.npy", &array![0i64, 1]);
    messages.array("no_flags.npy", &array![false, false, false]);
    messages.run("casebased attribution tracin --attributions tau.npy");
    messages.run("casebased attribution top-k-cardinality");
    messages.run_each(
        "casebased attribution top-k-cardinality --attributions",
        &["missing.npy", "nan.npy", "labels.npy", "tau.npy -k 0"],
    );
    messages.run_each(
        "casebased attribution class-detection --test-classes two_labels.npy --attributions",
        &[
            "tau.npy",
            "tau.npy --train-labels two_labels.npy",
            "transposed.npy --train-labels labels.npy",
        ],
    );
    messages.run("casebased attribution compare --attributions a=tau.npy --metrics deletion");
    messages.run(
        "casebased attribution compare --train-labels labels.npy --test-classes two_labels.npy --attributions tau.npy",
    );
    messages.run(
        "casebased attribution compare --train-labels labels.npy --test-classes two_labels.npy --attributions a=tau.npy a=tau.npy",
    );
}

fn report(messages: &mut Messages) {
    messages.group("report");
    messages.text_file("empty.toml", "title = 'x'\n");
    messages.text_file("syntax.toml", "[repro\npredictions = 'runs.npy'\n");
    messages.text_file(
        "unknown.toml",
        "[repro]\nprediction = 'runs.npy'\nlabels = 'y.npy'\n",
    );
    messages.text_file("section.toml", "[reproduction]\npredictions = 'runs.npy'\n");
    messages.text_file("no_table.toml", "repro = 'runs.npy'\n");
    messages.text_file(
        "seed.toml",
        "seed = 'one'\n[repro]\npredictions = 'runs.npy'\nlabels = 'y.npy'\n",
    );
    messages.text_file("needed.toml", "[repro]\npredictions = 'runs.npy'\n");
    messages.text_file(
        "metric.toml",
        "[repro]\npredictions = 'runs.npy'\nlabels = 'y.npy'\nmetrics = ['kappa']\n",
    );
    messages.text_file(
        "type.toml",
        "[repro]\npredictions = true\nlabels = 'y.npy'\n",
    );
    messages.text_file(
        "files.toml",
        "[repro]\npredictions = 'missing.npy'\nlabels = 'y.npy'\n",
    );
    messages.text_file(
        "lengths.toml",
        "[repro]\npredictions = 'runs.npy'\nlabels = 'two.npy'\n",
    );
    messages.text_file(
        "explainers.toml",
        "[attribution]\nmodel = 'm.onnx'\ninputs = 'x.npy'\ntargets = 'y.npy'\n",
    );
    messages.text_file(
        "nameless.toml",
        "[attribution]\nmodel = 'm.onnx'\ninputs = 'x.npy'\ntargets = 'y.npy'\n[[attribution.explainers]]\nmaps = 'a.npy'\n",
    );
    messages.text_file(
        "column.toml",
        "[casebased]\ntrain = 'train.csv'\ntest = 'train.csv'\nlabel = 'klass'\n",
    );
    messages.text_file("draws.toml", "[simulation]\ndraws = 'draws.csv'\n");
    messages.text_file("draws.csv", "draw\n");
    messages.text_file("train.csv", "a,b,class\n1,2,yes\n2,1,no\n");
    messages.array("runs.npy", &array![[0i64, 1, 0], [0, 0, 0]]);
    messages.array("y.npy", &array![0i64, 1, 1]);
    messages.array("two.npy", &array![0i64, 1]);
    messages.text_file("index.html", "my page");
    messages.text_file("old.json", r#"{"schema_version": 0}"#);
    messages.run("report missing.toml");
    messages.run_each(
        "report",
        &[
            "runs.npy",
            "empty.toml",
            "syntax.toml",
            "unknown.toml",
            "section.toml",
            "no_table.toml",
            "seed.toml",
            "needed.toml",
            "metric.toml",
            "type.toml",
            "files.toml",
            "lengths.toml",
            "explainers.toml",
            "nameless.toml",
            "column.toml",
            "draws.toml",
            "lengths.toml --out .",
        ],
    );
    messages.run("report check files.toml");
    messages.run("report check column.toml --quiet");
    messages.run("report init --out empty.toml");
    messages.run("report init --sample --out other.toml");
    messages.run("report init --from missing");
    messages.run("report diff old.json missing.json");
    messages.run("report diff old.json old.json");
    messages.run("report diff runs.npy old.json");
    messages.run("report schema page");
}

/// Command groups and single commands without a group.
const GROUPS: [&str; 10] = [
    "",
    "casebased",
    "casebased attribution",
    "attribution",
    "graph",
    "repro",
    "repro simulate",
    "report",
    "completions",
    "man",
];

#[test]
fn the_list_of_messages_is_up_to_date() {
    let mut messages = Messages::new();
    general(&mut messages);
    graph(&mut messages);
    repro(&mut messages);
    casebased(&mut messages);
    attribution(&mut messages);
    data_attribution(&mut messages);
    report(&mut messages);
    assert!(messages.n_commands >= 80, "{}", messages.n_commands);
    messages.group("Help");
    for group in GROUPS {
        messages.help(group);
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/messages/messages.txt");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&file, &messages.text).expect("written");
        return;
    }
    let expected = std::fs::read_to_string(&file).expect("the list of messages");
    let mut lines = messages.text.lines().zip(expected.lines()).enumerate();
    if let Some((i, (found, expected))) = lines.find(|(_, (found, expected))| found != expected) {
        panic!(
            "messages changed, first in line {} of {}:\n  listed: {expected}\n  now:    {found}\n\
             write the list again with {WRITE}=1 and review the difference",
            i + 1,
            file.display()
        );
    }
    assert_eq!(
        messages.text.lines().count(),
        expected.lines().count(),
        "messages were added or removed: write the list again with {WRITE}=1"
    );
}
