//! Finds missing waits and wait states by reading code, on all paths, without running it.
//!
//! The code is followed from its entries: branches both ways, calls and jumps through registers where these hold constants.
//! Operations that may be outstanding, and wait states that have passed since a hazard began, are joined where ways meet, until nothing
//! changes; then each instruction is looked at once more, and its findings are reported.
//!
//! An unknown callee is taken to wait for all operations that are outstanding, before it uses a register and before it returns,
//! as LLVM's functions do. A jump to an unknown address calls such a function, which returns in place of the one that jumps, if
//! other registers than those of the jump hold the address to return to; else it is a return. Any lanes may be active. What memory
//! an address leads to, a wave's other waves and LDS are left to the checkers of a run.

mod program;
mod report;
mod constants;
mod hazards;
mod waits;
mod flow;
mod swap_loads;
mod ahead;

use gcn_isa::Isa;

use crate::finding::{Check, Findings};

pub(crate) use ahead::{Ahead, Reached};
use flow::Flow;
use program::{Flat, LintProgram};
use report::FindingSink;
pub(crate) use swap_loads::SwapLoads;

/// Bytes of code at an address.
#[derive(Clone, Copy, Debug)]
pub struct CodeRegion<'a> {
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// Code to read.
#[derive(Clone, Debug)]
pub struct LintCode<'a> {
    /// Instruction set.
    pub isa: Isa,
    /// The code.
    pub regions: Vec<CodeRegion<'a>>,
    /// Addresses at which kernels and functions begin.
    pub entries: Vec<u64>,
}

/// Numbers of what was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadCounts {
    /// Instructions that some path reaches.
    pub instructions: usize,
    /// Calls and jumps to addresses that are not known.
    pub unknown: usize,
}

/// The checks that can be made without running the code.
pub const CHECKS: &[Check] = &[Check::Waits, Check::Hazards];

impl LintCode<'_> {
    /// The word at an address, and the one behind it.
    fn words(&self, pc: u64) -> Option<(u32, Option<u32>)> {
        let of = |region: &CodeRegion<'_>| {
            let offset = usize::try_from(pc.checked_sub(region.address)?).ok()?;
            let mut words = region.bytes.get(offset..)?.as_chunks().0.iter();
            let mut next = || words.next().map(|word| u32::from_le_bytes(*word));
            Some((next()?, next()))
        };
        pc.is_multiple_of(4)
            .then(|| self.regions.iter().find_map(of))?
    }
}

/// Reads code and reports what is wrong with it.
///
/// # Examples
/// ```
/// use gcn_asm::{Options, Source, assemble};
/// use gcn_observe::finding::Findings;
/// use gcn_observe::lint::{CodeRegion, LintCode, lint};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: "ds_read_b32 v2, v1\nv_mov_b32 v3, v2\ns_endpgm\n" };
/// let bytes = assemble(&source, &Options::new(target)).program.to_raw();
/// let regions = vec![CodeRegion { address: 0x1000, bytes: &bytes }];
/// let findings = Findings::default();
/// let counts = lint(&LintCode { isa: target.isa, regions, entries: vec![0x1000] }, &findings);
/// assert_eq!((counts.instructions, counts.unknown), (3, 0));
/// let finding = findings.all().0.remove(0);
/// assert_eq!((finding.kind.name(), finding.place.pc), ("missing-wait", 0x1008));
/// assert_eq!(finding.sides[0].place.as_ref().map(|place| place.pc), Some(0x1000), "the load");
/// let help = finding.help.expect("advice").machine;
/// assert_eq!(help, "`s_waitcnt lgkmcnt(0)` before the instruction");
/// ```
pub fn lint(code: &LintCode<'_>, findings: &Findings) -> ReadCounts {
    let words = Box::new(|pc| code.words(pc));
    let flat = if code.isa < Isa::Gfx9 {
        Flat::Either
    } else {
        Flat::Both
    };
    let mut flow = Flow::new(LintProgram::new(code.isa, flat, false, words));
    for &entry in &code.entries {
        flow.enter(entry);
    }
    flow.run(usize::MAX);
    flow.report(&FindingSink::Findings(findings));
    ReadCounts {
        instructions: flow.steps().len(),
        unknown: flow.unknown(),
    }
}
