//! Explanations by nearest cases over tables of any size.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::dataframe::DataFrame;
use datafusion::parquet::arrow::ArrowWriter;
use futures::StreamExt;
use xai_casebased::correspondence::check_known_classes;
use xai_casebased::training::Standardization;
use xai_casebased::{Correspondence, CorrespondenceMetric};
use xai_core::describe::Parameters;
use xai_core::{Distance, ExactSum, Kernel};

use crate::casebased::block_search::{BlockSearch, Samples};
use crate::casebased::near_cases::{NearCase, near_cases_column, near_cases_fields};
use crate::casebased::partitions::{
    FeatureRows, NAME, check_columns, different_lengths, fold_partitions,
};
use crate::function::failed;

/// Smallest number of samples per pass over the training table. The last batch of a block is taken whole, and the last
/// block may be smaller.
const SAMPLES: usize = 1 << 16;

/// Options of explanations by nearest cases. The defaults are those of `xai_casebased::CaseExplainer`: 5 cases,
/// Euclidean distance of standardised features, inverse-cube weights.
#[derive(Debug, Clone, Parameters)]
pub struct ExplainCases {
    /// Number of cases; all if there are fewer.
    #[param(at_least = 1)]
    pub k: usize,
    /// The distance of a sample from a case.
    pub distance: Distance,
    /// The weight of a case by its distance.
    pub weighting: Kernel,
    /// Standardise features by their mean and deviation in the training table, which takes two more passes over it.
    pub scale: bool,
}

impl Default for ExplainCases {
    fn default() -> Self {
        Self {
            k: 5,
            distance: Distance::default(),
            weighting: Kernel::default(),
            scale: true,
        }
    }
}

/// Numbers of rows that were explained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExplainedCases {
    /// Samples, with those that have no explanation.
    pub n_samples: u64,
    /// Samples without an explanation, since a value of them is NULL.
    pub n_null_samples: u64,
    /// Training rows that were left out, since a value of them is NULL.
    pub n_null_training: u64,
}

impl ExplainCases {
    /// The columns of explanations: those of the batches of [`explain`](Self::explain).
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        let columns = [
            ("id", DataType::Int64),
            ("predicted", DataType::Int64),
            ("correspondence", DataType::Float64),
            ("level", DataType::Utf8),
            ("nearest", DataType::Struct(near_cases_fields())),
        ];
        let fields = columns.map(|(name, of)| Field::new(name, of, true));
        Arc::new(Schema::new(fields.to_vec()))
    }

    /// The nearest training cases of each sample, and how far they agree with its prediction.
    ///
    /// - `training`: the columns id (integers, all different), label (a class) and features (a list of
    ///   numbers, as many in every row), in this order, whatever their names
    /// - `samples`: the columns id, predicted (a class) and features
    /// - `each` is given the explanations: `id`, `predicted`, `correspondence` (in [0, 1]), `level`
    ///   (`high`, `medium`, `low` or `undefined`), and `nearest`, a struct of the lists ids, labels and
    ///   distances, nearest first, equal distances by the lower id
    ///
    /// Every partition of the training table is searched for its own nearest `k`, exactly, and these are merged: the
    /// numbers are those of `xai_casebased::CaseExplainer` to the last bit, with ids in place of training indices, for
    /// any partitions. A block of at least 65 536 samples (whole batches) is held at a time, with the nearest; for
    /// each such block the training table is read once.
    ///
    /// # Errors
    /// A planning error for a column of a wrong type or a parameter outside its domain; errors of the tables and of
    /// `each`; an execution error for lists of different lengths, features that are not finite, a distance that is
    /// undefined, a predicted class that no training row has (if there are training rows), or a training table without
    /// a row free of NULL where features are standardised.
    pub async fn explain(
        &self,
        training: &DataFrame,
        samples: &DataFrame,
        mut each: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<ExplainedCases> {
        check_columns("training", training, "label")?;
        check_columns("samples", samples, "predicted")?;
        if let Err(wrong) = self.check_params() {
            return plan_err!("{NAME}: {wrong}");
        }
        let mut counts = ExplainedCases::default();
        let standardization = if self.scale {
            Some(Arc::new(standardization(training).await?))
        } else {
            None
        };
        let mut stream = samples.clone().execute_stream().await?;
        let mut block = Vec::new();
        let mut n_rows = 0;
        loop {
            let batch = stream.next().await.transpose()?;
            let is_last = batch.is_none();
            if let Some(batch) = batch {
                n_rows += batch.num_rows();
                block.push(FeatureRows::new(&batch)?);
            }
            if n_rows >= SAMPLES || (is_last && n_rows > 0) {
                let rows = std::mem::take(&mut block);
                self.explain_block(training, &standardization, &rows, &mut counts, &mut each)
                    .await?;
                n_rows = 0;
            }
            if is_last {
                return Ok(counts);
            }
        }
    }

    /// [`explain`](Self::explain) into a Parquet file, which is whole or not there: it is written under
    /// another name in its folder, and renamed. An existing file of this name is replaced only then.
    ///
    /// # Errors
    /// As [`explain`](Self::explain), and where the file cannot be written.
    pub async fn explain_to_parquet(
        &self,
        training: &DataFrame,
        samples: &DataFrame,
        to: &Path,
    ) -> Result<ExplainedCases> {
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What the umask leaves, as of any new file.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        let mut writer = ArrowWriter::try_new(file.as_file().try_clone()?, self.schema(), None)?;
        let explained = self.explain(training, samples, |batch| Ok(writer.write(&batch)?));
        let counts = explained.await?;
        writer.close()?;
        file.persist(to).map_err(|error| error.error)?;
        Ok(counts)
    }

    async fn explain_block(
        &self,
        training: &DataFrame,
        standardization: &Option<Arc<Standardization>>,
        block: &[FeatureRows],
        counts: &mut ExplainedCases,
        each: &mut impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let samples = Arc::new(Samples::new(
            block,
            standardization.clone(),
            &self.distance,
            self.k,
        )?);
        let searching = Arc::clone(&samples);
        let of_partitions = fold_partitions(training, BlockSearch::default, move |search, rows| {
            search.add(&searching, rows)
        })
        .await?;
        let mut found = BlockSearch::default();
        for mut search in of_partitions {
            search.finish(&samples)?;
            found.merge(search, self.k);
        }
        check_predicted(block, &found.classes())?;
        let nearest = found.nearest(&samples);
        counts.n_null_training = found.n_null();
        counts.n_samples += nearest.len() as u64;
        counts.n_null_samples += samples.n_null();
        each(self.batch(block, &nearest)?)
    }

    fn batch(
        &self,
        block: &[FeatureRows],
        nearest: &[Option<Vec<NearCase>>],
    ) -> Result<RecordBatch> {
        let metric = CorrespondenceMetric::new().weighting(self.weighting);
        let rows = block
            .iter()
            .flat_map(|rows| (0..rows.len()).map(move |row| (rows, row)));
        let value = |is_null: bool, value: i64| (!is_null).then_some(value);
        let (mut ids, mut predicted) = (Vec::new(), Vec::new());
        let mut found: Vec<Option<Correspondence>> = Vec::new();
        for ((rows, row), nearest) in rows.zip(nearest) {
            ids.push(value(rows.ids.is_null(row), rows.id(row)));
            predicted.push(value(rows.classes.is_null(row), rows.class(row)));
            let Some(cases) = nearest else {
                found.push(None);
                continue;
            };
            let (distances, labels): (Vec<f64>, Vec<i64>) =
                cases.iter().map(|case| (case.distance, case.label)).unzip();
            let correspondence = metric.evaluate(&distances, &labels, rows.class(row));
            found.push(Some(correspondence.map_err(|error| failed(NAME, error))?));
        }
        let scores = found.iter().map(|found| found.as_ref()?.score);
        let levels = found
            .iter()
            .map(|found| Some(found.as_ref()?.level.to_string()));
        let lists = nearest
            .iter()
            .map(|cases| cases.as_deref().unwrap_or_default());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(ids)),
            Arc::new(Int64Array::from(predicted)),
            Arc::new(scores.collect::<Float64Array>()),
            Arc::new(levels.collect::<StringArray>()),
            near_cases_column(lists)?,
        ];
        Ok(RecordBatch::try_new(self.schema(), columns)?)
    }
}

/// Checks that training rows have the predicted class of every sample that is explained. Without training rows nothing
/// is known.
fn check_predicted(block: &[FeatureRows], known: &[i64]) -> Result<()> {
    if known.is_empty() {
        return Ok(());
    }
    let rows = block.iter().flat_map(|rows| {
        let whole = (0..rows.len()).filter(|&row| rows.is_whole[row]);
        whole.map(|row| (rows.id(row), rows.class(row)))
    });
    let (ids, predicted): (Vec<i64>, Vec<i64>) = rows.unzip();
    check_known_classes(&predicted, known, |class| class.to_string()).map_err(|error| {
        let is_unknown = |class: &i64| known.binary_search(class).is_err();
        let id = predicted.iter().position(is_unknown).map(|row| ids[row]);
        let sample = format!("the sample (id {})", id.unwrap_or_default());
        failed(NAME, error.owner(sample))
    })
}

/// The means and deviations of the training table, from exact sums over its partitions.
async fn standardization(training: &DataFrame) -> Result<Standardization> {
    let (n, sums) = column_sums(training, |_, x| x).await?;
    if n == 0 {
        return exec_err!("{NAME}: training: no rows, at least one is needed");
    }
    let mean: Vec<f64> = sums.iter().map(|sum| sum.value() / n as f64).collect();
    let center = mean.clone();
    let (_, squares) = column_sums(training, move |column, x| {
        (x - center[column]) * (x - center[column])
    })
    .await?;
    let deviation = squares.iter().map(|sum| (sum.value() / n as f64).sqrt());
    Standardization::from_moments(mean, deviation.collect()).map_err(|error| failed(NAME, error))
}

/// The number of whole rows, and the sum of a term over each feature of them.
async fn column_sums(
    training: &DataFrame,
    term: impl Fn(usize, f64) -> f64 + Send + Sync + 'static,
) -> Result<(u64, Vec<ExactSum>)> {
    type Sums = (u64, Vec<ExactSum>);
    let fold = move |(n, sums): &mut Sums, rows: FeatureRows| {
        let features = rows.features();
        for row in (0..rows.len()).filter(|&row| rows.is_whole[row]) {
            let features = features.row(row);
            if *n == 0 {
                sums.resize_with(features.len(), ExactSum::new);
            }
            if features.len() != sums.len() {
                return different_lengths(features.len(), sums.len());
            }
            for (column, (sum, &x)) in sums.iter_mut().zip(features).enumerate() {
                sum.add(term(column, x));
            }
            *n += 1;
        }
        Ok(())
    };
    let mut whole: Sums = (0, Vec::new());
    for (n, sums) in fold_partitions(training, Sums::default, fold).await? {
        if n == 0 {
            continue;
        }
        if whole.0 == 0 {
            whole = (n, sums);
            continue;
        }
        if sums.len() != whole.1.len() {
            return different_lengths(sums.len(), whole.1.len());
        }
        whole.0 += n;
        for (mine, theirs) in whole.1.iter_mut().zip(&sums) {
            mine.add_sum(theirs);
        }
    }
    Ok(whole)
}
