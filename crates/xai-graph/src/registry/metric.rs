//! What a graph metric is to everybody who lists metrics.

use std::any::Any;
use std::fmt;

use xai_core::MetricInfo;

/// One number of a result `R`, with what it says of itself.
///
/// A metric is such a constant in the file of its result, and a line in
/// [`METRICS`](crate::registry::METRICS). Everything that goes over metrics (averages over graphs,
/// the table of the documentation) reads that list.
///
/// ```
/// use xai_core::describe::{Direction, MetricInfo, Range};
/// use xai_graph::registry::GraphMetric;
/// use xai_graph::{Fidelity, input};
/// static FIDELITY_GAP: GraphMetric<Fidelity> = GraphMetric {
///     info: MetricInfo {
///         name: "fidelity_gap",
///         title: "Fidelity gap",
///         question: "How much more often does the prediction change without the explanation than with it alone?",
///         direction: Direction::Higher,
///         range: Range::SIGNED_SHARE,
///         needs: &[input::FULL, input::KEPT, input::COMPLEMENT],
///         source: "an example",
///     },
///     value: |fidelity| Some(fidelity.pos - fidelity.neg),
/// };
/// let fidelity = xai_graph::fidelity(&[0, 1], &[0, 1], &[1, 1])?;
/// assert_eq!((FIDELITY_GAP.value)(&fidelity), Some(0.5));
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub struct GraphMetric<R> {
    /// Name, question, direction, range, what it needs, source.
    pub info: MetricInfo,
    /// The number, `None` where it is undefined.
    pub value: fn(&R) -> Option<f64>,
}

impl<R> fmt::Debug for GraphMetric<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GraphMetric").field(&self.info.name).finish()
    }
}

/// A [`GraphMetric`] of any result. Only those implement it.
pub trait AnyGraphMetric: sealed::Sealed + fmt::Debug + Sync {
    /// Name, question, direction, range, what it needs, source.
    fn info(&self) -> &MetricInfo;

    /// The metric itself, to be asked for its type.
    fn as_any(&self) -> &dyn Any;
}

mod sealed {
    pub trait Sealed {}
    impl<R> Sealed for super::GraphMetric<R> {}
}

impl<R: 'static> AnyGraphMetric for GraphMetric<R> {
    fn info(&self) -> &MetricInfo {
        &self.info
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
