//! Protocol with `peers/compare.py`: a command per line of input, and a reply per line of output.

use crate::families::workloads;
use crate::workload::{Answers, Data, Prepared, Result};
use std::io::{BufRead, Write};
use std::path::Path;

/// Executes commands until the input ends.
///
/// | command | action | reply |
/// |---|---|---|
/// | `prepare NAME` | reads the data, runs once, and writes the answer to `ROOT/DATA/ours/NAME/*.npy` | `ok` |
/// | `time` | times the prepared workload | `seconds S`, per unit of work |
/// | `release` | frees the memory of the workload | `ok` |
///
/// A command that fails has the reply `error TEXT`, and does not end the loop. `root` is the folder with the data
/// folders of the workloads.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn serve(root: &Path, input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut prepared: Option<Prepared> = None;
    for line in input.lines() {
        let line = line?;
        let reply = match line.split_once(' ').unwrap_or((line.as_str(), "")) {
            ("prepare", name) => {
                prepared = None; // frees the memory of the earlier workload first
                prepare(root, name).map(|p| {
                    prepared = Some(p);
                    "ok".to_owned()
                })
            }
            ("time", _) => match &mut prepared {
                Some(p) => p.time().map(|seconds| format!("seconds {seconds:e}")),
                None => Err("nothing is prepared".into()),
            },
            ("release", _) => {
                prepared = None;
                Ok("ok".to_owned())
            }
            (other, _) => Err(format!("unknown command {other}").into()),
        };
        match reply {
            Ok(text) => writeln!(output, "{text}")?,
            Err(e) => writeln!(output, "error {}", e.to_string().replace('\n', " "))?,
        }
        output.flush()?;
    }
    Ok(())
}

/// Reads the data of a workload and runs it once, as a warm-up and for the answer to compare.
pub(crate) fn prepare(root: &Path, name: &str) -> Result<Prepared> {
    let workload = workloads()
        .into_iter()
        .find(|w| w.name == name)
        .ok_or_else(|| format!("no workload {name} in this build"))?;
    let mut prepared = (workload.prepare)(&Data::new(&root.join(workload.data)))?;
    prepared.answer(&Answers::new(
        &root.join(workload.data).join("ours").join(name),
    ))?;
    Ok(prepared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(lines: &str) -> String {
        let mut replies = Vec::new();
        serve(Path::new("nowhere"), lines.as_bytes(), &mut replies).expect("a conversation");
        String::from_utf8(replies).expect("text")
    }

    #[test]
    fn a_wrong_command_does_not_end_the_loop() {
        assert_eq!(
            talk("time\nfly\nprepare no-such\nrelease\n"),
            "error nothing is prepared\nerror unknown command fly\n\
             error no workload no-such in this build\nok\n"
        );
    }

    #[test]
    fn written_answers_can_be_read() {
        let folder = std::env::temp_dir().join(format!("xai-benches-{}", std::process::id()));
        let mut prepared = Prepared::new(
            2.0,
            || Ok(ndarray::arr1(&[1.0, 2.0])),
            |sums, answers| answers.write("sums", &sums.view()),
        );
        prepared.answer(&Answers::new(&folder)).expect("an answer");
        let read = Data::new(&folder).read::<f64, ndarray::Ix1>("sums");
        std::fs::remove_dir_all(&folder).expect("to remove what was written");
        assert_eq!(read.expect("the answer"), ndarray::arr1(&[1.0, 2.0]));
        let error = Data::new(&folder).read::<f64, ndarray::Ix1>("sums");
        assert!(error.unwrap_err().to_string().contains("sums.npy"));
    }
}
