//! Uses of uninitialized registers, LDS, scratch and buffers.
//!
//! As in Valgrind's Memcheck, each bit has a shadow bit, which is set if the bit is undefined. Moves and arithmetic
//! propagate shadow bits, precisely where that is cheap, so that copying an undefined value is not reported. Undefined
//! addresses, branch conditions and EXEC bits are reported, as are undefined bits that a kernel leaves in a buffer.
//!
//! Instructions are evaluated at issue, before they overwrite their sources. Most of them use only defined registers,
//! so a test against the set of undefined registers suffices.

mod part;
mod origin;
mod registers;
mod integer;
mod apply;
mod facts;
mod memory;
mod evaluate;
mod scalar;
mod lanes;
mod access;
mod spans;
mod repeats;
mod results;
mod state;
mod fast_path;

use std::collections::HashMap;
use std::sync::Arc;

use gcn_emu::fault::Fault;
use gcn_emu::observe::{
    Access, Context, Dispatched, Events, Instruction, MemoryChange, MemoryChangeKind, Observer,
    ShareAccess, Span, WaveEnd, WaveObserver,
};
use gcn_emu::run::Stats;
use gcn_emu::step::Step;
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers};
use gcn_isa::{Does, regs};

use crate::by_step::ByStep;
use crate::finding::{Finding, FindingKey, FindingPlace, Findings, Kind};
use crate::registers::{detail, name, used};
use crate::waves::{Groups, Waves};

use access::{Memories, UndefinedAccess};
use evaluate::Evaluation;
use facts::{Decides, MovedFacts, UndefinedFlow, UninitFacts};
use fast_path::{accesses_defined, define_written, defines_result, reads_defined};
use memory::GlobalView;
use origin::{Loads, UndefinedOrigin};
use part::PartlyDefined;
use registers::SCC;
use results::{SharedResults, StoringInstruction};
use spans::SpanAccess;
use state::{GroupState, UndefinedWave, group_of, scratch_bytes};

/// The checker for undefined values.
pub(super) struct Uninit {
    findings: Arc<Findings>,
    shared: Arc<SharedResults>,
}

impl Uninit {
    pub(super) fn new(findings: Arc<Findings>) -> Uninit {
        Uninit {
            findings,
            shared: Arc::default(),
        }
    }
}

impl Observer for Uninit {
    fn wants(&self) -> Events {
        Events::WATCHED | Events::WAVE | Events::DISPATCH | Events::MEMORY
    }

    fn may_overlook(&self) -> bool {
        true
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(UninitWatch {
            findings: self.findings.clone(),
            shared: self.shared.clone(),
            facts: ByStep::default(),
            moved: MovedFacts::default(),
            waves: Waves::default(),
            groups: Groups::default(),
            spare: Vec::new(),
            loads: Loads::default(),
            storing: HashMap::new(),
            access: Box::default(),
            spans: Vec::new(),
        }))
    }

    fn dispatch_ends(&self, dispatched: &Dispatched<'_>, _: &Stats, _: Option<&Fault>) {
        self.shared.report(&self.findings, dispatched);
    }

    fn memory_changes(&self, change: &MemoryChange<'_>) {
        let global = &self.shared.global;
        match change.kind {
            MemoryChangeKind::Allocated | MemoryChangeKind::Freed => global.forget(&change.range),
            MemoryChangeKind::Undefined => {
                global.forget(&change.range);
                global.undefine(change.range.clone());
            }
            MemoryChangeKind::Written => global.define(change.range.clone()),
            MemoryChangeKind::Read => self.shared.read(&self.findings, &change.range),
            MemoryChangeKind::ReadAsResults => self.shared.read_results(&self.findings, change),
        }
    }
}

/// Checker for the waves that one host thread runs.
struct UninitWatch {
    findings: Arc<Findings>,
    shared: Arc<SharedResults>,
    facts: ByStep<Arc<UninitFacts>>,
    moved: MovedFacts,
    /// Shadow state of each wave. The executing wave is the current one.
    waves: Waves<UndefinedWave>,
    groups: Groups<GroupState>,
    /// State of ended waves, reused to avoid allocation.
    spare: Vec<UndefinedWave>,
    loads: Loads,
    /// Instructions that stored undefined bits, by address and origin, with the number of the first store.
    storing: HashMap<(u64, UndefinedOrigin), (Arc<StoringInstruction>, Option<u32>)>,
    /// Addresses of the current instruction, reused to avoid allocation.
    access: Box<Access>,
    spans: Vec<Span>,
}

/// Parameters of [`UninitWatch::report`].
struct UninitReport<'a> {
    kind: Kind,
    message: String,
    label: String,
    origin: UndefinedOrigin,
    lane: Option<usize>,
    detail: u64,
    instruction: &'a Instruction<'a>,
}

impl UninitWatch {
    /// Makes the wave of an event current, and returns its state.
    #[inline]
    fn turn(&mut self, context: &Context<'_>) -> &mut UndefinedWave {
        let spare = &mut self.spare;
        self.waves
            .get_or_make(context.id(), || UndefinedWave::new(context, spare))
    }

    fn report(findings: &Findings, loads: &Loads, context: &Context<'_>, report: UninitReport<'_>) {
        let key = FindingKey {
            kind: report.kind,
            pc: context.pc,
            other: 0,
            detail: report.detail,
        };
        findings.report(key, Some(context.id()), || {
            let mut finding =
                Finding::new(report.kind, context, report.instruction, report.message);
            if let Some(lane) = report.lane {
                finding.place = finding.place.lane(lane);
            }
            finding.label = report.label;
            let isa = report.instruction.step.inst.isa;
            finding
                .sides
                .push(loads.side(report.origin, isa, context.id()));
            finding
        });
    }

    /// Reports undefined addresses and branch conditions, and marks them as defined to avoid repeated reports.
    fn decisions(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        facts: &UninitFacts,
    ) {
        let Some(state) = self.waves.current() else {
            return;
        };
        let registers = &mut state.registers;
        let isa = instruction.step.inst.isa;
        // Without active lanes, vector memory instructions access nothing, except GWS and ordered count.
        let plan = instruction.step.memory.as_deref();
        let is_idle = instruction.exec == 0
            && plan.is_some_and(|plan| {
                let is_for_wave = matches!(plan.does, Does::Gws(_) | Does::OrderedCount);
                !plan.family.is_scalar() && !is_for_wave
            });
        for it in facts.addresses.iter().filter(|_| !is_idle) {
            let Some((lane, origin)) = registers.first_undefined(it, instruction.exec) else {
                continue;
            };
            let register = name(isa, it.registers);
            let accesses_memory = facts.class == UndefinedFlow::Memory || facts.reads_lds_direct;
            let what = match it.registers {
                _ if !accesses_memory => {
                    format!("{register} is undefined, and decides which register is accessed")
                }
                Registers::Scalar {
                    first: regs::M0, ..
                } => {
                    format!("{register} is undefined, and decides which memory is accessed")
                }
                _ => format!("memory is accessed at an undefined address: {register}"),
            };
            let label = format!("uses {register} as an address");
            registers.define(it, instruction.exec);
            Self::report(
                &self.findings,
                &self.loads,
                context,
                UninitReport {
                    kind: Kind::UninitializedAddress,
                    message: what,
                    label,
                    origin,
                    lane,
                    detail: detail(it.registers),
                    instruction,
                },
            );
        }
        let branch = match facts.decides {
            Decides::Nothing => None,
            Decides::Scc => (registers.scalar(SCC) != 0).then_some((SCC, 1, "scc".to_owned())),
            Decides::Vcc => {
                let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << u32::BITS;
                let vcc = PartlyDefined {
                    value: context.wave.vcc(),
                    undefined: pair(
                        registers.scalar(regs::VCC_LO),
                        registers.scalar(regs::VCC_LO + 1),
                    ),
                };
                vcc.may_be_zero_or_not()
                    .then_some((regs::VCC_LO, 2, "vcc".to_owned()))
            }
            Decides::Target => {
                let mut read = facts.uses.iter().filter(|it| it.read != 0);
                read.find_map(|it| match it.registers {
                    Registers::Scalar { first, count }
                        if (first..first + count).any(|it| registers.scalar(it) != 0) =>
                    {
                        Some((first, count, name(isa, it.registers)))
                    }
                    _ => None,
                })
            }
        };
        if let Some((first, count, name)) = branch {
            let undefined = (first..first + count).find(|it| registers.scalar(*it) != 0);
            let origin = registers.scalar_origin(undefined.unwrap_or(first));
            for register in first..first + count {
                registers.define_scalar(register);
            }
            Self::report(
                &self.findings,
                &self.loads,
                context,
                UninitReport {
                    kind: Kind::UninitializedBranch,
                    message: format!("a branch depends on an undefined value: {name}"),
                    label: format!("depends on {name}"),
                    origin,
                    lane: None,
                    detail: 0,
                    instruction,
                },
            );
        }
    }

    /// Reports undefined bits of EXEC, and marks EXEC as defined.
    fn exec(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let Some(state) = self.waves.current() else {
            return;
        };
        let registers = &mut state.registers;
        let undefined = u64::from(registers.scalar(regs::EXEC_LO))
            | u64::from(registers.scalar(regs::EXEC_HI)) << u32::BITS;
        if undefined == 0 {
            return;
        }
        let register = if undefined as u32 != 0 {
            regs::EXEC_LO
        } else {
            regs::EXEC_HI
        };
        let origin = registers.scalar_origin(register);
        registers.define_scalar(regs::EXEC_LO);
        registers.define_scalar(regs::EXEC_HI);
        Self::report(
            &self.findings,
            &self.loads,
            context,
            UninitReport {
                kind: Kind::UninitializedExec,
                message: "an undefined value decides which lanes are active".to_owned(),
                label: "writes exec".to_owned(),
                origin,
                lane: Some(undefined.trailing_zeros() as usize),
                detail: 0,
                instruction,
            },
        );
    }

    /// Evaluates a memory instruction. `reads_defined` is true if all registers that it reads are defined.
    fn memory(
        &mut self,
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        facts: &UninitFacts,
        reads_defined: bool,
    ) {
        let Some(state) = self.waves.current() else {
            return;
        };
        let Some(plan) = instruction.step.memory.as_deref() else {
            return;
        };
        let group = group_of(&mut self.groups, context);
        let (step, exec) = (instruction.step, instruction.exec);
        let version = group.lds.version();
        context.addresses(instruction.step, &mut self.access);
        if self.access.intent.is_none() {
            define_written(&mut state.registers, facts, instruction.exec);
            return;
        }
        let mut view = GlobalView::new(&self.shared.global);
        let scratch = &context.wave.scratch;
        let scratch_range = scratch.base..scratch.base + scratch_bytes(scratch);
        let mut by_span = SpanAccess {
            access: &self.access,
            spans: &mut self.spans,
        };
        // `access` holds only the first of the texels that each lane of a sample reads.
        let is_sampled = instruction.step.accesses_texels();
        if reads_defined
            && !is_sampled
            && by_span.is_it(&scratch_range)
            && by_span.leaves_defined(&mut group.lds, &mut view)
        {
            state.repeats.note(context, step, exec, version);
            if defines_result(&mut state.registers, facts, exec) {
                return;
            }
        }
        let (shared, storing, stores) = (&self.shared, &mut self.storing, &mut state.stores);
        let mut store = |loads: &Loads, origin| {
            *stores.entry(context.pc).or_insert_with(|| {
                let by = storing.entry((context.pc, origin));
                let (by, first) = by.or_insert_with(|| {
                    let by = StoringInstruction {
                        dispatch: context.dispatched.id,
                        kernel: context.dispatched.dispatch.kernel.clone(),
                        place: FindingPlace::of(context, instruction),
                        origin: loads.side(origin, step.inst.isa, context.id()),
                    };
                    (Arc::new(by), None)
                });
                let number = shared.note(by, context.id(), *first);
                *first = first.or(Some(number));
                number
            })
        };
        for number in 0.. {
            if number > 0 && !context.texel(instruction.step, number, &mut self.access) {
                break;
            }
            UndefinedAccess {
                context,
                instruction,
                plan,
                facts,
                access: &self.access,
                is_first: number == 0,
                shadow: &mut state.registers,
                memories: Memories {
                    lds: &mut group.lds,
                    scratch: &mut state.scratch,
                    scratch_range: scratch_range.clone(),
                    global: &shared.global,
                },
                view: GlobalView::new(&self.shared.global),
                loads: &mut self.loads,
                swapped: Vec::new(),
                store: &mut store,
            }
            .run();
            if !is_sampled {
                break;
            }
        }
    }

    /// Returns the further address registers that an image descriptor requires, if they have undefined bits.
    #[inline]
    fn undefined_beyond(
        &mut self,
        context: &Context<'_>,
        step: &Step,
        exec: u64,
    ) -> Option<RegisterUse> {
        step.memory.as_deref()?.image.as_ref()?;
        let beyond = context.address_beyond(step)?;
        let registers = &self.turn(context).registers;
        registers.first_undefined(&beyond, exec).map(|_| beyond)
    }

    /// Fast path: if an instruction is certain to read and preserve only defined values, marks its destinations as
    /// defined and returns true. `bases_number` is [`ShareAccess::bases_number`], if known.
    #[inline]
    fn is_defined(
        &mut self,
        context: &Context<'_>,
        step: &Step,
        exec: u64,
        bases_number: Option<u64>,
    ) -> bool {
        self.turn(context);
        let Some(state) = self.waves.current() else {
            return false;
        };
        let facts = self.facts.of(step, |step| Arc::new(UninitFacts::of(step)));
        if !reads_defined(&state.registers, facts, exec) {
            return false;
        }
        let reads_memory = facts.class == UndefinedFlow::Memory || facts.reads_lds_direct;
        let loads_defined = !reads_memory || {
            let group = group_of(&mut self.groups, context);
            accesses_defined(
                context,
                step,
                exec,
                group,
                &self.shared,
                &mut state.repeats,
                bases_number,
            )
        };
        loads_defined && defines_result(&mut state.registers, facts, exec)
    }

    /// Slow path, for instructions that may use undefined registers or memory.
    fn slow(&mut self, context: &Context<'_>, instruction: &Instruction<'_>, facts: &UninitFacts) {
        self.decisions(context, instruction, facts);
        let Some(state) = self.waves.current() else {
            return;
        };
        let registers = &mut state.registers;
        if facts.class == UndefinedFlow::Memory {
            let is_defined = reads_defined(registers, facts, instruction.exec);
            self.memory(context, instruction, facts, is_defined);
            return;
        }
        if !facts.reads_lds_direct
            && reads_defined(registers, facts, instruction.exec)
            && defines_result(registers, facts, instruction.exec)
        {
            return;
        }
        let mut evaluation = Evaluation::new(context, instruction, facts, registers);
        if facts.reads_lds_direct {
            let group = group_of(&mut self.groups, context);
            let value = access::lds_direct(context, &group.lds);
            let (loads, inst) = (&mut self.loads, &instruction.step.inst);
            let origin = || loads.origin(context.pc, inst, "LDS");
            evaluation = evaluation.with_lds_direct(value, origin);
        }
        evaluation.run();
        if facts.scalar_written >> regs::EXEC_LO != 0 {
            self.exec(context, instruction);
        }
    }
}

impl WaveObserver for UninitWatch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        self.turn(context);
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        let id = context.id();
        self.spare.extend(self.waves.remove(id).map(|state| *state));
        if let Some(group) = self.groups.find(id.group) {
            group.ended += 1;
            if group.ended >= context.wave.group.waves {
                self.groups.remove(id.group);
            }
        }
    }

    fn watched(&mut self, context: &Context<'_>) -> RegisterSet {
        self.turn(context).registers.with_undefined_bits()
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let (step, exec) = (instruction.step, instruction.exec);
        let is_moved = !std::ptr::eq(instruction.operands, &step.args);
        let beyond = self.undefined_beyond(context, step, exec);
        if is_moved || beyond.is_some() {
            let facts = match beyond {
                None => self.moved.of(context, instruction),
                Some(_) => {
                    let uses = used(instruction).chain(beyond);
                    Arc::new(UninitFacts::with(step, uses, context.index(step)))
                }
            };
            self.slow(context, instruction, &facts);
        } else if !self.is_defined(context, step, exec, None) {
            let facts = self.facts.of(step, |step| Arc::new(UninitFacts::of(step)));
            let facts = facts.clone();
            self.slow(context, instruction, &facts);
        }
    }

    fn overlooks(&mut self, context: &Context<'_>, access: &ShareAccess<'_>) -> bool {
        self.is_defined(
            context,
            access.step,
            access.lanes,
            Some(access.bases_number),
        )
    }
}
