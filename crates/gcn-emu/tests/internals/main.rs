//! Parts of an execution one by one: memory, counters, vectors of the host, the paths of an operation.

mod addresses;
mod lanes;
mod limits;
mod memory;
mod scoreboard;
mod two_paths;
