//! The conversation with `peers/compare.py`: one command per line in, one reply per line out.

use crate::families::workloads;
use crate::workload::{Answers, Data, Prepared, Result};
use std::io::{BufRead, Write};
use std::path::Path;

/// Answers commands until the input ends.
///
/// | command | reply |
/// |---|---|
/// | `prepare NAME` | `ok`: data read, one run done, its answer in `ROOT/NAME/ours/*.npy` |
/// | `time` | `seconds S`, per unit of the prepared workload |
/// | `release` | `ok`: the workload's memory is given back |
///
/// Anything that fails is `error TEXT`, and the conversation goes on. `root` is the folder with one
/// folder of data per workload.
///
/// # Errors
/// Only when the conversation itself breaks.
pub fn serve(root: &Path, input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut prepared: Option<Prepared> = None;
    for line in input.lines() {
        let line = line?;
        let reply = match line.split_once(' ').unwrap_or((line.as_str(), "")) {
            ("prepare", name) => {
                prepared = None; // the earlier one's memory first
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

/// Reads the data and runs once, which warms up and gives the answer to compare.
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
    fn a_wrong_command_is_answered_and_the_conversation_goes_on() {
        assert_eq!(
            talk("time\nfly\nprepare no-such\nrelease\n"),
            "error nothing is prepared\nerror unknown command fly\n\
             error no workload no-such in this build\nok\n"
        );
    }

    #[test]
    fn answers_are_read_back_as_they_were_written() {
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
