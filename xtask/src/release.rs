//! `cargo xtask release CRATE LEVEL [--execute]`: one crate's next version, as a commit and a tag.
//!
//! The change is made in a copy of the repository below the target folder (a worktree of git). The last step takes the
//! commit over, with `--execute` alone: what fails or is stopped before that leaves the tree as it was.
//!
//! A crate without a tag has no earlier version: it is released with the version of its manifest, at any level.

use crate::command::{Command, Result, cargo, command, target};
use std::fs;
use std::path::Path;

pub(crate) fn run(arguments: &[&str]) -> Result {
    let (name, level, executes) = match arguments {
        [name, level] => (name, level, false),
        [name, level, "--execute"] => (name, level, true),
        _ => return Err("cargo xtask release CRATE major|minor|patch [--execute]".into()),
    };
    let changes = git("status --porcelain").output()?;
    if !changes.is_empty() {
        return Err(format!("commit these changes first, or remove them:\n{changes}").into());
    }
    let copy = target().join("next-version"); // `release` is of cargo
    let remove = || git("worktree remove --force").args([&copy]);
    if copy.exists() {
        remove().output()?; // of a run that was stopped
    }
    git("worktree prune").output()?;
    git("worktree add --quiet --detach")
        .args([&copy])
        .output()?;
    let done = make(&copy, name, level).and_then(|release| match executes {
        true => take_over(&copy, &release.tag).map(|()| release),
        false => Ok(release),
    });
    remove().output()?;
    let release = done?;
    println!(
        "\n{}. To publish, in this order:",
        match executes {
            true => "Committed and tagged",
            false => "Nothing was changed: --execute commits and tags this",
        }
    );
    release.publish.iter().for_each(|line| println!("  {line}"));
    Ok(())
}

/// A commit in the copy.
struct Release {
    tag: String,
    /// The commands that come after it.
    publish: Vec<String>,
}

/// Makes the commit in the copy, and shows it.
fn make(copy: &Path, name: &str, level: &str) -> Result<Release> {
    let crates = in_order(crates(copy)?)?;
    let of_crate = crates.iter().find(|it| it.name == name);
    let it = of_crate.ok_or_else(|| format!("no crate {name} in the folder crates"))?;
    let tags = git("tag --list").output()?;
    let is_tagged = |it: &Crate| tags.lines().any(|tag| tag == it.tag());
    let mut new = it.clone();
    new.version = next(&it.version, level)?;
    if !is_tagged(it) {
        println!("No tag {}: it is released as it is", it.tag());
        new.version.clone_from(&it.version);
    }

    let edit = |file: &str, edited: &dyn Fn(&str) -> Result<String>| -> Result {
        let text = fs::read_to_string(copy.join(file))?;
        let text = edited(&text).map_err(|error| format!("{file}: {error}"))?;
        Ok(fs::write(copy.join(file), text)?)
    };
    let date = command("date").words("-u +%F").output()?;
    let heading = format!("{name} {} - {date}", new.version);
    edit("CHANGELOG.md", &|text| released(text, name, &heading))?;
    if new.version != it.version {
        let bumped = |text: &str, start| with_version(text, start, &it.version, &new.version);
        edit(&format!("crates/{name}/Cargo.toml"), &|text| {
            bumped(text, "version = ")
        })?;
        let requirement = format!("{name} = {{ path = ");
        edit("Cargo.toml", &|text| match text.contains(&requirement) {
            true => bumped(text, &requirement),
            false => Ok(text.to_owned()), // nobody depends on it
        })?;
        // Cargo reads what was written, and brings the lock file up to it.
        let manifest = copy.join("Cargo.toml");
        cargo("update --workspace --offline --quiet --manifest-path")
            .args([&manifest])
            .output()?;
        match reason_against_check(copy, it)? {
            Some(reason) => println!("cargo semver-checks was left out: {reason}"),
            None => cargo("semver-checks --manifest-path")
                .args([&manifest])
                .words(&format!("--package {name} --baseline-rev {}", it.tag()))
                .run()?,
        }
    }
    git_in(copy, "commit --quiet --all --message")
        .args([format!("Release {name} {}", new.version)])
        .output()?;
    println!("{}", git_in(copy, "show --format=%s").output()?);

    let dependents: Vec<&str> = dependents(&crates, name).map(|it| &*it.name).collect();
    println!(
        "\nDependents in the workspace: {}",
        match dependents.as_slice() {
            [] => "none".to_owned(),
            names => names.join(", "),
        }
    );
    if !is_compatible(&it.version, &new.version)? {
        println!("They take it after a release of their own, in this order.");
    }
    let unreleased = |it: &&Crate| -> bool {
        let diff = format!("diff --quiet {} -- crates/{}/src", it.tag(), it.name);
        new.is_published && !(is_tagged(it) && git(&diff).output().is_ok())
    };
    let before = dependencies(&crates, name).filter(unreleased).map(|it| {
        let name = &it.name;
        format!("cargo publish -p {name}    # before it: cargo xtask release {name} LEVEL")
    });
    let publish = new.is_published.then(|| format!("cargo publish -p {name}"));
    let push = "git push --follow-tags".to_owned();
    Ok(Release {
        tag: new.tag(),
        publish: before.chain(publish).chain([push]).collect(),
    })
}

/// The tag and the commit, in the tree and the branch from which we were called.
fn take_over(copy: &Path, tag: &str) -> Result {
    let commit = git_in(copy, "rev-parse HEAD").output()?;
    git(&format!("tag --annotate {tag} --message {tag} {commit}")).output()?;
    let merged = git(&format!("merge --quiet --ff-only {commit}")).output();
    if merged.is_err() {
        git(&format!("tag --delete {tag}")).output()?;
    }
    merged.map(|_| ())
}

fn git(words: &str) -> Command {
    command("git").words(words)
}

fn git_in(folder: &Path, words: &str) -> Command {
    command("git").args(["-C".as_ref(), folder]).words(words)
}

/// Why the public interface cannot be compared with that of the last tag.
fn reason_against_check(copy: &Path, it: &Crate) -> Result<Option<&'static str>> {
    let is_library = copy.join(format!("crates/{}/src/lib.rs", it.name)).exists();
    let installed = cargo("--list").output()?;
    let mut commands = installed.lines().map(str::trim_start);
    Ok(if !is_library || !it.is_published || it.is_macro {
        Some("it is for libraries")
    } else if !commands.any(|line| line.starts_with("semver-checks")) {
        Some("it is not installed")
    } else {
        None
    })
}

/// What a manifest says of a crate.
#[derive(Debug, Clone, Default, PartialEq)]
struct Crate {
    name: String,
    version: String,
    is_published: bool,
    is_macro: bool,
    /// The crates of the workspace that it depends on, of all kinds: cargo asks the registry for each of them.
    needs: Vec<String>,
}

impl Crate {
    fn of(manifest: &str) -> Result<Self> {
        let value = |key: &str| {
            let mut lines = manifest.lines();
            let found = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            found.map(|value| value.trim_matches('"').to_owned())
        };
        let needs = manifest.lines().filter_map(|line| {
            let (name, value) = line.split_once(" = ")?;
            let is_ours = name.starts_with("xai-") && value.contains("workspace = true");
            is_ours.then(|| name.to_owned())
        });
        Ok(Self {
            name: value("name").ok_or("no name")?,
            version: value("version").ok_or("no version")?,
            is_published: value("publish").is_none(),
            is_macro: value("proc-macro").is_some(),
            needs: needs.collect(),
        })
    }

    fn tag(&self) -> String {
        format!("{}-v{}", self.name, self.version)
    }
}

fn crates(root: &Path) -> Result<Vec<Crate>> {
    let mut folders = fs::read_dir(root.join("crates"))?
        .map(|entry| Ok(entry?.path().join("Cargo.toml")))
        .collect::<std::io::Result<Vec<_>>>()?;
    folders.sort();
    let crates = folders.iter().map(|file| {
        let found = Crate::of(&fs::read_to_string(file)?);
        found.map_err(|error| format!("{}: {error}", file.display()).into())
    });
    crates.collect()
}

/// Each crate after those that it needs.
fn in_order(mut rest: Vec<Crate>) -> Result<Vec<Crate>> {
    let mut ordered: Vec<Crate> = Vec::new();
    while !rest.is_empty() {
        let is_free = |it: &Crate| !rest.iter().any(|other| it.needs.contains(&other.name));
        let at = rest.iter().position(is_free);
        ordered.push(rest.remove(at.ok_or("the crates depend on each other in a circle")?));
    }
    Ok(ordered)
}

/// The crates that need this one, directly or not, in their order.
fn dependents<'a>(crates: &'a [Crate], name: &'a str) -> impl Iterator<Item = &'a Crate> {
    let mut found = vec![name];
    crates.iter().filter(move |it| {
        let needs_one = it.needs.iter().any(|need| found.contains(&need.as_str()));
        found.extend(needs_one.then_some(it.name.as_str()));
        needs_one
    })
}

/// The crates that this one needs, directly or not, in their order.
fn dependencies<'a>(crates: &'a [Crate], name: &str) -> impl Iterator<Item = &'a Crate> {
    let is_below = move |it: &&Crate| dependents(crates, &it.name).any(|above| above.name == name);
    crates.iter().filter(is_below)
}

fn numbers(version: &str) -> Result<[u64; 3]> {
    let numbers = version.split('.').map(str::parse);
    let numbers = numbers.collect::<std::result::Result<Vec<u64>, _>>();
    let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| format!("version {version}: expected three numbers").into())
}

fn next(version: &str, level: &str) -> Result<String> {
    let [major, minor, patch] = numbers(version)?;
    match level {
        "major" => Ok(format!("{}.0.0", major + 1)),
        "minor" => Ok(format!("{major}.{}.0", minor + 1)),
        "patch" => Ok(format!("{major}.{minor}.{}", patch + 1)),
        _ => Err(format!("the level is major, minor or patch, not {level}").into()),
    }
}

/// Whether a requirement of the old version takes the new one: all is the same up to the first number that is not zero.
fn is_compatible(old: &str, new: &str) -> Result<bool> {
    let (old, new) = (numbers(old)?, numbers(new)?);
    let first = old.iter().position(|number| *number != 0).unwrap_or(2);
    Ok(old[..=first] == new[..=first])
}

/// The text with another version in the one line that starts so.
fn with_version(text: &str, start: &str, old: &str, new: &str) -> Result<String> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(start))
        .collect();
    let (old, new) = (
        format!("version = \"{old}\""),
        format!("version = \"{new}\""),
    );
    match lines.as_slice() {
        [line] if line.contains(&old) => Ok(text.replacen(line, &line.replacen(&old, &new, 1), 1)),
        _ => Err(format!("expected one line `{start}…` with {old}").into()),
    }
}

/// The changelog with the entries of a crate under a heading of their own. What stands under the names of several crates stays
/// for the others, too.
fn released(changelog: &str, name: &str, heading: &str) -> Result<String> {
    let (mut kept, mut taken, mut rest) = (String::new(), String::new(), String::new());
    let (mut is_unreleased, mut is_over, mut keeps, mut takes) = (false, false, true, false);
    for line in changelog.split_inclusive('\n') {
        if line.starts_with("## ") {
            is_over |= is_unreleased;
            is_unreleased = !is_over && line.trim() == "## [Unreleased]";
            (keeps, takes) = (true, false);
        }
        if let Some(names) = line.strip_prefix("### ").filter(|_| is_unreleased) {
            let names = names.trim().split(", ");
            let others: Vec<&str> = names.clone().filter(|other| *other != name).collect();
            (keeps, takes) = (!others.is_empty(), others.len() < names.count());
            if keeps {
                kept += &format!("### {}\n", others.join(", "));
            }
            continue;
        }
        match is_over {
            true => rest += line,
            false if keeps => kept += line,
            false => {}
        }
        if takes {
            taken += line;
        }
    }
    if !taken.lines().any(|line| line.starts_with("- ")) {
        return Err(format!("no entries of {name} under Unreleased").into());
    }
    let (kept, taken) = (kept.trim_end(), taken.trim());
    let text = format!("{kept}\n\n## {heading}\n\n{taken}\n\n{rest}");
    Ok(format!("{}\n", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_crate(name: &str, needs: &[&str]) -> Crate {
        Crate {
            name: name.to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            ..Crate::default()
        }
    }

    fn names<'a>(crates: impl Iterator<Item = &'a Crate>) -> Vec<&'a str> {
        crates.map(|it| it.name.as_str()).collect()
    }

    #[test]
    fn a_manifest_says_what_a_crate_needs() {
        let manifest = "[package]\nname = \"xai-a\"\nversion = \"0.2.1\"\npublish = false\n\n[dependencies]\n\
                        xai-core = { workspace = true, features = [\"serde\"] }\nserde = { workspace = true }\n\n\
                        [dev-dependencies]\nxai-graph = { workspace = true }\n";
        let found = Crate::of(manifest).expect("a crate");
        assert_eq!(found.tag(), "xai-a-v0.2.1");
        assert_eq!(found.needs, ["xai-core", "xai-graph"]);
        assert!(!found.is_published && !found.is_macro);
    }

    #[test]
    fn the_crates_of_this_workspace_are_read() {
        let crates = crates(crate::command::root()).expect("crates");
        let crates = in_order(crates).expect("an order");
        assert_eq!(names(crates.iter())[..2], ["xai-derive", "xai-core"]);
        let apart: Vec<&Crate> = crates.iter().filter(|it| !it.is_published).collect();
        assert_eq!(names(apart.into_iter()), ["xai-python", "xai-sql-python"]);
        assert_eq!(
            names(dependencies(&crates, "xai-graph")),
            ["xai-derive", "xai-core"]
        );
    }

    #[test]
    fn a_crate_comes_after_those_that_it_needs() {
        let crates = [
            a_crate("c", &["b"]),
            a_crate("b", &["a"]),
            a_crate("a", &[]),
            a_crate("d", &[]),
        ];
        let crates = in_order(crates.to_vec()).expect("an order");
        assert_eq!(names(crates.iter()), ["a", "b", "c", "d"]);
        assert_eq!(names(dependents(&crates, "a")), ["b", "c"]);
        assert_eq!(names(dependencies(&crates, "c")), ["a", "b"]);
        assert!(in_order(vec![a_crate("a", &["b"]), a_crate("b", &["a"])]).is_err());
    }

    #[test]
    fn a_level_raises_its_number_and_clears_those_behind() {
        let next = |level| next("1.2.3", level).expect("a version");
        assert_eq!(
            ["major", "minor", "patch"].map(next),
            ["2.0.0", "1.3.0", "1.2.4"]
        );
        assert!(super::next("1.2.3", "large").is_err());
        assert!(super::next("1.2", "patch").is_err());
        assert!(super::next("1.2.3-rc.1", "patch").is_err());
    }

    #[test]
    fn a_requirement_takes_versions_with_the_same_first_number() {
        for (old, new, expected) in [
            ("0.1.0", "0.1.1", true),
            ("0.1.0", "0.2.0", false),
            ("1.2.3", "1.3.0", true),
            ("1.2.3", "2.0.0", false),
            ("0.0.1", "0.0.2", false),
            ("0.9.0", "1.0.0", false),
        ] {
            let found = is_compatible(old, new).expect("versions");
            assert_eq!(found, expected, "{old} {new}");
        }
    }

    #[test]
    fn one_line_gets_the_version() {
        let text =
            "[package]\nversion = \"0.1.0\"\n\n[dependencies]\nother = { version = \"0.1.0\" }\n";
        let edited = with_version(text, "version = ", "0.1.0", "0.2.0").expect("a text");
        assert_eq!(
            edited,
            "[package]\nversion = \"0.2.0\"\n\n[dependencies]\nother = { version = \"0.1.0\" }\n"
        );
        assert!(with_version(text, "version = ", "0.1.1", "0.2.0").is_err());
        assert!(with_version(text, "versions = ", "0.1.0", "0.2.0").is_err());
        let twice = format!("{text}version = \"0.1.0\"\n");
        assert!(with_version(&twice, "version = ", "0.1.0", "0.2.0").is_err());
    }

    #[test]
    fn entries_move_under_a_heading_of_their_own() {
        let changelog = "# Changelog\n\n## [Unreleased]\n\n### a, b\n- Of both.\n\n### c\n- One.\n  More of it.\n\n\
                         ## c 0.1.0 - 2026-01-01\n\n- First.\n\n### c\n- No heading of ours.\n";
        let of_c = released(changelog, "c", "c 0.2.0 - 2026-02-01").expect("a changelog");
        assert_eq!(
            of_c,
            "# Changelog\n\n## [Unreleased]\n\n### a, b\n- Of both.\n\n## c 0.2.0 - 2026-02-01\n\n- One.\n  More of it.\n\n\
             ## c 0.1.0 - 2026-01-01\n\n- First.\n\n### c\n- No heading of ours.\n"
        );
        let of_a = released(changelog, "a", "a 0.1.0 - 2026-02-01").expect("a changelog");
        assert!(
            of_a.contains("## [Unreleased]\n\n### b\n- Of both.\n\n### c\n- One."),
            "{of_a}"
        );
        assert!(
            of_a.contains("\n\n## a 0.1.0 - 2026-02-01\n\n- Of both.\n\n## c 0.1.0"),
            "{of_a}"
        );
        assert!(released(changelog, "d", "d 0.1.0").is_err());
        assert!(released(&of_c, "c", "c 0.3.0").is_err());
        assert!(released("## [Unreleased]\n\n### a\n", "a", "a 0.1.0").is_err());
        assert_eq!(
            released("## [Unreleased]\n\n### a\n- One.\n", "a", "a 0.1.0").expect("a changelog"),
            "## [Unreleased]\n\n## a 0.1.0\n\n- One.\n"
        );
    }
}
