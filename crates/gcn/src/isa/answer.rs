//! Answers to queries, and the sets of instruction sets that they name.

use std::io::{self, Write};

use gcn_isa::{Isa, IsaSet, Op, Row};

use crate::problem::{Problem, UNKNOWN_ENTRY};

/// An answer to a query.
pub(super) trait Answer {
    /// Writes it for people to read.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// The problem of a query without an answer.
pub(super) fn unknown(message: impl Into<String>) -> Problem {
    Problem::new(UNKNOWN_ENTRY, message)
}

/// A family as the command line calls it.
pub(super) fn family(op: Op) -> String {
    format!("{:?}", op.family_encoding()).to_ascii_lowercase()
}

pub(super) fn exists(row: &Row, isa: Isa) -> bool {
    !isa.tables().forms(row.op()).is_empty()
}

/// The instruction sets that have a row.
pub(super) fn sets(row: &Row) -> IsaSet {
    set_of(Isa::ALL.into_iter().filter(|&isa| exists(row, isa)))
}

pub(super) fn set_of(isas: impl IntoIterator<Item = Isa>) -> IsaSet {
    let isas = isas.into_iter();
    isas.fold(IsaSet::NONE, |set, isa| set.or(isa.only()))
}

/// The versions of a set among those that were asked for, with the oldest targets where it has a part of those of a version:
/// `GCN 1.2, 1.4 (gfx904)`.
pub(super) fn versions(set: IsaSet, asked: &[Isa]) -> String {
    let number = |isa: Isa| isa.version().trim_start_matches("GCN ");
    let mut texts: Vec<String> = Vec::new();
    let mut known = "";
    for &isa in asked {
        let version = number(isa);
        if version == known {
            continue;
        }
        known = version;
        let all = asked.iter().copied();
        let all: Vec<Isa> = all.filter(|&isa| number(isa) == version).collect();
        let had: Vec<Isa> = all.iter().copied().filter(|&isa| set.has(isa)).collect();
        let names = had.iter().filter_map(|&isa| {
            let target = gcn_isa::TARGETS.iter().find(|target| target.isa == isa);
            target.map(|target| target.name)
        });
        match had.len() {
            0 => {}
            n if n == all.len() => texts.push(version.to_owned()),
            _ => texts.push(format!(
                "{version} ({})",
                names.collect::<Vec<_>>().join(", ")
            )),
        }
    }
    format!("GCN {}", texts.join(", "))
}
