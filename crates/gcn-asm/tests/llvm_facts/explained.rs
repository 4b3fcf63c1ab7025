//! Explained differences from LLVM.

use std::cell::Cell;

use gcn_isa::uses::{Hazard, Order, RegisterUse, Registers, Unit};
use gcn_isa::{Inst, Isa};

use crate::passes::Sequence;

/// A difference from LLVM, with its reason; an unused entry fails the test.
pub struct Explained {
    reason: &'static str,
    pub holds: fn(&Sequence, Isa) -> bool,
    used: Cell<bool>,
}

const fn explained(reason: &'static str, holds: fn(&Sequence, Isa) -> bool) -> Explained {
    Explained {
        reason,
        holds,
        used: Cell::new(false),
    }
}

/// Fails for differences that are not explained.
pub fn check(failures: Vec<(Sequence, Isa, String)>, explained: &[Explained]) {
    let mut left = Vec::new();
    for (sequence, isa, message) in failures {
        match explained.iter().find(|it| (it.holds)(&sequence, isa)) {
            Some(it) => it.used.set(true),
            None => left.push(format!("{isa:?} {}: {message}", sequence.names.join(" / "))),
        }
    }
    let unused = explained.iter().filter(|it| !it.used.get());
    left.extend(unused.map(|it| format!("nothing needs this explanation: {}", it.reason)));
    let shown = left.len().min(60);
    assert!(
        left.is_empty(),
        "{} differences:\n{}",
        left.len(),
        left[..shown].join("\n")
    );
}

/// Differences in wait states.
pub fn hazards() -> Vec<Explained> {
    vec![
        explained(
            "LLVM has this hazard from GCN 1.2 on, AMD's manuals have it everywhere (errata E252)",
            |it, isa| isa < Isa::Vi && has_hazard(it, Hazard::VectorMemoryReadsSgpr),
        ),
        explained(
            "LLVM never reads VCCZ and EXECZ as values (errata E252)",
            |it, _| has_hazard(it, Hazard::ReadsZeroFlag),
        ),
        explained("to LLVM the destination of DPP is a source too", |it, _| {
            it.names.iter().all(|name| name.starts_with("dpp"))
        }),
        explained(
            "to LLVM an invalidation of the vector cache reads EXEC, as all of MUBUF",
            |it, _| it.names[0].ends_with(" exec") && it.names[1].starts_with("vector cache"),
        ),
        explained(
            "to LLVM a load of 16 bits reads the rest of its destination, which is no operand",
            |it, _| it.has("buffer half") && it.insts.iter().all(is_vector_memory),
        ),
        explained("LLVM leaves M0 out of interpolation in VOP3", |it, _| {
            it.names[1] == "half interpolation" && has_hazard(it, Hazard::ReadsM0)
        }),
        explained(
            "up to GCN 1.2 M0 bounds what FLAT does in LDS; LLVM leaves it out",
            |it, isa| {
                isa < Isa::Gfx9
                    && it.names[0] == "valu writes m0"
                    && it.names[1].starts_with("flat ")
            },
        ),
    ]
}

/// Differences in waits.
pub fn waits() -> Vec<Explained> {
    vec![
        explained(
            "LLVM 19 counts a GLOBAL load to LDS on LGKM_CNT, as FLAT; corrected since (errata E251)",
            |it, _| it.has("global to lds"),
        ),
        explained(
            "on GCN 1.0 LLVM 19 takes a load to LDS for a store, and its descriptor for the data (errata E250)",
            |it, isa| isa == Isa::Si && it.has("buffer to lds"),
        ),
        explained(
            "LLVM knows by a memory operand that an instruction reads LDS, and LDS_DIRECT and interpolation have none",
            |it, _| it.names[0] == "buffer to lds" && it.insts[1].uses().counters().is_none(),
        ),
        explained(
            "LLVM has an image's compare-and-swap return as many registers as it has data",
            |it, _| it.names[0] == "image swap" && it.insts.last().is_some_and(uses_second_data),
        ),
        explained(
            "to LLVM the second register of an image's compare-and-swap is overwritten with the result",
            |it, _| {
                it.names.last().is_some_and(|it| it == "image swap")
                    && uses_second_data(&it.insts[0])
            },
        ),
        explained(
            "where other vector memory overwrites what FLAT loads, LLVM waits for LGKM_CNT alone: it expects the rest in order",
            |it, _| {
                let counters = it.insts[1].uses().counters();
                it.names[0] == "flat load"
                    && it.names.len() == 2
                    && counters.is_some_and(|it| it.order == Order::VectorMemory)
            },
        ),
    ]
}

fn is_vector_memory(inst: &Inst) -> bool {
    matches!(inst.uses().unit(), Unit::VectorMemory | Unit::Flat)
}

fn has_hazard(it: &Sequence, hazard: Hazard) -> bool {
    let after = it.insts[1].uses();
    it.insts[0]
        .uses()
        .hazards_before(&after)
        .any(|(it, _)| it == hazard)
}

/// True for an instruction that uses v11.
fn uses_second_data(inst: &Inst) -> bool {
    const SECOND: Registers = Registers::Vector {
        first: 11,
        count: 1,
    };
    let mut uses = inst.uses().registers();
    uses.any(|it| {
        it.overlaps(&RegisterUse {
            registers: SECOND,
            ..it
        })
    })
}
