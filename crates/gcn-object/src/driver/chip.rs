//! Identifies chips by their numbers in Catalyst's programs.

/// Chip that Catalyst compiles for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverChip {
    /// AMD's chip name.
    pub name: &'static str,
    /// LLVM's processor name.
    pub processor: &'static str,
    /// Machine type (`e_machine`) of OpenCL 1.2 programs.
    machine: u16,
    /// Chip number in a kernel's table of encodings.
    encoding: u32,
    /// `e_flags` of OpenCL 2.0 programs; zero if OpenCL 2.0 does not support the chip.
    flags: u32,
}

const fn chip(
    machine: u16,
    encoding: u32,
    flags: u32,
    name: &'static str,
    processor: &'static str,
) -> DriverChip {
    DriverChip {
        name,
        processor,
        machine,
        encoding,
        flags,
    }
}

const CHIPS: &[DriverChip] = &[
    chip(0x3fd, 0x1a, 0, "Tahiti", "gfx600"),
    chip(0x3fe, 0x1b, 0, "Pitcairn", "gfx601"),
    chip(0x3ff, 0x1c, 0, "Cape Verde", "gfx601"),
    chip(0x402, 0x20, 0, "Oland", "gfx602"),
    chip(0x403, 0x21, 6, "Bonaire", "gfx704"),
    chip(0x404, 0x22, 1, "Spectre", "gfx700"),
    chip(0x405, 0x23, 2, "Spooky", "gfx700"),
    chip(0x406, 0x24, 3, "Kalindi", "gfx703"),
    chip(0x407, 0x25, 0, "Hainan", "gfx602"),
    chip(0x408, 0x27, 7, "Hawaii", "gfx701"),
    chip(0x409, 0x29, 8, "Iceland", "gfx802"),
    chip(0x40a, 0x2a, 9, "Tonga", "gfx802"),
    chip(0x40b, 0x2b, 4, "Mullins", "gfx703"),
    chip(0x40c, 0x2d, 16, "Fiji", "gfx803"),
    chip(0x40d, 0x2e, 15, "Carrizo", "gfx801"),
    chip(0x40e, 0x2f, 0, "Ellesmere", "gfx803"),
    chip(0x40f, 0x2c, 0, "Baffin", "gfx803"),
    chip(0x412, 0x32, 0, "gfx804", "gfx803"),
];

impl DriverChip {
    /// Returns the chip with a given `e_machine`.
    pub(super) fn of_machine(machine: u16) -> Option<&'static Self> {
        CHIPS.iter().find(|chip| chip.machine == machine)
    }

    /// Returns the chip with the given `e_flags` in OpenCL 2.0 programs from before driver 1912.05. Later drivers use
    /// different numbers.
    pub(super) fn of_flags(flags: u32) -> Option<&'static Self> {
        let mut chips = CHIPS.iter().filter(|chip| chip.flags != 0);
        chips.find(|chip| chip.flags == flags)
    }

    /// Returns true if `encoding` is this chip's number in a table of encodings.
    pub(super) fn has_encoding(&self, encoding: u32) -> bool {
        self.encoding == encoding
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::processor_mach;

    #[test]
    fn numbers_are_distinct_and_processors_exist() {
        for (index, chip) in CHIPS.iter().enumerate() {
            assert!(processor_mach(chip.processor).is_some(), "{}", chip.name);
            assert_eq!(DriverChip::of_machine(chip.machine), Some(chip));
            assert!(chip.flags == 0 || DriverChip::of_flags(chip.flags) == Some(chip));
            let others = || CHIPS.iter().take(index);
            assert!(others().all(|other| !other.has_encoding(chip.encoding)));
        }
    }
}
