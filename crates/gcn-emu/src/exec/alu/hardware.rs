//! Hardware registers, accessed by S_GETREG and S_SETREG.

use gcn_isa::Isa;
use gcn_isa::simm::Hwreg;

use super::scalar_operand::{read, write};
use crate::step::Step;
use crate::wave::Wave;

// Hardware register numbers.
const MODE: u8 = 1;
const STATUS: u8 = 2;
const TRAPSTS: u8 = 3;
const HW_ID: u8 = 4;
const GPR_ALLOC: u8 = 5;
const LDS_ALLOC: u8 = 6;
/// Register with the wait counters.
pub(crate) const IB_STS: u8 = 7;
const SH_MEM_BASES: u8 = 15;

// Bits of STATUS.
const STATUS_SCC: u32 = 0;
const STATUS_USER_PRIORITY: u32 = 3;
const STATUS_EXECZ: u32 = 9;
const STATUS_VCCZ: u32 = 10;
const STATUS_IN_GROUP: u32 = 11;
const STATUS_VALID: u32 = 16;

/// Number of SIMD units per compute unit. Waves are assigned to them in turn.
const SIMD_UNITS: u32 = 4;

// Positions and masks of fields, and units of the size fields (errata E207).
const HW_ID_SIMD: u32 = 4;
const HW_ID_WAVE: u32 = 0xf;
const GPR_ALLOC_VGPRS: u32 = 8;
const GPR_ALLOC_SGPRS: u32 = 24;
const VGPRS_TOGETHER: u32 = 4;
const LDS_ALLOC_SIZE: u32 = 12;
/// Unit of LDS_ALLOC in bytes: 64 dwords on every generation, although GCN 1.1 and later allocate LDS in larger units.
const LDS_TOGETHER: u32 = 256;
const IB_STS_EXP: u32 = 4;
const IB_STS_LGKM: u32 = 8;
const IB_STS_VM_HIGH: u32 = 22;
const VM_LOW: u32 = 0xf;

/// Encodes an allocation size as hardware registers do: the number of units that hold `count`, minus one.
fn units_but_one(count: u32, unit: u32) -> u32 {
    count.div_ceil(unit).saturating_sub(1)
}

impl Wave {
    /// Reads a hardware register by its number in S_GETREG. State that is not emulated (trap handler, location of the
    /// compute unit on the chip) reads as 0.
    pub fn hardware_register(&self, id: u8) -> u32 {
        match id {
            MODE => self.mode,
            STATUS => {
                u32::from(self.scc) << STATUS_SCC
                    | u32::from(self.exec() == 0) << STATUS_EXECZ
                    | u32::from(self.vcc() == 0) << STATUS_VCCZ
                    | u32::from(self.priority) << STATUS_USER_PRIORITY
                    | u32::from(self.group.waves > 1) << STATUS_IN_GROUP
                    | 1 << STATUS_VALID
            }
            TRAPSTS => self.trapsts,
            HW_ID => {
                (self.id.wave / SIMD_UNITS) & HW_ID_WAVE | (self.id.wave % SIMD_UNITS) << HW_ID_SIMD
            }
            GPR_ALLOC => {
                let sgprs_together = if self.isa < Isa::Vi { 8 } else { 16 };
                let vgprs = units_but_one(self.vgprs.len() as u32, VGPRS_TOGETHER);
                let sgprs = units_but_one(self.sgpr_count.into(), sgprs_together);
                vgprs << GPR_ALLOC_VGPRS | sgprs << GPR_ALLOC_SGPRS
            }
            LDS_ALLOC => (self.group.lds_bytes / LDS_TOGETHER) << LDS_ALLOC_SIZE,
            IB_STS => {
                let counters = self.scoreboard.counters();
                let vm = u32::from(counters.vm);
                vm & VM_LOW
                    | u32::from(counters.exp) << IB_STS_EXP
                    | u32::from(counters.lgkm) << IB_STS_LGKM
                    | vm >> 4 << IB_STS_VM_HIGH
            }
            // Upper 16 bits of the aperture bases: private in the low half, shared in the high half (errata E088).
            SH_MEM_BASES => self.apertures.private >> 16 | self.apertures.shared & 0xffff_0000,
            _ => 0,
        }
    }
}

/// Executes S_GETREG.
pub(super) fn get_register(w: &mut Wave, s: &Step) {
    let reg = Hwreg::unpack(s.immediate() as u16);
    let mask = ((1u64 << reg.width) - 1) as u32;
    let value = w.hardware_register(reg.id) >> reg.offset & mask;
    write(w, s.args[0], value);
}

/// Executes S_SETREG. Kernels can write only MODE and TRAPSTS; other registers are unchanged.
pub(super) fn set_register(w: &mut Wave, s: &Step) {
    let reg = Hwreg::unpack(s.immediate() as u16);
    let value: u32 = read(w, s.args[1]);
    let mask = (((1u64 << reg.width) - 1) << reg.offset) as u32;
    let put = |old: u32| old & !mask | value << reg.offset & mask;
    match reg.id {
        MODE => w.mode = put(w.mode),
        TRAPSTS => w.trapsts = put(w.trapsts),
        _ => {}
    }
}
