//! Functions exported to C. The body of each is a single call of `entry::call` or `entry::quiet`, which a test
//! checks.

mod errors;
mod targets;
mod instructions;
mod assemblies;
mod objects;
mod devices;
mod modules;
mod checkers;
mod launches;
