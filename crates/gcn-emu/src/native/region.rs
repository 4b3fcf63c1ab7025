//! Regions: hot blocks connected by branches, compiled to one host function.
//!
//! This module may use `unsafe`, because it calls that function.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use gcn_isa::Isa;
use gcn_isa::uses::RegisterSet;

use super::access::Access;
use super::engine::{Policy, Variant};
use super::frame::{Called, Caller, FrameSlot, Item};
use super::function::{self, Function};
use super::graph::{Id, Op};
use super::host::{Row, Width};
use super::interface::{Candidate, Fallback, NativeExit, PlanExit};
use super::lower::Lowered;
use super::pages::CodePages;
use super::places::EmitError;
use super::plan::{BlockPlan, Part, Planner};
use crate::wave::{Waiting, Wave};

/// Maximum number of blocks in a region.
const MAX_BLOCKS: usize = 48;
/// Maximum number of instructions in a region, not counting the entry block.
const MAX_INSTRUCTIONS: usize = 1200;
/// Maximum number of instructions in blocks that other regions also contain. This keeps compile time linear in code
/// size.
const MAX_REPEATED: usize = 160;
/// Maximum numbers of vector instructions in a part. If a part runs out of stack slots, the region is compiled again
/// with the next number.
const PART_SIZES: [usize; 3] = [160, 40, 8];
/// Number of guard failures after which a region is abandoned.
const MAX_FAILURES: u32 = 1 << 16;

/// MODE bits that code is specialized for: rounding and denormals.
const FLOAT_MODE: u32 = 0xff;

/// Number of regions created so far.
static REGIONS: AtomicU64 = AtomicU64::new(0);

/// Compiled region.
#[derive(Debug)]
struct Region {
    mode: u32,
    /// Number of vector registers that a wave must have.
    vgprs: usize,
    /// Registers that the blocks use; recorded only for [`Variant::Observed`].
    registers: RegisterSet,
    pages: CodePages,
    constants: Box<[Row]>,
    width: Width,
    accesses: Box<[Access]>,
    /// Unique number of the region.
    number: u64,
    items: Box<[Item]>,
    failures: AtomicU32,
    is_abandoned: AtomicBool,
}

/// Entry of a block in a region.
#[derive(Clone, Debug)]
pub(crate) struct NativeBlock {
    region: Arc<Region>,
    /// Offset of the block's code.
    entry: usize,
    /// Number of the block's instructions that became host code.
    instructions: usize,
}

impl NativeBlock {
    /// Compiles a region with the entry block `first`. `block` returns the hot block that starts at a dword. Returns an
    /// entry for each block of the region. The list is empty if too little of the first block can be compiled.
    pub(crate) fn compile<'a>(
        first: Candidate<'a>,
        block: impl Fn(usize) -> Option<Candidate<'a>>,
        (isa, mode): (Isa, u32),
        policy: Policy,
    ) -> Vec<(usize, NativeBlock)> {
        let mode = mode & FLOAT_MODE;
        let mut candidates = reachable(first, block);
        if policy.variant == Variant::Observed {
            retain_loop(&mut candidates);
        }
        PART_SIZES
            .iter()
            .find_map(
                |most| match compile(&candidates, (isa, mode), *most, policy) {
                    Err(EmitError::Slots) => None,
                    Err(error @ (EmitError::Encoding(_) | EmitError::Label)) => {
                        debug_assert!(false, "{error}");
                        Some(Vec::new())
                    }
                    Ok(blocks) => Some(blocks),
                },
            )
            .unwrap_or_default()
    }

    /// Number of the block's instructions that became host code.
    pub(crate) fn instructions(&self) -> usize {
        self.instructions
    }

    /// Code of the region's function, and its host address.
    pub(crate) fn function(&self) -> (&[u8], u64) {
        let pages = &self.region.pages;
        (pages.code(), pages.address(0) as u64)
    }

    /// Offset of the block's code in the function.
    pub(crate) fn entry(&self) -> usize {
        self.entry
    }

    /// True if guards of the region have failed too often.
    #[inline]
    pub(crate) fn is_abandoned(&self) -> bool {
        self.region.is_abandoned.load(Relaxed)
    }

    /// Registers that the code uses; recorded only for [`Variant::Observed`].
    #[inline]
    pub(crate) fn registers(&self) -> &RegisterSet {
        &self.region.registers
    }

    /// True if the code matches the wave's MODE and number of registers.
    #[inline]
    pub(crate) fn is_for(&self, wave: &Wave) -> bool {
        let region = &*self.region;
        wave.mode & FLOAT_MODE == region.mode && wave.vgprs.len() >= region.vgprs
    }

    /// Prepares the code for the waves of a workgroup.
    #[inline(always)]
    pub(crate) fn runner<'a, F: Fallback>(
        &'a self,
        fallback: &'a mut F,
        slot: &'a mut FrameSlot,
    ) -> Runner<'a, F> {
        let region = &*self.region;
        let data = (
            &*region.items,
            &*region.accesses,
            &*region.constants,
            region.width,
        );
        let function = region.pages.address(0);
        Runner {
            native: self,
            // SAFETY: code, items, accesses, constants and width belong to one function.
            caller: unsafe { Caller::new(function, data, region.number, fallback, slot) },
        }
    }
}

/// Host code of a block, ready to run the waves of a workgroup.
pub(crate) struct Runner<'a, F> {
    native: &'a NativeBlock,
    caller: Caller<'a, F>,
}

impl<'a, F: Fallback> Runner<'a, F> {
    /// Moves to another block of the region. Returns false if it is in another region.
    #[inline]
    pub(crate) fn moves_to(&mut self, native: &'a NativeBlock) -> bool {
        let is_same = Arc::ptr_eq(&self.native.region, &native.region);
        if is_same {
            self.native = native;
        }
        is_same
    }

    /// Runs a wave that the code [matches](NativeBlock::is_for) from the block's first step, for at most `left`
    /// instructions. `left` must be at least the number of instructions in the block.
    #[inline(always)]
    pub(crate) fn run(&mut self, wave: &mut Wave, left: u64) -> NativeExit {
        let region = &*self.native.region;
        debug_assert!(self.native.is_for(wave));
        let entry = region.pages.address(self.native.entry);
        // SAFETY: the wave has the registers that the code uses.
        let Called { exit, failures } = unsafe { self.caller.call(entry, wave, left) };
        if failures > 0 {
            region.count_failures(failures);
        }
        exit
    }
}

impl Region {
    #[cold]
    fn count_failures(&self, failures: u32) {
        if self.failures.fetch_add(failures, Relaxed) > MAX_FAILURES {
            self.is_abandoned.store(true, Relaxed);
        }
    }
}

/// Returns the hot blocks reachable from `first`, in breadth-first order, up to the limits on a region.
fn reachable<'a>(
    first: Candidate<'a>,
    block: impl Fn(usize) -> Option<Candidate<'a>>,
) -> Vec<Candidate<'a>> {
    let (mut instructions, mut repeated) = (0, 0);
    let mut found = vec![first];
    let mut next = 0;
    while let Some(candidate) = found.get(next) {
        next += 1;
        for start in successors(candidate) {
            if found.len() == MAX_BLOCKS || found.iter().any(|it| it.start == start) {
                continue;
            }
            let Some(successor) = block(start) else {
                continue;
            };
            instructions += successor.body.len();
            if successor.is_compiled {
                repeated += successor.body.len();
            }
            if instructions > MAX_INSTRUCTIONS || repeated > MAX_REPEATED {
                return found;
            }
            found.push(successor);
        }
    }
    found
}

/// Dword indexes of the blocks after a candidate.
fn successors(candidate: &Candidate<'_>) -> impl Iterator<Item = usize> + use<> {
    let successors = match candidate.exit {
        Some(PlanExit::Goes(next)) => [Some(next), None],
        Some(PlanExit::Branch {
            target, following, ..
        }) => [Some(following), Some(target)],
        Some(PlanExit::Waits { waiting, following }) => {
            [Some(following).filter(|_| waiting != Waiting::Ended), None]
        }
        Some(PlanExit::Leaves { .. }) | None => [None; 2],
    };
    successors.into_iter().flatten()
}

/// Removes the candidates that are not in a loop with the first one. Observed waves run a region only while none of its
/// registers is watched, and code after a loop often uses registers that have not been defined yet.
fn retain_loop(candidates: &mut Vec<Candidate<'_>>) {
    let mut returning = vec![candidates[0].start];
    loop {
        let found = returning.len();
        for candidate in &candidates[1..] {
            if !returning.contains(&candidate.start)
                && successors(candidate).any(|next| returning.contains(&next))
            {
                returning.push(candidate.start);
            }
        }
        if returning.len() == found {
            break;
        }
    }
    candidates.retain(|candidate| returning.contains(&candidate.start));
}

fn compile(
    candidates: &[Candidate<'_>],
    (isa, mode): (Isa, u32),
    most: usize,
    policy: Policy,
) -> Result<Vec<(usize, NativeBlock)>, EmitError> {
    let plan = |it: &Candidate<'_>| {
        Planner::new(isa, mode, most, policy.variant).plan(it.body, it.start, it.exit)
    };
    let mut plans: Vec<BlockPlan> = candidates.iter().map(plan).collect();
    // Waves that end run back to back in host code, which pays off even if the block is short.
    let ends_wave = matches!(
        plans[0].exit,
        PlanExit::Waits {
            waiting: Waiting::Ended,
            ..
        }
    );
    if plans[0].lowered < policy.instructions && !ends_wave {
        return Ok(Vec::new());
    }
    // Remove blocks that the wave would leave immediately.
    plans.retain(|plan| !matches!(plan.exit, PlanExit::Leaves { executed: 0, .. }));
    plans.sort_by_key(|plan| plan.start);
    let blocks: Vec<(usize, usize)> = plans
        .iter()
        .map(|plan| (plan.start, plan.lowered))
        .collect();
    let vgprs = plans.iter().flat_map(|plan| &plan.parts).map(vgprs).max();
    let mut registers = RegisterSet::default();
    for used in candidates.iter().flat_map(|candidate| candidate.uses) {
        registers.add_all(used);
    }
    let mut items = Vec::new();
    let Function {
        code,
        constants,
        width,
        accesses,
        entries,
    } = function::emit(plans, isa, &mut items)?;
    let Ok(pages) = CodePages::new(&code) else {
        return Ok(Vec::new());
    };
    let region = Arc::new(Region {
        mode,
        vgprs: vgprs.unwrap_or(0),
        registers,
        pages,
        constants: constants.into(),
        width,
        accesses: accesses.into(),
        number: REGIONS.fetch_add(1, Relaxed),
        items: items.into(),
        failures: AtomicU32::new(0),
        is_abandoned: AtomicBool::new(false),
    });
    let blocks = blocks
        .into_iter()
        .zip(entries)
        .map(|((start, instructions), entry)| {
            let native = NativeBlock {
                region: region.clone(),
                entry,
                instructions,
            };
            (start, native)
        });
    Ok(blocks.collect())
}

/// Number of vector registers that a part needs.
fn vgprs(part: &Part) -> usize {
    let lowered = match part {
        Part::Vector(lowered, _) => lowered,
        Part::Lane(lane) => return usize::from(lane.vgpr) + 1,
        Part::Indexed(moves, ..) => return moves.vgprs(),
        Part::Scalar(_) | Part::ScalarLoad(..) | Part::Interpreted(..) => return 0,
    };
    let Lowered { graph, vgprs, .. } = lowered;
    let read = (0..graph.len() as u32).filter_map(|id| match graph.op(Id(id)) {
        Op::Vgpr(register) => Some(register),
        _ => None,
    });
    let last = read.chain(vgprs.keys().copied()).max();
    last.map_or(0, |last| usize::from(last) + 1)
}
