//! The instructions that cannot be executed, and the destinations that never change here, each with its reason. An entry that nothing needs
//! fails the test.

use gcn_isa::{Does, Inst};

/// A name, in which a `*` at the end stands for any letters; what of it; why.
pub type Entry = (&'static str, &'static str, &'static str);

/// Instructions that are not executed here.
const NOT_EXECUTED: &[Entry] = &[
    ("image_*", "", "images are not emulated"),
    ("exp", "", "exports are not emulated"),
    ("v_interp_*", "", "interpolation is not emulated"),
    ("s_rfe_*", "", "there are no trap handlers"),
    ("s_trap", "", "it ends the run"),
    ("s_sendmsghalt", "", "it ends the run"),
    (
        "ds_gws_*",
        "",
        "resources of synchronisation are no part of the state compared here",
    ),
    ("ds_ordered_count", "", "it waits for its turn among waves"),
];

/// Destinations that change in no sample.
const NEVER_CHANGES: &[Entry] = &[];

fn is_it(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

pub fn not_executed(name: &str) -> Option<Entry> {
    NOT_EXECUTED
        .iter()
        .find(|(pattern, ..)| is_it(pattern, name))
        .copied()
}

pub fn never_changes(name: &str, label: &str) -> Option<Entry> {
    let entries = NEVER_CHANGES.iter();
    let mut fitting = entries.filter(|(pattern, of, _)| is_it(pattern, name) && is_it(of, label));
    fitting.next().copied()
}

pub fn all() -> impl Iterator<Item = Entry> {
    NOT_EXECUTED.iter().chain(NEVER_CHANGES).copied()
}

/// Times differ from one execution to the next.
pub fn is_time(inst: &Inst) -> bool {
    matches!(inst.does(), Does::Time(_))
}
