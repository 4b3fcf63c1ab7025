//! Checks, and the kinds of their findings: a row for each, with its stable name and the text of `gcn explain`.

use std::fmt;

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Legal, and often not meant.
    Warning,
    /// The result is not what the program says, or depends on time.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Defines the checks.
macro_rules! checks {
    ($($(#[doc = $doc:literal])+ $id:ident $name:literal $default:ident)*) => {
        /// A checker.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Check {
            $($(#[doc = $doc])+ $id,)*
        }

        impl Check {
            /// Every checker.
            pub const ALL: &'static [Check] = &[$(Check::$id),*];

            /// Its name, as options have it.
            pub const fn name(self) -> &'static str {
                match self { $(Check::$id => $name),* }
            }

            /// True if it watches unless it is told not to.
            pub const fn is_default(self) -> bool {
                match self { $(Check::$id => checks!(@$default)),* }
            }
        }
    };
    (@on) => { true };
    (@off) => { false };
}

checks! {
    /// Registers and memory used before S_WAITCNT says that they may be.
    Waits "waits" on
}

impl Check {
    /// The check with a name.
    pub fn find(name: &str) -> Option<Check> {
        Check::ALL.iter().copied().find(|it| it.name() == name)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The explanation of a kind of finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// Name shown behind the severity, as `missing-wait` in `error[missing-wait]`.
    pub name: &'static str,
    /// Checker that reports it.
    pub check: Check,
    /// Severity.
    pub severity: Severity,
    /// Sentences that say what was found.
    pub meaning: &'static str,
    /// Code that has it.
    pub example: &'static str,
    /// Sentences that say how to mend it.
    pub remedy: &'static str,
    /// Document or erratum that the rule comes from.
    pub source: &'static str,
}

/// Defines the kinds.
macro_rules! kinds {
    ($($id:ident $name:literal $check:ident $severity:ident
        meaning $meaning:literal
        example $example:literal
        remedy $remedy:literal
        source $source:literal)*) => {
        /// Kind of a finding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind {
            $(#[doc = $meaning] $id,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$id),*];

            /// Its name, severity and explanation.
            pub const fn about(self) -> &'static About {
                match self {
                    $(Kind::$id => &About {
                        name: $name,
                        check: Check::$check,
                        severity: Severity::$severity,
                        meaning: $meaning,
                        example: $example,
                        remedy: $remedy,
                        source: $source,
                    },)*
                }
            }
        }
    };
}

kinds! {
    MissingWait "missing-wait" Waits Error
        meaning "A register is read, or written by another instruction, while an operation that will write it may be incomplete. \
                 Hardware does not wait by itself: the instruction sees the old value or the new one."
        example "global_load_dword v2, v[0:1], off\nv_add_f32 v3, v2, v2    ; needs s_waitcnt vmcnt(0) before it"
        remedy "Wait for the counter that the operation holds before the instruction: vmcnt for vector memory, lgkmcnt for LDS, GDS and \
                scalar memory, both for FLAT. Vector memory and LDS complete in order, so that a count above 0 \
                may do; scalar memory, and kinds that are mixed on one counter, need 0."
        source "checklist 5; errata E043, E046, E082, E083"
    SourceOverwritten "source-overwritten" Waits Error
        meaning "A register is written while an export, a GDS operation or, on GCN 1.0, a store to vector memory may still have to \
                 read it."
        example "exp mrt0 v0, v1, v2, v3 done\nv_mov_b32 v0, 0    ; needs s_waitcnt expcnt(0) before it"
        remedy "Wait for expcnt before the register is written, or use another register."
        source "checklist 5; errata E043, E250"
    MissingLdsWait "missing-lds-wait" Waits Error
        meaning "LDS is read while an operation that writes it may be incomplete: a load to LDS, which vmcnt counts, or \
                 an LDS write of another wave that reached the barrier without waiting for lgkmcnt."
        example "ds_write_b32 v0, v1\ns_barrier    ; needs s_waitcnt lgkmcnt(0) before it\nds_read_b32 v2, v3"
        remedy "Wait before the barrier, in the wave that writes: lgkmcnt for LDS instructions, vmcnt for loads to LDS."
        source "checklist 5; errata E089, E251"
}

impl Kind {
    /// Its stable name.
    pub const fn name(self) -> &'static str {
        self.about().name
    }
}
