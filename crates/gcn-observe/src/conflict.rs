//! Register conflicts between instructions and outstanding operations, and findings about them.

use gcn_emu::outstanding::Held;
use gcn_isa::Isa;
use gcn_isa::uses::{Counter, Counters, RegisterUse};

use crate::finding::{Finding, FindingPlace, Kind, Side};
use crate::registers::name;

/// True if an instruction's register use `its` must wait until a counter releases `held`, because an outstanding operation
/// uses `theirs`. The instruction increments the counters `own`; the counters `released` signal the end of `its`.
pub(crate) fn conflicts<T>(
    its: &RegisterUse,
    (own, released): (Option<Counters>, &[Counter]),
    theirs: &RegisterUse,
    held: &Held<T>,
) -> bool {
    if !theirs.overlaps(its) {
        return false;
    }
    if theirs.written == 0 {
        return its.written & theirs.read != 0;
    }
    // True if the instruction's result is always written after the other operation's.
    let returns_in_order = || {
        own.is_some_and(|own| own.writes_behind(held.order, held.sampled))
            && released.contains(&held.counter)
    };
    its.read & theirs.written != 0 || its.written & theirs.written != 0 && !returns_in_order()
}

/// Use of registers that an outstanding operation holds.
pub(crate) struct Conflict {
    /// Use by the instruction.
    pub(crate) its: RegisterUse,
    /// Use by the operation.
    pub(crate) theirs: RegisterUse,
    pub(crate) operation: FindingPlace,
    /// Waits that release the registers, as pairs of counter and value.
    pub(crate) waits: Vec<(Counter, u8)>,
}

impl Conflict {
    pub(crate) fn kind(&self) -> Kind {
        if self.theirs.written == 0 {
            Kind::SourceOverwritten
        } else {
            Kind::MissingWait
        }
    }

    /// Creates the finding at the later instruction.
    pub(crate) fn finding(self, isa: Isa, place: FindingPlace) -> Finding {
        let (register, theirs) = (
            name(isa, self.its.registers),
            name(isa, self.theirs.registers),
        );
        let reads = self.its.read & self.theirs.written != 0;
        let kind = self.kind();
        let (message, label, side) = match (kind, reads) {
            (Kind::SourceOverwritten, _) => (
                format!("{register} is overwritten while an operation may still have to read it"),
                format!("writes {register}"),
                format!("the operation that reads {theirs}"),
            ),
            (_, true) => (
                format!("{register} is read while the operation that writes it may be incomplete"),
                format!("reads {register}"),
                format!("the operation that writes {theirs}"),
            ),
            (_, false) => (
                format!(
                    "{register} is written while an earlier operation that writes it may be incomplete"
                ),
                format!("writes {register}"),
                format!("the operation that writes {theirs}"),
            ),
        };
        let mut finding = Finding::at(kind, place, message);
        finding.label = label;
        finding.sides.push(Side {
            label: side,
            place: Some(self.operation),
        });
        let waits: Vec<String> = self
            .waits
            .iter()
            .map(|(counter, until)| format!("{counter}({until})"))
            .collect();
        let waits = waits.join(" ");
        finding.help = Some(format!("`s_waitcnt {waits}` before the instruction").into());
        finding
    }
}
