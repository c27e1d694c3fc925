//! A cluster: a scheduler that takes queries, executors that do the work, and the client that asks.

mod address;
pub(crate) mod certificate;
mod client;
mod codec;
mod engine;
pub(crate) mod executor;
mod flight;
mod guard;
mod limited_plan;
mod pages;
pub(crate) mod queries;
mod repeated;
pub(crate) mod scheduler;
mod service;
mod stoppable;
mod tls;
mod work_dir;

pub(crate) use client::{ClusterOptions, Session};
