//! Output for terminals, shells and pipes: completions, manual pages, rows on standard output, colour,
//! the width of tables, and progress.

use std::process::{Command, Output};

use ndarray::{Array1, array};

use crate::harness::{Files, XAI};
use crate::outputs::shell;

const CHARACTERIZATION: &str = "graph characterization --pos p.npy --neg q.npy";
const ROWS: &str = "explanation,pos_fidelity,neg_fidelity,characterization\n";

fn files() -> Files {
    let files = Files::new();
    files.array("p.npy", &array![0.5, 0.25]);
    files.array("q.npy", &array![0.5, 0.25]);
    files.text("t.csv", "a,b,y\n1,0,0\n2,1,1\n3,1,1\n4,0,0\n");
    files
}

/// Returns `true` if a program is installed, and prints a note if it is not.
fn is_installed(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: `{program}` is not installed");
    }
    found
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Returns the output of a line of the shell on a terminal with a number of columns.
fn on_terminal(files: &Files, columns: u16, line: &str) -> String {
    let line = format!("stty cols {columns} rows 50; {line}");
    let output = Command::new("script")
        .current_dir(files.path(""))
        .env("xai", XAI)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE")
        // CI systems set variables that force colour.
        .env_remove("CI")
        .args(["-qec", &line, "/dev/null"])
        .output();
    text(&output.expect("runs").stdout).replace('\r', "")
}

/// Returns `true` if the `script` of Linux is installed, which provides a terminal.
fn has_terminal() -> bool {
    cfg!(target_os = "linux") && is_installed("script") && is_installed("stty")
}

#[test]
fn completions_are_valid_scripts() {
    let files = files();
    for shell_name in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = files.table(&format!("completions {shell_name}"));
        assert!(script.contains("fidelity-auc"), "{shell_name}");
        files.text(shell_name, &script);
        if ["bash", "zsh", "fish"].contains(&shell_name) && is_installed(shell_name) {
            let read = shell(&files, &format!("{shell_name} -n {shell_name}"));
            assert!(read.status.success(), "{}", text(&read.stderr));
        }
    }
    files.wrong_usage("--json", "completions bash --json");
    files.failure(2, "completions nothing");
}

#[test]
fn every_command_has_a_manual_page() {
    let files = files();
    let made = files.json("man --out pages/man1");
    let pages: Vec<&str> = made["pages"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|page| page.as_str())
        .collect();
    for page in [
        "xai.1",
        "xai-graph-fidelity.1",
        "xai-repro-simulate-study.1",
        "xai-attribution-complexity.1",
        "xai-man.1",
    ] {
        assert!(pages.contains(&page), "{page} of {pages:?}");
    }
    let mut written: Vec<String> = std::fs::read_dir(files.path("pages/man1"))
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    let mut listed: Vec<String> = pages.iter().map(|page| (*page).to_owned()).collect();
    written.sort();
    listed.sort();
    assert_eq!(written, listed);
    assert_eq!(files.table("man"), files.read("pages/man1/xai.1"));
    files.wrong_usage("--json", "man --json");
    files.text("taken", "");
    files.bad_data("taken", "man --out taken");
}

#[test]
fn manual_pages_are_valid_and_have_an_example_per_line() {
    let files = files();
    files.table("man --out .");
    if !is_installed("groff") {
        return;
    }
    for page in [
        "xai.1",
        "xai-graph-fidelity.1",
        "xai-attribution-average-drop.1",
    ] {
        let read = shell(
            &files,
            &format!("groff -k -man -ww -Tutf8 -rLL=200n -P-cbou {page}"),
        );
        assert!(
            read.status.success() && read.stderr.is_empty(),
            "{}",
            text(&read.stderr)
        );
        let shown = text(&read.stdout);
        let name = page.trim_end_matches(".1").replace('-', " ");
        let first = name.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let examples = shown.split("EXAMPLES").nth(1).expect("examples");
        let examples: Vec<&str> = examples
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with(&first))
            .collect();
        assert!(examples.len() > 1, "{shown}");
    }
}

#[test]
fn standard_output_with_rows_has_nothing_else() {
    let files = files();
    let output = files.run(&format!("{CHARACTERIZATION} --out -"));
    let (rows, table) = (text(&output.stdout), text(&output.stderr));
    files.table(&format!("{CHARACTERIZATION} --out rows.csv"));
    assert_eq!(rows, files.read("rows.csv"));
    assert_eq!(table, files.table(CHARACTERIZATION));
    let quiet = files.run(&format!("{CHARACTERIZATION} --out - --quiet"));
    assert_eq!((text(&quiet.stdout), quiet.stderr.len()), (rows, 0));
    files.wrong_usage("--json", &format!("{CHARACTERIZATION} --out - --json"));
    assert!(!files.path("-").exists());

    // A command that fails writes no rows.
    let failed = files.failure(
        1,
        "graph characterization --pos none.npy --neg q.npy --out -",
    );
    assert!(failed.is_about("none.npy"));
}

#[test]
fn every_command_with_rows_writes_them_to_standard_output() {
    let files = files();
    files.array("e.npy", &array![[1.0, 2.0], [0.5, 0.25]]);
    files.array("y.npy", &array![0, 1, 1]);
    files.array("runs.npy", &array![[0, 1, 1], [0, 0, 1]]);
    files.array("mask.npy", &array![0.9, 0.1]);
    files.array("truth.npy", &array![1.0, 0.0]);
    for command in [
        "attribution complexity --explanations e.npy",
        "casebased explain --train t.csv --test t.csv --label y -k 1",
        "casebased audit --train t.csv --test t.csv --label y -k 1",
        "graph groundtruth --predicted mask.npy --target truth.npy",
        "repro pairwise --predictions runs.npy --labels y.npy",
        "repro simulate classes --kind step --n-classes 3",
        "repro simulate study --iterations 3 --n-samples 10",
    ] {
        let piped = files.run(&format!("{command} --out -"));
        assert!(piped.status.success(), "{command}");
        files.table(&format!("{command} --out rows.csv"));
        assert_eq!(text(&piped.stdout), files.read("rows.csv"), "{command}");
        assert!(!piped.stderr.is_empty(), "{command}");
    }
}

#[test]
fn a_stored_explainer_can_be_written_to_a_pipe_and_folders_cannot() {
    let files = files();
    let line = "$xai casebased fit --train t.csv --label y -k 1 --out - --quiet \
        | $xai casebased explain --explainer /dev/stdin --test t.csv --label y --json";
    let output = shell(&files, line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with('{'));
    assert!(files.wrong_usage("--out", "man --out -").help().is_some());
    assert!(!files.path("-").exists());
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let files = files();
    for line in [
        "attribution list",
        "attribution deletion --help",
        "completions bash",
        "man",
        &format!("{CHARACTERIZATION} --out -"),
        "casebased fit --train t.csv --label y -k 1 --out - --quiet",
        // The study would take far longer than a test may; it ends with its reader.
        "repro simulate study --iterations 100000000 --out - --quiet",
    ] {
        let output = shell(
            &files,
            &format!("{{ $xai {line} 2>error; echo $? >code; }} | head -c 1 >/dev/null"),
        );
        assert!(output.status.success(), "{line}");
        assert_eq!(files.read("code").trim(), "0", "{line}");
        let said = files.read("error");
        assert!(!said.contains("error:"), "{line}: {said}");
    }
}

/// Runs a command without a terminal, with environment variables for colour.
fn with_variables(files: &Files, variables: &[(&str, &str)], arguments: &str) -> Output {
    let mut command = Command::new(XAI);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command.current_dir(files.path(""));
    command
        .args(arguments.split_whitespace())
        .output()
        .expect("runs")
}

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";

#[test]
fn colour_follows_the_environment_and_is_never_in_json_or_rows() {
    let files = files();
    let forced = [("CLICOLOR_FORCE", "1")];
    let refused = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    let table = |variables| text(&with_variables(&files, variables, CHARACTERIZATION).stdout);
    assert!(table(&forced).starts_with(BOLD));
    for variables in [&[][..], &refused, &[("CLICOLOR", "0")]] {
        assert!(!table(variables).contains('\u{1b}'), "{variables:?}");
    }
    for arguments in ["--json", "--out -", "--out rows.csv --json"] {
        let output = with_variables(&files, &forced, &format!("{CHARACTERIZATION} {arguments}"));
        assert!(!text(&output.stdout).contains('\u{1b}'), "{arguments}");
    }
    assert!(files.read("rows.csv").starts_with(ROWS));

    let wrong = "casebased fit --train t.csv --label none --out fitted";
    let failure = |variables| text(&with_variables(&files, variables, wrong).stderr);
    let coloured = failure(&forced);
    assert!(
        coloured.starts_with(&format!("{BOLD}{RED}error:")),
        "{coloured:?}"
    );
    assert!(!failure(&refused).contains('\u{1b}'));
    let help = "graph mask --mask p.npy --edge-index none.npy --n-nodes 1";
    assert!(
        !with_variables(&files, &refused, help)
            .stderr
            .contains(&0x1b)
    );
    let both = text(
        &with_variables(
            &files,
            &forced,
            &format!("{CHARACTERIZATION} --out - --json"),
        )
        .stderr,
    );
    assert!(both.contains(&format!("{BOLD}{GREEN}help:")), "{both:?}");
}

#[test]
fn terminals_get_colour_unless_the_environment_refuses() {
    if !has_terminal() {
        return;
    }
    let files = files();
    let table =
        |before: &str| on_terminal(&files, 100, &format!("{before} $xai {CHARACTERIZATION}"));
    assert!(table("").contains(BOLD), "{:?}", table(""));
    for before in ["NO_COLOR=1", "CLICOLOR=0", "TERM=dumb"] {
        assert!(!table(before).contains('\u{1b}'), "{before}");
    }
    let failed = on_terminal(&files, 100, "$xai graph mask --mask none.npy");
    assert!(failed.contains(&format!("{BOLD}{RED}error:")), "{failed:?}");
    let fit = "$xai casebased fit --train t.csv --label y -k 1 --out -";
    assert!(on_terminal(&files, 100, fit).contains("error:"));
    let json = on_terminal(&files, 100, &format!("$xai {CHARACTERIZATION} --json"));
    assert!(json.starts_with('{') && !json.contains('\u{1b}'), "{json}");
}

#[test]
fn tables_have_the_width_of_the_terminal_and_full_width_in_pipes() {
    if !has_terminal() {
        return;
    }
    let files = files();
    let list = |columns| on_terminal(&files, columns, "NO_COLOR=1 $xai attribution list");
    let width = |text: &str| text.lines().map(|line| line.chars().count()).max();
    let narrow = list(140);
    assert!(width(&narrow) <= Some(140), "{narrow}");
    assert!(
        narrow.contains(" localization-average-precision "),
        "{narrow}"
    );
    // Each metric is a paragraph.
    let narrower = list(70);
    assert!(
        narrower.contains("\n\n metric    average-increase\n summary   Share of samples"),
        "{narrower}"
    );
    let piped = files.table("attribution list");
    assert!(width(&piped) > Some(200));
    assert!(piped.lines().count() < narrow.lines().count());
}

#[test]
fn progress_is_shown_only_on_terminals_and_after_a_second() {
    if !has_terminal() {
        return;
    }
    let files = files();
    // The input comes after a pause.
    let line = "(sleep 2; cat p.npy) | $xai graph characterization --pos /dev/stdin --neg q.npy";
    let what = "reading and combining scores";
    assert!(on_terminal(&files, 100, line).contains(what));
    assert!(!on_terminal(&files, 100, &format!("{line} --quiet")).contains(what));
    let output = shell(&files, line);
    assert!(output.status.success() && output.stderr.is_empty());
    // Short work has no progress bar.
    let quick = on_terminal(&files, 100, &format!("$xai {CHARACTERIZATION}"));
    assert!(!quick.contains(what));
}

#[test]
fn tables_have_arrows_and_aligned_numbers() {
    let files = files();
    files.array("p.npy", &Array1::from(vec![0.5, 1.0]));
    let table = files.table(CHARACTERIZATION);
    for header in ["fid+ ↑", "fid- ↓", "characterization ↑"] {
        assert!(table.contains(header), "{table}");
    }
    let rows = table.lines().filter(|line| !line.starts_with('─'));
    let widths: Vec<usize> = rows.map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
    files.array("y.npy", &array![0, 1, 1]);
    files.array("runs.npy", &array![[0, 1, 1], [0, 0, 1]]);
    let runs = files.table("repro pairwise --predictions runs.npy --labels y.npy");
    assert!(
        runs.contains("pa_kappa ↑") && runs.contains("ec_global  "),
        "{runs}"
    );
    let cases = files.table("casebased audit --train t.csv --test t.csv --label y -k 1");
    assert!(cases.contains("accuracy ↑"), "{cases}");
}

/// A terminal shows only the beginning of a long word, because the time for wrapping grows with the square of its
/// length.
#[test]
fn long_words_are_shortened_only_on_terminals() {
    if !has_terminal() {
        return;
    }
    let files = Files::new();
    let word = "w".repeat(200_000);
    files.text(
        "t.json",
        &format!("{{\"tokens\": [[\"{word}\", \"b\"]], \"explainers\": {{\"x\": [[2, 1]]}}}}"),
    );
    let shown = on_terminal(&files, 100, "$xai attribution texts --texts t.json");
    assert!(shown.len() < 20_000, "{}", shown.len());
    assert!(
        files
            .table("attribution texts --texts t.json")
            .contains(&word)
    );
}
