//! What a section asks for: the parsed arguments of its commands, and how a person writes them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};
use xai_report::Family;

use crate::attribution::compare::Compare;
use crate::report::study::arguments::{CommandLine, NamedFile, WrongValue};
use crate::report::study::document::{Document, Key, Section, Table, Value};
use crate::report::study::keys::{
    DRAWN_NODES, DRAWS, GROUNDTRUTH, IMAGES, KeyInfo, SEED, SWEEP, canonical, commands,
    has_explainers,
};
use crate::report::study::usage::{WrongUsage, in_keys};
use crate::report::study::{keys, settings};
use xai_files::Failure;

use crate::attribution::texts::Texts;
use crate::casebased::attribution::compare::CompareAttributions;
use crate::casebased::audit::AuditOfTable;
use crate::report::evaluate::graph::{ExplainerInputs, GraphInputs};
use crate::repro::pairwise::Pairwise;
use crate::repro::simulate::study::StudyCommand;
use crate::usage::nearest;

/// What a section is computed from.
#[derive(Debug)]
pub(crate) enum Request {
    Casebased(Box<AuditOfTable>),
    Attribution(Box<Compare>),
    Texts(Box<Texts>),
    /// With the files of training and test cases as images.
    DataAttribution(Box<CompareAttributions>, [Option<PathBuf>; 2]),
    Graph(Box<GraphInputs>),
    Repro(Box<Pairwise>),
    /// With the file of its draws.
    Simulation(Box<StudyCommand>, Option<PathBuf>),
}

impl Request {
    /// What can be checked one by one: each explainer of a graph asks its model by itself.
    pub(crate) fn parts(self) -> Vec<Self> {
        let Self::Graph(inputs) = self else {
            return vec![self];
        };
        let of_explainer = |explainer| GraphInputs {
            explainers: vec![explainer],
            edge_index: inputs.edge_index.clone(),
            drawn: inputs.drawn,
        };
        let explainers = inputs.explainers.into_iter().map(of_explainer);
        explainers.map(|it| Self::Graph(Box::new(it))).collect()
    }
}

/// A section that is ready to be computed.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) request: Request,
    /// The commands that give its numbers.
    pub(crate) commands: Vec<String>,
    /// The files that it reads.
    pub(crate) files: Vec<NamedFile>,
    /// What its numbers depend on besides files and seeds.
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) seed: Option<u64>,
}

/// The tables of a section whose keys make its commands.
struct Preparing<'a> {
    document: &'a Document,
    section: &'a Section,
    keys: Vec<KeyInfo>,
    folder: &'a Path,
    seed: Option<u64>,
}

/// Reads what a section asks for; `seed` is that of the command line.
///
/// # Errors
/// A key that is none, a value that a key cannot have, a key that is needed; shown where it stands.
pub(crate) fn prepare(
    document: &Document,
    section: &Section,
    folder: &Path,
    seed: Option<u64>,
) -> Result<Prepared, Failure> {
    let mut preparing = Preparing {
        document,
        section,
        keys: keys::of(section.family),
        folder,
        seed: None,
    };
    preparing.check_keys()?;
    let own = preparing.number(SEED)?;
    preparing.seed = seed.or(own).or(document.seed);
    match section.family {
        Family::Casebased => preparing.single(|arguments| Request::Casebased(Box::new(arguments))),
        Family::Texts => preparing.single(|arguments| Request::Texts(Box::new(arguments))),
        Family::Repro => preparing.single(|arguments| Request::Repro(Box::new(arguments))),
        Family::Simulation => preparing.simulation(),
        Family::Graph => preparing.graph(),
        Family::Attribution => preparing.attribution(),
        Family::DataAttribution => preparing.data_attribution(),
    }
}

/// Keys of an explainer of attribution maps, but for its name, and the options that they are.
const OF_MAPS: &[(&str, &str)] = &[("maps", "--explanations"), ("explainer", "--explainers")];
/// Those of an explainer by training cases.
const OF_CASES: &[(&str, &str)] = &[
    ("attributions", "--attributions"),
    ("random_attributions", "--random-attributions"),
    ("scores", "--scores"),
    ("log_prob_after", "--log-prob-after"),
    ("predictions", "--predictions"),
];

/// The keys of a family's explainers, beside their names, of which each explainer needs one; `None` where explainers have the
/// keys of the section.
pub(crate) fn explainer_keys(family: Family) -> Option<&'static [(&'static str, &'static str)]> {
    match family {
        Family::Attribution => Some(OF_MAPS),
        Family::DataAttribution => Some(OF_CASES),
        _ => None,
    }
}

impl Preparing<'_> {
    /// Refuses keys that there are not.
    fn check_keys(&self) -> Result<(), Failure> {
        let mut of_section: Vec<&str> = self.keys.iter().map(|info| info.key.as_str()).collect();
        of_section.push("name");
        let of_graph = [of_section.clone(), vec!["name"]].concat();
        let with_name = |keys: &[(&'static str, &str)]| {
            let keys = keys.iter().map(|(key, _)| *key);
            keys.chain(["name"]).collect()
        };
        let of_explainer: Vec<&str> = match explainer_keys(self.section.family) {
            Some(keys) => with_name(keys),
            None => of_graph,
        };
        for key in self.section.explainers.iter().flat_map(|table| &table.keys) {
            self.check_key(key, ".explainers", &of_explainer)?;
        }
        if has_explainers(self.section.family) {
            of_section.push("explainers");
        }
        for key in &self.section.keys {
            self.check_key(key, "", &of_section)?;
        }
        Ok(())
    }

    /// Refuses a key that a section, or a table of it, does not have.
    fn check_key(&self, key: &Key, table: &str, valid: &[&str]) -> Result<(), Failure> {
        if valid.contains(&canonical(&key.name).as_str()) {
            return Ok(());
        }
        let what = format!(
            "unknown key `{}` of [[{}{table}]]",
            key.name,
            self.section.family.key()
        );
        let failure = self.document.text.failure(key.at.clone(), what);
        Err(failure.help(nearest(&key.name, valid)))
    }

    /// A whole number of a key that is no option.
    fn number<N: std::str::FromStr>(&self, name: &str) -> Result<Option<N>, Failure> {
        let Some(key) = self.section.key(name) else {
            return Ok(None);
        };
        let number = match &key.value {
            Value::Word(word) => word.parse().ok(),
            _ => None,
        };
        let what = format!("`{name}`: expected a whole number of 0 and more");
        let number = number.ok_or_else(|| self.document.text.failure(key.value_at.clone(), what));
        number.map(Some)
    }

    /// The text of a key.
    fn text<'k>(&self, key: &'k Key) -> Result<&'k str, Failure> {
        match &key.value {
            Value::Word(word) if !word.is_empty() => Ok(word),
            _ => Err(self.document.text.failure(
                key.value_at.clone(),
                format!("`{}`: expected text", key.name),
            )),
        }
    }

    /// The command at a place, with the options that some keys are.
    fn line<'k>(
        &self,
        place: usize,
        keys: impl IntoIterator<Item = &'k Key>,
    ) -> Result<CommandLine, Failure> {
        let command = commands(self.section.family).get(place);
        let mut line = command.map(CommandLine::of).unwrap_or_default();
        for key in keys {
            let added = line.add(key, &self.keys, place, self.folder);
            added.map_err(|WrongValue { at, what }| self.document.text.failure(at, what))?;
        }
        Ok(line)
    }

    /// The arguments of a command; errors without a key of their own are about `at`.
    fn parse<A: Args + FromArgMatches>(
        &self,
        place: usize,
        line: &CommandLine,
        at: &Range<usize>,
    ) -> Result<A, Failure> {
        let Some(command) = commands(self.section.family).get(place) else {
            return Err(self.document.text.failure(at.clone(), "not in this build"));
        };
        line.parse(command).map_err(|error| {
            let wrong = WrongUsage::new(&error);
            let place = |option: &String| line.places.iter().find(|(of, _)| of == option);
            let found = wrong.options.iter().find_map(place);
            let at = found.map_or_else(|| at.clone(), |(_, at)| at.clone());
            let failure = self.document.text.failure(at, &wrong.what);
            match wrong.help {
                Some(help) => failure.help(help),
                None => failure,
            }
        })
    }

    fn prepared(&self, request: Request, lines: &[CommandLine]) -> Prepared {
        let mut files: Vec<NamedFile> = Vec::new();
        for file in lines.iter().flat_map(|line| &line.files) {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
        Prepared {
            request,
            commands: lines.iter().map(|line| line.shown(self.seed)).collect(),
            files,
            settings: settings::of(self.section),
            seed: self.seed,
        }
    }

    /// A section that is one command.
    fn single<A: Args + FromArgMatches>(
        &self,
        request: impl FnOnce(A) -> Request,
    ) -> Result<Prepared, Failure> {
        let line = self.line(0, &self.section.keys)?;
        let arguments = self.parse(0, &line, &self.section.at)?;
        Ok(self.prepared(request(arguments), &[line]))
    }

    fn simulation(&self) -> Result<Prepared, Failure> {
        let line = self.line(0, &self.section.keys)?;
        let arguments = self.parse(0, &line, &self.section.at)?;
        let draws = self
            .section
            .key(DRAWS)
            .map(|key| self.text(key))
            .transpose()?;
        let file = draws.map(|draws| self.folder.join(draws));
        let mut prepared = self.prepared(Request::Simulation(Box::new(arguments), file), &[line]);
        prepared
            .files
            .extend(draws.map(|draws| named(DRAWS, draws)));
        Ok(prepared)
    }

    /// One command per explainer, and another where the truth is known.
    fn graph(&self) -> Result<Prepared, Failure> {
        let (mut explainers, mut lines) = (Vec::new(), Vec::new());
        // Without a table of explainers the section is one.
        let alone = [Table {
            at: self.section.at.clone(),
            keys: Vec::new(),
        }];
        let tables = match self.section.explainers.is_empty() {
            true => &alone,
            false => self.section.explainers.as_slice(),
        };
        for table in tables {
            explainers.push(self.graph_explainer(table, &mut lines)?);
        }
        let edge_index = self.file(self.section.keys.iter(), "edge_index")?;
        let inputs = GraphInputs {
            explainers,
            edge_index: edge_index.as_ref().map(|file| self.folder.join(file)),
            drawn: self.number(DRAWN_NODES)?.unwrap_or(3),
        };
        let mut prepared = self.prepared(Request::Graph(Box::new(inputs)), &lines);
        // A model's command reads it already.
        let of_drawing = edge_index.map(|file| named("edge_index", &file));
        let of_drawing = of_drawing.filter(|file| !prepared.files.contains(file));
        prepared.files.extend(of_drawing);
        Ok(prepared)
    }

    fn graph_explainer(
        &self,
        table: &Table,
        lines: &mut Vec<CommandLine>,
    ) -> Result<ExplainerInputs, Failure> {
        let name = table.keys.iter().find(|key| key.name == "name");
        let name = name.map(|key| self.text(key)).transpose()?;
        // What an explainer says of itself decides over what the section says.
        let is_overridden = |key: &&Key| {
            let name = canonical(&key.name);
            !table.keys.iter().any(|own| canonical(&own.name) == name)
        };
        let of_section = self.section.keys.iter().filter(is_overridden);
        let keys: Vec<&Key> = of_section.chain(&table.keys).collect();
        let has = |name: &str| keys.iter().any(|key| canonical(&key.name) == name);
        let runs_model = has("model");
        // The graph itself is for a model; else it is for the drawing.
        let of_sweep = keys.iter().filter(|key| {
            runs_model || !["edge_index", "edge_mask"].contains(&canonical(&key.name).as_str())
        });
        let edge_mask = self.file(keys.iter().copied(), "edge_mask")?;
        let mut line = self.line(SWEEP, of_sweep.copied())?;
        let sweep = self.parse(SWEEP, &line, &table.at)?;
        // It is drawn, also where no command reads it.
        line.files
            .extend(edge_mask.as_deref().map(|file| named("edge_mask", file)));
        lines.push(line);
        let mut groundtruth = None;
        if has("edge_mask") && has("edge_mask_true") {
            let line = self.line(GROUNDTRUTH, keys.iter().copied())?;
            groundtruth = Some(self.parse(GROUNDTRUTH, &line, &table.at)?);
            lines.push(line);
        }
        Ok(ExplainerInputs {
            name: name.unwrap_or(&self.section.name).to_owned(),
            sweep,
            edge_mask: edge_mask.map(|file| self.folder.join(file)),
            groundtruth,
        })
    }

    /// The file that a key names.
    fn file<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k Key>,
        name: &str,
    ) -> Result<Option<String>, Failure> {
        let key = keys.into_iter().find(|key| canonical(&key.name) == name);
        key.map(|key| self.text(key).map(str::to_owned)).transpose()
    }

    /// One command of all explainers.
    fn attribution(&self) -> Result<Prepared, Failure> {
        let mut line = self.line(0, &self.section.keys)?;
        for table in &self.section.explainers {
            self.named_explainer(table, OF_MAPS, &mut line)?;
        }
        let help = "add [[attribution.explainers]] with name = \"…\" and maps = \"….npy\"";
        self.check_explainers(help)?;
        let arguments: Compare = self.parse(0, &line, &self.section.at)?;
        let in_study = |failure| in_study(failure, self.document, self.section);
        arguments.check().map_err(in_study)?;
        Ok(self.prepared(Request::Attribution(Box::new(arguments)), &[line]))
    }

    /// One command of all explainers, and images that the page shows.
    fn data_attribution(&self) -> Result<Prepared, Failure> {
        let mut line = self.line(0, &self.section.keys)?;
        for table in &self.section.explainers {
            self.named_explainer(table, OF_CASES, &mut line)?;
        }
        let help =
            "add [[data_attribution.explainers]] with name = \"…\" and attributions = \"….npy\"";
        self.check_explainers(help)?;
        let arguments = self.parse(0, &line, &self.section.at)?;
        let of_key = |key| self.file(&self.section.keys, key);
        let [train, test] = IMAGES;
        let images = [of_key(train)?, of_key(test)?];
        for (given, key, lacking) in [(0, train, test), (1, test, train)] {
            if images[given].is_some() && images[1 - given].is_none() {
                let at = self
                    .section
                    .key(key)
                    .map_or(&self.section.at, |key| &key.at);
                let what = format_args!("`{key}` needs `{lacking}`");
                return Err(self.document.text.failure(at.clone(), what));
            }
        }
        let files = images
            .clone()
            .map(|file| file.map(|file| self.folder.join(file)));
        let request = Request::DataAttribution(Box::new(arguments), files);
        let mut prepared = self.prepared(request, &[line]);
        let of_images = IMAGES.iter().zip(&images);
        let of_images = of_images.filter_map(|(key, file)| Some(named(key, file.as_ref()?)));
        prepared.files.extend(of_images);
        Ok(prepared)
    }

    fn check_explainers(&self, help: &str) -> Result<(), Failure> {
        match self.section.explainers.is_empty() {
            false => Ok(()),
            true => {
                let at = self.section.at.clone();
                Err(self.document.text.failure(at, "no explainers").help(help))
            }
        }
    }

    /// The files of an explainer, of which it needs one.
    fn named_explainer(
        &self,
        table: &Table,
        keys: &[(&str, &str)],
        line: &mut CommandLine,
    ) -> Result<(), Failure> {
        let text = |name: &str| {
            let key = table.keys.iter().find(|key| canonical(&key.name) == name);
            key.map(|key| self.text(key)).transpose()
        };
        let wrong = |what: String| self.document.text.failure(table.at.clone(), what);
        let Some(name) = text("name")? else {
            return Err(wrong("needs `name`".to_owned()));
        };
        if name.contains('=') {
            return Err(wrong("`name`: expected a name without `=`".to_owned()));
        }
        let mut is_given = false;
        for (key, option) in keys {
            if let Some(file) = text(key)? {
                line.push_named_file(option, name, file, self.folder);
                is_given = true;
            }
        }
        match is_given {
            true => Ok(()),
            false => {
                let keys: Vec<String> = keys.iter().map(|(key, _)| format!("`{key}`")).collect();
                Err(wrong(format!("needs {}", keys.join(", or "))))
            }
        }
    }
}

fn named(key: &str, path: &str) -> NamedFile {
    NamedFile {
        key: key.to_owned(),
        path: path.to_owned(),
    }
}

/// A failure of the commands of a section, in terms of the study: an option is the key that it stands for.
pub(crate) fn in_study(failure: Failure, document: &Document, section: &Section) -> Failure {
    let keys = keys::of(section.family);
    let of_option = |name: &str| {
        keys.iter()
            .find(|info| info.options.iter().any(|option| option.option == name))
    };
    let is_option = |name: &str| {
        of_option(name).is_some() || ["explanations", "explainers", "attributions"].contains(&name)
    };
    let option = failure.option().map(str::to_owned);
    let failure = failure.map_text(|text| in_keys(text, is_option));
    let Some(option) = option else {
        return failure;
    };
    let key = of_option(&option).map(|info| info.key.clone());
    let of_explainers = section.explainers.iter().flat_map(|table| &table.keys);
    let mut all = section.keys.iter().chain(of_explainers);
    let at = all
        .find(|other| Some(canonical(&other.name)) == key)
        .map(|key| key.at.clone());
    failure.moved_to(|what| {
        document
            .text
            .failure(at.unwrap_or_else(|| section.at.clone()), what)
    })
}
