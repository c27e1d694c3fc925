//! Parameters that many metrics take: the setter, and the option of the command line.
//!
//! Each macro is given the metric and the field that holds the parameter, and writes an `impl` with
//! both, so that a parameter has one text, one default and one way of being read.

/// A metric with a baseline: `baseline` and `BASELINE`.
macro_rules! takes_baseline {
    ($metric:ident $(<$generic:ident: $bound:path>)?, $($field:ident).+) => {
        impl $(<$generic: $bound>)? $metric $(<$generic>)? {
            /// What stands for absence: a number, a `Vec` of one number per channel, or any
            /// [`Baseline`](crate::perturbation::Baseline). Default: 0.
            #[must_use]
            pub fn baseline(
                mut self,
                baseline: impl Into<$crate::perturbation::absence::baseline::Baseline>,
            ) -> Self {
                self.$($field).+ = baseline.into();
                self
            }

            /// The option `baseline`.
            pub const BASELINE: $crate::metric::options::MetricOption<Self> =
                $crate::metric::options::MetricOption {
                    info: $crate::metric::options::BASELINE_OPTION,
                    set: |mut metric, text| {
                        metric.$($field).+ = text.parse()?;
                        Ok(metric)
                    },
                };
        }
    };
}

/// A metric over features: `features` and `FEATURES`.
macro_rules! takes_features {
    ($metric:ident $(<$generic:ident: $bound:path>)?, $($field:ident).+) => {
        impl $(<$generic: $bound>)? $metric $(<$generic>)? {
            /// Which positions go together, as one feature.
            #[must_use]
            pub fn features(mut self, features: $crate::perturbation::features::Features) -> Self {
                self.$($field).+ = features;
                self
            }

            /// The option `features`.
            pub const FEATURES: $crate::metric::options::MetricOption<Self> =
                $crate::metric::options::MetricOption {
                    info: $crate::metric::options::FEATURES_OPTION,
                    set: |mut metric, text| {
                        metric.$($field).+ = text.parse()?;
                        Ok(metric)
                    },
                };
        }
    };
}

/// A metric that makes random choices: `seed` and `SEED`.
macro_rules! takes_seed {
    ($metric:ident $(<$generic:ident: $bound:path>)?, $($field:ident).+) => {
        impl $(<$generic: $bound>)? $metric $(<$generic>)? {
            /// What the random choices depend on. Default: 1.
            #[must_use]
            pub fn seed(mut self, seed: u64) -> Self {
                self.$($field).+ = seed;
                self
            }

            /// The option `seed`.
            pub const SEED: $crate::metric::options::MetricOption<Self> =
                $crate::metric::options::MetricOption {
                    info: $crate::metric::options::SEED_OPTION,
                    set: |metric, text| {
                        let seed = $crate::metric::options::parse(
                            $crate::input::SEED,
                            text,
                            "an integer, at least 0",
                        )?;
                        Ok(metric.seed(seed))
                    },
                };
        }
    };
}

/// A metric over random neighbours: `neighbors`, `RADIUS` and `N_NEIGHBORS`.
macro_rules! takes_neighbors {
    ($metric:ident $(<$generic:ident: $bound:path>)?, $($field:ident).+) => {
        impl $(<$generic: $bound>)? $metric $(<$generic>)? {
            /// Which neighbours.
            #[must_use]
            pub fn neighbors(
                mut self,
                neighbors: $crate::perturbation::neighborhood::neighbors::Neighbors,
            ) -> Self {
                self.$($field).+ = neighbors;
                self
            }

            /// Neighbours that were drawn elsewhere.
            pub const GIVEN_NEIGHBORS: $crate::metric::options::GivenDraws<Self> =
                $crate::metric::options::GivenDraws {
                    input: $crate::input::NEIGHBORS,
                    take: |mut metric| {
                        use $crate::perturbation::neighborhood::neighbors::Neighborhood;
                        metric.$($field).+.neighborhood = Neighborhood::Given;
                        metric
                    },
                };

            /// The option `radius`.
            pub const RADIUS: $crate::metric::options::MetricOption<Self> =
                $crate::metric::options::MetricOption {
                    info: $crate::metric::options::RADIUS_OPTION,
                    set: |mut metric, text| {
                        let expected = "a positive, finite number";
                        metric.$($field).+.radius =
                            $crate::metric::options::parse($crate::input::RADIUS, text, expected)?;
                        Ok(metric)
                    },
                };

            /// The option `neighbors`.
            pub const N_NEIGHBORS: $crate::metric::options::MetricOption<Self> =
                $crate::metric::options::MetricOption {
                    info: $crate::metric::options::NEIGHBORS_OPTION,
                    set: |mut metric, text| {
                        let expected = "a number of neighbours, at least 1";
                        metric.$($field).+.n_neighbors = $crate::metric::options::parse(
                            $crate::input::N_NEIGHBORS,
                            text,
                            expected,
                        )?;
                        Ok(metric)
                    },
                };
        }
    };
}

/// A metric over features or groups of ranked positions: `group_size` and `GROUP_SIZE`.
macro_rules! takes_group_size {
    ($metric:ident, $($field:ident).+) => {
        impl $metric {
            /// Groups of so many positions that follow each other in the order of their attributions,
            /// instead of [`features`](Self::features). 1 is the default. Such groups depend on the map,
            /// so that explainers do not share what the model says.
            #[must_use]
            pub fn group_size(mut self, positions: usize) -> Self {
                self.$($field).+ = positions;
                self
            }

            /// The option `group-size`.
            pub const GROUP_SIZE: $crate::metric::options::MetricOption<Self> =
                $crate::metric::options::MetricOption {
                    info: $crate::metric::options::GROUP_SIZE_OPTION,
                    set: |metric, text| {
                        let expected = "a number of positions, at least 1";
                        let input = $crate::input::GROUP_SIZE;
                        let size = $crate::metric::options::parse(input, text, expected)?;
                        Ok(metric.group_size(size))
                    },
                };
        }
    };
}

/// A metric of the largest attributions: `k` and `TOP_K`.
macro_rules! takes_top_k {
    ($metric:ident $(<$generic:ident: $bound:path>)?, $($field:ident).+) => {
        impl $(<$generic: $bound>)? $metric $(<$generic>)? {
            /// How many features are the top. Default: a tenth of them.
            #[must_use]
            pub fn k(mut self, k: $crate::metric::registry::top_k_intersection::TopK) -> Self {
                self.$($field).+ = k;
                self
            }

            /// The option `top-k`.
            pub const TOP_K: $crate::metric::options::MetricOption<Self> =
                $crate::metric::options::MetricOption {
                    info: $crate::metric::registry::top_k_intersection::TopK::OPTION,
                    set: |metric, text| Ok(metric.k(text.parse()?)),
                };
        }
    };
}

pub(crate) use {
    takes_baseline, takes_features, takes_group_size, takes_neighbors, takes_seed, takes_top_k,
};
