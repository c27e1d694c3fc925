//! Explainers by name: files of their maps, and ONNX files that compute maps.

use std::path::Path;

use ndarray::ArrayD;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::explainer::OnnxExplainer;
use xai_files::samples::FileSamples;
use xai_files::{Failure, InFile};
use xai_metrics::attribution::Benchmark;
use xai_metrics::attribution::model::{Explainer, Samples, Targets};

use crate::usage::named_file::NamedFile;

/// The explainers of a comparison.
pub(crate) struct ExplainerFiles<'a> {
    /// Files of maps.
    pub(super) explanations: &'a [NamedFile],
    /// ONNX files that compute maps.
    pub(super) explainers: &'a [NamedFile],
}

/// One explainer and its files.
struct OneExplainer<'a> {
    name: &'a str,
    maps: Option<&'a Path>,
    explainer: Option<&'a Path>,
}

/// The opened explainers in the order of [`ExplainerFiles`]; `None` for those with maps alone.
pub(crate) struct OpenedExplainers(Vec<Option<OnnxExplainer>>);

/// A file of maps and their shape.
type FileShape<'a> = (&'a Path, Vec<usize>);

impl<'a> ExplainerFiles<'a> {
    /// Maps first, in the order of the options. A name of both options is one explainer.
    fn all(&self) -> Vec<OneExplainer<'a>> {
        let with_maps = self.explanations.iter().map(|maps| {
            let explainer = self.explainers.iter().find(|other| other.name == maps.name);
            OneExplainer {
                name: &maps.name,
                maps: Some(&maps.file),
                explainer: explainer.map(|explainer| &*explainer.file),
            }
        });
        let has_maps = |name: &str| self.explanations.iter().any(|maps| maps.name == name);
        let without_maps = self.explainers.iter().filter(|e| !has_maps(&e.name));
        let others = without_maps.map(|explainer| OneExplainer {
            name: &explainer.name,
            maps: None,
            explainer: Some(&explainer.file),
        });
        with_maps.chain(others).collect()
    }

    /// Whether every explainer has a file that computes maps.
    pub(super) fn all_compute_maps(&self) -> bool {
        self.all().iter().all(|one| one.explainer.is_some())
    }

    /// The file of the maps of an explainer, else the file that computes them.
    pub(super) fn maps_or_explainer(&self, name: Option<&str>) -> Option<&'a Path> {
        let all = self.all();
        let one = all.iter().find(|one| Some(one.name) == name)?;
        one.maps.or(one.explainer)
    }

    /// The file of an explainer that computes maps.
    pub(super) fn explainer(&self, name: Option<&str>) -> Option<&'a Path> {
        NamedFile::find(self.explainers, name?)
    }

    /// Opens the files that compute maps.
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

    /// The first file of maps, and the first whose maps have another shape; each with its shape. `None` if all have
    /// the same shape. Pipes are left out.
    pub(super) fn other_shape(&self) -> Result<Option<[FileShape<'a>; 2]>, Failure> {
        let mut first: Option<FileShape<'a>> = None;
        // A pipe can only be read once, and the evaluation reads it.
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

    /// The maps of some samples by the explainer with an index; `inputs` and `targets` are those of these
    /// samples. `None` if its maps came through a pipe, which can only be read once.
    pub(crate) fn maps(
        &self,
        index: usize,
        opened: &OpenedExplainers,
        samples: &[usize],
        (inputs, targets): (&ArrayD<f64>, &Targets),
    ) -> Result<Option<ArrayD<f64>>, Failure> {
        let all = self.all();
        match (all.get(index), opened.0.get(index)) {
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
                let explained = explainer.explain(inputs.view(), targets);
                let maps = explained.map_err(|error| {
                    Failure::new(error).in_file(one.explainer.unwrap_or(Path::new(one.name)))
                });
                maps.map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Adds the explainers to an evaluation.
    pub(super) fn add_to<'e>(
        &self,
        mut evaluation: Benchmark<'e, f64>,
        opened: &'e OpenedExplainers,
    ) -> Result<Benchmark<'e, f64>, Failure> {
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
