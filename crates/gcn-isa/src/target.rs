//! Instruction sets, sets of instruction sets, and targets, looked up by LLVM's name, chip or generation.

use std::fmt;

macro_rules! instruction_sets {
    ($($(#[$doc:meta])* $Isa:ident,)*) => {
        /// Instruction set: determines which instructions exist, and their opcodes and fields. Ordered by age.
        ///
        /// Chips share an instruction set if they have the same instructions in the same encodings.
        ///
        /// # Examples
        /// ```
        /// use gcn_isa::Isa;
        /// assert!(Isa::Vi < Isa::Gfx9, "older sets compare less");
        /// assert_eq!((Isa::Vi.version(), Isa::Vega20.version()), ("GCN 1.2", "GCN 1.4.1"));
        /// assert_eq!((Isa::ALL.first(), Isa::ALL.last()), (Some(&Isa::Si), Some(&Isa::Vega20)));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Isa { $($(#[$doc])* $Isa,)* }

        impl Isa {
            /// Every instruction set, oldest first.
            pub const ALL: [Isa; [$(Isa::$Isa),*].len()] = [$(Isa::$Isa),*];
        }
    };
}

instruction_sets! {
    /// GCN 1.0, Southern Islands, gfx6.
    Si,
    /// GCN 1.1, Sea Islands, gfx7.
    Ci,
    /// GCN 1.2, Volcanic Islands, gfx8 except gfx810.
    Vi,
    /// GCN 1.2 on Stoney (gfx810): packs two 16-bit buffer or image components into a register, as on GCN 1.4.
    Stoney,
    /// GCN 1.4, Vega: gfx900, gfx902, gfx909 and gfx90c.
    Gfx9,
    /// GCN 1.4 on Vega 12 (gfx904): V_FMA_MIX instructions instead of V_MAD_MIX.
    Vega12,
    /// GCN 1.4.1, Vega 20 (gfx906): Vega 12's instructions, dot products, V_FMAC_F32 and V_XNOR_B32.
    Vega20,
}

impl Isa {
    /// Opcode numbering that this instruction set uses.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, Numbering};
    /// let counts = Isa::ALL.map(Isa::numbering);
    /// assert_eq!(counts.iter().filter(|it| **it == Numbering::SiCi).count(), 2);
    /// assert_eq!((Isa::Si.sgprs(), Isa::Vi.sgprs()), (104, 102));
    /// ```
    pub const fn numbering(self) -> Numbering {
        match self {
            Isa::Si | Isa::Ci => Numbering::SiCi,
            Isa::Vi | Isa::Stoney | Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => Numbering::Vi9,
        }
    }

    /// GCN version as CLRX numbers it, for example `GCN 1.2`.
    pub const fn version(self) -> &'static str {
        match self {
            Isa::Si => "GCN 1.0",
            Isa::Ci => "GCN 1.1",
            Isa::Vi | Isa::Stoney => "GCN 1.2",
            Isa::Gfx9 | Isa::Vega12 => "GCN 1.4",
            Isa::Vega20 => "GCN 1.4.1",
        }
    }

    /// Version without `GCN`, for example `1.2`.
    fn version_number(self) -> &'static str {
        let version = self.version();
        version.strip_prefix("GCN ").unwrap_or(version)
    }

    /// Number of addressable SGPRs of a wave: 104 before GCN 1.2, 102 on GCN 1.2 and later.
    #[inline]
    pub const fn sgprs(self) -> u8 {
        match self.numbering() {
            Numbering::SiCi => 104,
            Numbering::Vi9 => 102,
        }
    }

    /// True if a D16 load preserves the other half of its register. A chip with SRAM ECC (gfx906) writes whole registers,
    /// so the load clears that half (errata E263; LLVM's `d16PreservesUnusedBits`).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// assert!(Isa::Gfx9.d16_load_keeps_half() && !Isa::Vega20.d16_load_keeps_half());
    /// ```
    pub const fn d16_load_keeps_half(self) -> bool {
        match self {
            Isa::Si | Isa::Ci | Isa::Vi | Isa::Stoney | Isa::Gfx9 | Isa::Vega12 => true,
            Isa::Vega20 => false,
        }
    }

    /// Set that contains only this instruction set.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// let set = Isa::Ci.only().or(Isa::Gfx9.only());
    /// assert!(set.iter().eq([Isa::Ci, Isa::Gfx9]));
    /// ```
    pub const fn only(self) -> IsaSet {
        IsaSet(1 << self as u8)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.version())
    }
}

/// Opcode numbering: SI and CI share one, VI and GFX9 the other. A row has at most one opcode for each.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Numbering, Op, vop::Vop2};
/// let add = Op::Vop2(Vop2::V_ADD_F32).row();
/// assert_eq!(add.opcode[Numbering::SiCi as usize], Some(3));
/// assert_eq!(add.opcode[Numbering::Vi9 as usize], Some(1));
/// assert_eq!(add.opcode_on(Isa::Gfx9), Some(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Numbering {
    /// GCN 1.0 and 1.1.
    SiCi,
    /// GCN 1.2 and 1.4.
    Vi9,
}

/// Number of opcode numberings.
pub const NUMBERINGS: usize = 2;

/// Set of instruction sets, for example those that have a given instruction.
///
/// ```
/// use gcn_isa::{Isa, IsaSet};
/// let middle = IsaSet::from(Isa::Ci).without(IsaSet::from(Isa::Gfx9));
/// assert_eq!(middle.to_string(), "GCN 1.1, 1.2");
/// assert!(middle.has(Isa::Stoney));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct IsaSet(u16);

impl IsaSet {
    /// The empty set.
    pub const NONE: IsaSet = IsaSet(0);

    /// Set of `isa` and all later instruction sets.
    pub const fn from(isa: Isa) -> IsaSet {
        IsaSet(u16::MAX << isa as u8)
    }

    /// Union of two sets.
    pub const fn or(self, other: IsaSet) -> IsaSet {
        IsaSet(self.0 | other.0)
    }

    /// Difference: members of `self` that are not in `other`.
    pub const fn without(self, other: IsaSet) -> IsaSet {
        IsaSet(self.0 & !other.0)
    }

    /// True if `isa` is a member.
    pub const fn has(self, isa: Isa) -> bool {
        self.0 & (1 << isa as u8) != 0
    }

    /// Iterates over the members, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(move |&isa| self.has(isa))
    }
}

/// Writes the set as in error messages: `GCN 1.1, 1.2`, `GCN 1.4 only`.
impl fmt::Display for IsaSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut versions: Vec<&str> = self.iter().map(Isa::version_number).collect();
        versions.dedup();
        write!(f, "GCN {}", versions.join(", "))?;
        if versions.len() == 1 {
            f.write_str(" only")
        } else {
            Ok(())
        }
    }
}

/// Sets for the "on" column of the rows.
pub(crate) mod on {
    use super::{Isa, IsaSet};
    pub const SI: IsaSet = IsaSet::from(Isa::Si);
    pub const CI: IsaSet = IsaSet::from(Isa::Ci);
    pub const VI: IsaSet = IsaSet::from(Isa::Vi);
    /// Instruction sets that pack two 16-bit buffer or image components into a register.
    pub const PACKED: IsaSet = IsaSet::from(Isa::Stoney);
    pub const GFX9: IsaSet = IsaSet::from(Isa::Gfx9);
    pub const VEGA12: IsaSet = IsaSet::from(Isa::Vega12);
    pub const VEGA20: IsaSet = IsaSet::from(Isa::Vega20);
    pub const SI_CI: IsaSet = SI.without(VI);
    pub const SI_CI_VI: IsaSet = SI.without(GFX9);
    pub const SI_ONLY: IsaSet = SI.without(CI);
    pub const CI_ONLY: IsaSet = CI.without(VI);
    pub const CI_VI: IsaSet = CI.without(GFX9);
    pub const VI_ONLY: IsaSet = VI.without(GFX9);
    /// GCN 1.2 with a whole register for each 16-bit component: all chips except Stoney (gfx810).
    pub const SPREAD: IsaSet = VI.without(PACKED);
    /// GCN 1.4 without gfx904; gfx906 is GCN 1.4.1.
    pub const VEGA10: IsaSet = GFX9.without(VEGA12);
}

/// GPU that code is assembled, decoded or run for.
///
/// # Examples
/// ```
/// use gcn_isa::Target;
/// let target = Target::named("gfx906").expect("a target");
/// assert_eq!((target.chips, target.elf_mach), (&["vega20"][..], 0x2f));
/// assert!(target.xnack && target.sramecc);
/// assert_eq!(target.to_string(), "gfx906 (GCN 1.4.1)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// LLVM's name, for example `gfx900`.
    pub name: &'static str,
    /// Names of chips with this target, which [`Target::named`] accepts.
    pub chips: &'static [&'static str],
    /// Instruction set.
    pub isa: Isa,
    /// `EF_AMDGPU_MACH` of its code objects (LLVM's AMDGPU user guide, "ELF Header").
    pub elf_mach: u8,
    /// True if XNACK replay can be enabled or disabled.
    pub xnack: bool,
    /// True if SRAM ECC can be enabled or disabled.
    pub sramecc: bool,
}

const fn target(
    name: &'static str,
    elf_mach: u8,
    isa: Isa,
    xnack: bool,
    sramecc: bool,
    chips: &'static [&'static str],
) -> Target {
    Target {
        name,
        chips,
        isa,
        elf_mach,
        xnack,
        sramecc,
    }
}

/// All supported targets.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, TARGETS};
/// let replaying = TARGETS.iter().filter(|target| target.xnack && target.isa < Isa::Gfx9);
/// assert!(replaying.map(|target| target.name).eq(["gfx801", "gfx810"]));
/// ```
#[rustfmt::skip]
pub const TARGETS: &[Target] = &[
    //     name      mach  isa          xnack  sramecc  also called
    target("gfx600", 0x20, Isa::Si,     false, false, &["tahiti"]),
    target("gfx601", 0x21, Isa::Si,     false, false, &["pitcairn", "verde"]),
    target("gfx602", 0x3a, Isa::Si,     false, false, &["hainan", "oland"]),
    target("gfx700", 0x22, Isa::Ci,     false, false, &["kaveri"]),
    target("gfx701", 0x23, Isa::Ci,     false, false, &["hawaii"]),
    target("gfx702", 0x24, Isa::Ci,     false, false, &[]),
    target("gfx703", 0x25, Isa::Ci,     false, false, &["kabini", "mullins"]),
    target("gfx704", 0x26, Isa::Ci,     false, false, &["bonaire"]),
    target("gfx705", 0x3b, Isa::Ci,     false, false, &[]),
    target("gfx801", 0x28, Isa::Vi,     true,  false, &["carrizo"]),
    target("gfx802", 0x29, Isa::Vi,     false, false, &["iceland", "tonga"]),
    target("gfx803", 0x2a, Isa::Vi,     false, false, &["fiji", "polaris10", "polaris11"]),
    target("gfx805", 0x3c, Isa::Vi,     false, false, &["tongapro"]),
    target("gfx810", 0x2b, Isa::Stoney, true,  false, &["stoney"]),
    target("gfx900", 0x2c, Isa::Gfx9,   true,  false, &["vega10"]),
    target("gfx902", 0x2d, Isa::Gfx9,   true,  false, &["raven"]),
    target("gfx904", 0x2e, Isa::Vega12, true,  false, &["vega12"]),
    target("gfx906", 0x2f, Isa::Vega20, true,  true,  &["vega20"]),
    target("gfx909", 0x31, Isa::Gfx9,   true,  false, &["raven2"]),
    target("gfx90c", 0x32, Isa::Gfx9,   true,  false, &["renoir"]),
];

/// Error for an unknown target name.
///
/// # Examples
/// ```
/// use gcn_isa::{Target, UnknownTarget};
/// assert_eq!(Target::named("gfx90a"), None);
/// let reason = UnknownTarget("gfx90a").to_string();
/// assert_eq!(reason, "`gfx90a` is CDNA: CDNA and RDNA are not supported, only GCN, gfx600 to gfx906, gfx909 and gfx90c");
/// assert!(UnknownTarget("vega11").to_string().starts_with("`vega11` is not a target"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownTarget<'a>(pub &'a str);

impl UnknownTarget<'_> {
    /// Newer AMD architecture that the target name belongs to, `CDNA` or `RDNA`, if known.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(gcn_isa::UnknownTarget("gfx1030").architecture(), Some("RDNA"));
    /// assert_eq!(gcn_isa::UnknownTarget("gfx777").architecture(), None);
    /// ```
    pub fn architecture(&self) -> Option<&'static str> {
        const CDNA: [&str; 5] = ["gfx908", "gfx90a", "gfx94", "gfx95", "gfx9-4"];
        const RDNA: [&str; 3] = ["gfx10", "gfx11", "gfx12"];
        let is_of = |begins: &[&str]| begins.iter().any(|begin| self.0.starts_with(begin));
        let rdna = is_of(&RDNA).then_some("RDNA");
        is_of(&CDNA).then_some("CDNA").or(rdna)
    }
}

impl fmt::Display for UnknownTarget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.escape_debug();
        match self.architecture() {
            Some(it) => write!(
                f,
                "`{name}` is {it}: CDNA and RDNA are not supported, only GCN"
            )?,
            None => write!(f, "`{name}` is not a target; those of GCN are")?,
        }
        let comma = if self.architecture().is_some() {
            ","
        } else {
            ""
        };
        write!(f, "{comma} gfx600 to gfx906, gfx909 and gfx90c")
    }
}

/// Target names used by AMD's OpenCL compiler and by LLVM up to version 5, with their replacements ("Target Names" in
/// the "User Guide for AMDGPU Back-end" of LLVM 4 and 5).
const EARLIER: &[(&str, &str)] = &[
    ("gfx800", "gfx802"),
    ("gfx804", "gfx803"),
    ("gfx901", "gfx900"),
    ("gfx903", "gfx902"),
];

/// Generation names, each with the target that it denotes.
const GENERATIONS: &[(&str, &str)] = &[
    ("gcn1.0", "gfx600"),
    ("gcn1.1", "gfx700"),
    ("gcn1.2", "gfx803"),
    ("gcn1.4", "gfx900"),
    ("gcn1.4.1", "gfx906"),
];

impl Target {
    /// Target by name: LLVM's (`gfx803`), a chip's (`fiji`) or a generation's (`gcn1.2`), case-insensitive; LLVM's
    /// target features (`gfx906:sramecc+:xnack-`) may follow and are ignored. Obsolete names (`gfx804`) denote the
    /// target that replaces them.
    ///
    /// ```
    /// use gcn_isa::{Isa, Target};
    /// let fiji = Target::named("Fiji").unwrap();
    /// assert_eq!((fiji.name, fiji.isa, fiji.version()), ("gfx803", Isa::Vi, (8, 0, 3)));
    /// ```
    pub fn named(name: &str) -> Option<&'static Target> {
        let name = name.split(':').next()?.to_ascii_lowercase();
        let mut others = GENERATIONS.iter().chain(EARLIER);
        let name = others
            .find(|(short, _)| *short == name)
            .map_or(name.as_str(), |(_, full)| full);
        TARGETS
            .iter()
            .find(|t| t.name == name || t.chips.contains(&name))
    }

    /// Target by `EF_AMDGPU_MACH` in an ELF header.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Target;
    /// assert_eq!(Target::from_elf_mach(0x2c).map(|target| target.name), Some("gfx900"));
    /// assert_eq!(Target::from_elf_mach(0x36), None, "gfx1030 is not GCN");
    /// ```
    pub fn from_elf_mach(mach: u8) -> Option<&'static Target> {
        TARGETS.iter().find(|t| t.elf_mach == mach)
    }

    /// Target by version triple: (9, 0, 0xc) is gfx90c.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Target;
    /// let renoir = Target::from_version(9, 0, 12).expect("a target");
    /// assert_eq!((renoir.name, renoir.version()), ("gfx90c", (9, 0, 12)));
    /// ```
    pub fn from_version(major: u32, minor: u32, stepping: u32) -> Option<&'static Target> {
        Self::named(&format!("gfx{major}{minor}{stepping:x}"))
    }

    /// Version triple of the target: gfx90c is (9, 0, 12).
    pub fn version(&self) -> (u32, u32, u32) {
        // The last two digits are minor version and stepping; the preceding digits are the major version in decimal.
        let mut digits = self.name.chars().rev().map_while(|c| c.to_digit(16));
        let (stepping, minor) = (digits.next().unwrap_or(0), digits.next().unwrap_or(0));
        let major = (0u32..).zip(digits).fold(0, |major, (place, digit)| {
            major + digit * 10u32.saturating_pow(place)
        });
        (major, minor, stepping)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.isa)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_earlier_compilers_find_what_has_taken_their_place() {
        for (earlier, today) in EARLIER {
            let target = Target::named(earlier).expect("it is known");
            assert_eq!(target.name, *today);
            assert!(TARGETS.iter().all(|other| other.name != *earlier));
        }
        assert_eq!(Target::from_version(8, 0, 4), Target::named("gfx803"));
    }

    #[test]
    fn every_name_finds_its_target() {
        for target in TARGETS {
            assert_eq!(Target::named(target.name), Some(target));
            assert_eq!(Target::from_elf_mach(target.elf_mach), Some(target));
            let (major, minor, stepping) = target.version();
            assert_eq!(Target::from_version(major, minor, stepping), Some(target));
            for chip in target.chips {
                assert_eq!(Target::named(&chip.to_uppercase()), Some(target));
            }
        }
        assert_eq!(Target::named("gcn1.4.1").map(|t| t.name), Some("gfx906"));
        assert_eq!(
            Target::named("gfx906:sramecc+:xnack-").map(|t| t.name),
            Some("gfx906")
        );
        assert_eq!(Target::named("gfx1030"), None);
    }

    #[test]
    fn sets_read_like_a_message() {
        assert_eq!(on::GFX9.to_string(), "GCN 1.4, 1.4.1");
        assert_eq!(on::VI_ONLY.to_string(), "GCN 1.2 only");
        assert_eq!(on::SI_CI.to_string(), "GCN 1.0, 1.1");
    }
}
