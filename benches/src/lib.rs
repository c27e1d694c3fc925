//! Workloads shared by the benches and the side-by-side run against the peers.
