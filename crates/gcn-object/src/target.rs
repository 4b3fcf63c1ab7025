//! Target information in `e_ident` and `e_flags`: version, processor, and XNACK and SRAM ECC settings.
//!
//! The numbers follow the ELF header chapter in LLVM's "User Guide for AMDGPU Backend".

use serde::Serialize;

/// Code object format version, numbered `EI_ABIVERSION` plus two.
///
/// # Examples
/// ```
/// use gcn_object::Version;
/// let mut versions = Version::ALL.into_iter();
/// assert_eq!(versions.find(|version| version.number() == 5), Some(Version::V5));
/// assert!(Version::V3 < Version::V4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Version {
    /// `amd_kernel_code_t` before the code, and YAML metadata.
    V2,
    /// 64-byte kernel descriptors, and MessagePack metadata.
    V3,
    /// Version 3 with four possible settings each for XNACK and SRAM ECC.
    V4,
    /// Version 4 with a different set of hidden arguments.
    V5,
    /// Version 5 with generic processors.
    V6,
}

impl Version {
    /// All versions, oldest first, indexed by ABI version.
    pub const ALL: [Self; 5] = [Self::V2, Self::V3, Self::V4, Self::V5, Self::V6];

    /// Returns the version with this `EI_ABIVERSION` value, if the value is valid.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Version;
    /// assert_eq!(Version::from_abi_version(3), Some(Version::V5));
    /// assert_eq!(Version::from_abi_version(5), None);
    /// assert_eq!((Version::V5.abi_version(), Version::V5.number()), (3, 5));
    /// ```
    pub fn from_abi_version(abi_version: u8) -> Option<Self> {
        Self::ALL.get(usize::from(abi_version)).copied()
    }

    /// Returns the `EI_ABIVERSION` value.
    pub fn abi_version(self) -> u8 {
        self as u8
    }

    /// Returns the version number, from 2 to 6.
    pub fn number(self) -> u8 {
        self.abi_version() + 2
    }
}

/// XNACK or SRAM ECC setting for which the code was compiled.
///
/// # Examples
/// ```
/// use gcn_object::{Feature, Flags, Version};
/// let flags = Flags { mach: 0x2f, xnack: Feature::Any, sramecc: Feature::Off, ..Flags::default() };
/// let again = |version| Flags::decode(version, flags.encode(version));
/// assert_eq!(again(Version::V4), flags);
/// assert_eq!(again(Version::V3).xnack, Feature::On, "one bit per feature cannot express a third value");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Feature {
    /// The processor lacks the feature.
    #[default]
    Unsupported,
    /// The code runs with the feature either on or off.
    Any,
    /// The code requires the feature to be off. Versions 2 and 3 do not distinguish this from [`Feature::Unsupported`],
    /// so both read as `Off`.
    Off,
    /// The code requires the feature to be on.
    On,
}

/// Fields of `e_flags`.
///
/// # Examples
/// ```
/// use gcn_object::{Feature, Flags, Version};
/// let flags = Flags::decode(Version::V4, 0x62f);
/// assert_eq!((flags.mach, flags.xnack, flags.sramecc), (0x2f, Feature::Off, Feature::Any));
/// assert_eq!(flags.encode(Version::V4), 0x62f);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Flags {
    /// Processor number (`EF_AMDGPU_MACH`), which [`processor_name`] converts to a name. Zero in version 2 files that
    /// state the processor only in an ISA note, from which [`read`](crate::read) takes it.
    pub mach: u8,
    /// XNACK: replay of faulting memory accesses.
    pub xnack: Feature,
    /// SRAM ECC: error correction in registers and LDS.
    pub sramecc: Feature,
    /// Version of a generic processor (version 6 only); otherwise zero.
    pub generic_version: u8,
}

const MACH_MASK: u32 = 0xff;
const MACH_FIRST_GCN: u8 = 0x20;
const XNACK_V2: u32 = 0x01;
const XNACK_V3: u32 = 0x100;
const SRAMECC_V3: u32 = 0x200;
const XNACK_V4_SHIFT: u32 = 8;
const SRAMECC_V4_SHIFT: u32 = 10;
const FEATURE_V4_MASK: u32 = 3;
const GENERIC_VERSION_SHIFT: u32 = 24;

impl Feature {
    /// All settings, in the numeric order of version 4's flags.
    const ALL: [Self; 4] = [Self::Unsupported, Self::Any, Self::Off, Self::On];

    fn from_bit(set: bool) -> Self {
        if set { Self::On } else { Self::Off }
    }

    fn from_v4(flags: u32, shift: u32) -> Self {
        let [unsupported, any, off, on] = Self::ALL;
        match (flags >> shift) & FEATURE_V4_MASK {
            0 => unsupported,
            1 => any,
            2 => off,
            _ => on,
        }
    }
}

impl Flags {
    /// Decodes the `e_flags` of an object with this version.
    pub fn decode(version: Version, flags: u32) -> Self {
        let [mach, .., generic_version] = flags.to_le_bytes();
        match version {
            // Before LLVM 7, producers stored only feature bits here. Later producers use version 3's format.
            Version::V2 if mach < MACH_FIRST_GCN => Self {
                xnack: Feature::from_bit(flags & XNACK_V2 != 0),
                sramecc: Feature::Off,
                ..Self::default()
            },
            Version::V2 | Version::V3 => Self {
                mach,
                xnack: Feature::from_bit(flags & XNACK_V3 != 0),
                sramecc: Feature::from_bit(flags & SRAMECC_V3 != 0),
                generic_version: 0,
            },
            Version::V4 | Version::V5 | Version::V6 => Self {
                mach,
                xnack: Feature::from_v4(flags, XNACK_V4_SHIFT),
                sramecc: Feature::from_v4(flags, SRAMECC_V4_SHIFT),
                generic_version: if version == Version::V6 {
                    generic_version
                } else {
                    0
                },
            },
        }
    }

    /// Encodes the `e_flags` of an object with this version.
    pub fn encode(self, version: Version) -> u32 {
        let mach = u32::from(self.mach) & MACH_MASK;
        match version {
            Version::V2 | Version::V3 => {
                // A single bit cannot represent `Any`, so it is set for `Any` too (errata E181).
                let bit = |feature, bit| match feature {
                    Feature::On | Feature::Any => bit,
                    Feature::Off | Feature::Unsupported => 0,
                };
                mach | bit(self.xnack, XNACK_V3) | bit(self.sramecc, SRAMECC_V3)
            }
            Version::V4 | Version::V5 | Version::V6 => {
                let generic = if version == Version::V6 {
                    u32::from(self.generic_version)
                } else {
                    0
                };
                mach | (self.xnack as u32) << XNACK_V4_SHIFT
                    | (self.sramecc as u32) << SRAMECC_V4_SHIFT
                    | generic << GENERIC_VERSION_SHIFT
            }
        }
    }
}

/// Processor numbers (`EF_AMDGPU_MACH`) and LLVM's names for them.
pub const PROCESSORS: &[(u8, &str)] = &[
    (0x20, "gfx600"),
    (0x21, "gfx601"),
    (0x3a, "gfx602"),
    (0x22, "gfx700"),
    (0x23, "gfx701"),
    (0x24, "gfx702"),
    (0x25, "gfx703"),
    (0x26, "gfx704"),
    (0x3b, "gfx705"),
    (0x28, "gfx801"),
    (0x29, "gfx802"),
    (0x2a, "gfx803"),
    (0x3c, "gfx805"),
    (0x2b, "gfx810"),
    (0x2c, "gfx900"),
    (0x2d, "gfx902"),
    (0x2e, "gfx904"),
    (0x2f, "gfx906"),
    (0x30, "gfx908"),
    (0x31, "gfx909"),
    (0x3f, "gfx90a"),
    (0x32, "gfx90c"),
    (0x40, "gfx940"),
    (0x4b, "gfx941"),
    (0x4c, "gfx942"),
    (0x4f, "gfx950"),
    (0x33, "gfx1010"),
    (0x34, "gfx1011"),
    (0x35, "gfx1012"),
    (0x42, "gfx1013"),
    (0x36, "gfx1030"),
    (0x37, "gfx1031"),
    (0x38, "gfx1032"),
    (0x39, "gfx1033"),
    (0x3e, "gfx1034"),
    (0x3d, "gfx1035"),
    (0x45, "gfx1036"),
    (0x41, "gfx1100"),
    (0x46, "gfx1101"),
    (0x47, "gfx1102"),
    (0x44, "gfx1103"),
    (0x43, "gfx1150"),
    (0x4a, "gfx1151"),
    (0x55, "gfx1152"),
    (0x58, "gfx1153"),
    (0x5d, "gfx1170"),
    (0x5e, "gfx1171"),
    (0x5c, "gfx1172"),
    (0x48, "gfx1200"),
    (0x4e, "gfx1201"),
    (0x49, "gfx1250"),
    (0x5a, "gfx1251"),
    (0x50, "gfx1310"),
    (0x51, "gfx9-generic"),
    (0x5f, "gfx9-4-generic"),
    (0x52, "gfx10-1-generic"),
    (0x53, "gfx10-3-generic"),
    (0x54, "gfx11-generic"),
    (0x59, "gfx12-generic"),
    (0x5b, "gfx12-5-generic"),
];

/// Returns LLVM's name of the processor with number `mach`.
///
/// # Examples
/// ```
/// assert_eq!(gcn_object::processor_name(0x2f), Some("gfx906"));
/// assert_eq!(gcn_object::processor_name(0), None);
/// ```
pub fn processor_name(mach: u8) -> Option<&'static str> {
    PROCESSORS
        .iter()
        .find(|(number, _)| *number == mach)
        .map(|(_, name)| *name)
}

/// Returns the number of the processor that LLVM calls `name`.
///
/// # Examples
/// ```
/// assert_eq!(gcn_object::processor_mach("gfx90c"), Some(0x32));
/// assert_eq!(gcn_object::processor_mach("vega20"), None, "the name of a chip");
/// ```
pub fn processor_mach(name: &str) -> Option<u8> {
    PROCESSORS
        .iter()
        .find(|(_, known)| *known == name)
        .map(|(number, _)| *number)
}

/// Instruction set version in the ISA note (`NT_AMD_HSA_ISA_VERSION`) of a version 2 object.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v2.co")?)?;
/// let isa = object.isa_note.expect("version 2 has the note");
/// assert_eq!((isa.major, isa.minor, isa.stepping), (8, 0, 3));
/// assert_eq!(isa.processor_name(), "gfx803");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct IsaVersion {
    /// Major version, such as 8 for gfx803.
    pub major: u32,
    /// Minor version, such as 0 for gfx803.
    pub minor: u32,
    /// Stepping, such as 3 for gfx803.
    pub stepping: u32,
}

impl IsaVersion {
    /// Returns LLVM's name of the processor, in which the stepping is a hexadecimal digit.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::IsaVersion;
    /// assert_eq!(IsaVersion { major: 9, minor: 0, stepping: 12 }.processor_name(), "gfx90c");
    /// ```
    pub fn processor_name(self) -> String {
        format!("gfx{}{}{:x}", self.major, self.minor, self.stepping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_survive_a_round_trip() {
        for version in [Version::V4, Version::V5, Version::V6] {
            for xnack in Feature::ALL {
                for sramecc in Feature::ALL {
                    let generic_version = if version == Version::V6 { 7 } else { 0 };
                    let flags = Flags {
                        mach: 0x2f,
                        xnack,
                        sramecc,
                        generic_version,
                    };
                    assert_eq!(Flags::decode(version, flags.encode(version)), flags);
                }
            }
        }
    }

    #[test]
    fn old_flags_mean_bits() {
        let flags = Flags::decode(Version::V3, 0x32f);
        assert_eq!(
            (flags.mach, flags.xnack, flags.sramecc),
            (0x2f, Feature::On, Feature::On)
        );
        let any = Flags {
            mach: 0x2f,
            xnack: Feature::Any,
            sramecc: Feature::Off,
            generic_version: 0,
        };
        assert_eq!(any.encode(Version::V3), 0x12f);
        assert_eq!(Flags::decode(Version::V2, 1).xnack, Feature::On);
        assert_eq!(Flags::decode(Version::V2, 1).mach, 0);
        assert_eq!(Flags::decode(Version::V2, 0x2a).mach, 0x2a);
    }

    #[test]
    fn processors_are_distinct_and_found_both_ways() {
        for (mach, name) in PROCESSORS {
            assert_eq!(processor_name(*mach), Some(*name));
            assert_eq!(processor_mach(name), Some(*mach));
        }
        assert_eq!(processor_name(0x4f), Some("gfx950"));
        assert_eq!(processor_name(0x5f), Some("gfx9-4-generic"));
        assert_eq!(
            IsaVersion {
                major: 9,
                minor: 0,
                stepping: 12
            }
            .processor_name(),
            "gfx90c"
        );
    }
}
