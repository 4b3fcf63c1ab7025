//! Descriptions of instructions for people to read: its effect in a line of pseudo-code, the encodings' field
//! maps.

use crate::effect::{AtomicOp, Condition, Does, Half, ImageOp, Implicit, LaneMove, Test};
use crate::field::{Field, Layout};
use crate::form::Form;
use crate::operand::{Kind, Ty};

impl Form {
    /// The instruction's bits, from the highest to the lowest of each dword.
    pub fn picture(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let dwords = u32::from(self.layout.dwords);
        let mut bit = (dwords * u32::BITS) as u8;
        while bit > 0 {
            let (low, holds) = self.run_below(bit);
            runs.push(Run {
                high: bit - 1,
                low,
                holds,
            });
            bit = low;
        }
        runs
    }

    /// The run of bits that ends below `end`.
    fn run_below(&self, end: u8) -> (u8, Holds) {
        let layout = self.layout;
        let top = end - 1;
        let ends_here = |field: Field| {
            let bits = layout.bits(field);
            bits.width != 0 && bits.low + bits.width == end
        };
        let is_used = |field: &Field| {
            let of_places = self.operands.iter().any(|place| place.slot.field == *field);
            of_places || *field == Field::Op || self.modifier(*field).is_some()
        };
        let fields: Vec<Field> = Field::ALL.into_iter().filter(|f| ends_here(*f)).collect();
        // Where two fields share bits, the one that the row uses is meant.
        if let Some(&field) = fields.iter().find(|f| is_used(f)).or_else(|| {
            fields
                .iter()
                .find(|field| !self.is_covered(layout, **field))
        }) {
            return (layout.bits(field).low, Holds::Field(field));
        }
        // Constant bits, or none, down to where something else begins.
        let is_constant = |bit: u8| bit < u32::BITS as u8 && layout.constant_mask >> bit & 1 != 0;
        let constant = is_constant(top);
        let begins_field = |bit: u8| {
            let mut all = Field::ALL.into_iter();
            all.any(|field| {
                let bits = layout.bits(field);
                bits.width != 0 && bits.low + bits.width == bit
            })
        };
        let mut low = top;
        while low > 0
            && !low.is_multiple_of(u32::BITS as u8)
            && is_constant(low - 1) == constant
            && !begins_field(low)
        {
            low -= 1;
        }
        (
            low,
            if constant {
                Holds::Constant
            } else {
                Holds::Nothing
            },
        )
    }

    /// True if a field lies within one that the row uses.
    fn is_covered(&self, layout: &Layout, field: Field) -> bool {
        let mask = layout.bits(field).mask();
        let used = self.operands.iter().map(|place| place.slot.field);
        let used = used.chain(self.modifiers.iter().map(|placed| placed.modifier.field));
        used.chain([Field::Op])
            .any(|other| other != field && layout.bits(other).mask() & mask != 0)
    }
}

/// A run of an instruction's bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The highest bit.
    pub high: u8,
    /// The lowest bit.
    pub low: u8,
    /// Its contents.
    pub holds: Holds,
}

/// The contents of a run of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Bits that say which encoding this is.
    Constant,
    /// A field.
    Field(Field),
    /// Nothing: reserved.
    Nothing,
}

/// The type of a value in lower case, as pseudo-code writes it.
fn lower(ty: Ty) -> String {
    format!("{ty:?}").to_ascii_lowercase()
}

/// The new value of memory in an atomic operation.
fn updated(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Swap => "data",
        AtomicOp::CompareSwap => "old == compare ? data : old",
        AtomicOp::Add => "old + data",
        AtomicOp::Sub => "old - data",
        AtomicOp::Rsub => "data - old",
        AtomicOp::Inc => "old >= data ? 0 : old + 1",
        AtomicOp::Dec => "old == 0 || old > data ? data : old - 1",
        AtomicOp::Min => "min(old, data)",
        AtomicOp::Max => "max(old, data)",
        AtomicOp::And => "old & data",
        AtomicOp::Or => "old | data",
        AtomicOp::Xor => "old ^ data",
        AtomicOp::MaskOr => "(old & ~data0) | data1",
        AtomicOp::Wrap => "old >= data0 ? old - data0 : old + data1",
    }
}

impl Form {
    /// The effect in a line of pseudo-code.
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other test compares")]
    pub fn pseudo_code(&self) -> String {
        let fields = |which: fn(&Form, usize) -> bool| {
            let of = self
                .operands
                .iter()
                .enumerate()
                .filter(|(i, _)| which(self, *i));
            let names: Vec<String> = of
                .map(|(_, place)| format!("{:?}", place.slot.field).to_ascii_lowercase())
                .collect();
            names.join(", ")
        };
        let written = fields(|form, i| form.operands[i].slot.access != crate::Access::Read);
        let read = fields(|form, i| form.operands[i].slot.access != crate::Access::Write);
        match self.row.does {
            Does::Load(ty) => format!("{written} = {}[address]", lower(ty)),
            Does::LoadHalf(ty, half) => {
                let bits = if half == Half::Low { "15:0" } else { "31:16" };
                format!(
                    "{written}[{bits}] = {}[address]; the other half stays",
                    lower(ty)
                )
            }
            Does::Store(ty) => format!("{}[address] = data", lower(ty)),
            Does::StoreHigh(ty) => format!("{}[address] = data >> 16", lower(ty)),
            Does::LoadFormat(count, ty) => {
                format!(
                    "{written} = {count} components of the buffer's format at [address], as {}",
                    lower(ty)
                )
            }
            Does::StoreFormat(count, ty) => {
                format!(
                    "[address] = {count} components of {} in the buffer's format",
                    lower(ty)
                )
            }
            Does::LoadFormatHigh => {
                format!(
                    "{written}[31:16] = one component of the buffer's format at [address], as 16 bits"
                )
            }
            Does::StoreFormatHigh => "[address] = data[31:16] in the buffer's format".to_owned(),
            Does::StoreFromLds => "[address] = lds[m0 + offset]".to_owned(),
            Does::Atomic(op, ty) => {
                let returned = if self.layout.has(Field::Glc) {
                    "; with glc the destination = old"
                } else {
                    ""
                };
                let (ty, new) = (lower(ty), updated(op));
                format!("old = {ty}[address]; {ty}[address] = {new}{returned}")
            }
            Does::Return(op, ty) => {
                let (ty, new) = (lower(ty), updated(op));
                format!("old = {ty}[address]; {ty}[address] = {new}; {written} = old")
            }
            Does::LoadTwo(ty, stride) => {
                let (ty, step) = (lower(ty), u32::from(ty.bytes()) * stride.elements());
                format!(
                    "{written} = {{{ty}[address + offset0*{step}], {ty}[address + offset1*{step}]}}"
                )
            }
            Does::StoreTwo(ty, stride) => {
                let (ty, step) = (lower(ty), u32::from(ty.bytes()) * stride.elements());
                format!(
                    "{ty}[address + offset0*{step}] = data0; {ty}[address + offset1*{step}] = data1"
                )
            }
            Does::ExchangeTwo(ty, stride) => {
                let (ty, step) = (lower(ty), u32::from(ty.bytes()) * stride.elements());
                format!(
                    "swap({ty}[address + offset0*{step}], data0); swap({ty}[address + offset1*{step}], data1); {written} = both old values"
                )
            }
            Does::AtomicFromLds(op, ty) => {
                let (ty, new) = (lower(ty), updated(op));
                format!(
                    "data = {ty}[address of the second operand]; old = {ty}[address]; {ty}[address] = {new}"
                )
            }
            Does::LoadByLane => format!("{written} = b32[m0 + offset + 4*lane]"),
            Does::StoreByLane => "b32[m0 + offset + 4*lane] = data".to_owned(),
            Does::Count(op) => {
                let sign = if op == AtomicOp::Sub { "-" } else { "+" };
                format!(
                    "old = u32[m0 + offset]; u32[m0 + offset] = old {sign} active lanes; {written} = old"
                )
            }
            Does::ExchangeConditionally(_) => {
                format!(
                    "for each dword: old = [address]; if data[31]: [address] = data & 0x7fffffff; {written} = old"
                )
            }
            Does::Lanes(LaneMove::Swizzle) => {
                format!("{written}[lane] = vaddr[pattern(offset, lane)]")
            }
            Does::Lanes(LaneMove::Push) => {
                format!("{written}[(vaddr + offset)/4 mod 64] = data[lane]")
            }
            Does::Lanes(LaneMove::Pull) => {
                format!("{written}[lane] = data[(vaddr + offset)/4 mod 64]")
            }
            Does::Gws(op) => format!("global wave sync: {op:?}"),
            Does::OrderedCount => {
                format!("{written} = an ordered count, in the order of the waves' creation")
            }
            Does::LdsNop => "nothing".to_owned(),
            Does::Time(clock) => format!("{written} = time of the {clock:?} clock").to_lowercase(),
            Does::Cache { lines: 0 } => "writes back, invalidates or discards the cache".to_owned(),
            Does::Cache { lines } => {
                format!("writes back, invalidates or discards {lines} cache lines of 64 bytes")
            }
            Does::Probe => "prefetches the address's translation".to_owned(),
            Does::Image(ImageOp::Load) => {
                format!("{written} = the texel at vaddr, components of dmask")
            }
            Does::Image(ImageOp::Store) => {
                "the texel at vaddr, components of dmask = vdata".to_owned()
            }
            Does::Image(ImageOp::Sample) => {
                format!("{written} = sample(image, sampler, vaddr), components of dmask")
            }
            Does::Image(ImageOp::Gather) => {
                format!("{written} = the component of dmask of four texels at vaddr")
            }
            Does::Image(ImageOp::Query) => format!("{written} = what is known of the image"),
            Does::Export => "target = the registers that EN names".to_owned(),
            Does::Alu(implicit) => {
                format!("{written} = {}({read}){}", self.row.name, beside(implicit))
            }
            Does::Compare(test, implicit) => {
                let verb = match test {
                    Test::Class => "class",
                    _ => "compare",
                };
                format!(
                    "{written}[lane] = {verb}_{}(src0, src1){}",
                    format!("{test:?}").to_lowercase(),
                    beside(implicit)
                )
            }
            Does::Branch(condition) => {
                let target = if self
                    .operands
                    .iter()
                    .any(|place| place.slot.kind == Kind::Branch)
                {
                    "pc + 4*simm16"
                } else {
                    "its operand"
                };
                let condition = match condition {
                    Condition::Always => return format!("pc = {target}"),
                    Condition::Scc0 => "scc == 0",
                    Condition::Scc1 => "scc == 1",
                    Condition::VccZero => "vcc == 0",
                    Condition::VccNotZero => "vcc != 0",
                    Condition::ExecZero => "exec == 0",
                    Condition::ExecNotZero => "exec != 0",
                    Condition::Debugger => "a debugger's bit",
                };
                format!("if {condition}: pc = {target}")
            }
            Does::Jump if written.is_empty() => format!("pc = {read}"),
            Does::Jump => format!("{written} = pc; pc = {read}"),
            Does::ReturnFromTrap => format!("leaves a trap handler; pc = {read}"),
            Does::Fork => "splits the wave by a mask, or joins it".to_owned(),
            Does::Control(control) => format!("program control: {control:?}"),
        }
    }
}

/// The state that is read and written beside the operands.
fn beside(implicit: Implicit) -> String {
    let named = [
        (Implicit::READS_SCC, "reads scc"),
        (Implicit::WRITES_SCC, "writes scc"),
        (Implicit::READS_VCC, "reads vcc"),
        (Implicit::WRITES_VCC, "writes vcc"),
        (Implicit::READS_EXEC, "reads exec"),
        (Implicit::WRITES_EXEC, "writes exec"),
        (Implicit::READS_M0, "reads m0"),
        (Implicit::WRITES_M0, "writes m0"),
        (Implicit::WRITES_MODE, "writes mode"),
    ];
    let all = named.iter().filter(|(bit, _)| implicit.has(*bit));
    all.fold(String::new(), |text, (_, name)| text + "; " + name)
}
