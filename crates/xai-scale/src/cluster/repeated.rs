//! Which queries may have rows twice in their answers.
//!
//! Where results are lost, the engine computes them again. It takes away what the lost executor gave to later stages; but
//! (Ballista 55) when it begins a stage from its start, what others had given of it stays among the inputs of the next
//! stage, and is given once more; and what an executor gave of the last stage stays in the answer. Such a query is run again as a whole.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ballista_core::JobId;
use ballista_core::serde::protobuf::{PartitionLocation, TaskDefinition, TaskStatus, task_status};

/// Queries whose parts executors work on, or have worked on.
#[derive(Default)]
pub(super) struct Repeated(Mutex<HashMap<String, Query>>);

struct Query {
    stages: HashMap<u32, Stage>,
    is_wrong: bool,
    changed: Instant,
}

#[derive(Default)]
struct Stage {
    attempt: u32,
    /// Tasks that were given out since the stage began from its start: their numbers are below this.
    n_tasks: u32,
    /// Whether one of them has given results.
    has_results: bool,
}

/// Queries of which nothing was heard for so long are forgotten: of those that a client waits for it is said when they are over.
const LONGEST_SILENCE: Duration = Duration::from_secs(24 * 3600);

impl Repeated {
    fn locked(&self) -> MutexGuard<'_, HashMap<String, Query>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What executors have done.
    pub(super) fn reported(&self, tasks: &[TaskStatus]) {
        let mut queries = self.locked();
        for task in tasks {
            let has_ended_well = matches!(task.status, Some(task_status::Status::Successful(_)));
            if has_ended_well && let Some(query) = queries.get_mut(&task.job_id) {
                let stage = query.stages.entry(task.stage_id).or_default();
                stage.has_results |= task.stage_attempt_num == stage.attempt;
            }
        }
    }

    /// What executors are to do. Gives the queries of which that shows that a stage began from its start after it had results.
    pub(super) fn given_out(&self, tasks: &[TaskDefinition]) -> Vec<JobId> {
        let mut queries = self.locked();
        let mut wrong = Vec::new();
        for task in tasks {
            if !queries.contains_key(&task.job_id) {
                queries.retain(|_, query| query.changed.elapsed() < LONGEST_SILENCE);
            }
            let query = queries
                .entry(task.job_id.clone())
                .or_insert_with(Query::new);
            query.changed = Instant::now();
            let stage = query.stages.entry(task.stage_id).or_default();
            if task.stage_attempt_num > stage.attempt {
                stage.attempt = task.stage_attempt_num;
                // Where the engine computes but what is lost, it goes on to count.
                if task.task_id < stage.n_tasks {
                    if stage.has_results && !query.is_wrong {
                        query.is_wrong = true;
                        wrong.push(JobId::from(task.job_id.as_str()));
                    }
                    *stage = Stage {
                        attempt: stage.attempt,
                        ..Stage::default()
                    };
                }
            }
            stage.n_tasks = stage.n_tasks.max(task.task_id + 1);
        }
        wrong
    }

    /// Whether a query that is over has to be run again. It is forgotten.
    pub(super) fn is_wrong(&self, query: &str, answer: &[PartitionLocation]) -> bool {
        let known = self.locked().remove(query);
        known.is_some_and(|query| query.is_wrong) || has_twice(answer)
    }
}

impl Query {
    fn new() -> Self {
        Self {
            stages: HashMap::new(),
            is_wrong: false,
            changed: Instant::now(),
        }
    }
}

/// Whether an answer has a part twice.
fn has_twice(answer: &[PartitionLocation]) -> bool {
    let mut parts = HashSet::new();
    let of = |place: &PartitionLocation| {
        let part = place.partition_id.as_ref();
        part.map(|part| (part.stage_id, part.partition_id))
    };
    answer.iter().any(|place| !parts.insert(of(place)))
}

#[cfg(test)]
mod tests {
    use ballista_core::serde::protobuf::{PartitionId, SuccessfulTask};

    use super::*;

    fn give(to: &Repeated, stage_id: u32, attempt: u32, task_id: u32) -> usize {
        let task = TaskDefinition {
            job_id: "job".to_owned(),
            stage_id,
            stage_attempt_num: attempt,
            task_id,
            ..TaskDefinition::default()
        };
        to.given_out(&[task]).len()
    }

    fn done(to: &Repeated, stage_id: u32, attempt: u32, task_id: u32) {
        to.reported(&[TaskStatus {
            job_id: "job".to_owned(),
            stage_id,
            stage_attempt_num: attempt,
            task_id,
            status: Some(task_status::Status::Successful(SuccessfulTask::default())),
            ..TaskStatus::default()
        }]);
    }

    #[test]
    fn a_stage_that_begins_from_its_start_after_it_had_results_is_told() {
        let repeated = Repeated::default();
        for (stage, task) in [(1, 0), (1, 1), (2, 0)] {
            assert_eq!(give(&repeated, stage, 0, task), 0);
        }
        done(&repeated, 1, 0, 1);
        // But what is lost, with numbers that were not given out before.
        assert_eq!(give(&repeated, 1, 1, 2), 0);
        done(&repeated, 1, 1, 2);
        // From its start, but nothing was there.
        assert_eq!(give(&repeated, 2, 1, 0), 0);
        // What comes late of an attempt before is not taken by the engine.
        done(&repeated, 2, 0, 0);
        assert_eq!(give(&repeated, 2, 2, 0), 0);
        done(&repeated, 2, 2, 0);
        assert_eq!(give(&repeated, 2, 3, 0), 1);
        assert_eq!(give(&repeated, 2, 3, 1), 0);
        assert!(repeated.is_wrong("job", &[]));
        assert!(!repeated.is_wrong("job", &[]), "it is forgotten");
    }

    #[test]
    fn an_answer_has_a_part_once() {
        let place = |partition_id| PartitionLocation {
            partition_id: Some(PartitionId {
                partition_id,
                ..PartitionId::default()
            }),
            ..PartitionLocation::default()
        };
        assert!(!has_twice(&[place(0), place(1)]));
        assert!(has_twice(&[place(1), place(0), place(1)]));
    }
}
