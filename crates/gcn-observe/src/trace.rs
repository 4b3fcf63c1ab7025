//! Instruction trace.

use std::fmt::Write;
use std::sync::Arc;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{
    Context, Events, Instruction, MemoryEvent, Observer, Verdict, WaveObserver,
};
use gcn_emu::step::Arg;
use gcn_emu::wave::{LANES, Lanes, Wave};
use gcn_isa::regs;
use gcn_isa::uses::Registers;

use crate::access::{operands, write_access};
use crate::filter::TraceFilter;
use crate::spread::write_spread;

/// Observer that passes a line for each executed instruction to a callback, without a newline:
///
/// `[workgroup] wave  address symbol+offset  exec=mask  instruction  -> registers written  accesses`
///
/// Values are hexadecimal. A vector register is shown for the lanes that were active or have changed: a single value
/// if all are equal, `first+step*lane` if they are evenly spaced, otherwise all values in lane order. The numbers of
/// written registers are those after VGPR indexing and MOVREL.
///
/// A memory access is `load global addresses` or `store global addresses: values`, where `global` may also be `lds`,
/// `gds`, `scratch` or `buffer` (through a descriptor). Addresses and values use the notation of vector registers. An
/// atomic is `atomic global addresses: operands, was values`.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use std::sync::{Arc, mpsc};
/// use gcn_emu::observe::Observers;
/// use gcn_observe::Trace;
/// let (sender, lines) = mpsc::channel();
/// let trace = Trace::new(move |line: &str| drop(sender.send(line.to_owned())));
/// let xs = device.buffer("xs", &[1u32; 64])?;
/// let observers = Observers::none().with(Arc::new(trace));
/// kernel.launch([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
/// let lines: Vec<String> = lines.try_iter().collect();
/// assert_eq!(lines.len(), 6);
/// let shift = "exec=ffffffffffffffff  v_lshlrev_b32_e32 v0, 2, v0  -> v0=0x0+0x4*lane";
/// assert!(lines[1].starts_with("[0,0,0] 0  0x") && lines[1].ends_with(shift), "{}", lines[1]);
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
pub struct Trace<F> {
    tell: Arc<F>,
    filter: Arc<TraceFilter>,
    symbols: Option<Arc<SymbolLookup>>,
}

/// Function from an address to a symbol and offset.
type SymbolLookup = dyn Fn(u64) -> Option<String> + Send + Sync;

impl<F: Fn(&str) + Send + Sync + 'static> Trace<F> {
    /// Creates a trace that passes each line to `tell`, on the thread that executes the instruction.
    pub fn new(tell: F) -> Trace<F> {
        Trace {
            tell: Arc::new(tell),
            filter: Arc::default(),
            symbols: None,
        }
    }

    /// Restricts the trace to instructions that match a filter.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// # use std::sync::{Arc, mpsc};
    /// # use gcn_emu::observe::Observers;
    /// use gcn_observe::{TraceFilter, Trace};
    /// # let (sender, lines) = mpsc::channel();
    /// let entry = kernel.module().loaded().moved(kernel.description().entry_address);
    /// let trace = Trace::new(move |line: &str| drop(sender.send(line.to_owned())))
    ///     .filter(TraceFilter { instructions: vec!["global_*".to_owned()], ..TraceFilter::default() })
    ///     .symbols(move |pc| Some(format!("add_one+{:#x}", pc - entry)));
    /// # let xs = device.buffer("xs", &[1u32; 64])?;
    /// # let observers = Observers::none().with(Arc::new(trace));
    /// kernel.launch([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
    /// let lines: Vec<String> = lines.try_iter().collect();
    /// assert!(lines.len() == 1 && lines[0].contains(" add_one+0x14  exec="), "{lines:?}");
    /// assert!(lines[0].ends_with(": 0x1, was 0x1"), "the operand and the previous value");
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn filter(mut self, filter: TraceFilter) -> Trace<F> {
        self.filter = Arc::new(filter);
        self
    }

    /// Adds the symbol and offset of each instruction's address, as returned by `symbols`.
    #[must_use]
    pub fn symbols(
        mut self,
        symbols: impl Fn(u64) -> Option<String> + Send + Sync + 'static,
    ) -> Trace<F> {
        self.symbols = Some(Arc::new(symbols));
        self
    }
}

impl<F: Fn(&str) + Send + Sync + 'static> Observer for Trace<F> {
    fn wants(&self) -> Events {
        Events::ISSUE | Events::COMPLETE | Events::ACCESS | Events::ACCESSED
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(ThreadTrace {
            tell: self.tell.clone(),
            filter: self.filter.clone(),
            symbols: self.symbols.clone(),
            is_chosen: false,
            has_access: false,
            operands: Vec::new(),
            accesses: String::new(),
            line: String::new(),
            vectors: Vec::new(),
            implicit: ImplicitRegisters::default(),
        }))
    }
}

/// Trace of the waves of one thread.
struct ThreadTrace<F> {
    tell: Arc<F>,
    filter: Arc<TraceFilter>,
    symbols: Option<Arc<SymbolLookup>>,
    /// True if the instruction matches the filter, ignoring its memory ranges.
    is_chosen: bool,
    /// True if the instruction has accessed one of the filter's memory ranges.
    has_access: bool,
    /// Operands of the atomic being executed.
    operands: Vec<String>,
    accesses: String,
    line: String,
    /// Vector destinations, with their values before execution.
    vectors: Vec<(u8, Lanes)>,
    /// Implicit registers before execution.
    implicit: ImplicitRegisters,
}

/// Registers that may be written implicitly.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct ImplicitRegisters {
    scc: bool,
    vcc: u64,
    exec: u64,
    m0: u32,
}

impl ImplicitRegisters {
    fn of(wave: &Wave) -> ImplicitRegisters {
        ImplicitRegisters {
            scc: wave.scc,
            vcc: wave.vcc(),
            exec: wave.exec(),
            m0: wave.m0(),
        }
    }
}

impl<F> ThreadTrace<F> {
    /// Writes the name and value of a scalar destination.
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
            // Only values of several dwords are zero-padded.
            let _ = if place == 0 && count == 1 {
                write!(self.line, "{dword:x}")
            } else {
                write!(self.line, "{dword:08x}")
            };
        }
    }

    fn vector(&mut self, register: u8, lanes: &[(usize, u64)]) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.line, " v{register}=");
        write_spread(&mut self.line, lanes, u32::MAX.into());
    }
}

/// Highest scalar register number.
const MAX_SCALAR: u8 = 127;

/// Returns the destination operands' registers, after VGPR indexing and MOVREL.
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

fn vector_destinations(instruction: &Instruction<'_>) -> impl Iterator<Item = u8> {
    destinations(instruction).flat_map(|registers| match registers {
        Registers::Vector { first, count } => first..first.saturating_add(count),
        Registers::Scalar { .. } | Registers::State(_) => 0..0,
    })
}

/// Returns the scalar destinations, as pairs of first register and count.
fn scalar_destinations(instruction: &Instruction<'_>) -> impl Iterator<Item = (u8, u8)> {
    destinations(instruction).filter_map(|registers| match registers {
        Registers::Scalar { first, count } => Some((first, count)),
        Registers::Vector { .. } | Registers::State(_) => None,
    })
}

impl<F: Fn(&str) + Send + Sync> WaveObserver for ThreadTrace<F> {
    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        self.is_chosen = self.filter.fits(context, instruction);
        self.has_access = false;
        self.operands.clear();
        self.accesses.clear();
        if !self.is_chosen {
            return;
        }
        let wave = context.wave;
        self.implicit = ImplicitRegisters::of(wave);
        self.vectors.clear();
        for register in vector_destinations(instruction) {
            if let Some(lanes) = wave.vgprs.get(usize::from(register)) {
                self.vectors.push((register, *lanes));
            }
        }
    }

    fn accesses(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        if self.is_chosen && event.intent() == Some(Intent::Atomic) {
            self.operands = operands(event);
        }
        Verdict::Allow
    }

    fn accessed(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) {
        if self.is_chosen {
            self.has_access |= self.filter.fits_access(event.access());
            write_access(&mut self.accesses, event, &self.operands);
        }
    }

    fn completes(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        if !self.is_chosen || !self.filter.memory.is_empty() && !self.has_access {
            return;
        }
        let (wave, pc, step) = (context.wave, context.pc, instruction.step);
        let exec = instruction.exec;
        let [x, y, z] = wave.id.group;
        self.line.clear();
        let _ = write!(self.line, "[{x},{y},{z}] {}  {pc:#x}", wave.id.wave);
        let symbol = self.symbols.as_ref().and_then(|symbols| symbols(pc));
        if let Some(symbol) = symbol {
            let _ = write!(self.line, " {symbol}");
        }
        let text = step.inst.text();
        let _ = write!(self.line, "  exec={exec:016x}  {text}  ->");
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
            let lanes: Vec<(usize, u64)> = (0..LANES)
                .filter(|&lane| touched(lane))
                .map(|lane| (lane, new.0[lane].into()))
                .collect();
            self.vector(register, &lanes);
        }
        let now = ImplicitRegisters::of(wave);
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
            // Nothing was written, so remove the arrow.
            self.line.truncate(before - "  ->".len());
        }
        self.line.push_str(&self.accesses);
        (self.tell)(&self.line);
    }
}
