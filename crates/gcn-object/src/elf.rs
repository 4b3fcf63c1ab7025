//! ELF definitions for reading and writing: symbol kinds, and relocation kinds with their formulas.
//!
//! Relocation numbers and formulas follow the relocation table in LLVM's "User Guide for AMDGPU Backend": S is the
//! symbol value, A the addend, P the address of the field, B the load address.

use serde::Serialize;

/// `EI_OSABI` of HSA code objects.
pub(crate) const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// Page size in bytes, the granularity of memory protection.
pub(crate) const PAGE: u64 = 0x1000;
/// Maximum alignment of a section or symbol, in bytes.
pub(crate) const MAX_ALIGN: u64 = 1 << 16;
/// Size of a slot in the global offset table, in bytes.
pub(crate) const GOT_SLOT: u64 = 8;

macro_rules! numbered {
    ($(#[$meta:meta])* $type:ident: $word:ty { $($variant:ident $number:literal $what:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        pub enum $type {
            $(#[doc = $what] $variant,)*
            /// An unknown number.
            Other($word),
        }

        impl $type {
            /// Converts from the number used in the file.
            pub fn from_number(number: $word) -> Self {
                match number {
                    $($number => Self::$variant,)*
                    other => Self::Other(other),
                }
            }

            /// Returns the number used in the file.
            pub fn number(self) -> $word {
                match self {
                    $(Self::$variant => $number,)*
                    Self::Other(number) => number,
                }
            }
        }
    };
}

numbered! {
    /// Kind of a symbol.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::SymbolKind;
    /// assert_eq!((SymbolKind::from_number(2), SymbolKind::Function.number()), (SymbolKind::Function, 2));
    /// assert_eq!(SymbolKind::from_number(6), SymbolKind::Other(6), "unknown numbers are kept");
    /// ```
    SymbolKind: u8 {
        NoType   0 "Not stated.";
        Object   1 "Data, a kernel descriptor among them.";
        Function 2 "Code.";
        Section  3 "A section.";
        File     4 "A source file.";
        HsaKernel 10 "A version 2 kernel: `amd_kernel_code_t` with the code after it.";
    }
}

numbered! {
    /// Binding of a symbol.
    Binding: u8 {
        Local  0 "Visible in its own file.";
        Global 1 "Visible in all files.";
        Weak   2 "Visible in all files, unless there is a global one; may stay undefined.";
    }
}

numbered! {
    /// Visibility of a symbol outside the linked object.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{Binding, Visibility};
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let descriptor = object.symbol("scale.kd").expect("a kernel has a descriptor");
    /// assert_eq!((descriptor.binding, descriptor.visibility), (Binding::Global, Visibility::Protected));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Visibility: u8 {
        Default   0 "As its binding says; may be replaced by another object's.";
        Internal  1 "Not visible.";
        Hidden    2 "Not visible.";
        Protected 3 "As its binding says; may not be replaced.";
    }
}

numbered! {
    /// Formula with which a relocation computes its field.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::RelocationKind;
    /// let kind = RelocationKind::from_number(4);
    /// assert_eq!((kind, kind.name()), (RelocationKind::Rel32, Some("R_AMDGPU_REL32")));
    /// assert!(kind.is_pc_relative() && kind.width() == Some(4));
    /// assert_eq!(RelocationKind::None.width(), None);
    /// ```
    RelocationKind: u32 {
        None          0 "No field.";
        Abs32Lo       1 "The low half of S + A.";
        Abs32Hi       2 "The high half of S + A.";
        Abs64         3 "S + A.";
        Rel32         4 "S + A − P in 32 bits.";
        Rel64         5 "S + A − P.";
        Abs32         6 "S + A in 32 bits.";
        GotPcRel      7 "G + GOT + A − P in 32 bits; G + GOT is the address of the symbol's slot in the global offset table.";
        GotPcRel32Lo  8 "The low half of G + GOT + A − P.";
        GotPcRel32Hi  9 "The high half of G + GOT + A − P.";
        Rel32Lo      10 "The low half of S + A − P.";
        Rel32Hi      11 "The high half of S + A − P.";
        Relative64   13 "B + A.";
        Rel16        14 "(S + A − P − 4) / 4 in 16 bits: a branch.";
    }
}

/// LLVM's names of relocation kinds.
const RELOCATION_NAMES: &[(&str, RelocationKind)] = &[
    ("R_AMDGPU_NONE", RelocationKind::None),
    ("R_AMDGPU_ABS32_LO", RelocationKind::Abs32Lo),
    ("R_AMDGPU_ABS32_HI", RelocationKind::Abs32Hi),
    ("R_AMDGPU_ABS64", RelocationKind::Abs64),
    ("R_AMDGPU_REL32", RelocationKind::Rel32),
    ("R_AMDGPU_REL64", RelocationKind::Rel64),
    ("R_AMDGPU_ABS32", RelocationKind::Abs32),
    ("R_AMDGPU_GOTPCREL", RelocationKind::GotPcRel),
    ("R_AMDGPU_GOTPCREL32_LO", RelocationKind::GotPcRel32Lo),
    ("R_AMDGPU_GOTPCREL32_HI", RelocationKind::GotPcRel32Hi),
    ("R_AMDGPU_REL32_LO", RelocationKind::Rel32Lo),
    ("R_AMDGPU_REL32_HI", RelocationKind::Rel32Hi),
    ("R_AMDGPU_RELATIVE64", RelocationKind::Relative64),
    ("R_AMDGPU_REL16", RelocationKind::Rel16),
];

/// Error for a number that does not fit in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

impl RelocationKind {
    /// Returns LLVM's name, as accepted by `.reloc`; `None` for unknown kinds.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::RelocationKind;
    /// assert_eq!(RelocationKind::Rel32Lo.name(), Some("R_AMDGPU_REL32_LO"));
    /// assert_eq!(RelocationKind::Other(200).name(), None);
    /// ```
    pub fn name(self) -> Option<&'static str> {
        let named = |(_, kind): &&(&str, Self)| *kind == self;
        RELOCATION_NAMES.iter().find(named).map(|(name, _)| *name)
    }

    /// Returns the kind that LLVM calls `name`.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::RelocationKind;
    /// let kind = RelocationKind::from_name("R_AMDGPU_ABS64").expect("a known relocation type");
    /// assert_eq!((kind.width(), kind.is_pc_relative()), (Some(8), false));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let named = |(known, _): &&(&str, Self)| *known == name;
        RELOCATION_NAMES.iter().find(named).map(|(_, kind)| *kind)
    }

    /// Returns the size of the field in bytes; `None` if there is no field or the kind is unknown.
    pub fn width(self) -> Option<u64> {
        match self {
            Self::None | Self::Other(_) => None,
            Self::Rel16 => Some(2),
            Self::Abs64 | Self::Rel64 | Self::Relative64 => Some(8),
            _ => Some(4),
        }
    }

    /// Returns true if the formula subtracts P.
    pub fn is_pc_relative(self) -> bool {
        matches!(
            self,
            Self::Rel16
                | Self::Rel32
                | Self::Rel64
                | Self::Rel32Lo
                | Self::Rel32Hi
                | Self::GotPcRel
                | Self::GotPcRel32Lo
                | Self::GotPcRel32Hi
        )
    }

    /// Returns the kind to use once S is the address of the GOT slot; `None` for kinds that do not use a slot.
    pub(crate) fn without_got(self) -> Option<Self> {
        match self {
            Self::GotPcRel => Some(Self::Rel32),
            Self::GotPcRel32Lo => Some(Self::Rel32Lo),
            Self::GotPcRel32Hi => Some(Self::Rel32Hi),
            _ => None,
        }
    }

    /// Stores `value`: S + A, or S + A − P if the formula is PC-relative. Leaves `field` unchanged unless it has
    /// [`Self::width`] bytes.
    pub(crate) fn store(self, value: u64, field: &mut [u8]) -> Result<(), Overflow> {
        let low = value as u32;
        let high = (value >> 32) as u32;
        match self {
            Self::None | Self::Other(_) => {}
            Self::Abs64 | Self::Rel64 | Self::Relative64 => put(field, &value.to_le_bytes()),
            Self::Abs32Lo | Self::Rel32Lo | Self::GotPcRel32Lo => put(field, &low.to_le_bytes()),
            Self::Abs32Hi | Self::Rel32Hi | Self::GotPcRel32Hi => put(field, &high.to_le_bytes()),
            Self::Abs32 | Self::Rel32 | Self::GotPcRel => {
                let fits =
                    u32::try_from(value).is_ok() || i32::try_from(value.cast_signed()).is_ok();
                if !fits {
                    return Err(Overflow);
                }
                put(field, &low.to_le_bytes());
            }
            Self::Rel16 => {
                let distance = value.cast_signed().wrapping_sub(4);
                let dwords = i16::try_from(distance / 4).map_err(|_| Overflow)?;
                if distance % 4 != 0 {
                    return Err(Overflow);
                }
                put(field, &dwords.to_le_bytes());
            }
        }
        Ok(())
    }
}

fn put(field: &mut [u8], bytes: &[u8]) {
    if field.len() == bytes.len() {
        field.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        for number in 0..=14 {
            let kind = RelocationKind::from_number(number);
            match kind.name() {
                Some(name) => assert_eq!(RelocationKind::from_name(name), Some(kind)),
                None => assert_eq!(kind, RelocationKind::Other(number)),
            }
        }
        assert_eq!(RELOCATION_NAMES.len(), 14);
    }

    #[test]
    fn fields_are_made_as_the_formulas_say() {
        let store = |kind: RelocationKind, value| {
            let mut field = vec![0; kind.width().expect("a known kind") as usize];
            kind.store(value, &mut field).map(|()| field)
        };
        let value = 0x0123_4567_89ab_cdef;
        assert_eq!(
            store(RelocationKind::Abs32Lo, value),
            Ok(vec![0xef, 0xcd, 0xab, 0x89])
        );
        assert_eq!(
            store(RelocationKind::Rel32Hi, value),
            Ok(vec![0x67, 0x45, 0x23, 0x01])
        );
        assert_eq!(
            store(RelocationKind::Abs64, value),
            Ok(value.to_le_bytes().to_vec())
        );
        assert_eq!(store(RelocationKind::Abs32, value), Err(Overflow));
        assert_eq!(
            store(RelocationKind::Rel32, (-4i64).cast_unsigned()),
            Ok(vec![0xfc, 0xff, 0xff, 0xff])
        );
        assert_eq!(
            store(RelocationKind::Rel16, (-8i64).cast_unsigned()),
            Ok(vec![0xfd, 0xff])
        );
        assert_eq!(store(RelocationKind::Rel16, 6), Err(Overflow));
        assert_eq!(store(RelocationKind::Rel16, 1 << 18), Err(Overflow));
    }
}
