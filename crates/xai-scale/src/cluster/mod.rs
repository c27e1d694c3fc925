//! A cluster: a scheduler that takes queries, executors that do the work, and the client that asks.

mod address;
mod client;
mod codec;
pub(crate) mod executor;
mod guard;
mod limited_plan;
pub(crate) mod scheduler;
mod service;
mod stoppable;
mod tls;
mod work_dir;

pub(crate) use client::ClusterOptions;
