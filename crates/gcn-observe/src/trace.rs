//! A line for every executed instruction.

use std::fmt::Write;
use std::sync::Arc;

use gcn_emu::lanes::{LANES, Lanes};
use gcn_emu::observe::{Context, Events, Instruction, Observer, WaveObserver};
use gcn_emu::step::Arg;
use gcn_emu::wave::Wave;
use gcn_isa::regs;
use gcn_isa::uses::Registers;

/// Reports every executed instruction to a callback, one line each, without the line's end:
///
/// `[workgroup] wave  address  exec=mask  instruction  -> registers written`
///
/// Scalar registers are in hexadecimal. A vector register has the value of every lane that was active or that
/// changed: one value if all are equal, `first+step*lane` if they are evenly spaced, else all of them in order. Registers are
/// those that VGPR indexing and MOVREL name.
pub struct Trace<F> {
    tell: Arc<F>,
}

impl<F: Fn(&str) + Send + Sync + 'static> Trace<F> {
    /// A trace that gives each line to `tell`, in the thread that executes the instruction.
    pub fn new(tell: F) -> Trace<F> {
        Trace {
            tell: Arc::new(tell),
        }
    }
}

impl<F: Fn(&str) + Send + Sync + 'static> Observer for Trace<F> {
    fn wants(&self) -> Events {
        Events::ISSUE | Events::COMPLETE
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Lines {
            tell: self.tell.clone(),
            line: String::new(),
            vectors: Vec::new(),
            implicit: Implicit::default(),
        }))
    }
}

/// The trace of one thread's waves.
struct Lines<F> {
    tell: Arc<F>,
    line: String,
    /// Values of the instruction's destinations and of the implicit ones before it.
    vectors: Vec<(u8, Lanes)>,
    implicit: Implicit,
}

/// Registers that instructions write without an operand for it.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Implicit {
    scc: bool,
    vcc: u64,
    exec: u64,
    m0: u32,
}

impl Implicit {
    fn of(wave: &Wave) -> Implicit {
        Implicit {
            scc: wave.scc,
            vcc: wave.vcc(),
            exec: wave.exec(),
            m0: wave.m0(),
        }
    }
}

impl<F> Lines<F> {
    /// The scalar destination named by an operand; the registers it covers are returned, to leave them out later.
    fn scalar(&mut self, wave: &Wave, code: u8, count: u8) {
        self.line.push(' ');
        match regs::scalar_name(wave.isa, code, count) {
            Some(name) => self.line.push_str(&name),
            None => {
                let _ = write!(self.line, "s{code}");
            }
        }
        self.line.push_str("=0x");
        let dwords = (0..count)
            .rev()
            .map(|i| wave.scalar(code.saturating_add(i) & MAX_SCALAR));
        for (place, dword) in dwords.enumerate() {
            // Leading zeros are only of use between the dwords.
            let _ = if place == 0 && count == 1 {
                write!(self.line, "{dword:x}")
            } else {
                write!(self.line, "{dword:08x}")
            };
        }
    }

    fn vector(&mut self, register: u8, lanes: &[(usize, u32)]) {
        let _ = write!(self.line, " v{register}=");
        match spread(lanes) {
            Spread::None => self.line.push('-'),
            Spread::Equal(value) => {
                let _ = write!(self.line, "0x{value:x}");
            }
            Spread::Even { first, step } => {
                let _ = write!(self.line, "0x{first:x}+0x{step:x}*lane");
            }
            Spread::Any => {
                for (place, (_, value)) in lanes.iter().enumerate() {
                    let separator = if place == 0 { "[" } else { " " };
                    let _ = write!(self.line, "{separator}{value:x}");
                }
                self.line.push(']');
            }
        }
    }
}

/// Scalar registers have numbers below 128.
const MAX_SCALAR: u8 = 127;

/// Notation of the values of a register's lanes.
#[derive(PartialEq, Eq, Debug)]
enum Spread {
    /// No lane.
    None,
    /// All lanes have this value.
    Equal(u32),
    /// Lane n has `first + step * n`.
    Even { first: u32, step: u32 },
    /// None of these.
    Any,
}

fn spread(lanes: &[(usize, u32)]) -> Spread {
    let Some(&(_, value)) = lanes.first() else {
        return Spread::None;
    };
    if lanes.iter().all(|lane| lane.1 == value) {
        return Spread::Equal(value);
    }
    if let [(0, first), (1, second), _, ..] = *lanes {
        let step = second.wrapping_sub(first);
        let at = |lane: usize| first.wrapping_add(step.wrapping_mul(lane as u32));
        if lanes.iter().all(|&(lane, value)| value == at(lane)) {
            return Spread::Even { first, step };
        }
    }
    Spread::Any
}

/// The registers that operands name as written, where VGPR indexing and MOVREL have moved them.
fn destinations(instruction: &Instruction<'_>) -> impl Iterator<Item = Registers> {
    let uses = instruction.step.inst.uses();
    let written: Vec<_> = uses.registers().filter(|it| it.written != 0).collect();
    written.into_iter().filter_map(|it| {
        let arg = *instruction.operands.get(it.operand()?)?;
        match (it.registers, arg) {
            (Registers::Vector { count, .. }, Arg::Vgpr(first)) => {
                Some(Registers::Vector { first, count })
            }
            (Registers::Scalar { count, .. }, Arg::Scalar(first)) => {
                Some(Registers::Scalar { first, count })
            }
            _ => None,
        }
    })
}

/// The vector registers among them.
fn vector_destinations(instruction: &Instruction<'_>) -> impl Iterator<Item = u8> {
    destinations(instruction).flat_map(|registers| match registers {
        Registers::Vector { first, count } => first..first.saturating_add(count),
        Registers::Scalar { .. } | Registers::State(_) => 0..0,
    })
}

/// The scalar registers among them: first and number.
fn scalar_destinations(instruction: &Instruction<'_>) -> impl Iterator<Item = (u8, u8)> {
    destinations(instruction).filter_map(|registers| match registers {
        Registers::Scalar { first, count } => Some((first, count)),
        Registers::Vector { .. } | Registers::State(_) => None,
    })
}

impl<F: Fn(&str) + Send + Sync> WaveObserver for Lines<F> {
    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let wave = context.wave;
        self.implicit = Implicit::of(wave);
        self.vectors.clear();
        for register in vector_destinations(instruction) {
            if let Some(lanes) = wave.vgprs.get(usize::from(register)) {
                self.vectors.push((register, *lanes));
            }
        }
    }

    fn completes(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let (wave, pc, step) = (context.wave, context.pc, instruction.step);
        let exec = instruction.exec;
        let [x, y, z] = wave.id.group;
        self.line.clear();
        let _ = write!(
            self.line,
            "[{x},{y},{z}] {}  {pc:#x}  exec={exec:016x}  {}  ->",
            wave.id.wave,
            step.inst.text()
        );
        let before = self.line.len();
        let named: Vec<(u8, u8)> = scalar_destinations(instruction).collect();
        for &(code, count) in &named {
            self.scalar(wave, code, count);
        }
        for (register, old) in std::mem::take(&mut self.vectors) {
            let Some(new) = wave.vgprs.get(usize::from(register)) else {
                continue;
            };
            let touched = |lane: usize| exec >> lane & 1 != 0 || old.0[lane] != new.0[lane];
            let lanes: Vec<(usize, u32)> = (0..LANES)
                .filter(|&lane| touched(lane))
                .map(|lane| (lane, new.0[lane]))
                .collect();
            self.vector(register, &lanes);
        }
        let now = Implicit::of(wave);
        let is_named = |code: u8| {
            named
                .iter()
                .any(|(first, count)| (*first..first.saturating_add(*count)).contains(&code))
        };
        for (changed, code, count) in [
            (now.vcc != self.implicit.vcc, regs::VCC_LO, 2),
            (now.exec != self.implicit.exec, regs::EXEC_LO, 2),
            (now.m0 != self.implicit.m0, regs::M0, 1),
        ] {
            if changed && !is_named(code) {
                self.scalar(wave, code, count);
            }
        }
        if now.scc != self.implicit.scc {
            let _ = write!(self.line, " scc={}", u8::from(now.scc));
        }
        if self.line.len() == before {
            // Nothing was written, so there is nothing to point at.
            self.line.truncate(before - "  ->".len());
        }
        (self.tell)(&self.line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_written_compactly() {
        let lanes = |values: &[u32]| values.iter().copied().enumerate().collect::<Vec<_>>();
        assert_eq!(spread(&[]), Spread::None);
        assert_eq!(spread(&lanes(&[7, 7, 7])), Spread::Equal(7));
        assert_eq!(
            spread(&lanes(&[5, 9, 13])),
            Spread::Even { first: 5, step: 4 }
        );
        assert_eq!(spread(&lanes(&[5, 9, 14])), Spread::Any);
        assert_eq!(spread(&[(0, 1), (2, 5)]), Spread::Any);
        assert_eq!(
            spread(&[(0, 0), (1, 2), (5, 10)]),
            Spread::Even { first: 0, step: 2 }
        );
    }
}
