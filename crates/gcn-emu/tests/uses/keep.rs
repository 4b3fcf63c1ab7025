//! Part of a state, to which changes and comparisons of states are restricted.

use gcn_emu::device::Apertures;
use gcn_emu::wave::LANES;
use gcn_isa::simm::HWREG_STATUS;
use gcn_isa::uses::{self, RegisterUse, Registers, Spaces, UnnumberedState as Register};

use super::SPACES;
use super::sample::{VGPRS, dword, fill};
use super::stage::Noise;
use super::state::{KINDS, PRIORITY, SGPRS, State};

/// Mask of S_SETPRIO's bits in STATUS.
const STATUS_PRIORITY: u32 = (PRIORITY as u32) << 3;

/// Part of a state: register bits and whole memories.
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

    /// Registers of some uses, with the bits that `bits` selects, in the lanes that matter if EXEC is `exec`.
    pub fn of<'a>(
        uses: impl IntoIterator<Item = &'a RegisterUse>,
        bits: fn(&RegisterUse) -> u32,
        exec: u64,
    ) -> Keep {
        let mut keep = Keep::nothing();
        for it in uses {
            let mask = bits(it);
            let lanes = match it.lanes {
                uses::UsedLanes::Active => exec,
                uses::UsedLanes::First => 1 << (exec.trailing_zeros() % LANES as u32),
                uses::UsedLanes::Selected | uses::UsedLanes::Crossing | uses::UsedLanes::Scalar => {
                    u64::MAX
                }
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
                Registers::State(Register::Hardware(HWREG_STATUS)) => {
                    keep.priority |= mask & STATUS_PRIORITY != 0;
                }
                // Sizes and IDs that no instruction changes, and counters.
                Registers::State(Register::Hardware(_)) => {}
            }
        }
        keep
    }

    /// Only memories.
    pub fn memories(spaces: Spaces) -> Keep {
        Keep {
            spaces,
            ..Keep::nothing()
        }
    }

    /// This part without the parts that are also in `other`.
    pub fn without(mut self, other: &Keep) -> Keep {
        let registers = self.vgprs.iter_mut().zip(&other.vgprs);
        for (kept, other) in registers.flat_map(|(kept, other)| kept.iter_mut().zip(other)) {
            *kept &= !other;
        }
        for (kept, other) in self.scalars.iter_mut().zip(&other.scalars) {
            *kept &= !other;
        }
        self.mode &= !other.mode;
        self.trapsts &= !other.trapsts;
        self.scc &= !other.scc;
        self.priority &= !other.priority;
        self.apertures &= !other.apertures;
        self.pc &= !other.pc;
        self.spaces = self
            .spaces
            .iter()
            .filter(|space| !other.spaces.has(*space))
            .fold(Spaces::NONE, |all, space| all.and(Spaces::of(space)));
        self
    }

    /// First change outside of this part.
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
        let next = before.pc.wrapping_add(after.bytes);
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
        let mut outside = before.clone();
        // Changes outside are undone, so that only those inside are left.
        self.copy_outside(after, &mut outside);
        if !self.pc {
            outside.pc = after.pc.wrapping_sub(after.bytes);
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
        if !self.apertures {
            to.apertures = from.apertures;
        }
        if !self.pc {
            to.pc = from.pc;
        }
        for (n, space) in SPACES.iter().enumerate() {
            if !self.spaces.has(*space) {
                to.memory[n].clone_from(&from.memory[n]);
            }
        }
    }

    /// First difference between two runs in this part. Values that neither run has changed do not count.
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
        let goes_on = |(before, after): Run<'_>| after.pc == before.pc.wrapping_add(after.bytes);
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

    /// Randomizes everything outside of this part.
    pub fn scramble_outside(&self, state: &mut State, noise: &mut Noise) {
        let mut other = state.clone();
        Keep::scramble(&mut other, noise);
        self.copy_outside(&other, state);
    }

    /// State that differs only in this part.
    pub fn scrambled_inside(&self, state: &State, noise: &mut Noise) -> State {
        let mut other = state.clone();
        Keep::scramble(&mut other, noise);
        self.copy_outside(state, &mut other);
        other
    }

    /// Randomizes a state. Many registers change only a little.
    fn scramble(state: &mut State, noise: &mut Noise) {
        let mut other = |old: u32| match noise.below(5) {
            0 => old ^ 1 << noise.below(32),
            1 => dword(noise),
            2 if old == 0 => u32::MAX,
            2 => 0,
            3 => old.wrapping_add(1),
            _ => noise.next() as u32,
        };
        for register in &mut state.vgprs {
            register.0.iter_mut().for_each(|it| *it = other(*it));
        }
        state.scalars.iter_mut().for_each(|it| *it = other(*it));
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
            fill(noise, memory);
        }
    }
}
