//! Static analysis that finds missing waits and wait states on all paths through the code.
//!
//! The analysis follows code from its entry points, through both sides of branches, and through calls and jumps to known
//! addresses. At control-flow merges it joins the outstanding operations and the wait states since hazards began, until it
//! reaches a fixed point. A final pass reports the findings.
//!
//! An unknown callee is assumed to wait for all outstanding operations before it uses a register and before it returns,
//! as LLVM's functions do. A jump to an unknown address is a tail call if other registers hold the return address, and
//! a return otherwise. Any set of lanes may be active. The analysis does not track addresses, the other waves of a
//! workgroup, or the contents of LDS; the dynamic checkers do.

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

/// A range of code bytes.
#[derive(Clone, Copy, Debug)]
pub struct CodeRegion<'a> {
    /// Address of the first byte.
    pub address: u64,
    /// Contents of the range.
    pub bytes: &'a [u8],
}

/// Input of the analysis.
#[derive(Clone, Debug)]
pub struct LintCode<'a> {
    /// Instruction set.
    pub isa: Isa,
    /// Code to analyze.
    pub regions: Vec<CodeRegion<'a>>,
    /// Entry addresses of kernels and functions.
    pub entries: Vec<u64>,
}

/// Statistics of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadCounts {
    /// Number of reachable instructions.
    pub instructions: usize,
    /// Number of basic blocks that lead to unknown code, for example through a call to an unknown address.
    pub unknown: usize,
}

/// Checks that the analysis performs.
pub const CHECKS: &[Check] = &[Check::Waits, Check::Hazards];

impl LintCode<'_> {
    /// Returns the word at an address, and the next word, if any.
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

/// Analyzes code and reports its findings.
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
