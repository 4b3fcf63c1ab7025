//! Segments of a block that have host code.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use gcn_isa::Isa;

use super::emit::{self, SLICE};
use super::graph::{Id, Op};
use super::lower::{Builder, Lowered, MASKS};
use super::pages::CodePages;
use crate::lanes::LANES;
use crate::step::Step;
use crate::wave::Wave;

/// Maximum number of instructions of a segment.
const MOST: usize = 200;
/// Number of guard failures after which a segment is interpreted.
const FAILURES: u16 = 1 << 10;

/// Bits of MODE that decide what compiled code does: rounding and denormals.
const FLOAT_MODE: u32 = 0xff;

/// A block's segments.
#[derive(Debug)]
pub(crate) struct NativeBlock {
    mode: u32,
    segments: Box<[Segment]>,
}

/// Instructions in a row, with their code.
#[derive(Debug)]
pub(crate) struct Segment {
    from: usize,
    count: usize,
    /// The block's code, and in it the number of the function for waves of which all lanes are active. That for others follows.
    code: Arc<CodePages>,
    function: usize,
    /// Number of vector registers that a wave needs.
    vgprs: usize,
    /// Pairs of scalar registers that it writes masks to.
    masks: Box<[u8]>,
    failures: AtomicU16,
}

impl NativeBlock {
    /// Compiles the segments of a block's steps; `None` if there are none.
    pub(crate) fn compile(
        steps: &[Step],
        isa: Isa,
        mode: u32,
        least: usize,
    ) -> Option<NativeBlock> {
        let mode = mode & FLOAT_MODE;
        let (mut segments, mut functions) = (Vec::new(), Vec::new());
        let mut from = 0;
        while from < steps.len() {
            let mut builder = Builder::new(isa, mode);
            let fits = |step: &&Step| builder.add(step);
            let count = steps[from..].iter().take(MOST).take_while(fits).count();
            if count >= least {
                let lowered = builder.finish();
                // There is no code for too many values.
                let emitted = [true, false].map(|all_active| emit::emit(&lowered, all_active).ok());
                if let [Some(all), Some(some)] = emitted {
                    segments.push((from, count, functions.len(), lowered));
                    functions.extend([all, some]);
                }
            }
            from += count.max(1);
        }
        if segments.is_empty() {
            return None;
        }
        let code = Arc::new(CodePages::new(functions).ok()?);
        let segments = segments.iter().map(|(from, count, function, lowered)| {
            Segment::new(*from, *count, lowered, (code.clone(), *function))
        });
        Some(NativeBlock {
            mode,
            segments: segments.collect(),
        })
    }

    /// Number of instructions of all segments.
    pub(crate) fn instructions(&self) -> usize {
        self.segments.iter().map(|it| it.count).sum()
    }

    /// The segments, if they are for a wave with this MODE.
    #[inline]
    pub(crate) fn segments(&self, mode: u32) -> &[Segment] {
        if mode & FLOAT_MODE == self.mode {
            &self.segments
        } else {
            &[]
        }
    }
}

impl Segment {
    fn new(
        from: usize,
        count: usize,
        lowered: &Lowered,
        (code, function): (Arc<CodePages>, usize),
    ) -> Segment {
        let read =
            (0..lowered.graph.len() as u32).filter_map(|id| match lowered.graph.op(Id(id)) {
                Op::Vgpr(register) => Some(register),
                _ => None,
            });
        let last = read.chain(lowered.vgprs.keys().copied()).max();
        Segment {
            from,
            count,
            code,
            function,
            vgprs: last.map_or(0, |last| usize::from(last) + 1),
            masks: lowered.masks.keys().copied().collect(),
            failures: AtomicU16::new(0),
        }
    }

    /// Number of the first step in its block.
    pub(crate) fn from(&self) -> usize {
        self.from
    }

    /// Number of steps.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Executes the segment's steps.
    #[inline]
    pub(crate) fn run(&self, wave: &mut Wave, steps: &[Step]) {
        if wave.vgprs.len() < self.vgprs || self.failures.load(Relaxed) >= FAILURES {
            return interpret(wave, steps);
        }
        let mut before = [0; MASKS];
        for (before, first) in before.iter_mut().zip(&self.masks) {
            *before = wave.resolved64(*first);
        }
        let function = self.function + usize::from(wave.exec() != u64::MAX);
        let done = wave.with_registers(|vgprs, scalars| self.code.run(function, vgprs, scalars));
        if done * SLICE < LANES {
            self.finish(wave, steps, done * SLICE, before);
        }
    }

    /// Executes the steps for the lanes from one on.
    #[cold]
    #[inline(never)]
    fn finish(&self, wave: &mut Wave, steps: &[Step], lane: usize, before: [u64; MASKS]) {
        self.failures
            .store(self.failures.load(Relaxed) + 1, Relaxed);
        let exec = wave.exec();
        let rest = u64::MAX << lane;
        let mut done = [0; MASKS];
        for ((first, before), done) in self.masks.iter().zip(before).zip(&mut done) {
            *done = wave.resolved64(*first);
            wave.set_scalar64(*first, before);
        }
        wave.set_exec(exec & rest);
        interpret(wave, steps);
        wave.set_exec(exec);
        for (first, done) in self.masks.iter().zip(done) {
            let mask = wave.resolved64(*first) & rest | done & !rest;
            wave.set_scalar64(*first, mask);
        }
    }
}

fn interpret(wave: &mut Wave, steps: &[Step]) {
    for step in steps {
        (step.handler)(wave, step);
    }
}
