//! Macros that write the implementations that all metrics have in common.

/// [`PRECOMPUTED_DRAWS`](crate::metric::Registered::PRECOMPUTED_DRAWS) of a metric that has neighbours.
macro_rules! given_neighbors {
    () => {
        Some(crate::metric::PrecomputedDraws {
            input: crate::input::NEIGHBORS,
            take: |mut metric| {
                metric.neighbors.neighborhood = crate::perturbation::Neighborhood::Given;
                metric
            },
        })
    };
}

/// Implements [`Metric`](crate::metric::Metric) for a metric that `#[metric]` describes, and
/// [`Registered`](crate::metric::Registered) with its default options. With `, options` the metric implements
/// `Registered` itself.
///
/// For a kind of metrics, `registered!(CurveMetric<K: CurveKind>)`, the description is that of `K`, and the macro also
/// writes the constructor `new`.
macro_rules! registered {
    ($metric:ident $(<$kind:ident: $bound:ident>)?) => {
        registered!($metric $(<$kind: $bound>)?, options);
        impl $(<$kind: $bound>)? crate::metric::Registered for $metric $(<$kind>)? {}
    };
    ($metric:ident $(<$kind:ident: $bound:ident>)?, options) => {
        impl $(<$kind: $bound>)? crate::metric::Metric for $metric $(<$kind>)? {
            fn info(&self) -> &'static xai_core::describe::MetricInfo {
                <Self as xai_core::describe::Described>::INFO
            }

            fn direction(&self) -> xai_core::Direction {
                let direction = self.info().direction;
                if crate::metric::Registered::reverses_direction(self) {
                    direction.reversed()
                } else {
                    direction
                }
            }
        }

        $(
            impl<$kind: $bound> xai_core::describe::Described for $metric<$kind> {
                const INFO: &'static xai_core::describe::MetricInfo = $kind::INFO;
            }

            impl<$kind: $bound> $metric<$kind> {
                /// Creates the metric with the defaults of its parameters.
                #[must_use]
                pub fn new() -> Self {
                    Self::default()
                }
            }
        )?
    };
}
