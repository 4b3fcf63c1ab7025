//! Accesses of vector instructions to memory.
//!
//! A part executes its loads slice by slice, so that a lane may load before another lane's earlier load. Only plain loads are reordered: a
//! load that must see other threads' stores in program order has GLC, and is interpreted.

use std::ops::Range;

use super::graph::Id;

/// Access of lanes to a dword of their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) space: Space,
    /// Constant offset of the instruction in bytes.
    pub(super) offset: i64,
    /// Bytes of an element.
    pub(super) bytes: u32,
    /// Number of the dword in its element. Accesses to dwords of one element follow each other, and the first checks all addresses.
    pub(super) dword: u8,
    /// Number of the wave's entry for the addresses of a load.
    pub(super) visit: Option<u8>,
}

/// Addresses of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// Addresses of 64 bits in global memory.
    Global,
    /// Offsets from the address in a pair of scalar registers.
    GlobalFrom(u8),
    /// Offsets in LDS; the sum with the constant offset keeps the bits of a mask.
    Share(u32),
}

/// Store of one or two dwords.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    /// Number of its access in the part. That of a second element is next.
    pub(super) access: u8,
    pub(super) elements: StoredElements,
    /// Low and high dwords of the addresses.
    pub(super) address: [Id; 2],
    /// The dwords; of one they are the same.
    pub(super) values: [Id; 2],
}

/// Elements that a lane stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StoredElements {
    /// A dword.
    One,
    /// Two dwords, one behind the other.
    Pair,
    /// Two dwords at constant offsets of their own.
    Two,
}

/// Accesses of a part. Slices are computed one after the other, so a part has no store together with other accesses to the same memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    pub(super) all: Vec<Access>,
    /// Values that are loaded.
    pub(super) loads: Vec<Id>,
    pub(super) stores: Vec<Store>,
    /// Memories that are loaded from and stored to.
    loaded: Memories,
    stored: Memories,
}

/// A set of memories, a bit each.
pub(super) type Memories = u8;
pub(super) const GLOBAL: Memories = 1;
pub(super) const SHARE: Memories = 2;

impl Accesses {
    /// Adds accesses of an instruction. Returns their numbers; `None` if they need another part.
    pub(super) fn add(
        &mut self,
        accesses: impl Iterator<Item = Access>,
        memories: Memories,
        is_store: bool,
    ) -> Option<Range<u8>> {
        let conflicting = self.stored | if is_store { self.loaded } else { 0 };
        if conflicting & memories != 0 {
            return None;
        }
        let first = u8::try_from(self.all.len()).ok()?;
        self.all.extend(accesses);
        let end = u8::try_from(self.all.len()).ok()?;
        if is_store {
            self.stored |= memories;
        } else {
            self.loaded |= memories;
        }
        Some(first..end)
    }
}

impl Access {
    /// Accesses to all dwords of the element.
    pub(super) fn dwords(self) -> impl Iterator<Item = Access> {
        (0..(self.bytes / 4) as u8).map(move |dword| Access { dword, ..self })
    }
}
