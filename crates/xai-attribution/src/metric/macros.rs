//! What metrics write alike.

/// What a metric says of itself: name and title, question; direction, range, needs and source.
macro_rules! info {
    ($name:literal $title:literal: $question:literal
     $direction:ident, $range:expr, $needs:expr, $source:expr) => {
        &xai_core::describe::MetricInfo {
            name: $name,
            title: $title,
            question: $question,
            direction: xai_core::describe::Direction::$direction,
            range: $range,
            needs: $needs,
            source: $source,
        }
    };
}

/// [`GIVEN_DRAWS`](crate::metric::Registered::GIVEN_DRAWS) of a metric that has neighbours.
macro_rules! given_neighbors {
    () => {
        Some(crate::metric::GivenDraws {
            input: crate::input::NEIGHBORS,
            take: |mut metric| {
                metric.neighbors.neighborhood = crate::perturbation::Neighborhood::Given;
                metric
            },
        })
    };
}

/// Registered metrics: what they say of themselves is in the registry, and `new` has their defaults.
macro_rules! registered {
    ($($metric:ident $(<$kind:ident: $bound:ident>)?),+ $(,)?) => {$(
        impl $(<$kind: $bound>)? crate::metric::Metric for $metric $(<$kind>)? {
            fn info(&self) -> &'static xai_core::describe::MetricInfo {
                <Self as crate::metric::Registered>::INFO
            }
        }

        impl $(<$kind: $bound>)? $metric $(<$kind>)? {
            /// The metric with the defaults of its parameters.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }
        }
    )+};
}
