//! Formatting of commands for a shell.

/// Joins the words of a command to one line for a POSIX shell.
pub(crate) fn line<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> = words
        .into_iter()
        .map(|word| quoted(word.as_ref()))
        .collect();
    quoted.join(" ")
}

/// Quotes a word if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_original_words() {
        let words = [
            "xai",
            "report",
            "--title=my study",
            "it's",
            "",
            "$HOME",
            "a/b.npy",
            "größe",
        ];
        let read = std::process::Command::new("sh")
            .args(["-c", &format!("printf '%s\\n' {}", line(words))])
            .output();
        if let Ok(output) = read {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(text.lines().collect::<Vec<_>>(), words);
        }
        assert_eq!(line(["xai", "graph", "a b"]), "xai graph 'a b'");
    }
}
