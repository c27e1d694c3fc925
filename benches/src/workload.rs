//! Workloads, their data and their answers.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ndarray::{Array, ArrayView, Dimension};
use ndarray_npy::{ReadableElement, WritableElement};

/// Result with any error, which is shown to the person who runs the benches.
pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// A workload, which is a row of the table of this project's times.
pub struct Workload {
    /// Name, unique over all families.
    pub name: &'static str,
    /// Folder of its data. Several workloads may share one.
    pub data: &'static str,
    /// Reads the data and does the work that is not timed.
    pub prepare: fn(&Data) -> Result<Prepared>,
}

/// The arrays that the peers' process wrote for a workload.
pub struct Data {
    folder: PathBuf,
}

impl Data {
    /// Creates a reader of the arrays in a folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Reads `NAME.npy`.
    ///
    /// # Errors
    /// When the file is missing, or holds another element type or number of axes.
    pub fn read<T: ReadableElement, D: Dimension>(&self, name: &str) -> Result<Array<T, D>> {
        let path = self.path(name);
        ndarray_npy::read_npy(&path).map_err(|e| format!("{}: {e}", path.display()).into())
    }

    /// Returns the path of `NAME.npy`, for workloads that open the file themselves.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.npy"))
    }
}

/// Writer of a workload's answers, which the peers' process compares with its own.
pub struct Answers {
    folder: PathBuf,
}

impl Answers {
    /// Creates a writer into a folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Writes `NAME.npy`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write<T: WritableElement, D: Dimension>(
        &self,
        name: &str,
        array: &ArrayView<'_, T, D>,
    ) -> Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(format!("{name}.npy"));
        ndarray_npy::write_npy(&path, array).map_err(|e| format!("{}: {e}", path.display()).into())
    }
}

/// A workload that is ready to be timed.
pub struct Prepared {
    units: f64,
    step: Box<dyn FnMut(Step<'_>) -> Result<Duration>>,
}

/// Mode of a run. With it a [`Prepared`] needs only one closure, and no type parameter for the answer.
enum Step<'a> {
    /// Time the run.
    Time,
    /// Write the answer of the run.
    Answer(&'a Answers),
}

impl Prepared {
    /// Creates a workload from its units of work per run (queries, pairs or draws; times are per unit), the run, and a
    /// function that writes its answer.
    pub fn new<T: 'static>(
        units: f64,
        mut run: impl FnMut() -> Result<T> + 'static,
        write: impl Fn(T, &Answers) -> Result<()> + 'static,
    ) -> Self {
        Self {
            units,
            step: Box::new(move |step| match step {
                Step::Time => {
                    let start = Instant::now();
                    let answer = black_box(run()?);
                    let took = start.elapsed();
                    drop(answer);
                    Ok(took)
                }
                Step::Answer(answers) => {
                    write(run()?, answers)?;
                    Ok(Duration::ZERO)
                }
            }),
        }
    }

    /// Returns the seconds per unit of work of the best run in a round. A round takes 500 ms and has at least three
    /// runs, because the caches are filled by the other side before the first.
    ///
    /// The caller takes the minimum of several rounds. The peers' side does the same.
    ///
    /// # Errors
    /// The errors of the run.
    pub fn time(&mut self) -> Result<f64> {
        const ROUND: Duration = Duration::from_millis(500);
        const LEAST: u32 = 3;
        let (mut runs, mut total, mut best) = (0, Duration::ZERO, Duration::MAX);
        while runs < LEAST || total < ROUND {
            let took = (self.step)(Step::Time)?;
            runs += 1;
            total += took;
            best = best.min(took);
        }
        Ok(best.as_secs_f64() / self.units)
    }

    /// Runs once and writes the answer. This is also the warm-up.
    ///
    /// # Errors
    /// The errors of the run and of writing.
    pub fn answer(&mut self, answers: &Answers) -> Result<()> {
        (self.step)(Step::Answer(answers)).map(|_| ())
    }
}
