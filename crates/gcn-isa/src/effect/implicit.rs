//! State that an instruction uses without naming it as an operand.

/// State that an instruction reads or writes without naming it as an operand.
///
/// # Examples
/// ```
/// use gcn_isa::effect::Implicit;
/// use gcn_isa::{Op, sop::{Sop2, Sopp}};
/// let of_scc = Implicit::READS_SCC.and(Implicit::WRITES_SCC);
/// assert_eq!(Op::Sop2(Sop2::S_ADDC_U32).row().implicit(), of_scc);
/// assert!(!Op::Sop2(Sop2::S_ADD_U32).row().implicit().has(of_scc), "it writes SCC only");
/// assert_eq!(Op::Sopp(Sopp::S_CBRANCH_VCCZ).row().implicit(), Implicit::READS_VCC);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Implicit(u16);

impl Implicit {
    /// No state.
    pub const NONE: Implicit = Implicit(0);
    /// SCC is read.
    pub const READS_SCC: Implicit = Implicit(1);
    /// SCC is written.
    pub const WRITES_SCC: Implicit = Implicit(2);
    /// VCC is read.
    pub const READS_VCC: Implicit = Implicit(4);
    /// VCC is written.
    pub const WRITES_VCC: Implicit = Implicit(8);
    /// EXEC is read as a value, not as the mask of active lanes.
    pub const READS_EXEC: Implicit = Implicit(16);
    /// EXEC is written.
    pub const WRITES_EXEC: Implicit = Implicit(32);
    /// M0 is read.
    pub const READS_M0: Implicit = Implicit(64);
    /// M0 is written.
    pub const WRITES_M0: Implicit = Implicit(128);
    /// MODE is read, or kept in part.
    pub const READS_MODE: Implicit = Implicit(256);
    /// MODE is written.
    pub const WRITES_MODE: Implicit = Implicit(512);
    /// The program counter is read as a value.
    pub const READS_PC: Implicit = Implicit(1024);
    /// The sources' registers lie M0 further.
    pub const INDEXES_SOURCE: Implicit = Implicit(2048);
    /// The destination's registers lie M0 further.
    pub const INDEXES_DESTINATION: Implicit = Implicit(4096);
    /// The result goes to the high half of its register; the low half stays.
    pub const HIGH_HALF: Implicit = Implicit(8192);
    /// The bit of MODE that has vector instructions skipped is written (errata E206).
    pub const WRITES_VSKIP: Implicit = Implicit(1 << 14);

    /// Both.
    pub const fn and(self, other: Implicit) -> Implicit {
        Implicit(self.0 | other.0)
    }

    /// True if all of `other` is in it.
    pub const fn has(self, other: Implicit) -> bool {
        self.0 & other.0 == other.0
    }
}
