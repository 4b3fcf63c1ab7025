//! Facts about a single instruction: the registers it reads and writes, the memory it accesses, the counters it
//! increments, and the hazards it takes part in.
//!
//! Everything is derived from the row, the words and the instruction set. [`Inst::uses`] returns a view that computes
//! each fact on demand, so that a decoder can query it for every instruction.
//!
//! Sources: errata E035–E037, E043, E069, E082, E089, E250–E255; the tests `uses` of gcn-emu execute every row and
//! check the registers and memory stated here, and the tests `llvm_facts` of gcn-asm compare counters and hazards
//! with LLVM's passes.

mod memory;
mod registers;

mod operands;
mod implicit;
mod collect;
mod set;

mod counters;
mod flow;
mod hazards;

mod text;
mod vccz;

use crate::effect::{Does, Implicit};
use crate::field::{Encoding, Field};
use crate::inst::Inst;

pub use counters::{Counter, Counters, Order};
pub use hazards::Hazard;
pub use memory::{Intent, M0, MemoryUse, Space, Spaces};
pub use registers::{RegisterUse, Registers, UnnumberedState, UseOrigin, UsedLanes};
pub use set::RegisterSet;
pub use vccz::VcczEffect;

/// View of an instruction's registers, memory, counters and hazards.
///
/// # Examples
/// ```
/// use gcn_isa::uses::{Counter, Registers, Space};
/// use gcn_isa::{Isa, decode};
/// let load = decode(Isa::Gfx9, &[0xdc50_8000, 0x0102_0000])?;
/// let uses = load.uses();
/// let written: Vec<_> = uses.registers().filter(|it| it.written != 0 && it.operand().is_some()).collect();
/// assert_eq!(written[0].registers, Registers::Vector { first: 1, count: 1 });
/// assert!(uses.memory().is_some_and(|memory| memory.read.has(Space::Global)));
/// assert_eq!(uses.released_by(&written[0]), [Counter::Vm]);
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Uses<'a> {
    pub(crate) inst: &'a Inst,
}

impl Inst {
    /// Registers, memory, counters and hazards of the instruction.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let read = decode(Isa::Vi, &[0xd86c_0000, 0x0100_0002])?; // ds_read_b32 v1, v2
    /// assert_eq!(
    ///     read.uses().to_string(),
    ///     "reads v2, exec as lanes, m0; writes v1, trapsts[8]; lds read, m0 bounds; lgkmcnt",
    /// );
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    pub fn uses(&self) -> Uses<'_> {
        Uses { inst: self }
    }

    /// True for a load whose data goes to LDS instead of registers (errata E089).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let load = decode(Isa::Gfx9, &[0xe051_0000, 0x8001_0000])?;
    /// assert_eq!(load.text(), "buffer_load_dword off, s[4:7], 0 lds");
    /// assert!(load.loads_to_lds() && load.uses().registers().all(|it| it.operand() != Some(0)));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    pub fn loads_to_lds(&self) -> bool {
        matches!(self.does(), Does::Load(_) | Does::LoadFormat(..)) && self.flag(Field::Lds)
    }

    /// True for a load into half a register that preserves the other half (errata E263).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let [gfx9, vega20] = [Isa::Gfx9, Isa::Vega20].map(|isa| decode(isa, &[0xd8b4_0000, 0x0500_0001]));
    /// let (gfx9, vega20) = (gfx9?, vega20?);
    /// assert_eq!(gfx9.text(), "ds_read_u16_d16 v5, v1");
    /// assert!(gfx9.keeps_other_half() && !vega20.keeps_other_half());
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    pub fn keeps_other_half(&self) -> bool {
        matches!(self.does(), Does::LoadHalf(..) | Does::LoadFormatHigh)
            && self.isa.d16_load_keeps_half()
    }

    /// True for an atomic that returns the old value.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// assert!(!decode(Isa::Gfx9, &[0xdd08_8000, 0x100])?.returns_old());
    /// assert!(decode(Isa::Gfx9, &[0xdd09_8000, 0x100])?.returns_old(), "with glc");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others give no old value"
    )]
    pub fn returns_old(&self) -> bool {
        match self.does() {
            Does::Atomic(..) => self.flag(Field::Glc),
            Does::Return(..)
            | Does::ExchangeTwo(..)
            | Does::ExchangeConditionally(_)
            | Does::Count(_)
            | Does::OrderedCount => true,
            _ => false,
        }
    }
}

/// Hardware unit that executes an instruction, as distinguished by counters and hazards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// Scalar ALU and program control.
    Scalar,
    /// Vector ALU.
    Vector,
    /// Scalar memory.
    ScalarMemory,
    /// Buffers and images.
    VectorMemory,
    /// FLAT, GLOBAL, SCRATCH.
    Flat,
    /// LDS and GDS.
    DataShare,
    /// Exports.
    Export,
    /// Parameter interpolation.
    Interpolation,
}

impl Uses<'_> {
    /// Unit that executes the instruction.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::Unit;
    /// use gcn_isa::{Isa, decode};
    /// assert_eq!(decode(Isa::Gfx9, &[0xd800_0010, 0x100])?.uses().unit(), Unit::DataShare);
    /// assert_eq!(decode(Isa::Gfx9, &[0x7e06_0204])?.uses().unit(), Unit::Vector);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn unit(&self) -> Unit {
        match self.inst.encoding {
            Encoding::Sop2 | Encoding::Sopk | Encoding::Sop1 | Encoding::Sopc | Encoding::Sopp => {
                Unit::Scalar
            }
            Encoding::Smrd | Encoding::Smem => Unit::ScalarMemory,
            Encoding::Vop1
            | Encoding::Vop2
            | Encoding::Vopc
            | Encoding::Vop3
            | Encoding::Vop3b
            | Encoding::Vop3c
            | Encoding::Vop3p
            | Encoding::Vop1Sdwa
            | Encoding::Vop2Sdwa
            | Encoding::VopcSdwa
            | Encoding::Vop1Dpp
            | Encoding::Vop2Dpp => Unit::Vector,
            Encoding::Vintrp | Encoding::Vop3Interp => Unit::Interpolation,
            Encoding::Ds => Unit::DataShare,
            Encoding::Flat | Encoding::Global | Encoding::Scratch => Unit::Flat,
            Encoding::Mubuf | Encoding::Mtbuf | Encoding::Mimg => Unit::VectorMemory,
            Encoding::Exp => Unit::Export,
        }
    }

    /// True if the instruction adds an index to register numbers, or is S_SET_GPR_IDX_ON, _IDX or _MODE.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let (mov, mode) = (decode(Isa::Vi, &[0x7e02_6f02])?, decode(Isa::Vi, &[0xbf11_0100])?);
    /// assert_eq!(mov.text(), "v_movrels_b32_e32 v1, v2");
    /// assert!(mov.uses().indexes_registers() && mov.uses().registers().any(|it| it.indexed));
    /// assert!(mode.uses().indexes_registers(), "s_set_gpr_idx_on s0, gpr_idx(SRC0)");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn indexes_registers(&self) -> bool {
        let implicit = self.inst.row().implicit();
        implicit.has(Implicit::WRITES_M0)
            || implicit.has(Implicit::INDEXES_SOURCE)
            || implicit.has(Implicit::INDEXES_DESTINATION)
    }
}
