//! Claims: the declarations of [`gcn_isa::uses`] about an instruction, divided into pieces that can be proven
//! separately. A piece is a dword of an operand, a byte of a dword in which not all bits matter, state, or a memory.

use std::collections::BTreeMap;

use gcn_isa::uses::{
    MemoryUse, RegisterUse, Registers, Space, Spaces, UnnumberedState as Register, UseOrigin,
};
use gcn_isa::{Inst, Operand, regs};

use super::SPACES;
use super::exceptions::{self, NeverMatters};
use super::keep::Keep;
use super::stage::Noise;
use super::state::{Rig, State};

/// Claims by their text, such as `reads src0[1]`.
pub type Claims = BTreeMap<String, Proof>;

/// Proof of a claim.
pub struct Proof {
    /// True if a sample has shown the claim.
    pub is_shown: bool,
    /// Exception according to which no sample will show it.
    pub exception: Option<NeverMatters>,
}

impl Proof {
    fn of(inst: &Inst, claim: &str) -> Proof {
        Proof {
            is_shown: false,
            exception: exceptions::never_matters(inst.row().name_on(inst.isa), inst.isa, claim),
        }
    }

    /// True if the claim is neither shown nor an exception.
    pub fn is_missing(&self) -> bool {
        !self.is_shown && self.exception.is_none()
    }
}

/// Kind of declared use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Reads,
    Writes,
}

impl Verb {
    fn bits(self) -> fn(&RegisterUse) -> u32 {
        match self {
            Verb::Reads => |it| it.read,
            Verb::Writes => |it| it.written,
        }
    }

    fn spaces(self, memory: &MemoryUse) -> Spaces {
        match self {
            Verb::Reads => memory.read,
            Verb::Writes => memory.written,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Verb::Reads => "reads",
            Verb::Writes => "writes",
        }
    }
}

/// Number of modified states that an execution is compared with to prove a read.
const SCRAMBLES: usize = 2;
/// Like [`SCRAMBLES`], for state that an operand reads as a derived value: few states change that value, and few
/// samples have such an operand.
const SCRAMBLES_OF_VALUES: usize = 30;

/// Execution of an instruction, with the states before and after.
pub struct Run<'a> {
    pub inst: &'a Inst,
    pub before: &'a State,
    pub after: &'a State,
}

/// True if a claim is not proven yet, except for those of [`is_of_value`].
pub fn is_any_left(claims: &Claims) -> bool {
    let mut own = claims.iter().filter(|(claim, _)| !is_of_value(claim));
    own.any(|(_, proof)| proof.is_missing())
}

/// Adds the instruction's claims. Returns true if one of them is not proven yet, except for those of [`is_of_value`].
pub fn is_any_missing(inst: &Inst, claims: &mut Claims) -> bool {
    let mut is_missing = false;
    for label in labels(inst) {
        let is_value = is_of_value(&label);
        let proof = claims.entry(label);
        let proof = proof.or_insert_with_key(|label| Proof::of(inst, label));
        is_missing |= proof.is_missing() && !is_value;
    }
    is_missing
}

impl Run<'_> {
    /// Adds the instruction's claims, and marks those that this execution proves: a declared write by a change, and a
    /// declared read if another value changes the result.
    pub fn prove(&self, rig: &mut Rig, noise: &mut Noise, claims: &mut Claims) {
        let exec = self.before.exec();
        for verb in [Verb::Writes, Verb::Reads] {
            let pieces = pieces(self.inst, verb);
            let mut parts: Vec<(String, Keep)> = Vec::new();
            for label in distinct(&pieces) {
                if claims.get(label).is_some_and(|proof| proof.is_shown) {
                    continue;
                }
                let of = |is_it: bool| {
                    let fitting = pieces.iter().filter(|(name, _)| (name == label) == is_it);
                    Keep::of(fitting.map(|(_, piece)| piece), verb.bits(), exec)
                };
                parts.push((label.to_owned(), of(true).without(&of(false))));
            }
            for (label, space) in spaces(self.inst, verb) {
                parts.push((label, Keep::memories(Spaces::of(space))));
            }
            for (label, part) in parts {
                let is_value = is_of_value(&label);
                let proof = claims.entry(label);
                let proof = proof.or_insert_with_key(|label| Proof::of(self.inst, label));
                let tries = if is_value {
                    SCRAMBLES_OF_VALUES
                } else {
                    SCRAMBLES
                };
                proof.is_shown = proof.is_shown || self.proves(verb, &part, tries, rig, noise);
            }
        }
    }

    fn proves(
        &self,
        verb: Verb,
        part: &Keep,
        tries: usize,
        rig: &mut Rig,
        noise: &mut Noise,
    ) -> bool {
        match verb {
            Verb::Writes => part.any_changed(self.before, self.after),
            Verb::Reads => (0..tries).any(|_| self.matters(part, rig, noise)),
        }
    }

    /// True if the result changes with this part of the state.
    fn matters(&self, part: &Keep, rig: &mut Rig, noise: &mut Noise) -> bool {
        let other = part.scrambled_inside(self.before, noise);
        if other == *self.before {
            return false;
        }
        let Ok(result) = rig.execute(self.inst, &other) else {
            return true;
        };
        let uses: Vec<RegisterUse> = self.inst.uses().registers().collect();
        let exec = self.before.exec() | other.exec();
        let mut written = Keep::of(&uses, |it| it.written, exec);
        written.spaces = SPACES
            .iter()
            .fold(Spaces::NONE, |all, &space| all.and(Spaces::of(space)));
        let runs = ((self.before, self.after), (&other, &result));
        written.differs(runs.0, runs.1).is_some()
    }
}

/// Suffix of a claim about state that an operand reads as a derived value, such as VCCZ.
const AS_VALUE: &str = " as a value";

/// True for a claim about state that an operand reads as a derived value. All rows of an instruction set share these
/// claims, so that one row proves them.
pub fn is_of_value(claim: &str) -> bool {
    claim.contains(AS_VALUE)
}

/// True if an operand's code selects a value derived from this state.
fn is_by_code(inst: &Inst, it: &RegisterUse) -> bool {
    let is_it = |code: u8| match (it.registers, code) {
        (Registers::Scalar { first, .. }, regs::VCCZ) => first == regs::VCC_LO,
        (Registers::Scalar { first, .. }, regs::EXECZ) => first == regs::EXEC_LO,
        (registers, regs::SCC) => registers == Registers::State(Register::Scc),
        (registers, regs::SHARED_BASE..=regs::PRIVATE_LIMIT) => {
            registers == Registers::State(Register::Apertures)
        }
        _ => false,
    };
    it.source == UseOrigin::Implicit
        && inst.row().slots().any(|slot| match inst.operand(slot) {
            Operand::Scalar { code, .. } => is_it(code),
            _ => false,
        })
}

/// Distinct texts of the pieces.
fn distinct(pieces: &[(String, RegisterUse)]) -> Vec<&str> {
    let mut labels: Vec<&str> = pieces.iter().map(|(label, _)| label.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Texts of all claims of an instruction.
fn labels(inst: &Inst) -> impl Iterator<Item = String> {
    [Verb::Writes, Verb::Reads].into_iter().flat_map(|verb| {
        let pieces = pieces(inst, verb).into_iter().map(|(label, _)| label);
        pieces.chain(spaces(inst, verb).map(|(label, _)| label))
    })
}

/// Memories that are read or written, with the claims' texts.
fn spaces(inst: &Inst, verb: Verb) -> impl Iterator<Item = (String, Space)> {
    let memory = inst.uses().memory();
    let spaces = memory.map_or(Spaces::NONE, |it| verb.spaces(&it));
    let compared = SPACES.into_iter().filter(move |space| spaces.has(*space));
    compared.map(move |space| (format!("{} {space}", verb.name()), space))
}

/// Pieces of the registers and state that are read or written, with the claims' texts.
fn pieces(inst: &Inst, verb: Verb) -> Vec<(String, RegisterUse)> {
    let mut pieces = Vec::new();
    for it in inst.uses().registers() {
        let mask = verb.bits()(&it);
        let dwords = match it.registers {
            _ if it.indexed => 1,
            Registers::Vector { count, .. } | Registers::Scalar { count, .. } => count,
            Registers::State(_) => 1,
        };
        for dword in 0..dwords {
            let registers = match it.registers {
                all if it.indexed => all,
                Registers::Vector { first, .. } => Registers::Vector {
                    first: first.saturating_add(dword),
                    count: 1,
                },
                Registers::Scalar { first, .. } => Registers::Scalar {
                    first: first.saturating_add(dword),
                    count: 1,
                },
                state @ Registers::State(_) => state,
            };
            let place = match dwords {
                1 => String::new(),
                _ => format!("[{dword}]"),
            };
            let label = format!("{} {}{place}", verb.name(), name(inst, &it, verb));
            let of = |bits: u32| RegisterUse {
                registers,
                read: it.read & bits,
                written: it.written & bits,
                ..it
            };
            match mask {
                0 => {}
                u32::MAX => pieces.push((label, of(mask))),
                _ => {
                    let bytes = (0..4).map(|byte| (byte, 0xff << (8 * byte)));
                    for (byte, bits) in bytes.filter(|(_, bits)| mask & bits != 0) {
                        pieces.push((format!("{label} byte {byte}"), of(bits)));
                    }
                }
            }
        }
    }
    pieces
}

/// Name of an operand's field, or of state.
fn name(inst: &Inst, it: &RegisterUse, verb: Verb) -> String {
    let slot = it.operand().and_then(|place| inst.row().slots().nth(place));
    if let Some(slot) = slot {
        return format!("{:?}", slot.field).to_ascii_lowercase();
    }
    let is_of_value = verb == Verb::Reads && is_by_code(inst, it);
    let suffix = if is_of_value { AS_VALUE } else { "" };
    let name = match it.registers {
        Registers::State(state) => state.to_string(),
        _ if it.indexed => "registers by index".to_owned(),
        Registers::Scalar { first, count } => {
            let name = regs::scalar_name(inst.isa, first, count);
            name.unwrap_or_else(|| format!("scalar {first}"))
        }
        Registers::Vector { first, .. } => format!("v{first}"),
    };
    name + suffix
}
