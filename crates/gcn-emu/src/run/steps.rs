//! The step loop: a wave's instructions, one after the other.

use std::sync::atomic::Ordering::Relaxed;

use gcn_isa::Does;
use gcn_isa::effect::{Condition, Control};

use crate::code::{Code, Run, Step};
use crate::device::{Device, OnViolation};
use crate::exec::alu::indexing;
use crate::exec::memory::{self, Access, Outcome};
use crate::fault::{self, FaultKind};
use crate::lds::Lds;
use crate::observe::{Observer, Verdict};
use crate::wave::{MODE_VSKIP, Waiting, Wave};

/// What stopped a wave.
pub(super) struct Stop {
    pub(super) kind: FaultKind,
    pub(super) pc: u64,
    pub(super) lane: Option<u8>,
}

/// Runs a wave until it ends, waits, or has executed so many `instructions`. `access` is any; it is the caller's so that it
/// is not made anew for every turn.
pub(super) fn run_wave<O: Observer>(
    device: &Device,
    code: &Code,
    wave: &mut Wave,
    lds: &mut Lds,
    access: &mut Access,
    observer: &mut O,
    instructions: u64,
) -> Result<(), Stop> {
    let limit = device.config.limit.unwrap_or(u64::MAX);
    let until = wave.executed.saturating_add(instructions.max(1)).min(limit);
    // The program counter is in `index`, in dwords of the code; the wave's own is right wherever anyone can see it, and so is
    // its count of instructions.
    let mut index = code.index(wave.pc).unwrap_or(NOWHERE);
    // All has taken effect already: what is outstanding is of use only to those who look.
    let counts = O::ACTIVE || code.reads_counters();
    'blocks: loop {
        let stop = |kind, pc| Stop {
            kind,
            pc,
            lane: None,
        };
        let executed = wave.executed;
        if executed >= until {
            if index != NOWHERE {
                wave.pc = code.address(index);
            }
            if executed >= limit {
                return Err(stop(FaultKind::Limit(limit), wave.pc));
            }
            if device.interrupted.load(Relaxed) {
                return Err(stop(FaultKind::Interrupted, wave.pc));
            }
            return Ok(());
        }
        let mut steps = match code.steps_at(index) {
            Some(Ok(steps)) => steps,
            Some(Err(error)) => {
                return Err(stop(FaultKind::Undecodable(error), code.address(index)));
            }
            None => {
                let from = wave.branch.map(|branch| code.address(branch as usize));
                return Err(if index == NOWHERE {
                    stop(FaultKind::PcMisaligned { from }, wave.pc)
                } else {
                    stop(FaultKind::PcOutside { from }, code.address(index))
                });
            }
        };
        if let Ok(left) = usize::try_from(until - executed)
            && left < steps.len()
        {
            steps = &steps[..left];
        }
        let mut is_usual = wave.mode & UNUSUAL == 0;
        for (before, step) in (executed..).zip(steps) {
            // What most instructions are, ahead of the rest.
            if step.is_vector && !O::ACTIVE && is_usual {
                (step.handler)(wave, step);
                continue;
            }
            wave.executed = before;
            index = step.index;
            let at = |kind| stop(kind, code.address(index));
            if O::ACTIVE {
                wave.pc = code.address(index);
                observer.before(wave, step);
            }
            let following = step.following();
            let mut next = following;
            match step.run {
                Run::Vector | Run::VectorFromLds | Run::Memory | Run::Cancelled | Run::Missing
                    if is_skipped(wave, step) => {}
                Run::Vector => vector(wave, step),
                Run::VectorFromLds => {
                    wave.lds_direct = lds.direct(wave.m0());
                    vector(wave, step);
                    wave.lds_direct = 0;
                }
                Run::Scalar => {
                    let after = code.address(next);
                    wave.pc = after;
                    (step.handler)(wave, step);
                    if wave.pc != after {
                        next = code.index(wave.pc).unwrap_or(NOWHERE);
                    }
                    is_usual = wave.mode & UNUSUAL == 0;
                }
                Run::Branch(condition, distance) => {
                    if holds(wave, condition) {
                        next = next.wrapping_add_signed(distance as isize);
                    }
                }
                Run::Wait(until) if counts => wave.scoreboard.wait(until),
                Run::Wait(_) => {}
                Run::Memory => {
                    let pc = code.address(index);
                    if O::ACTIVE || memory::quickly(wave, step, lds, device).is_none() {
                        memory::addresses(wave, step, device, access);
                        if O::ACTIVE
                            && let Verdict::Veto(message) = observer.access(wave, step, access)
                        {
                            return Err(at(FaultKind::Vetoed(message)));
                        }
                        let result = memory::perform(wave, step, access, lds, device);
                        wave.blame(pc);
                        match result {
                            Ok(Outcome::Done) => wave.waiting = Waiting::No,
                            Ok(Outcome::Blocked) => {
                                // The wave yields, and issues the instruction anew at its next turn.
                                wave.pc = pc;
                                wave.waiting = Waiting::Gws;
                                return Ok(());
                            }
                            Err((kind, lane)) => return Err(Stop { kind, pc, lane }),
                        }
                    }
                    if counts {
                        memory::count(wave, step, pc);
                    }
                }
                Run::Cancelled if device.config.on_violation == OnViolation::Stop => {
                    return Err(at(FaultKind::RegisterOutOfRange {
                        vgprs: code.vgprs(),
                        sgprs: code.sgprs(),
                    }));
                }
                Run::Cancelled if counts => memory::count(wave, step, code.address(index)),
                Run::Cancelled => {}
                Run::Flow => {
                    flow(wave, step, code.address(index)).map_err(at)?;
                    is_usual = wave.mode & UNUSUAL == 0;
                }
                Run::Missing => return Err(at(FaultKind::NotExecuted)),
            }
            wave.executed = before + 1;
            if O::ACTIVE {
                if next != NOWHERE {
                    wave.pc = code.address(next);
                }
                observer.after(wave, step, code.address(index));
            }
            // Nothing else makes a wave wait; a memory instruction that does has returned.
            if matches!(step.run, Run::Flow) && wave.waiting != Waiting::No {
                wave.pc = code.address(next);
                if O::ACTIVE && wave.waiting == Waiting::Ended {
                    observer.ended(wave);
                }
                return Ok(());
            }
            if next != following {
                wave.branch = Some(index as u32);
                index = next;
                continue 'blocks;
            }
        }
        wave.executed = executed + steps.len() as u64;
        if let Some(last) = steps.last() {
            index = last.following();
        }
    }
}

/// A vector instruction, with its operands where VGPR indexing has moved them.
#[inline(always)]
fn vector(wave: &mut Wave, step: &Step) {
    if indexing::is_on(wave) {
        indexing::execute(wave, step);
    } else {
        (step.handler)(wave, step);
    }
}

/// The number of no dword: where a program counter points that is not aligned. No branch comes near it.
const NOWHERE: usize = 1 << (usize::BITS - 1);

/// MODE: bits that make instructions do something else than usual.
const UNUSUAL: u32 = indexing::GPR_IDX_EN | MODE_VSKIP;

/// Whether an instruction is a vector instruction while those are skipped (S_SETVSKIP, errata E206). Nothing of it
/// happens, and no counter counts it.
#[inline(always)]
fn is_skipped(wave: &Wave, step: &Step) -> bool {
    wave.mode & MODE_VSKIP != 0 && !step.inst.encoding.is_scalar()
}

/// S_SETPRIO has two bits.
const PRIORITY: u8 = 3;

/// Whether a branch on `condition` is taken.
#[inline]
fn holds(wave: &Wave, condition: Condition) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Scc0 => !wave.scc,
        Condition::Scc1 => wave.scc,
        Condition::VccZero => wave.vcc() == 0,
        Condition::VccNotZero => wave.vcc() != 0,
        Condition::ExecZero => wave.exec() == 0,
        Condition::ExecNotZero => wave.exec() != 0,
        Condition::Debugger => false,
    }
}

/// Program control.
fn flow(wave: &mut Wave, step: &Step, pc: u64) -> Result<(), FaultKind> {
    match step.inst.does() {
        Does::Control(control) => match control {
            // The counters do not hold up the end; what was issued takes place all the same (checklist 5.5).
            Control::End => wave.waiting = Waiting::Ended,
            Control::Barrier => wave.waiting = Waiting::Barrier,
            Control::SendMsg { halt } => {
                if let Some(counters) = step.inst.uses().counters() {
                    wave.scoreboard.issue(counters.order, pc, counters.into());
                }
                if halt {
                    return Err(FaultKind::Halted);
                }
            }
            Control::Trap if step.immediate() as u8 == fault::BREAKPOINT => {}
            Control::Trap => return Err(FaultKind::Trap(step.immediate() as u8)),
            Control::SetHalt if step.immediate() & 1 != 0 => return Err(FaultKind::Halted),
            // Who sleeps waits for somebody, whose turn it is now. There is no time that could pass.
            Control::Sleep => wave.waiting = Waiting::Asleep,
            Control::SetPrio => wave.priority = step.immediate() as u8 & PRIORITY,
            Control::GprIndexOff => indexing::turn_off(wave),
            Control::GprIndexMode => indexing::set_operands(wave, step, 0),
            // Nothing here depends on time, priority, caches of code or performance counters. Waits have been done.
            Control::Nop
            | Control::Waitcnt
            | Control::SetHalt
            | Control::CacheInvalidate
            | Control::PerfCount
            | Control::TraceData
            | Control::SetKill
            | Control::Wakeup => {}
        },
        Does::ReturnFromTrap => return Err(FaultKind::OutsideTrapHandler),
        _ => return Err(FaultKind::NotExecuted),
    }
    Ok(())
}
