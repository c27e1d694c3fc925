//! What a workload is: its data, its run, its answer.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ndarray::{Array, ArrayView, Dimension};
use ndarray_npy::{ReadableElement, WritableElement};

/// Anything that can go wrong, as text for the person who runs the benches.
pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// One line of our side of the table.
pub struct Workload {
    /// Its name, unique over all families.
    pub name: &'static str,
    /// The folder of its data; several workloads may share one.
    pub data: &'static str,
    /// Reads the data and does what is done once.
    pub prepare: fn(&Data) -> Result<Prepared>,
}

/// The arrays that a peer's process left for a workload.
pub struct Data {
    folder: PathBuf,
}

impl Data {
    /// The data in a folder.
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

    /// Where `NAME.npy` is, for a workload that maps the file itself.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.npy"))
    }
}

/// Where a workload's answers go, for the peer's process to compare.
pub struct Answers {
    folder: PathBuf,
}

impl Answers {
    /// Answers in a folder.
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

/// What [`Prepared`] is asked to do: erases the type of the answer.
enum Step<'a> {
    /// One run, timed.
    Time,
    /// One run, whose answer is written.
    Answer(&'a Answers),
}

impl Prepared {
    /// A workload of `units` units of work per run (queries, pairs, draws: times are per unit), the
    /// run itself, and how its answer is written.
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

    /// Seconds per unit of work: the best run of a round, which is as many runs as fill 500 ms but
    /// at least three, because the first finds caches that the other side has filled.
    ///
    /// The caller takes the minimum of several such rounds. The peers' side does the same.
    ///
    /// # Errors
    /// Those of the run.
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

    /// Runs once and writes the answer; also the warm-up.
    ///
    /// # Errors
    /// Those of the run and of writing.
    pub fn answer(&mut self, answers: &Answers) -> Result<()> {
        (self.step)(Step::Answer(answers)).map(|_| ())
    }
}
