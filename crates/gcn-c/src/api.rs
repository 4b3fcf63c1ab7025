//! Functions that C calls. Each is one call of `entry::call` or `entry::quiet`, which a test holds.

mod errors;
mod targets;
mod instructions;
mod assemblies;
mod objects;
mod devices;
mod modules;
mod checkers;
mod launches;
