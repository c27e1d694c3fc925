//! Explainers by name: the files of their maps, and the files that make maps.

use std::path::Path;

use clap::Args;
use ndarray::ArrayD;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::explainer::OnnxExplainer;
use xai_files::samples::FileSamples;
use xai_files::{Failure, InFile};
use xai_metrics::attribution::Evaluation;
use xai_metrics::attribution::model::{Explainer, Samples, Targets};

use crate::usage::named_file::NamedFile;

/// The explainers of a comparison.
#[derive(Debug, Args)]
pub(crate) struct ExplainerFiles {
    /// The explainers: each a name and the file of its maps.
    #[arg(long, value_name = "NAME=E.npy", num_args = 1.., required_unless_present = "explainers", value_parser = NamedFile::parser())]
    explanations: Vec<NamedFile>,
    /// Explainers that make maps: each a name and an ONNX file from inputs, and if it takes them
    /// target classes (n,), to maps. They are asked for the maps that no file has, and by the metrics
    /// that explain changed inputs.
    #[arg(long, value_name = "NAME=E.onnx", num_args = 1.., value_parser = NamedFile::parser())]
    explainers: Vec<NamedFile>,
}

/// One explainer and its files.
struct OneExplainer<'a> {
    name: &'a str,
    maps: Option<&'a Path>,
    explainer: Option<&'a Path>,
}

/// The explainers that were opened, in the order of [`ExplainerFiles`].
pub(crate) struct OpenedExplainers(Vec<Option<OnnxExplainer>>);

/// A file of maps and their shape.
type FileShape<'a> = (&'a Path, Vec<usize>);

impl ExplainerFiles {
    /// Maps first, in the order of the options. A name of both options is one explainer.
    fn all(&self) -> Vec<OneExplainer<'_>> {
        let of_maps = self.explanations.iter().map(|maps| {
            let explainer = self.explainers.iter().find(|other| other.name == maps.name);
            OneExplainer {
                name: &maps.name,
                maps: Some(&maps.file),
                explainer: explainer.map(|explainer| &*explainer.file),
            }
        });
        let has_maps = |name: &str| self.explanations.iter().any(|maps| maps.name == name);
        let others = self.explainers.iter().filter(|e| !has_maps(&e.name));
        let others = others.map(|explainer| OneExplainer {
            name: &explainer.name,
            maps: None,
            explainer: Some(&explainer.file),
        });
        of_maps.chain(others).collect()
    }

    /// Whether every explainer can be asked.
    pub(super) fn can_be_asked(&self) -> bool {
        self.all().iter().all(|one| one.explainer.is_some())
    }

    /// The file of an explainer that an error is about: of its maps, else itself.
    pub(super) fn file_of(&self, name: Option<&str>) -> Option<&Path> {
        let all = self.all();
        let one = all.iter().find(|one| Some(one.name) == name)?;
        one.maps.or(one.explainer)
    }

    /// The file that makes maps, of an explainer by its name.
    pub(super) fn explainer_of(&self, name: Option<&str>) -> Option<&Path> {
        NamedFile::find(&self.explainers, name?)
    }

    /// Opens the files that make maps.
    pub(super) fn open(&self, engine: &EngineOptions) -> Result<OpenedExplainers, Failure> {
        let open = |one: &OneExplainer<'_>| {
            let file = one.explainer;
            file.map(|file| OnnxExplainer::open(file, engine))
                .transpose()
        };
        self.all()
            .iter()
            .map(open)
            .collect::<Result<_, _>>()
            .map(OpenedExplainers)
    }

    /// The first file of maps, and the first whose maps have another shape; each with its shape.
    pub(super) fn other_shape(&self) -> Result<Option<[FileShape<'_>; 2]>, Failure> {
        let mut first: Option<FileShape<'_>> = None;
        // A pipe is read once, by the evaluation.
        for maps in self.explanations.iter().filter(|maps| maps.file.is_file()) {
            let shape = FileSamples::open(&maps.file)?.shape().to_vec();
            match &first {
                Some(first) if first.1 != shape => {
                    return Ok(Some([first.clone(), (&maps.file, shape)]));
                }
                Some(_) => {}
                None => first = Some((&maps.file, shape)),
            }
        }
        Ok(None)
    }

    /// The maps of some samples by the explainer at a place; `inputs` and `targets` are those of these
    /// samples. `None` where its maps came through a pipe, which is read once.
    pub(crate) fn maps_of(
        &self,
        place: usize,
        opened: &OpenedExplainers,
        samples: &[usize],
        (inputs, targets): (&ArrayD<f64>, &Targets),
    ) -> Result<Option<ArrayD<f64>>, Failure> {
        let all = self.all();
        match (all.get(place), opened.0.get(place)) {
            (
                Some(OneExplainer {
                    maps: Some(file), ..
                }),
                _,
            ) if file.is_file() => FileSamples::open(file)?
                .gather(samples)
                .in_file(file)
                .map(Some),
            (Some(OneExplainer { maps: Some(_), .. }), _) => Ok(None),
            (Some(one), Some(Some(explainer))) => {
                let maps = explainer.explain(inputs.view(), targets);
                let maps = maps.map_err(|error| {
                    Failure::new(error).in_file(one.explainer.unwrap_or(Path::new(one.name)))
                });
                maps.map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Adds the explainers to an evaluation.
    pub(super) fn add_to<'a>(
        &self,
        mut evaluation: Evaluation<'a, f64>,
        opened: &'a OpenedExplainers,
    ) -> Result<Evaluation<'a, f64>, Failure> {
        for (one, explainer) in self.all().iter().zip(&opened.0) {
            let maps = one.maps.map(FileSamples::open).transpose()?;
            evaluation = match (maps, explainer) {
                (Some(maps), Some(explainer)) => {
                    evaluation.maps_and_explainer(one.name, maps, explainer)
                }
                (Some(maps), None) => evaluation.maps(one.name, maps),
                (None, Some(explainer)) => evaluation.explainer(one.name, explainer),
                (None, None) => evaluation,
            };
        }
        Ok(evaluation)
    }
}
