//! Instruction effects (the "does" column of rows) as data: the assembler, the checkers and the profiler use them
//! without executing anything, and the emulator implements each effect once.

mod implicit;
mod alu;
mod value;
pub mod body;

pub use alu::{AluOp, Bitwise, Half, Interpolation, Relative, Sad, Shift, Signedness, Test};
pub use implicit::Implicit;
pub use value::{Bits, Value};

use crate::operand::Ty;

/// Atomic read-modify-write operation. The type beside it in [`Does`] determines sign, width and floating point.
///
/// # Examples
/// ```
/// use gcn_isa::effect::AtomicOp;
/// use gcn_isa::{Does, Op, Ty, ds::Ds};
/// let swap = Op::Ds(Ds::DS_CMPST_B32).row();
/// assert_eq!(swap.does, Does::Atomic(AtomicOp::CompareSwap, Ty::B32));
/// assert_eq!((AtomicOp::CompareSwap.values(), AtomicOp::Add.values()), (2, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// new = data
    Swap,
    /// new = old == compare ? data : old. DS takes the comparison value in DATA0 and the new value in DATA1; memory
    /// instructions take the new value in the low half of the data and the comparison value in the high half (errata
    /// E059, E090).
    CompareSwap,
    /// new = old + data
    Add,
    /// new = old − data
    Sub,
    /// new = data − old
    Rsub,
    /// new = old ≥ data ? 0 : old + 1, unsigned (errata E063)
    Inc,
    /// new = old == 0 or old > data ? data : old − 1, unsigned (errata E062)
    Dec,
    /// new = min(old, data)
    Min,
    /// new = max(old, data)
    Max,
    /// new = old & data
    And,
    /// new = old | data
    Or,
    /// new = old ^ data
    Xor,
    /// new = (old & ~DATA0) | DATA1 (errata E067)
    MaskOr,
    /// new = old ≥ DATA0 ? old − DATA0 : old + DATA1 (errata E073)
    Wrap,
}

impl AtomicOp {
    /// Number of input values in addition to the value in memory.
    #[inline]
    pub const fn values(self) -> u8 {
        match self {
            AtomicOp::CompareSwap | AtomicOp::MaskOr | AtomicOp::Wrap => 2,
            AtomicOp::Swap
            | AtomicOp::Add
            | AtomicOp::Sub
            | AtomicOp::Rsub
            | AtomicOp::Inc
            | AtomicOp::Dec
            | AtomicOp::Min
            | AtomicOp::Max
            | AtomicOp::And
            | AtomicOp::Or
            | AtomicOp::Xor => 1,
        }
    }
}

/// Unit of OFFSET0 and OFFSET1, in elements.
///
/// # Examples
/// ```
/// use gcn_isa::effect::Stride;
/// use gcn_isa::{Does, Op, Ty, ds::Ds};
/// let read = Op::Ds(Ds::DS_READ2ST64_B32).row();
/// assert_eq!(read.does, Does::LoadTwo(Ty::B32, Stride::Wave));
/// assert_eq!(Stride::Wave.elements(), 64);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stride {
    /// One element.
    One,
    /// 64 elements (ST64).
    Wave,
}

impl Stride {
    /// Number of elements.
    pub const fn elements(self) -> u32 {
        match self {
            Stride::One => 1,
            Stride::Wave => 64,
        }
    }
}

/// A global wave sync (GWS) instruction (errata E048).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum GwsOp {
    Init,
    SemaV,
    SemaBr,
    SemaP,
    SemaReleaseAll,
    Barrier,
}

/// Lane exchange that uses the LDS hardware but does not access its memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LaneMove {
    /// Each lane reads from a lane given by a pattern in OFFSET (errata E056).
    Swizzle,
    /// Each lane writes to a lane it selects (errata E057).
    Push,
    /// Each lane reads from a lane it selects (errata E058).
    Pull,
}

/// Cache operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CacheOp {
    /// Invalidates all lines, or only volatile ones (_VOL); vector memory instructions write them back first.
    Invalidate,
    /// Writes back all lines, or only volatile ones (_VOL).
    WriteBack,
    /// Discards this number of 64-byte lines at an address.
    Discard(u8),
}

/// Clock that an instruction reads (errata E126).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Clock {
    /// Shader core clock.
    Shader,
    /// Reference clock with a constant frequency.
    Reference,
}

/// Condition under which a branch is taken.
///
/// # Examples
/// ```
/// use gcn_isa::effect::Condition;
/// use gcn_isa::{Does, Isa, decode};
/// let branch = decode(Isa::Gfx9, &[0xbf85_fffe])?; // s_cbranch_scc1 -2
/// assert_eq!(branch.does(), Does::Branch(Condition::Scc1));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Condition {
    Always,
    Scc0,
    Scc1,
    VccZero,
    VccNotZero,
    ExecZero,
    ExecNotZero,
    /// Debugger condition bits, which the emulator never sets.
    Debugger,
}

/// Program control operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // Named after the instructions.
pub enum Control {
    Nop,
    End,
    Barrier,
    Waitcnt,
    Sleep,
    SetHalt,
    SetPrio,
    SendMsg { halt: bool },
    Trap,
    CacheInvalidate,
    PerfCount,
    TraceData,
    SetKill,
    Wakeup,
    GprIndexOff,
    GprIndexMode,
}

/// Image operation other than an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageOp {
    /// Loads a texel.
    Load(TexelForm, ImageLevel),
    /// Stores a texel.
    Store(TexelForm, ImageLevel),
    /// Samples with filtering.
    Sample(Sampling),
    /// Gathers one component of four texels.
    Gather(Sampling),
    /// Gathers one component of four or eight consecutive texels. No further details are documented.
    GatherRow,
    /// Queries the size of a level (RESINFO).
    Size,
    /// Queries the level of detail that a sample would use.
    LevelOfDetail,
}

/// Format of a texel in registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TexelForm {
    /// Components converted from the image's format.
    Converted,
    /// Raw bits, zero-extended to a dword.
    Raw,
    /// Raw bits, sign-extended to a dword.
    RawSigned,
}

/// Mip level that an image load or store accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageLevel {
    /// Base level.
    Base,
    /// Level in a register (_MIP).
    Given,
}

/// Source of the level of detail of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DetailSource {
    /// Derived from coordinate differences between lanes.
    Lanes,
    /// Gradients in registers (_D), or coarse gradients (_CD).
    Gradients,
    /// Value in a register (_L).
    Given,
    /// Derived from coordinate differences between lanes, plus a bias in a register (_B).
    Biased,
    /// Level 0 (_LZ).
    Zero,
}

/// Modifiers of a sample or gather.
///
/// # Examples
/// ```
/// use gcn_isa::effect::{DetailSource, ImageOp, Sampling};
/// use gcn_isa::{Does, Op, mimg::Mimg};
/// let sampling = Sampling::new(DetailSource::Gradients).c().cl();
/// assert_eq!(Op::Mimg(Mimg::SAMPLE_C_D_CL).row().does, Does::Image(ImageOp::Sample(sampling)));
/// assert!(sampling.compares && sampling.clamps && !sampling.offsets);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sampling {
    /// Source of the level of detail.
    pub detail: DetailSource,
    /// True if a register holds a minimum level of detail (_CL).
    pub clamps: bool,
    /// True if texels are compared with a reference in a register (_C).
    pub compares: bool,
    /// True if a register holds texel offsets for the coordinates (_O).
    pub offsets: bool,
}

impl Sampling {
    /// Sampling with the given source of the level of detail and no other modifiers.
    pub const fn new(detail: DetailSource) -> Sampling {
        Sampling {
            detail,
            clamps: false,
            compares: false,
            offsets: false,
        }
    }

    /// Adds a minimum level of detail.
    pub const fn cl(self) -> Sampling {
        Sampling {
            clamps: true,
            ..self
        }
    }

    /// Adds a depth comparison.
    pub const fn c(self) -> Sampling {
        Sampling {
            compares: true,
            ..self
        }
    }

    /// Adds texel offsets.
    pub const fn o(self) -> Sampling {
        Sampling {
            offsets: true,
            ..self
        }
    }
}

/// Effect of an instruction.
///
/// # Examples
/// ```
/// use gcn_isa::{Does, Ty, rows};
/// // Instructions that load a dword, from any memory.
/// let loads = rows().filter(|row| row.does == Does::Load(Ty::B32)).map(|row| row.name);
/// let loads: Vec<&str> = loads.collect();
/// assert!(["s_load_dword", "ds_read_b32", "global_load_dword"].iter().all(|name| loads.contains(name)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Does {
    // Memory of any kind; the operands determine which.
    /// Loads registers from memory; sub-dword values are extended to a dword.
    Load(Ty),
    /// Loads half a register from memory.
    LoadHalf(Ty, Half),
    /// Stores registers to memory; sub-dword values come from the low bits.
    Store(Ty),
    /// Stores the low bits of a register's upper half to memory (errata E074).
    StoreHigh(Ty),
    /// Loads 1 to 4 components from memory into registers, converted from the buffer format to this type.
    LoadFormat(u8, Ty),
    /// Stores 1 to 4 components of this type from registers to memory, converted to the buffer format.
    StoreFormat(u8, Ty),
    /// Loads one converted 16-bit component into the upper half of a register.
    LoadFormatHigh,
    /// Stores one 16-bit component from the upper half of a register, converted to the buffer format.
    StoreFormatHigh,
    /// Copies LDS to memory, bypassing registers.
    StoreFromLds,
    /// Read-modify-write; memory instructions return the old value if GLC is set (errata E101).
    Atomic(AtomicOp, Ty),
    /// Read-modify-write that always returns the old value (DS ..._RTN_...).
    Return(AtomicOp, Ty),

    // LDS and GDS
    /// Loads two elements (READ2).
    LoadTwo(Ty, Stride),
    /// Stores two elements (WRITE2).
    StoreTwo(Ty, Stride),
    /// Exchanges two elements (WRXCHG2).
    ExchangeTwo(Ty, Stride),
    /// Read-modify-write of an LDS location with the value of another (SRC2, errata E054).
    AtomicFromLds(AtomicOp, Ty),
    /// Loads a dword per lane from M0 + OFFSET + 4·lane (errata E069).
    LoadByLane,
    /// Stores a dword per lane to M0 + OFFSET + 4·lane.
    StoreByLane,
    /// Adds or subtracts the number of active lanes, once per wave (errata E051).
    Count(AtomicOp),
    /// Exchanges each dword if the top bit of its new value is set (errata E052, E002).
    ExchangeConditionally(Ty),
    /// Exchanges values between lanes.
    Lanes(LaneMove),
    /// Global wave sync (GWS) operation.
    Gws(GwsOp),
    /// Updates an ordered counter, in wave creation order (errata E049).
    OrderedCount,
    /// No effect except on LGKM_CNT (errata E046).
    LdsNop,

    // Scalar memory
    /// Reads a 64-bit clock.
    Time(Clock),
    /// Invalidates, writes back or discards cached lines (errata E123, E124).
    Cache(CacheOp),
    /// Prefetches an address translation (errata E125).
    Probe,

    // Graphics
    /// An image operation other than an atomic; DMASK selects the components.
    Image(ImageOp),
    /// Exports registers to a color, depth, null, position or parameter target.
    Export,

    // ALU operations, whose operand types select the variant, and program control.
    /// An ALU operation on the sources, written to the destination.
    Alu(AluOp),
    /// Compares two sources as values of the first one's type; writes a bit per lane, or SCC in scalar instructions.
    Compare(Test, Implicit),
    /// Branches to the operand if the condition holds; a destination receives the address of the next instruction.
    Branch(Condition),
    /// Jumps to the address in the source; a destination receives the address of the next instruction.
    Jump,
    /// Returns from a trap handler.
    ReturnFromTrap,
    /// Splits the wave by a mask and pushes one part onto a stack (S_CBRANCH_…_FORK), or pops a part (S_CBRANCH_JOIN).
    Fork,
    /// Program control.
    Control(Control),
}

impl Does {
    /// Implicit state used by a scalar or vector instruction with this effect; see
    /// [`Row::implicit`](crate::Row::implicit).
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most effects use nothing but operands and memory"
    )]
    pub(crate) const fn implicit(self, is_scalar: bool) -> Implicit {
        match self {
            Does::Alu(op) => op.implicit(is_scalar),
            Does::Compare(_, implicit) => implicit,
            Does::Branch(Condition::Scc0 | Condition::Scc1) => Implicit::READS_SCC,
            Does::Branch(Condition::VccZero | Condition::VccNotZero) => Implicit::READS_VCC,
            Does::Branch(Condition::ExecZero | Condition::ExecNotZero) => Implicit::READS_EXEC,
            Does::Control(Control::SendMsg { .. } | Control::TraceData) => Implicit::READS_M0,
            Does::Control(Control::GprIndexMode) => Implicit::READS_M0.and(Implicit::WRITES_M0),
            Does::Control(Control::GprIndexOff) => Implicit::READS_MODE.and(Implicit::WRITES_MODE),
            _ => Implicit::NONE,
        }
    }

    /// Type of an element in memory; [`Ty::B32`] if the effect does not specify a type.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Does, Ty};
    /// assert_eq!(Does::Store(Ty::U8).element().bytes(), 1);
    /// assert_eq!(Does::LoadByLane.element().bytes(), 4);
    /// ```
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most effects are on dwords, or on none"
    )]
    pub const fn element(self) -> Ty {
        match self {
            Does::Load(ty)
            | Does::LoadHalf(ty, _)
            | Does::Store(ty)
            | Does::StoreHigh(ty)
            | Does::Atomic(_, ty)
            | Does::Return(_, ty)
            | Does::LoadTwo(ty, _)
            | Does::StoreTwo(ty, _)
            | Does::ExchangeTwo(ty, _)
            | Does::AtomicFromLds(_, ty)
            | Does::ExchangeConditionally(ty) => ty,
            _ => Ty::B32,
        }
    }
}
