//! Functions exported to C. Each body is a single call to `entry::call` or `entry::quiet`; a test checks this.

mod errors;
mod targets;
mod instructions;
mod assemblies;
mod objects;
mod devices;
mod modules;
mod checkers;
mod launches;
