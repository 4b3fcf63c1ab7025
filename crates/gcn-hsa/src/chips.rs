//! Properties of the real chips, as their drivers report them.

use gcn_isa::Target;

/// A chip. Numbers are those of the product in `product`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chip {
    target: &'static str,
    /// Name of the chip and of a product with it.
    pub(crate) product: &'static str,
    /// PCI device.
    pub(crate) device: u32,
    /// Number of the family in the driver.
    pub(crate) family: u32,
    pub(crate) compute_units: u32,
    pub(crate) shader_engines: u32,
    pub(crate) max_mhz: u32,
    pub(crate) memory_mhz: u32,
    /// Bits.
    pub(crate) memory_width: u32,
    /// KiB.
    pub(crate) l2: u32,
    /// Features that a target may name, which are off unless it does.
    pub(crate) features: &'static [&'static str],
}

/// Sources: features are those of the table of processors in LLVM's "User Guide for AMDGPU Backend"; the other columns are in
/// AMD's product pages and in the tables of PCI devices, families and topology of the Linux driver (amdgpu, amdkfd).
#[rustfmt::skip]
const CHIPS: &[Chip] = &[
    //    target    product                               PCI  family CUs SEs MHz   memory     L2    features
    chip("gfx701", "Hawaii [FirePro W9100]",              0x67a0, 120, 44, 4,  930, 1250,  512, 1024, &[]),
    chip("gfx801", "Carrizo [Radeon R7]",                 0x9874, 135,  8, 1,  800,  933,  128,  512, &["xnack"]),
    chip("gfx802", "Tonga [Radeon R9 380]",               0x6938, 130, 28, 4,  970, 1425,  256,  768, &[]),
    chip("gfx803", "Fiji [Radeon R9 Nano]",               0x7300, 130, 64, 4, 1000,  500, 4096, 2048, &[]),
    chip("gfx900", "Vega 10 [Radeon RX Vega 64]",         0x687f, 141, 64, 4, 1630,  945, 2048, 4096, &["xnack"]),
    chip("gfx902", "Raven [Radeon Vega 11]",              0x15dd, 142, 11, 1, 1250, 1200,  128, 1024, &["xnack"]),
    chip("gfx904", "Vega 12 [Radeon Pro Vega 20]",        0x69af, 141, 20, 2, 1283,  740, 1024, 2048, &["xnack"]),
    chip("gfx906", "Vega 20 [Radeon Instinct MI50]",      0x66a1, 141, 60, 4, 1725, 1000, 4096, 8192, &["sramecc", "xnack"]),
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

impl Chip {
    /// The chip of a target.
    pub(crate) fn of(target: &Target) -> Option<&'static Chip> {
        CHIPS.iter().find(|chip| chip.target == target.name)
    }

    /// The targets that have one.
    pub(crate) fn targets() -> impl Iterator<Item = &'static str> {
        CHIPS.iter().map(|chip| chip.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_has_a_target() {
        for name in Chip::targets() {
            let target = Target::named(name).expect(name);
            assert_eq!(Chip::of(target).map(|chip| chip.target), Some(name));
        }
    }
}
