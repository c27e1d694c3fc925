//! The help of a family: its metrics, grouped by what they measure.

use std::fmt::Write;

use clap::Command;

use crate::metric_commands::{Family, RegisteredMetric};
use crate::output::style::HEADING;

/// Groups the metrics in the help of a family's command.
pub(crate) fn group_metrics<F: Family>(program: Command) -> Command {
    let path: Vec<&str> = F::COMMAND.split(' ').collect();
    in_subcommand(program, &path, |command| {
        let template = template::<F>(&command);
        command.help_template(template)
    })
}

fn in_subcommand(
    command: Command,
    path: &[&'static str],
    change: impl FnOnce(Command) -> Command,
) -> Command {
    match path {
        [] => change(command),
        [name, rest @ ..] => {
            command.mut_subcommand(name, |below| in_subcommand(below, rest, change))
        }
    }
}

/// The template of a help with a heading for each group of metrics, and one for the other commands.
fn template<F: Family>(command: &Command) -> String {
    let metrics = F::metrics().iter();
    let mut groups: Vec<(&str, Vec<&Command>)> = Vec::new();
    let mut others: Vec<&Command> = command.get_subcommands().collect();
    for entry in metrics {
        let Some(index) = others
            .iter()
            .position(|other| other.get_name() == entry.info().name)
        else {
            continue;
        };
        let command = others.remove(index);
        let heading = F::group(entry);
        match groups.iter_mut().find(|(other, _)| *other == heading) {
            Some((_, commands)) => commands.push(command),
            None => groups.push((heading, vec![command])),
        }
    }
    groups.push(("Commands over all metrics", others));
    let commands = groups.iter().flat_map(|(_, commands)| commands);
    let widths = commands.map(|command| command.get_name().len());
    let width = widths.max().unwrap_or_default();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, commands) in groups {
        // Writing to a string does not fail.
        let _ = write!(text, "\n{HEADING}{heading}:{HEADING:#}\n");
        for command in commands {
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let _ = writeln!(text, "  {:width$}  {about}", command.get_name());
        }
    }
    text + &format!("\n{HEADING}Options of every command:{HEADING:#}\n{{options}}{{after-help}}")
}
