//! The whole state that an instruction can see or change, and a machine that executes one instruction from it.

use gcn_emu::code::Code;
use gcn_emu::device::{Apertures, Config, Device, OnViolation};
use gcn_emu::lanes::{LANES, Lanes};
use gcn_emu::lds::Lds;
use gcn_emu::run;
use gcn_emu::wave::{Scratch, Waiting, Wave, WaveId};
use gcn_isa::simm::HWREG_STATUS;
use gcn_isa::uses::{self, RegisterUse, Registers, Space, Spaces, State as Register};
use gcn_isa::{Encoding, Field, Inst, Isa, Kind, Operand, regs};

use super::SPACES;
use super::sample::{Noise, VGPRS};

pub const SGPRS: u8 = 100;
pub const LDS_BYTES: u32 = 2048;
const GDS_BYTES: u32 = 1024;
const BUFFER_BYTES: u64 = 2048;
/// Scratch of a lane.
const SCRATCH: u32 = 64;
/// Addresses of code in the first run, and in another where the program counter must not matter.
const BASE: u64 = 0x10_0000;
/// MODE's bits that choose what kind of thing instructions are: vector instructions skipped, registers indexed.
const KINDS: u32 = 1 << 28 | 1 << 27;
/// S_SETPRIO's bits.
const PRIORITY: u8 = 3;

/// Registers, memory, and where the code is.
#[derive(Clone, PartialEq)]
pub struct State {
    pub vgprs: Vec<Lanes>,
    pub scalars: [u32; 128],
    pub scc: bool,
    pub mode: u32,
    pub trapsts: u32,
    pub priority: u8,
    pub apertures: Apertures,
    /// Before an instruction its address, after it that of the next one.
    pub pc: u64,
    /// By [`SPACES`].
    pub memory: [Vec<u8>; SPACES.len()],
    bytes: u64,
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

/// A wave and a device.
pub struct Rig {
    device: Device,
    wave: Wave,
    lds: Lds,
    buffer: u64,
    scratch: u64,
}

impl Rig {
    pub fn new(isa: Isa) -> Rig {
        let mut config = Config::new(isa);
        config.on_violation = OnViolation::Continue;
        config.gds_bytes = GDS_BYTES;
        let device = Device::new(config);
        let allocate = |name: &str, bytes| {
            device
                .memory
                .allocate(name, bytes)
                .expect("there is memory")
        };
        let buffer = allocate("buffer", BUFFER_BYTES);
        let scratch = allocate("scratch", u64::from(SCRATCH) * LANES as u64);
        let mut wave = Wave::new(isa, WaveId::default(), BASE, VGPRS.into(), SGPRS);
        wave.scratch = Scratch {
            base: scratch,
            region: scratch & !0xff,
            bytes_per_lane: SCRATCH,
        };
        Rig {
            device,
            wave,
            lds: Lds::new(isa, LDS_BYTES),
            buffer,
            scratch,
        }
    }

    pub fn isa(&self) -> Isa {
        self.wave.isa
    }

    /// A state of noise that an instruction can make something of.
    pub fn noise(&self, noise: &mut Noise) -> State {
        let mut vgprs = vec![Lanes::ZERO; VGPRS.into()];
        for register in &mut vgprs {
            register.0.fill_with(|| noise.dword());
        }
        let mut scalars = [0; 128];
        scalars.fill_with(|| noise.dword());
        let mut bytes = |len: u64| {
            let mut bytes = vec![0; len as usize];
            noise.fill(&mut bytes);
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
            1 => 1 << noise.below(64),
            2..=4 => u64::MAX,
            _ => noise.next(),
        };
        state.set64(regs::EXEC_LO, exec);
        if noise.below(3) == 0 {
            state.set64(regs::VCC_LO, 0);
        }
        // Depth of the stack of forks.
        if noise.below(2) == 0 {
            state.mode &= !(7 << 29);
        }
        state
    }

    /// Gives the registers of addresses values that lead somewhere, most of them.
    pub fn give_addresses(&self, inst: &Inst, state: &mut State, noise: &mut Noise) {
        let unit = if noise.below(3) == 0 { 1 } else { 4 };
        let mut offset = |limit: u64| match noise.below(24) {
            0 => limit + noise.below(1 << 13),
            _ => noise.below(limit / unit) * unit,
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
                _ => self.scratch,
            };
            state.set64(first, value);
        }
        if inst.uses().memory().is_some() {
            let m0 = match (inst.flag(Field::Gds), offset(8)) {
                (true, n) => (n as u32 * 8) << 16 | 900,
                (false, 0) if !inst.flag(Field::Lds) => u32::MAX,
                (false, _) => offset(1200) as u32,
            };
            state.scalars[usize::from(regs::M0)] = m0;
        }
        match inst.encoding {
            Encoding::Ds => {
                if let Some((first, _)) = address {
                    state.vgprs[first].0.fill_with(|| offset(900) as u32);
                }
            }
            Encoding::Flat => {
                let Some((first, _)) = address else { return };
                let windows = state.apertures;
                for lane in 0..LANES {
                    let to = match offset(3 * unit) / unit {
                        0 => self.buffer + offset(BUFFER_BYTES - 32),
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
                    state.set64(base, self.buffer);
                    state.vgprs[first]
                        .0
                        .fill_with(|| offset(BUFFER_BYTES - 128) as u32 + 64);
                } else {
                    for lane in 0..LANES {
                        let to = self.buffer + offset(BUFFER_BYTES - 128) + 64;
                        state.vgprs[first].0[lane] = to as u32;
                        state.vgprs[first + 1].0[lane] = (to >> 32) as u32;
                    }
                }
            }
            Encoding::Scratch => {
                if let Some(base) = scalar(Field::Saddr) {
                    state.scalars[usize::from(base)] = offset(50) as u32;
                } else if let Some((first, _)) = address {
                    state.vgprs[first].0.fill_with(|| offset(50) as u32);
                }
            }
            Encoding::Mubuf | Encoding::Mtbuf => {
                if let Some(soffset) = scalar(Field::Soffset) {
                    state.scalars[usize::from(soffset)] = offset(64) as u32;
                }
                if let Some(base) = scalar(Field::Srsrc) {
                    let stride = 16 * offset(2 * unit) / unit;
                    state.set64(base, self.buffer | stride << 48);
                    let records = if stride == 0 {
                        BUFFER_BYTES
                    } else {
                        BUFFER_BYTES / 16
                    };
                    // 32 bits to a component, floats or integers; the components in order.
                    let format = if offset(2 * unit) == 0 {
                        4 << 12
                    } else {
                        7 << 12
                    } | 14 << 15;
                    state.set64(base + 2, records | (0o7654 | format) << 32);
                }
                if let Some((first, count)) = address {
                    let far = if inst.flag(Field::Addr64) { 1000 } else { 100 };
                    state.vgprs[first].0.fill_with(|| offset(far) as u32);
                    if count == 2 {
                        let is_high = inst.flag(Field::Addr64);
                        let high = || if is_high { 0 } else { offset(200) as u32 };
                        state.vgprs[first + 1].0.fill_with(high);
                    }
                }
            }
            Encoding::Smrd | Encoding::Smem => {
                if let Some(register) = scalar(Field::Offset) {
                    state.scalars[usize::from(register)] = offset(64) as u32;
                }
                let Some(slot) = inst.row().slots().find(|slot| slot.field == Field::Sbase) else {
                    return;
                };
                if let Some(base) = scalar(Field::Sbase) {
                    state.set64(base, self.buffer + 4 * offset(16));
                    if slot.ty.dwords() == 4 {
                        state.set64(base + 2, BUFFER_BYTES - 256);
                    }
                }
            }
            // Indices, and forks between equal parts.
            _ => {
                let implicit = inst.does().implicit();
                if implicit.has(gcn_isa::effect::Implicit::READS_M0) {
                    state.scalars[usize::from(regs::M0)] = offset(20) as u32;
                }
                if inst.row().slots().any(|slot| slot.kind == Kind::Hwreg)
                    || inst.uses().reads_lds_direct()
                {
                    let ty = offset(5 * unit) / unit;
                    state.scalars[usize::from(regs::M0)] = (ty << 16 | offset(900)) as u32;
                }
            }
        }
    }

    /// The state after the instruction, or why it is not executed.
    pub fn execute(&mut self, inst: &Inst, state: &State) -> Result<State, String> {
        let is_sync = |memory: uses::Memory| memory.spaces().has(Space::Gws);
        if inst.uses().memory().is_some_and(is_sync) {
            return Err("it synchronises waves".to_owned());
        }
        let words = &inst.words()[..inst.dwords()];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = Code::new(inst.isa, state.pc, &bytes, VGPRS.into(), SGPRS);
        let wave = &mut self.wave;
        wave.restart(state.pc);
        wave.vgprs.copy_from_slice(&state.vgprs);
        for (code, &value) in (0..).zip(&state.scalars) {
            wave.set_scalar(code, value);
        }
        (wave.scc, wave.mode, wave.trapsts) = (state.scc, state.mode, state.trapsts);
        wave.priority = state.priority;
        wave.apertures = state.apertures;
        self.device.config.apertures = state.apertures;
        let [global, lds, gds, scratch] = &state.memory;
        let memory = &self.device.memory;
        assert!(memory.write(self.buffer, global) && memory.write(self.scratch, scratch));
        self.lds.bytes_mut().copy_from_slice(lds);
        self.device.gds.lock().copy_from_slice(gds);
        run::step(&self.device, &code, wave, &mut self.lds)
            .map_err(|fault| format!("{fault:?}"))?;
        if wave.waiting == Waiting::Gws {
            return Err("it waits for other waves".to_owned());
        }
        let mut after = state.clone();
        after.vgprs.copy_from_slice(&wave.vgprs);
        for (code, value) in (0..).zip(&mut after.scalars) {
            *value = wave.resolved(code);
        }
        (after.scc, after.mode, after.trapsts) = (wave.scc, wave.mode, wave.trapsts);
        after.priority = wave.priority;
        after.pc = wave.pc;
        after.bytes = bytes.len() as u64;
        let [global, lds, gds, scratch] = &mut after.memory;
        assert!(memory.read(self.buffer, global) && memory.read(self.scratch, scratch));
        lds.copy_from_slice(self.lds.bytes());
        gds.copy_from_slice(&self.device.gds.lock());
        Ok(after)
    }
}

/// A part of a state: bits of registers, whole memories.
pub struct Keep {
    vgprs: Vec<[u32; LANES]>,
    scalars: [u32; 128],
    scc: bool,
    mode: u32,
    trapsts: u32,
    priority: bool,
    apertures: bool,
    pc: bool,
    pub spaces: Spaces,
}

type Run<'a> = (&'a State, &'a State);

impl Keep {
    fn nothing() -> Keep {
        Keep {
            vgprs: vec![[0; LANES]; VGPRS.into()],
            scalars: [0; 128],
            scc: false,
            mode: 0,
            trapsts: 0,
            priority: false,
            apertures: false,
            pc: false,
            spaces: Spaces::NONE,
        }
    }

    /// The registers of some uses, each with these bits, in the lanes that count in `state`.
    pub fn of<'a>(
        uses: impl Iterator<Item = &'a RegisterUse>,
        bits: fn(&RegisterUse) -> u32,
        state: &State,
    ) -> Keep {
        let mut keep = Keep::nothing();
        let exec = state.exec();
        for it in uses {
            let mask = bits(it);
            let lanes = match it.lanes {
                uses::Lanes::Active => exec,
                uses::Lanes::First => 1 << (exec.trailing_zeros() % LANES as u32),
                uses::Lanes::Selected | uses::Lanes::Crossing | uses::Lanes::Scalar => u64::MAX,
            };
            match it.registers {
                Registers::Vector { first, count } => {
                    let first = usize::from(first);
                    let registers = if it.indexed {
                        0..usize::from(VGPRS)
                    } else {
                        first..first + usize::from(count)
                    };
                    for register in &mut keep.vgprs[registers] {
                        for (lane, kept) in register.iter_mut().enumerate() {
                            *kept |= if lanes >> lane & 1 != 0 { mask } else { 0 };
                        }
                    }
                }
                Registers::Scalar { first, count } => {
                    let first = usize::from(first);
                    let registers = if it.indexed {
                        0..usize::from(SGPRS)
                    } else {
                        first..(first + usize::from(count)).min(128)
                    };
                    keep.scalars[registers]
                        .iter_mut()
                        .for_each(|kept| *kept |= mask);
                }
                Registers::State(Register::Scc) => keep.scc = true,
                Registers::State(Register::Pc) => keep.pc = true,
                Registers::State(Register::Apertures) => keep.apertures = true,
                Registers::State(Register::MODE) => keep.mode |= mask,
                Registers::State(Register::TRAPSTS) => keep.trapsts |= mask,
                Registers::State(Register::Hardware(HWREG_STATUS)) => keep.priority = true,
                // Sizes and numbers that no instruction changes, and counters.
                Registers::State(Register::Hardware(_)) => {}
            }
        }
        keep
    }

    /// The first thing outside of this part that has changed.
    pub fn changed_outside(&self, before: &State, after: &State) -> Option<String> {
        for (register, kept) in self.vgprs.iter().enumerate() {
            for (lane, kept) in kept.iter().enumerate() {
                if (before.vgprs[register].0[lane] ^ after.vgprs[register].0[lane]) & !kept != 0 {
                    return Some(format!("v{register} in lane {lane}"));
                }
            }
        }
        let scalars = before.scalars.iter().zip(&after.scalars).zip(&self.scalars);
        for (code, ((before, after), kept)) in scalars.enumerate() {
            if (before ^ after) & !kept != 0 {
                return Some(format!("scalar register {code}"));
            }
        }
        let next = before.pc + after.bytes;
        let others = [
            ("scc", before.scc != after.scc && !self.scc),
            ("mode", (before.mode ^ after.mode) & !self.mode != 0),
            (
                "trapsts",
                (before.trapsts ^ after.trapsts) & !self.trapsts != 0,
            ),
            (
                "priority",
                before.priority != after.priority && !self.priority,
            ),
            ("pc", after.pc != next && !self.pc),
        ];
        if let Some((name, _)) = others.iter().find(|(_, changed)| *changed) {
            return Some((*name).to_owned());
        }
        let mut memories = SPACES.iter().zip(before.memory.iter().zip(&after.memory));
        let changed =
            memories.find(|(space, (before, after))| before != after && !self.spaces.has(**space));
        changed.map(|(space, _)| space.to_string())
    }

    /// True if anything in this part has changed.
    pub fn any_changed(&self, before: &State, after: &State) -> bool {
        let all = State {
            pc: after.pc.wrapping_sub(after.bytes),
            ..before.clone()
        };
        let mut outside = before.clone();
        // What has changed outside is made equal; what is left is inside.
        self.copy_outside(after, &mut outside);
        if self.pc {
            outside.pc = before.pc;
        } else {
            outside.pc = all.pc;
        }
        Keep::nothing().changed_outside(&outside, after).is_some()
    }

    fn copy_outside(&self, from: &State, to: &mut State) {
        for (register, kept) in self.vgprs.iter().enumerate() {
            for (lane, kept) in kept.iter().enumerate() {
                let (new, old) = (
                    from.vgprs[register].0[lane],
                    &mut to.vgprs[register].0[lane],
                );
                *old = *old & kept | new & !kept;
            }
        }
        for ((new, old), kept) in from.scalars.iter().zip(&mut to.scalars).zip(&self.scalars) {
            *old = *old & kept | new & !kept;
        }
        to.mode = to.mode & self.mode | from.mode & !self.mode;
        to.trapsts = to.trapsts & self.trapsts | from.trapsts & !self.trapsts;
        if !self.scc {
            to.scc = from.scc;
        }
        if !self.priority {
            to.priority = from.priority;
        }
        for (n, space) in SPACES.iter().enumerate() {
            if !self.spaces.has(*space) {
                to.memory[n].clone_from(&from.memory[n]);
            }
        }
    }

    /// The first thing in this part that two runs leave different, though it is not that neither has changed it.
    pub fn differs(&self, one: Run<'_>, two: Run<'_>) -> Option<String> {
        let is_same = |[a, b]: [u32; 2], [c, d]: [u32; 2], mask: u32| {
            let (changed_one, changed_two) = ((a ^ b) & mask != 0, (c ^ d) & mask != 0);
            (b ^ d) & mask == 0 || !changed_one && !changed_two
        };
        for (register, kept) in self.vgprs.iter().enumerate() {
            let of = |state: &State, lane: usize| state.vgprs[register].0[lane];
            for (lane, &kept) in kept.iter().enumerate().filter(|(_, kept)| **kept != 0) {
                let pairs = [one, two].map(|(before, after)| [of(before, lane), of(after, lane)]);
                if !is_same(pairs[0], pairs[1], kept) {
                    return Some(format!("v{register} in lane {lane}"));
                }
            }
        }
        for (code, &kept) in self
            .scalars
            .iter()
            .enumerate()
            .filter(|(_, kept)| **kept != 0)
        {
            let pairs =
                [one, two].map(|(before, after)| [before.scalars[code], after.scalars[code]]);
            if !is_same(pairs[0], pairs[1], kept) {
                return Some(format!("scalar register {code}"));
            }
        }
        type Part = fn(&State) -> u32;
        let parts: [(&str, Part, u32); 4] = [
            ("scc", |s| s.scc.into(), u32::from(self.scc)),
            ("mode", |s| s.mode, self.mode),
            ("trapsts", |s| s.trapsts, self.trapsts),
            (
                "priority",
                |s| s.priority.into(),
                if self.priority { u32::MAX } else { 0 },
            ),
        ];
        for (name, part, kept) in parts {
            let pairs = [one, two].map(|(before, after)| [part(before), part(after)]);
            if !is_same(pairs[0], pairs[1], kept) {
                return Some(name.to_owned());
            }
        }
        let goes_on = |(before, after): Run<'_>| after.pc == before.pc + after.bytes;
        if self.pc && one.1.pc != two.1.pc && !(goes_on(one) && goes_on(two)) {
            return Some("pc".to_owned());
        }
        for (n, space) in SPACES
            .iter()
            .enumerate()
            .filter(|(_, space)| self.spaces.has(**space))
        {
            let [a, b] = [&one.0.memory[n], &one.1.memory[n]];
            let [c, d] = [&two.0.memory[n], &two.1.memory[n]];
            let differs = |at: usize| b[at] != d[at] && (a[at] != b[at] || c[at] != d[at]);
            if let Some(at) = (0..a.len()).find(|&at| differs(at)) {
                return Some(format!("byte {at} of {space}"));
            }
        }
        None
    }

    /// Makes noise of everything outside of this part.
    pub fn scramble_outside(&self, state: &mut State, noise: &mut Noise) {
        let mut other = state.clone();
        Keep::scramble(&mut other, noise);
        self.copy_outside(&other, state);
        if !self.apertures {
            state.apertures = other.apertures;
        }
        if !self.pc {
            state.pc = other.pc;
        }
    }

    /// Noise everywhere; registers often differ from what they were by little.
    fn scramble(state: &mut State, noise: &mut Noise) {
        let way = noise.below(4);
        let mut other = |old: u32| match way {
            0 => old ^ 1 << noise.below(32),
            1 => noise.dword(),
            2 if old == 0 => u32::MAX,
            2 => 0,
            _ => noise.next() as u32,
        };
        for register in &mut state.vgprs {
            for value in &mut register.0 {
                *value = other(*value);
            }
        }
        for value in &mut state.scalars {
            *value = other(*value);
        }
        state.mode = state.mode & KINDS | noise.next() as u32 & !KINDS;
        state.trapsts = noise.next() as u32;
        state.scc = !state.scc;
        state.priority = (state.priority + 1 + noise.below(3) as u8) & PRIORITY;
        state.apertures = Apertures {
            shared: state.apertures.private,
            private: state.apertures.shared,
        };
        state.pc += 0x1000;
        for memory in &mut state.memory {
            noise.fill(memory);
        }
    }
}
