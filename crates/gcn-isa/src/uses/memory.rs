//! Memory that an instruction accesses, and the role of M0 in the access.

use crate::effect::{Does, ImageOp};
use crate::field::{Encoding, Field};
use crate::inst::Operand;
use crate::regs;
use crate::target::{Isa, on};

use super::Uses;

/// Kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Space {
    /// Global memory, including accesses through buffers, images and scalar memory.
    Global,
    /// Local data share of the workgroup.
    Lds,
    /// Global data share.
    Gds,
    /// Private memory of a lane.
    Scratch,
    /// Global wave sync resources.
    Gws,
}

impl Space {
    /// Every kind of memory.
    pub const ALL: [Space; 5] = [
        Space::Global,
        Space::Lds,
        Space::Gds,
        Space::Scratch,
        Space::Gws,
    ];
}

/// Set of memory kinds.
///
/// # Examples
/// ```
/// use gcn_isa::uses::{Space, Spaces};
/// let both = Spaces::of(Space::Lds).and(Spaces::of(Space::Gds));
/// assert!(both.has(Space::Gds) && !both.has(Space::Global) && !both.is_empty());
/// assert_eq!(both.iter().count(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Spaces(u8);

impl Spaces {
    /// The empty set.
    pub const NONE: Spaces = Spaces(0);

    /// Set that contains only `space`.
    pub const fn of(space: Space) -> Spaces {
        Spaces(1 << space as u8)
    }

    /// Union of two sets.
    pub const fn and(self, other: Spaces) -> Spaces {
        Spaces(self.0 | other.0)
    }

    /// True if `space` is a member.
    pub const fn has(self, space: Space) -> bool {
        self.0 & 1 << space as u8 != 0
    }

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the members.
    pub fn iter(self) -> impl Iterator<Item = Space> {
        Space::ALL.into_iter().filter(move |&space| self.has(space))
    }
}

/// Role of M0 in an access.
///
/// # Examples
/// ```
/// use gcn_isa::uses::M0;
/// use gcn_isa::{Isa, decode};
/// // ds_read_b32 v1, v2, without and with gds.
/// let role = |isa, words: [u32; 2]| decode(isa, &words).ok()?.uses().memory().map(|memory| memory.m0);
/// assert_eq!(role(Isa::Vi, [0xd86c_0000, 0x0100_0002]), Some(M0::Bounds));
/// assert_eq!(role(Isa::Gfx9, [0xd86c_0000, 0x0100_0002]), Some(M0::Unused));
/// assert_eq!(role(Isa::Gfx9, [0xd86d_0000, 0x0100_0002]), Some(M0::Addresses));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum M0 {
    /// M0 is not used.
    Unused,
    /// Upper bound of LDS addresses (errata E035).
    Bounds,
    /// Base address or whole address, and for GDS also the size (errata E037, E048, E049, E069, E089, E246).
    Addresses,
}

/// A memory access.
///
/// # Examples
/// ```
/// use gcn_isa::uses::Space;
/// use gcn_isa::{Isa, decode};
/// let load = decode(Isa::Gfx9, &[0xdc50_0000, 0x0100_0002])?; // flat_load_dword v1, v[2:3]
/// let memory = load.uses().memory().expect("a load");
/// assert!(memory.read.iter().eq([Space::Global, Space::Lds, Space::Scratch]), "the address selects one");
/// assert!(memory.written.is_empty() && !memory.atomic && !memory.scalar);
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryUse {
    /// Kinds of memory that may be read.
    pub read: Spaces,
    /// Kinds of memory that may be written.
    pub written: Spaces,
    /// True for an atomic read-modify-write.
    pub atomic: bool,
    /// True if the access goes through the scalar cache, once per wave.
    pub scalar: bool,
    /// Role of M0 in the access.
    pub m0: M0,
}

impl MemoryUse {
    const NONE: MemoryUse = MemoryUse {
        read: Spaces::NONE,
        written: Spaces::NONE,
        atomic: false,
        scalar: false,
        m0: M0::Unused,
    };

    /// All kinds of memory that may be accessed.
    pub const fn spaces(&self) -> Spaces {
        self.read.and(self.written)
    }

    /// True if an address may be out of bounds, which TRAPSTS records.
    pub(super) fn may_violate(&self) -> bool {
        self.spaces() != Spaces::of(Space::Gws)
    }

    /// True for an atomic that LDS or GDS may execute.
    pub(super) fn atomic_in_share(&self) -> bool {
        self.atomic && (self.written.has(Space::Lds) || self.written.has(Space::Gds))
    }
}

/// Kind of memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intent {
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Reads and writes memory atomically.
    Atomic,
}

impl Does {
    /// Kind of access to the memory that an instruction's operands address; `None` if there is no access.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Op, ds::Ds, uses::Intent};
    /// let intent = |op| Op::Ds(op).row().does.intent();
    /// assert_eq!(intent(Ds::DS_READ2_B32), Some(Intent::Load));
    /// assert_eq!(intent(Ds::DS_ADD_U32), Some(Intent::Atomic));
    /// assert_eq!(intent(Ds::DS_SWIZZLE_B32), None, "lanes exchange values");
    /// ```
    pub fn intent(self) -> Option<Intent> {
        Some(match self {
            Does::Load(_)
            | Does::LoadHalf(..)
            | Does::LoadTwo(..)
            | Does::LoadByLane
            | Does::LoadFormat(..)
            | Does::LoadFormatHigh
            | Does::Image(
                ImageOp::Load(..) | ImageOp::Sample(_) | ImageOp::Gather(_) | ImageOp::GatherRow,
            ) => Intent::Load,
            Does::Store(_)
            | Does::StoreHigh(_)
            | Does::StoreTwo(..)
            | Does::StoreByLane
            | Does::StoreFromLds
            | Does::StoreFormat(..)
            | Does::StoreFormatHigh
            | Does::Image(ImageOp::Store(..)) => Intent::Store,
            Does::Atomic(..)
            | Does::Return(..)
            | Does::ExchangeTwo(..)
            | Does::AtomicFromLds(..)
            | Does::Count(_)
            | Does::ExchangeConditionally(_)
            | Does::Gws(_)
            | Does::OrderedCount => Intent::Atomic,
            Does::Lanes(_)
            | Does::LdsNop
            | Does::Time(_)
            | Does::Cache(_)
            | Does::Probe
            | Does::Image(ImageOp::Size | ImageOp::LevelOfDetail)
            | Does::Export
            | Does::Alu(_)
            | Does::Compare(..)
            | Does::Branch(_)
            | Does::Jump
            | Does::ReturnFromTrap
            | Does::Fork
            | Does::Control(_) => return None,
        })
    }
}

impl Uses<'_> {
    /// Memory that the instruction accesses, if any. Cache operations, lane exchanges and clock reads do not access
    /// memory.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::{M0, Space};
    /// use gcn_isa::{Isa, decode};
    /// let add = decode(Isa::Vi, &[0xd800_0010, 0x100])?;
    /// let memory = add.uses().memory().expect("LDS");
    /// assert!(memory.atomic && memory.spaces().iter().eq([Space::Lds]));
    /// assert_eq!(memory.m0, M0::Bounds);
    /// assert_eq!(decode(Isa::Vi, &[0xbf81_0000])?.uses().memory(), None);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn memory(&self) -> Option<MemoryUse> {
        let inst = self.inst;
        let lds = Spaces::of(Space::Lds);
        if self.reads_parameters() || self.reads_lds_direct() {
            return Some(MemoryUse {
                read: lds,
                m0: M0::Addresses,
                ..MemoryUse::NONE
            });
        }
        let intent = inst.does().intent()?;
        let space = self.space();
        let mut memory = match intent {
            Intent::Load => MemoryUse {
                read: space,
                ..MemoryUse::NONE
            },
            Intent::Store => MemoryUse {
                written: space,
                ..MemoryUse::NONE
            },
            Intent::Atomic => MemoryUse {
                read: space,
                written: space,
                atomic: true,
                ..MemoryUse::NONE
            },
        };
        memory.scalar = matches!(inst.encoding, Encoding::Smrd | Encoding::Smem);
        if inst.does() == Does::StoreFromLds {
            memory.read = lds;
        }
        if inst.loads_to_lds() {
            memory.written = memory.written.and(lds);
        }
        memory.m0 = self.role_of_m0(&memory);
        Some(memory)
    }

    /// Kinds of memory that the instruction's addresses may refer to.
    fn space(&self) -> Spaces {
        let inst = self.inst;
        match (inst.encoding, inst.does()) {
            (_, Does::Gws(_)) => Spaces::of(Space::Gws),
            (_, Does::OrderedCount) => Spaces::of(Space::Gds),
            (Encoding::Ds, _) if inst.flag(Field::Gds) => Spaces::of(Space::Gds),
            (Encoding::Ds, _) => Spaces::of(Space::Lds),
            (Encoding::Flat, _) => Spaces::of(Space::Global)
                .and(Spaces::of(Space::Lds))
                .and(Spaces::of(Space::Scratch)),
            (Encoding::Scratch, _) => Spaces::of(Space::Scratch),
            (
                Encoding::Smrd
                | Encoding::Smem
                | Encoding::Global
                | Encoding::Mubuf
                | Encoding::Mtbuf
                | Encoding::Mimg,
                _,
            ) => Spaces::of(Space::Global),
            (
                Encoding::Sop2
                | Encoding::Sopk
                | Encoding::Sop1
                | Encoding::Sopc
                | Encoding::Sopp
                | Encoding::Vop1
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
                | Encoding::Vop2Dpp
                | Encoding::Vintrp
                | Encoding::Vop3Interp
                | Encoding::Exp,
                _,
            ) => Spaces::NONE,
        }
    }

    fn role_of_m0(&self, memory: &MemoryUse) -> M0 {
        let does = self.inst.does();
        let spaces = memory.spaces();
        let addresses = matches!(
            does,
            Does::LoadByLane | Does::StoreByLane | Does::StoreFromLds | Does::Count(_)
        ) || spaces.has(Space::Gds)
            || spaces.has(Space::Gws)
            || self.inst.loads_to_lds();
        if addresses {
            M0::Addresses
        } else if spaces.has(Space::Lds) && bounds_lds(self.inst.isa) {
            M0::Bounds
        } else {
            M0::Unused
        }
    }

    /// True for interpolation, which reads parameters from LDS.
    fn reads_parameters(&self) -> bool {
        matches!(self.inst.encoding, Encoding::Vintrp | Encoding::Vop3Interp)
    }

    /// True if a source is an LDS value, addressed by M0 (errata E246).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode, uses::M0};
    /// let mov = decode(Isa::Gfx9, &[0x7e02_02fe])?;
    /// assert_eq!(mov.text(), "v_mov_b32_e32 v1, src_lds_direct");
    /// assert!(mov.uses().reads_lds_direct());
    /// assert!(mov.uses().memory().is_some_and(|memory| memory.m0 == M0::Addresses));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn reads_lds_direct(&self) -> bool {
        let inst = self.inst;
        self.inst.encoding.is_vector_alu()
            && inst.row().slots().any(|slot| {
                let operand = inst.operand(slot);
                matches!(
                    operand,
                    Operand::Scalar {
                        code: regs::LDS_DIRECT,
                        ..
                    }
                )
            })
    }
}

/// True if M0 bounds LDS accesses: up to GCN 1.2 (errata E035).
const fn bounds_lds(isa: Isa) -> bool {
    on::SI_CI_VI.has(isa)
}
