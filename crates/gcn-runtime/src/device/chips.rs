//! Properties of the real chips, as their drivers report them.

use gcn_isa::Target;

/// A chip. Numbers are those of the product in `product`.
///
/// # Examples
/// ```
/// use gcn_runtime::{Chip, Device};
/// let device = Device::new("gfx906")?;
/// let chip = Chip::of(device.target()).expect("a driver has it");
/// assert_eq!((chip.compute_units, chip.features), (60, &["sramecc", "xnack"][..]));
/// assert!(Chip::targets().any(|name| name == "gfx803") && Chip::targets().all(|name| name != "gfx600"));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Chip {
    /// Name of the target.
    pub target: &'static str,
    /// Name of the chip and of a product with it.
    pub product: &'static str,
    /// PCI device.
    pub device: u32,
    /// Number of the family in the driver.
    pub family: u32,
    /// Compute units.
    pub compute_units: u32,
    /// Shader engines.
    pub shader_engines: u32,
    /// Highest clock of the compute units, in MHz.
    pub max_mhz: u32,
    /// Clock of the memory, in MHz.
    pub memory_mhz: u32,
    /// Width of the memory's bus, in bits.
    pub memory_width: u32,
    /// L2 cache, in KiB.
    pub l2: u32,
    /// Features that a target may name, which are off unless it does.
    pub features: &'static [&'static str],
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
    /// The chip of a target; `None` if AMD's drivers for computing have none.
    pub fn of(target: &Target) -> Option<&'static Chip> {
        CHIPS.iter().find(|chip| chip.target == target.name)
    }

    /// Names of the targets that have one.
    pub fn targets() -> impl Iterator<Item = &'static str> {
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
