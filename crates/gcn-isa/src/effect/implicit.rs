//! Implicit state: state that no operand names.

/// State that an instruction reads or writes implicitly.
///
/// # Examples
/// ```
/// use gcn_isa::effect::Implicit;
/// use gcn_isa::{Op, sop::{Sop2, Sopp}};
/// let of_scc = Implicit::READS_SCC.and(Implicit::WRITES_SCC);
/// assert_eq!(Op::Sop2(Sop2::S_ADDC_U32).row().implicit(), of_scc);
/// assert!(!Op::Sop2(Sop2::S_ADD_U32).row().implicit().has(of_scc), "S_ADD_U32 only writes SCC");
/// assert_eq!(Op::Sopp(Sopp::S_CBRANCH_VCCZ).row().implicit(), Implicit::READS_VCC);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Implicit(u16);

impl Implicit {
    /// No state.
    pub const NONE: Implicit = Implicit(0);
    /// Reads SCC.
    pub const READS_SCC: Implicit = Implicit(1);
    /// Writes SCC.
    pub const WRITES_SCC: Implicit = Implicit(2);
    /// Reads VCC.
    pub const READS_VCC: Implicit = Implicit(4);
    /// Writes VCC.
    pub const WRITES_VCC: Implicit = Implicit(8);
    /// Reads EXEC as a value, not as the mask of active lanes.
    pub const READS_EXEC: Implicit = Implicit(16);
    /// Writes EXEC.
    pub const WRITES_EXEC: Implicit = Implicit(32);
    /// Reads M0.
    pub const READS_M0: Implicit = Implicit(64);
    /// Writes M0.
    pub const WRITES_M0: Implicit = Implicit(128);
    /// Reads MODE, or preserves part of it.
    pub const READS_MODE: Implicit = Implicit(256);
    /// Writes MODE.
    pub const WRITES_MODE: Implicit = Implicit(512);
    /// Reads the program counter as a value.
    pub const READS_PC: Implicit = Implicit(1024);
    /// Adds M0 to the source register numbers.
    pub const INDEXES_SOURCE: Implicit = Implicit(2048);
    /// Adds M0 to the destination register number.
    pub const INDEXES_DESTINATION: Implicit = Implicit(4096);
    /// Writes the high half of the result register and preserves the low half.
    pub const HIGH_HALF: Implicit = Implicit(8192);
    /// Writes VSKIP in MODE, which disables all but scalar instructions (errata E206).
    pub const WRITES_VSKIP: Implicit = Implicit(1 << 14);

    /// Union of two sets.
    pub const fn and(self, other: Implicit) -> Implicit {
        Implicit(self.0 | other.0)
    }

    /// True if `other` is a subset.
    pub const fn has(self, other: Implicit) -> bool {
        self.0 & other.0 == other.0
    }
}
