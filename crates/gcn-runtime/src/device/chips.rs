//! Properties of real chips as reported by their drivers.

use gcn_isa::Target;

/// GPU chip. Figures are those of the product in `product`.
///
/// # Examples
/// ```
/// use gcn_runtime::{Chip, Device};
/// let device = Device::new("gfx906")?;
/// let chip = Chip::of(device.target());
/// assert_eq!((chip.compute_units, chip.features), (60, &["sramecc+", "xnack-"][..]));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Chip {
    /// Target name.
    pub target: &'static str,
    /// Name of the chip, with a product in brackets.
    pub product: &'static str,
    /// PCI device ID.
    pub device: u32,
    /// Family number in the Linux driver.
    pub family: u32,
    /// Number of compute units.
    pub compute_units: u32,
    /// Number of shader engines.
    pub shader_engines: u32,
    /// Maximum compute unit clock, in MHz.
    pub max_mhz: u32,
    /// Memory clock, in MHz.
    pub memory_mhz: u32,
    /// Memory bus width, in bits.
    pub memory_width: u32,
    /// L2 cache size, in KiB.
    pub l2: u32,
    /// Default feature settings, which a target name may override.
    pub features: &'static [&'static str],
}

/// Sources: features from the processor table in LLVM's "User Guide for AMDGPU Backend", with the defaults reported by
/// `rocminfo` (errata E263); other columns from AMD's product pages, and from PCI device, family and topology tables in
/// the Linux driver (amdgpu, amdkfd).
#[rustfmt::skip]
const CHIPS: &[Chip] = &[
    //    target    product                               PCI  family CUs SEs MHz   memory     L2    features
    chip("gfx600", "Tahiti [Radeon HD 7970]",             0x6798, 110, 32, 2,  925, 1375,  384,  768, &[]),
    chip("gfx601", "Pitcairn [Radeon HD 7870]",           0x6818, 110, 20, 2, 1000, 1200,  256,  512, &[]),
    chip("gfx602", "Oland [Radeon R7 240]",               0x6613, 110,  5, 1,  780, 1150,  128,  256, &[]),
    chip("gfx700", "Kaveri [Radeon R7]",                  0x130f, 125,  8, 1,  720, 1066,  128,  512, &[]),
    chip("gfx701", "Hawaii [FirePro W9100]",              0x67a0, 120, 44, 4,  930, 1250,  512, 1024, &[]),
    chip("gfx702", "Hawaii [Radeon R9 290X]",             0x67b0, 120, 44, 4, 1000, 1250,  512, 1024, &[]),
    chip("gfx703", "Kabini [Radeon HD 8400]",             0x9830, 125,  2, 1,  400,  800,   64,  128, &[]),
    chip("gfx704", "Bonaire [Radeon HD 7790]",            0x665c, 120, 14, 2, 1000, 1500,  128,  256, &[]),
    chip("gfx705", "Mullins [Radeon R3]",                 0x9850, 125,  2, 1,  600,  667,   64,  128, &[]),
    chip("gfx801", "Carrizo [Radeon R7]",                 0x9874, 135,  8, 1,  800,  933,  128,  512, &["xnack-"]),
    chip("gfx802", "Tonga [Radeon R9 380]",               0x6938, 130, 28, 4,  970, 1425,  256,  768, &[]),
    chip("gfx803", "Fiji [Radeon R9 Nano]",               0x7300, 130, 64, 4, 1000,  500, 4096, 2048, &[]),
    chip("gfx805", "Tonga Pro [Radeon R9 285]",           0x6939, 130, 28, 4,  918, 1375,  256,  768, &[]),
    chip("gfx810", "Stoney [Radeon R5]",                  0x98e4, 135,  3, 1,  800,  933,   64,  128, &["xnack-"]),
    chip("gfx900", "Vega 10 [Radeon RX Vega 64]",         0x687f, 141, 64, 4, 1630,  945, 2048, 4096, &["xnack-"]),
    chip("gfx902", "Raven [Radeon Vega 11]",              0x15dd, 142, 11, 1, 1250, 1200,  128, 1024, &["xnack-"]),
    chip("gfx904", "Vega 12 [Radeon Pro Vega 20]",        0x69af, 141, 20, 2, 1283,  740, 1024, 2048, &["xnack-"]),
    chip("gfx906", "Vega 20 [Radeon Instinct MI50]",      0x66a1, 141, 60, 4, 1725, 1000, 4096, 8192, &["sramecc+", "xnack-"]),
    chip("gfx909", "Raven 2 [Radeon Vega 3]",             0x15d8, 142,  3, 1, 1100, 1200,  128,  512, &["xnack-"]),
    chip("gfx90c", "Renoir [Radeon Vega 8]",              0x1636, 142,  8, 1, 1750, 1600,  128, 1024, &["xnack-"]),
];

#[allow(clippy::too_many_arguments)]
const fn chip(
    target: &'static str,
    product: &'static str,
    device: u32,
    family: u32,
    compute_units: u32,
    shader_engines: u32,
    max_mhz: u32,
    memory_mhz: u32,
    memory_width: u32,
    l2: u32,
    features: &'static [&'static str],
) -> Chip {
    Chip {
        target,
        product,
        device,
        family,
        compute_units,
        shader_engines,
        max_mhz,
        memory_mhz,
        memory_width,
        l2,
        features,
    }
}

/// Suffix of an enabled feature.
const ON: char = '+';
/// Suffix of a disabled feature.
const OFF: char = '-';

/// APU families: Kaveri, Carrizo, Raven (`AMDGPU_FAMILY_KV`, `_CZ`, `_RV` in the Linux driver).
const APU_FAMILIES: [u32; 3] = [125, 135, 142];

impl Chip {
    /// True for an APU, which shares the processor's memory.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Chip, Device};
    /// let of = |name| Ok::<_, gcn_runtime::Error>(Chip::of(Device::new(name)?.target()));
    /// assert!(of("gfx90c")?.is_apu() && !of("gfx906")?.is_apu());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn is_apu(&self) -> bool {
        APU_FAMILIES.contains(&self.family)
    }

    /// Returns the chip's features and their settings. Settings in `named`, such as `xnack+`, override the defaults.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Chip, Device};
    /// let chip = Chip::of(Device::new("gfx906")?.target());
    /// assert!(chip.feature_settings(&["xnack+"]).eq([("sramecc", true), ("xnack", true)]));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn feature_settings(
        &self,
        named: &[impl AsRef<str>],
    ) -> impl Iterator<Item = (&'static str, bool)> {
        self.features.iter().map(move |own| {
            let name = own.trim_end_matches([ON, OFF]);
            let is_of = |other: &&str| other.trim_end_matches([ON, OFF]) == name;
            let setting = named.iter().map(AsRef::as_ref).find(is_of).unwrap_or(own);
            (name, setting.ends_with(ON))
        })
    }

    /// True if a device of this chip with the settings `named` runs code compiled for the settings `code`, such as
    /// `xnack-`. Like AMD's loader, rejects code for the opposite setting or for a feature that the chip lacks.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Chip, Device};
    /// let chip = Chip::of(Device::new("gfx906")?.target());
    /// assert!(chip.runs_features(&["xnack-"], ["xnack-"]));
    /// assert!(!chip.runs_features(&["xnack-"], ["xnack+"]));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn runs_features<'a>(
        &self,
        named: &[impl AsRef<str>],
        code: impl IntoIterator<Item = &'a str>,
    ) -> bool {
        let is_as_compiled = |feature: &str| {
            let mut settings = self.feature_settings(named);
            settings.any(|(name, is_on)| {
                feature.strip_suffix(if is_on { ON } else { OFF }) == Some(name)
            })
        };
        code.into_iter().all(is_as_compiled)
    }

    /// Returns the chip of a target.
    pub fn of(target: &Target) -> &'static Chip {
        let chip = CHIPS.iter().find(|chip| chip.target == target.name);
        chip.expect("a test looks each target up")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_chip() {
        for target in gcn_isa::TARGETS {
            assert_eq!(Chip::of(target).target, target.name);
        }
        assert_eq!(CHIPS.len(), gcn_isa::TARGETS.len());
    }

    /// Errata E263.
    #[test]
    fn error_correction_decides_over_loads_of_halves() {
        for target in gcn_isa::TARGETS {
            let features = Chip::of(target).features;
            assert_eq!(target.sramecc, features.contains(&"sramecc+"), "{target}");
            assert_eq!(
                target.sramecc,
                !target.isa.d16_load_keeps_half(),
                "{target}"
            );
        }
    }
}
