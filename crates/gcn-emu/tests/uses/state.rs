//! State that an instruction can read or change, and a machine that executes an instruction in it.

use gcn_emu::device::Apertures;
use gcn_emu::wave::{LANES, Lanes, Waiting};
use gcn_isa::uses::{self, Space};
use gcn_isa::{Encoding, Field, Inst, Isa, Kind, Operand, regs};

use super::SPACES;
use super::images;
use super::sample::{VGPRS, Values};
use super::stage::{BASE, Noise, SCALARS, Sizes, Stage};

pub const SGPRS: u8 = 100;
pub const LDS_BYTES: u32 = 2048;
const GDS_BYTES: u32 = 1024;
const BUFFER_BYTES: u64 = 2048;
/// Bytes of scratch per lane.
const SCRATCH: u32 = 64;
/// MODE bits that affect all vector instructions: skipping and VGPR indexing.
pub const KINDS: u32 = 1 << 28 | 1 << 27;
/// Mask of S_SETPRIO's bits.
pub const PRIORITY: u8 = 3;

/// Registers, memory, and location of the code.
#[derive(Clone, PartialEq)]
pub struct State {
    pub vgprs: Vec<Lanes>,
    pub scalars: [u32; SCALARS],
    pub scc: bool,
    pub mode: u32,
    pub trapsts: u32,
    pub priority: u8,
    pub apertures: Apertures,
    /// Address of the instruction before it is executed, and of the next one after.
    pub pc: u64,
    /// Contents of [`SPACES`].
    pub memory: [Vec<u8>; SPACES.len()],
    /// Length of the instruction after it is executed.
    pub bytes: u64,
}

impl State {
    pub fn exec(&self) -> u64 {
        u64::from(self.scalars[126]) | u64::from(self.scalars[127]) << 32
    }

    fn set64(&mut self, code: u8, value: u64) {
        self.scalars[usize::from(code)] = value as u32;
        self.scalars[usize::from(code) + 1] = (value >> 32) as u32;
    }
}

/// The emulator.
pub struct Rig(Stage);

impl Rig {
    pub fn new(isa: Isa) -> Rig {
        Rig(Stage::new(
            isa,
            &Sizes {
                vgprs: VGPRS.into(),
                sgprs: SGPRS,
                buffer: BUFFER_BYTES,
                lds: LDS_BYTES,
                gds: GDS_BYTES,
                scratch: SCRATCH,
                waves: 1,
            },
        ))
    }

    pub fn isa(&self) -> Isa {
        self.0.wave.isa
    }

    /// Random state with addresses that are useful for the instruction.
    pub fn state_for(&self, inst: &Inst, noise: &mut Noise) -> State {
        let mut state = self.noise(noise);
        self.give_addresses(inst, &mut state, noise);
        state
    }

    /// Random state.
    fn noise(&self, noise: &mut Noise) -> State {
        let values = Values::new(noise);
        let mut vgprs = vec![Lanes::ZERO; VGPRS.into()];
        for register in &mut vgprs {
            register.0.fill_with(|| values.dword(noise));
        }
        let mut scalars = [0; SCALARS];
        scalars.fill_with(|| values.dword(noise));
        let mut bytes = |len: u64| {
            let mut bytes = vec![0; len as usize];
            values.fill(&mut bytes, noise);
            bytes
        };
        let memory = [
            bytes(BUFFER_BYTES),
            bytes(LDS_BYTES.into()),
            bytes(GDS_BYTES.into()),
            bytes(u64::from(SCRATCH) * LANES as u64),
        ];
        let mut state = State {
            vgprs,
            scalars,
            scc: noise.below(2) != 0,
            mode: noise.next() as u32 & !KINDS,
            trapsts: noise.next() as u32,
            priority: noise.next() as u8 & PRIORITY,
            apertures: Apertures::default(),
            pc: BASE,
            memory,
            bytes: 0,
        };
        let exec = match noise.below(8) {
            0 => 0,
            1 => noise.next() >> 32,
            2 => 1 << noise.below(64),
            3..=5 => u64::MAX,
            _ => noise.next(),
        };
        state.set64(regs::EXEC_LO, exec);
        if noise.below(3) == 0 {
            state.set64(regs::VCC_LO, 0);
        }
        // Depth of the fork stack.
        if noise.below(2) == 0 {
            state.mode &= !(7 << 29);
        }
        state
    }

    /// Sets address registers to values that are mostly valid.
    pub fn give_addresses(&self, inst: &Inst, state: &mut State, noise: &mut Noise) {
        // Unaligned, or aligned for all but the largest accesses.
        let unit = [1, 4, 8][noise.below(3) as usize];
        let choice = noise.below(8);
        // Sometimes the address is out of range, which TRAPSTS records.
        let is_lost = noise.below(6) == 0;
        if is_lost {
            state.trapsts = 0;
        }
        let far = |is_global: bool| match (is_lost, is_global) {
            (false, _) => 0,
            (true, false) => 0xf000,
            (true, true) => 1 << 40,
        };
        let mut offset = |limit: u64| match noise.below(24) {
            0 => limit + noise.below(1 << 13),
            _ => noise.below((limit / unit).max(1)) * unit,
        };
        let vgpr = |field: Field| {
            let slot = inst.row().slots().find(|slot| slot.field == field)?;
            match inst.operand(slot) {
                Operand::Vgprs { first, count } => Some((usize::from(first), count)),
                _ => None,
            }
        };
        let scalar = |field: Field| {
            let slot = inst.row().slots().find(|slot| slot.field == field)?;
            match inst.operand(slot) {
                Operand::Scalar { code, .. } if code < 128 => Some(code),
                Operand::ScalarOffset { reg, .. } => reg,
                _ => None,
            }
        };
        let address = vgpr(Field::Vaddr);
        if let Some(first) = regs::flat_scratch(inst.isa) {
            let value = match inst.isa {
                Isa::Ci | Isa::Vi | Isa::Stoney => u64::from(SCRATCH),
                _ => self.0.scratch,
            };
            state.set64(first, value);
        }
        if inst.uses().memory().is_some() {
            let m0 = match (inst.flag(Field::Gds), choice) {
                (true, _) if is_lost => 0,
                (true, n) => (n as u32 * 8) << 16 | 900,
                (false, _) if is_lost => far(false) as u32,
                (false, 0) if !inst.flag(Field::Lds) => u32::MAX,
                // A limit above the offset, which loads to LDS have up to GCN 1.2.
                (false, n) if n % 2 != 0 => 1500 << 16 | offset(1000) as u32,
                (false, _) => offset(1200) as u32,
            };
            state.scalars[usize::from(regs::M0)] = m0;
        }
        match inst.encoding {
            Encoding::Ds => {
                if let Some((first, _)) = address {
                    let base = far(false);
                    state.vgprs[first]
                        .0
                        .fill_with(|| (base + offset(900)) as u32);
                }
            }
            Encoding::Flat => {
                let Some((first, _)) = address else { return };
                let windows = state.apertures;
                for lane in 0..LANES {
                    let to = match offset(3 * unit) / unit {
                        0 => self.0.buffer + far(true) + offset(BUFFER_BYTES - 32),
                        1 => u64::from(windows.shared) << 32 | offset(900),
                        _ => u64::from(windows.private) << 32 | offset(60),
                    };
                    state.vgprs[first].0[lane] = to as u32;
                    state.vgprs[first + 1].0[lane] = (to >> 32) as u32;
                }
            }
            Encoding::Global => {
                let Some((first, _)) = address else { return };
                if let Some(base) = scalar(Field::Saddr) {
                    state.set64(base, self.0.buffer + far(true));
                    state.vgprs[first]
                        .0
                        .fill_with(|| offset(BUFFER_BYTES - 128) as u32 + 64);
                } else {
                    for lane in 0..LANES {
                        let to = self.0.buffer + far(true) + offset(BUFFER_BYTES - 128) + 64;
                        state.vgprs[first].0[lane] = to as u32;
                        state.vgprs[first + 1].0[lane] = (to >> 32) as u32;
                    }
                }
            }
            Encoding::Scratch => {
                let to = far(false);
                if let Some(base) = scalar(Field::Saddr) {
                    state.scalars[usize::from(base)] = (to + offset(50)) as u32;
                } else if let Some((first, _)) = address {
                    state.vgprs[first].0.fill_with(|| (to + offset(50)) as u32);
                }
            }
            Encoding::Mubuf | Encoding::Mtbuf => {
                if let Some(soffset) = scalar(Field::Soffset) {
                    state.scalars[usize::from(soffset)] = offset(64) as u32;
                }
                if let Some(base) = scalar(Field::Srsrc) {
                    let stride = 16 * offset(2 * unit) / unit;
                    state.set64(base, (self.0.buffer + far(true)) | (stride << 48));
                    let records = if stride == 0 {
                        BUFFER_BYTES
                    } else {
                        BUFFER_BYTES / 16
                    };
                    // 32 bits per component, floats or integers; components in order.
                    let format = if offset(2 * unit) == 0 {
                        4 << 12
                    } else {
                        7 << 12
                    } | 14 << 15;
                    state.set64(base + 2, records | (0o7654 | format) << 32);
                }
                if let Some((first, count)) = address {
                    let limit = if inst.flag(Field::Addr64) { 1000 } else { 100 };
                    state.vgprs[first].0.fill_with(|| offset(limit) as u32);
                    if count == 2 {
                        let is_high = inst.flag(Field::Addr64);
                        let high = || if is_high { 0 } else { offset(200) as u32 };
                        state.vgprs[first + 1].0.fill_with(high);
                    }
                }
            }
            Encoding::Mimg => {
                let (Some(image), Some((address, _))) = (scalar(Field::Srsrc), address) else {
                    return;
                };
                let registers = images::Registers {
                    image,
                    sampler: scalar(Field::Ssamp),
                    address,
                };
                let base = self.0.buffer + far(true);
                images::give(inst, state, noise, base, &registers);
            }
            Encoding::Smrd | Encoding::Smem => {
                if let Some(register) = scalar(Field::Offset) {
                    state.scalars[usize::from(register)] = offset(64) as u32;
                }
                let Some(slot) = inst.row().slots().find(|slot| slot.field == Field::Sbase) else {
                    return;
                };
                if let Some(base) = scalar(Field::Sbase) {
                    state.set64(base, self.0.buffer + far(true) + 4 * offset(16));
                    if slot.ty.dwords() == 4 {
                        state.set64(base + 2, BUFFER_BYTES - 256);
                    }
                }
            }
            // Indices, and comparisons of equal values.
            _ => {
                if let (Some(register), 0) = (scalar(Field::Sdst), offset(4 * unit) / unit) {
                    state.scalars[usize::from(register)] = inst.get(Field::Simm16) as u32;
                }
                let implicit = inst.row().implicit();
                if implicit.has(gcn_isa::effect::Implicit::READS_M0)
                    || inst.uses().indexes_registers()
                {
                    state.scalars[usize::from(regs::M0)] = offset(20) as u32;
                }
                // An index below the number of registers is also an LDS offset.
                if inst.row().slots().any(|slot| slot.kind == Kind::Hwreg)
                    || inst.uses().reads_lds_direct() && !inst.uses().indexes_registers()
                {
                    let ty = offset(5 * unit) / unit;
                    let at = far(false) + offset(900);
                    state.scalars[usize::from(regs::M0)] = (ty << 16 | at) as u32;
                }
            }
        }
    }

    /// State after the instruction, or the reason why it is not executed.
    pub fn execute(&mut self, inst: &Inst, state: &State) -> Result<State, String> {
        let is_sync = |memory: uses::MemoryUse| memory.spaces().has(Space::Gws);
        if inst.uses().memory().is_some_and(is_sync) {
            return Err("it synchronises waves".to_owned());
        }
        let stage = &mut self.0;
        stage.wave.restart(state.pc);
        stage.wave.vgprs.copy_from_slice(&state.vgprs);
        let [global, lds, gds, scratch] = &state.memory;
        stage.write(&state.scalars, lds, gds);
        let wave = &mut stage.wave;
        (wave.scc, wave.mode, wave.trapsts) = (state.scc, state.mode, state.trapsts);
        wave.priority = state.priority;
        wave.apertures = state.apertures;
        stage.device.config.apertures = state.apertures;
        let memory = &stage.device.memory;
        assert!(memory.write(stage.buffer, global) && memory.write(stage.scratch, scratch));
        stage.execute(inst).map_err(|fault| format!("{fault:?}"))?;
        if stage.wave.waiting == Waiting::Gws {
            return Err("it waits for other waves".to_owned());
        }
        let mut after = state.clone();
        let [global, lds, gds, scratch] = &mut after.memory;
        stage.read(&mut after.scalars, lds, gds);
        let memory = &stage.device.memory;
        assert!(memory.read(stage.buffer, global) && memory.read(stage.scratch, scratch));
        let wave = &stage.wave;
        after.vgprs.copy_from_slice(&wave.vgprs);
        (after.scc, after.mode, after.trapsts) = (wave.scc, wave.mode, wave.trapsts);
        after.priority = wave.priority;
        after.pc = wave.pc;
        after.bytes = 4 * inst.dwords() as u64;
        Ok(after)
    }
}
