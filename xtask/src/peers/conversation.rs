//! A process that reads one command per line and answers each with one line.

use crate::outcome::Result;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running process, ours or a peer's.
pub(crate) struct Conversation {
    name: &'static str,
    child: Child,
    /// `None` once the conversation is over.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Conversation {
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{command:?}: {e}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output is piped"));
        Ok(Self {
            name,
            child,
            input,
            output,
        })
    }

    /// One command, and the reply without its first word.
    pub(crate) fn ask(&mut self, command: &str) -> Result<String> {
        let input = self.input.as_mut().expect("open until dropped");
        writeln!(input, "{command}")?;
        input.flush()?;
        let mut reply = String::new();
        if self.output.read_line(&mut reply)? == 0 {
            let status = self.child.wait()?;
            return Err(format!("{}: ended ({status}) at `{command}`", self.name).into());
        }
        match reply
            .trim_end()
            .split_once(' ')
            .unwrap_or((reply.trim_end(), ""))
        {
            ("error", text) => Err(format!("{}: {command}: {text}", self.name).into()),
            (_, text) => Ok(text.to_owned()),
        }
    }

    /// Seconds per unit, from a command that times one round.
    pub(crate) fn time(&mut self, command: &str) -> Result<f64> {
        let reply = self.ask(command)?;
        reply
            .parse()
            .map_err(|e| format!("{}: {command}: {reply}: {e}", self.name).into())
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // It ends when its input does.
        self.input = None;
        let _ = self.child.wait();
    }
}
