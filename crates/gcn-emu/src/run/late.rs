//! Memory operations that complete as late as the wait counters allow.
//!
//! Hardware may complete an operation at any time between its issue and the wait that covers it. By default the
//! emulator completes operations at once; in this mode it completes them as late as possible. At issue the operation
//! captures the registers that it reads, and the registers that it will write are filled with noise. The operation
//! takes effect when a wait covers it ([`Outstanding`](crate::outstanding::Outstanding)), but at the latest when the
//! wave ends, sleeps or uses up its turn, or when its workgroup's turn ends while the wave waits for other waves. Waves
//! that wait for each other therefore make progress. At a barrier, vector memory operations except loads to LDS perform
//! their accesses, but registers still receive loaded values late. Operations of a wave that are due at the same time
//! take effect in issue order.

use std::collections::BTreeSet;
use std::mem::{replace, swap, take};

use gcn_isa::effect::Control;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order, RegisterUse, Registers};
use gcn_isa::{Does, regs};

use super::events::{EventWriter, IssueState};
use super::stop::Stop;
use crate::device::Device;
use crate::exec::memory::{self, Transfer};
use crate::lanes::active;
use crate::late::{LateOperation, LateResults};
use crate::lds::Lds;
use crate::observe::{Dispatched, Overlook, Watchers};
use crate::outstanding::flat_order;
use crate::scoreboard::OperationId;
use crate::step::Step;
use crate::wave::Wave;

/// True if the effect of a memory instruction may be delayed. Instructions that synchronize waves or access nothing are
/// not delayed.
pub(super) fn defers(step: &Step) -> bool {
    let does = step.memory.as_ref().map(|plan| plan.does);
    does.is_some_and(|does| {
        !matches!(
            does,
            Does::Gws(_) | Does::OrderedCount | Does::LdsNop | Does::Cache(_) | Does::Probe
        )
    })
}

/// True if all operations must take effect before an instruction, because the wave may not resume soon after it.
pub(super) fn finishes(step: &Step) -> bool {
    let does = step.inst.does();
    matches!(
        does,
        Does::Control(
            Control::End
                | Control::Sleep
                | Control::SetHalt
                | Control::Trap
                | Control::SendMsg { .. }
        )
    )
}

/// State that a wave needs to complete its operations.
pub(super) struct LateContext<'a, 'b> {
    dispatched: &'a Dispatched<'a>,
    lds: &'b mut Lds,
    transfer: &'b mut Transfer,
    watch: &'b mut Watchers,
}

impl<'a, 'b> LateContext<'a, 'b> {
    pub(super) fn new(
        dispatched: &'a Dispatched<'a>,
        lds: &'b mut Lds,
        transfer: &'b mut Transfer,
        watch: &'b mut Watchers,
    ) -> LateContext<'a, 'b> {
        LateContext {
            dispatched,
            lds,
            transfer,
            watch,
        }
    }

    /// Issues the instruction at `pc`. If a counter would overflow, its oldest operations take effect.
    ///
    /// # Errors
    /// Returns the fault of a completed operation.
    pub(super) fn issue(&mut self, wave: &mut Wave, step: &Step, pc: u64) -> Result<(), Stop> {
        let Some(late) = &mut wave.late else {
            return Ok(());
        };
        let number = late.next();
        let mut noise = late.noise.of(number);
        let counters = counters(wave, step, self.dispatched.device, self.transfer);
        if let Some(late) = &mut wave.late {
            let added = [(Counter::Vm, counters.vm), (Counter::Lgkm, counters.lgkm)];
            let holds = added.into_iter().filter(|(_, added)| *added != 0);
            let holds = holds.map(|(counter, _)| (counter, number));
            let max = Waitcnt::max(step.inst.isa);
            if late.outstanding.issue(&counters, max, holds) {
                let ready = late.ready();
                self.complete(wave, ready)?;
            }
        }
        // A barrier does not perform the access of a load to LDS.
        let to_lds = step.memory.as_deref().is_some_and(|plan| plan.to_lds);
        let operation = capture(wave, step, pc, number, counters.vm != 0 && !to_lds);
        let exec = wave.exec();
        let written = written(wave, step);
        for (register, bits) in written.vectors {
            for lane in active(exec) {
                let value = &mut wave.vgpr_mut(register).0[lane];
                *value = *value & !bits | noise.next() as u32 & bits;
            }
        }
        for register in written.scalars {
            wave.set_scalar(register, noise.next() as u32);
        }
        if let Some(late) = &mut wave.late {
            late.operations.push(operation);
        }
        Ok(())
    }

    /// Completes the operations that a wait covers.
    ///
    /// # Errors
    /// Returns the fault of a completed operation.
    pub(super) fn wait(&mut self, wave: &mut Wave, until: Waitcnt) -> Result<(), Stop> {
        let Some(late) = &mut wave.late else {
            return Ok(());
        };
        if !late.outstanding.wait(until) {
            return Ok(());
        }
        let ready = late.ready();
        self.complete(wave, ready)
    }

    /// Completes all operations.
    ///
    /// # Errors
    /// Returns the fault of a completed operation.
    pub(super) fn finish(&mut self, wave: &mut Wave) -> Result<(), Stop> {
        let all = wave.late.as_mut().map(|late| late.all());
        self.complete(wave, all.unwrap_or_default())
    }

    /// Performs the accesses of vector memory operations at a barrier, except those of loads to LDS. The workgroup's
    /// waves share a cache, which orders these accesses before other waves' accesses after the barrier, so LLVM's
    /// memory model for GCN requires no wait. Registers do not receive loaded values without a wait.
    ///
    /// # Errors
    /// Returns the fault of an access.
    pub(super) fn barrier(&mut self, wave: &mut Wave) -> Result<(), Stop> {
        let Some(late) = &mut wave.late else {
            return Ok(());
        };
        let mut operations = take(&mut late.operations);
        let mut vectors = operations.iter_mut().filter(|it| it.is_vector);
        let result = vectors.try_for_each(|operation| self.access(wave, operation));
        if let Some(late) = &mut wave.late {
            late.operations = operations;
        }
        result
    }

    fn complete(&mut self, wave: &mut Wave, operations: Vec<LateOperation>) -> Result<(), Stop> {
        for mut operation in operations {
            let result = self.access(wave, &mut operation);
            if let Some(results) = operation.results {
                deliver(wave, results);
            }
            result?;
        }
        Ok(())
    }

    /// Performs an operation's access, unless a barrier has already done so, and stores the results in the operation.
    /// Registers do not change.
    fn access(&mut self, wave: &mut Wave, operation: &mut LateOperation) -> Result<(), Stop> {
        if operation.results.is_some() {
            return Ok(());
        }
        let Some(Ok(step)) = self.dispatched.code.step(operation.pc) else {
            return Ok(());
        };
        let Used { vectors, scalars } = written(wave, step);
        let vectors_now: Vec<_> = vectors.iter().map(|(it, _)| *wave.vgpr(*it)).collect();
        let scalars_now: Vec<u32> = scalars.iter().map(|it| wave.resolved(*it)).collect();
        exchange(wave, operation);
        let exec = wave.exec();
        let pc = replace(&mut wave.pc, operation.pc);
        let result = self.perform(wave, step, operation.operation);
        wave.pc = pc;
        let loaded = |&(register, bits): &(u8, u32)| (register, bits, *wave.vgpr(register));
        let results = LateResults {
            exec,
            vectors: vectors.iter().map(loaded).collect(),
            scalars: scalars.iter().map(|it| (*it, wave.resolved(*it))).collect(),
        };
        exchange(wave, operation);
        for ((register, _), now) in vectors.into_iter().zip(vectors_now) {
            *wave.vgpr_mut(register) = now;
        }
        for (register, now) in scalars.into_iter().zip(scalars_now) {
            wave.set_scalar(register, now);
        }
        operation.results = Some(results);
        result
    }

    /// Executes an instruction in a wave whose registers have been restored to their values at issue.
    fn perform(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        operation: OperationId,
    ) -> Result<(), Stop> {
        let pc = wave.pc;
        let issued = IssueState::delayed(wave, step, operation);
        let mut events = EventWriter::new(
            self.dispatched,
            self.watch,
            &issued,
            step,
            wave,
            Overlook::default(),
        );
        let result = events.memory(wave, step, self.lds, self.transfer);
        wave.blame(pc);
        result.map(drop).map_err(|fault| {
            let (kind, lane) = *fault;
            Stop { kind, pc, lane }
        })
    }
}

/// Counters that an operation holds. For FLAT, they depend on the apertures that the lanes access (errata E082).
fn counters(wave: &Wave, step: &Step, device: &Device, transfer: &mut Transfer) -> Counters {
    let mut counters = step.inst.uses().counters().unwrap_or(Counters {
        vm: 0,
        lgkm: 0,
        exp: 0,
        order: Order::Scalar,
        sampled: false,
    });
    if counters.order == Order::Flat {
        let access = transfer.access_mut();
        memory::addresses(wave, step, device, access);
        counters.order = flat_order(access.lds, access.lanes());
        match counters.order {
            Order::VectorMemory => counters.lgkm = 0,
            Order::Lds => counters.vm = 0,
            _ => {}
        }
    }
    counters
}

/// Vector register that is accessed for a register number: v0 if the number is out of range (checklist 1.6).
fn vector(wave: &Wave, register: u8) -> u8 {
    if usize::from(register) < wave.vgprs.len() {
        register
    } else {
        0
    }
}

/// Scalar register that is accessed for a register number: s0 if the number is out of range (checklist 1.7).
fn scalar(wave: &Wave, register: u8) -> u8 {
    if wave.owns_scalars(register, 1) {
        register
    } else {
        0
    }
}

/// Numbers of the registers that an instruction uses; vector registers come with a mask of the bits used.
#[derive(Default)]
struct Used {
    vectors: Vec<(u8, u32)>,
    scalars: Vec<u8>,
}

/// Registers that an instruction uses, with the bits that `bits` selects for each use.
fn used(wave: &Wave, step: &Step, bits: impl Fn(&RegisterUse) -> u32) -> Used {
    let mut used = Used::default();
    let uses = step.inst.uses();
    let all = uses.registers().chain(uses.address_beyond());
    for it in all.filter(|it| bits(it) != 0) {
        match it.registers {
            Registers::Vector { first, count } => {
                let numbers = (0..count).map(|n| vector(wave, first.wrapping_add(n)));
                used.vectors
                    .extend(numbers.map(|number| (number, bits(&it))));
            }
            Registers::Scalar { first, count } => {
                let numbers = (0..count).map(|n| scalar(wave, first.wrapping_add(n)));
                used.scalars.extend(numbers);
            }
            Registers::State(_) => {}
        }
    }
    used
}

/// Registers that an instruction writes.
fn written(wave: &Wave, step: &Step) -> Used {
    used(wave, step, |it| it.written)
}

/// Captures MODE, EXEC and the registers that an instruction reads, each register once.
fn capture(wave: &Wave, step: &Step, pc: u64, number: u64, is_vector: bool) -> LateOperation {
    let read = used(wave, step, |it| it.read);
    let vectors: BTreeSet<u8> = read.vectors.into_iter().map(|(it, _)| it).collect();
    let scalars = read
        .scalars
        .into_iter()
        .chain([regs::EXEC_LO, regs::EXEC_HI]);
    let scalars: BTreeSet<u8> = scalars.collect();
    LateOperation {
        number,
        pc,
        mode: wave.mode,
        operation: wave.scoreboard.next(),
        vectors: vectors.into_iter().map(|it| (it, *wave.vgpr(it))).collect(),
        scalars: scalars
            .into_iter()
            .map(|it| (it, wave.resolved(it)))
            .collect(),
        is_vector,
        results: None,
    }
}

/// Writes loaded values to their registers.
fn deliver(wave: &mut Wave, results: LateResults) {
    for (register, bits, loaded) in results.vectors {
        let value = wave.vgpr_mut(register);
        for lane in active(results.exec) {
            value.0[lane] = value.0[lane] & !bits | loaded.0[lane] & bits;
        }
    }
    for (register, value) in results.scalars {
        wave.set_scalar(register, value);
    }
}

/// Swaps the state captured by an operation with the wave's state.
fn exchange(wave: &mut Wave, operation: &mut LateOperation) {
    swap(&mut wave.mode, &mut operation.mode);
    for (register, value) in &mut operation.vectors {
        swap(wave.vgpr_mut(*register), value);
    }
    for (register, value) in &mut operation.scalars {
        let now = wave.resolved(*register);
        wave.set_scalar(*register, *value);
        *value = now;
    }
}
