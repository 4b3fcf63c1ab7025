//! Accesses of vector instructions to memory.

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

/// Store of a dword.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    /// Number of the access in its part.
    pub(super) access: u8,
    /// Low and high dwords of the addresses.
    pub(super) address: [Id; 2],
    pub(super) value: Id,
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
    /// Adds accesses to the dwords of an element. Returns the number of the first; `None` if they need another part.
    pub(super) fn add(
        &mut self,
        access: Access,
        dwords: u8,
        memories: Memories,
        is_store: bool,
    ) -> Option<u8> {
        let conflicting = self.stored | if is_store { self.loaded } else { 0 };
        if conflicting & memories != 0 {
            return None;
        }
        let first = u8::try_from(self.all.len()).ok()?;
        first.checked_add(dwords)?;
        if is_store {
            self.stored |= memories;
        } else {
            self.loaded |= memories;
        }
        self.all
            .extend((0..dwords).map(|dword| Access { dword, ..access }));
        Some(first)
    }
}
