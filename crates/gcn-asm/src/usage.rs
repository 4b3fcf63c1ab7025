//! Register usage of code, for kernels that do not declare it.
//!
//! Encoded words are decoded again, so no usage information is stored with instructions.

use gcn_isa::uses::{Registers, UseOrigin};
use gcn_isa::{Inst, Isa, decode, regs};

/// Maximum instruction length in dwords.
const LONGEST: usize = 2;

/// Registers used by a range of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RegisterUsage {
    /// Number of VGPRs: the highest one used, plus one.
    pub vgprs: u32,
    /// Number of numbered SGPRs: the highest one used, plus one.
    pub sgprs: u32,
    pub vcc: bool,
    pub flat_scratch: bool,
    /// True if the code calls functions or jumps to addresses in registers; registers used there are not counted.
    pub leaves: bool,
    /// True if the code indexes registers at run time, and so may use more than are counted.
    pub indexes: bool,
}

impl RegisterUsage {
    /// Computes the register usage of code; words that are not instructions use no registers.
    pub(crate) fn of(isa: Isa, code: &[u8]) -> RegisterUsage {
        let (bytes, _) = code.as_chunks::<4>();
        let words: Vec<u32> = bytes.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let mut usage = RegisterUsage::default();
        let mut rest = &words[..];
        while !rest.is_empty() {
            let window = rest.get(..LONGEST).unwrap_or(rest);
            let length = match decode(isa, window) {
                Ok(inst) => {
                    usage.add(&inst);
                    inst.dwords()
                }
                Err(_) => 1,
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        usage
    }

    fn add(&mut self, inst: &Inst) {
        let uses = inst.uses();
        for it in uses.registers() {
            match (it.registers, it.source) {
                (Registers::Vector { first, count }, _) => {
                    self.vgprs = self.vgprs.max(u32::from(first) + u32::from(count));
                }
                (Registers::Scalar { first, count }, UseOrigin::Operand(_)) => {
                    self.scalar(inst.isa, first, count);
                }
                // As in LLVM, FLAT_SCRATCH counts as used by code that names it, not by FLAT instructions.
                (Registers::Scalar { first, .. }, _) => self.vcc |= first == regs::VCC_LO,
                (Registers::State(_), _) => {}
            }
        }
        self.leaves |= uses.calls();
        self.indexes |= uses.indexes_registers();
    }

    fn scalar(&mut self, isa: Isa, code: u8, count: u8) {
        let is_in = |name: &str| {
            let named = regs::named(isa, name);
            named.is_some_and(|(first, length)| (first..first + length).contains(&code))
        };
        if is_in("vcc") {
            self.vcc = true;
        } else if is_in("flat_scratch") {
            self.flat_scratch = true;
        } else if code < isa.sgprs() {
            self.sgprs = self.sgprs.max(u32::from(code) + u32::from(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Source, assemble};
    use gcn_isa::Target;

    fn usage(target: &str, text: &str) -> RegisterUsage {
        let target = Target::named(target).expect("it is a target");
        let source = Source { name: "test", text };
        let assembly = assemble(&source, &Options::new(target));
        assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
        RegisterUsage::of(target.isa, &assembly.program.to_raw())
    }

    #[test]
    fn operands_are_counted_with_their_widths() {
        let text = "s_load_dwordx4 s[8:11], s[4:5], 0x0\nv_mov_b32 v3, s20\n\
            global_load_dwordx4 v[4:7], v[1:2], off\ns_endpgm";
        let expected = RegisterUsage {
            vgprs: 8,
            sgprs: 21,
            ..RegisterUsage::default()
        };
        assert_eq!(usage("gfx900", text), expected);
    }

    #[test]
    fn special_registers_are_no_numbered_ones() {
        let used = usage(
            "gfx700",
            "s_mov_b32 flat_scratch_lo, s1\nv_cmp_eq_u32 vcc, v0, v1",
        );
        assert_eq!((used.sgprs, used.vgprs), (2, 2));
        assert!(used.flat_scratch && used.vcc && !used.leaves && !used.indexes);
        // VCC as an implicit source, and a branch that tests it.
        assert!(usage("gfx900", "v_addc_co_u32_e32 v0, vcc, v0, v1, vcc").vcc);
        assert!(usage("gfx900", "s_cbranch_vccz 0").vcc);
        assert!(!usage("gfx900", "s_cbranch_scc0 0").vcc);
    }

    #[test]
    fn calls_and_indices_are_seen() {
        assert!(usage("gfx900", "s_swappc_b64 s[30:31], s[4:5]").leaves);
        assert!(usage("gfx900", "s_call_b64 s[30:31], 0").leaves);
        assert!(!usage("gfx900", "s_branch 0").leaves);
        assert!(usage("gfx803", "v_movrels_b32 v0, v1").indexes);
        assert!(usage("gfx900", "s_set_gpr_idx_on s0, gpr_idx(SRC0)").indexes);
    }
}
