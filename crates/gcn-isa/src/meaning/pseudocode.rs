//! The meaning of one instruction, and the two kinds of its text.

/// The meaning of an ALU instruction.
///
/// # Examples
/// ```
/// use gcn_isa::{Op, meaning::meaning, sop::Sop2};
/// let add = meaning(Op::Sop2(Sop2::S_ADD_U32)).expect("an ALU instruction");
/// assert_eq!(add.code, "sdst = ssrc0 + ssrc1; scc = ssrc0 + ssrc1 > 0xffffffff");
/// assert_eq!((add.corners, add.is_exact), ("SCC is the carry.", true));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// Pseudo-code.
    pub code: &'static str,
    /// The outcome in corner cases: sentences, or nothing.
    pub corners: &'static str,
    /// The pseudo-code is exact; see [`meaning`](super).
    pub is_exact: bool,
}

impl Meaning {
    /// With sentences about corner cases.
    pub(super) const fn but(self, corners: &'static str) -> Meaning {
        Meaning { corners, ..self }
    }
}

pub(super) const fn exact(code: &'static str) -> Meaning {
    Meaning {
        code,
        corners: "",
        is_exact: true,
    }
}

pub(super) const fn words(code: &'static str) -> Meaning {
    Meaning {
        code,
        corners: "",
        is_exact: false,
    }
}

/// An instruction whose effect, in its row, says all.
pub(super) const BY_EFFECT: Meaning = words("");
