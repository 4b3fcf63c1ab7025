//! Human-readable descriptions of instructions: pseudo-code and encoding layouts.

use crate::effect::{
    AtomicOp, CacheOp, Condition, Control, Does, GwsOp, Half, ImageOp, Implicit, LaneMove, Test,
    TexelForm,
};
use crate::field::{Encoding, Field, Layout};
use crate::form::Form;
use crate::inst::{Inst, Operand};
use crate::meaning::meaning;
use crate::operand::{Kind, OperandAccess, Ty};
use crate::rules;

impl Form {
    /// Layout of the instruction's bits, from the highest bit of the last dword to bit 0.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::describe::{BitContents, BitRun};
    /// use gcn_isa::{Field, Isa};
    /// let tables = Isa::Gfx9.tables();
    /// let form = &tables.forms(tables.named("s_branch").expect("an instruction"))[0];
    /// let run = |high, low, holds| BitRun { high, low, holds };
    /// assert_eq!(form.picture(), [
    ///     run(31, 23, BitContents::Constant),
    ///     run(22, 16, BitContents::Field(Field::Op)),
    ///     run(15, 0, BitContents::Field(Field::Simm16)),
    /// ]);
    /// ```
    pub fn picture(&self) -> Vec<BitRun> {
        let mut runs: Vec<BitRun> = Vec::new();
        let dwords = u32::from(self.layout.dwords);
        let mut bit = (dwords * u32::BITS) as u8;
        while bit > 0 {
            let (low, holds) = self.run_below(bit);
            runs.push(BitRun {
                high: bit - 1,
                low,
                holds,
            });
            bit = low;
        }
        runs
    }

    /// Lowest bit and contents of the run whose highest bit is `end - 1`.
    fn run_below(&self, end: u8) -> (u8, BitContents) {
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
        // If two fields share bits, the one that the row uses takes precedence.
        if let Some(&field) = fields.iter().find(|f| is_used(f)).or_else(|| {
            fields
                .iter()
                .find(|field| !self.is_covered(layout, **field))
        }) {
            return (layout.bits(field).low, BitContents::Field(field));
        }
        // Constant or reserved bits, down to the next field.
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
                BitContents::Constant
            } else {
                BitContents::Nothing
            },
        )
    }

    /// True if `field` shares bits with another field that the row uses, or with OP.
    fn is_covered(&self, layout: &Layout, field: Field) -> bool {
        let mask = layout.bits(field).mask();
        let used = self.operands.iter().map(|place| place.slot.field);
        let used = used.chain(self.modifiers.iter().map(|placed| placed.modifier.field));
        used.chain([Field::Op])
            .any(|other| other != field && layout.bits(other).mask() & mask != 0)
    }
}

/// A run of bits in an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitRun {
    /// Highest bit.
    pub high: u8,
    /// Lowest bit.
    pub low: u8,
    /// Contents of the bits.
    pub holds: BitContents,
}

/// Contents of a run of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitContents {
    /// Bits that identify the encoding.
    Constant,
    /// A field.
    Field(Field),
    /// Reserved bits.
    Nothing,
}

/// Name of a type in lower case, as in pseudo-code.
fn lower(ty: Ty) -> String {
    format!("{ty:?}").to_ascii_lowercase()
}

/// New value of memory in an atomic operation.
fn new_value(op: AtomicOp) -> &'static str {
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

/// Result of a comparison, as pseudo-code.
fn comparison_text(test: Test) -> &'static str {
    match test {
        Test::F => "0",
        Test::Lt => "src0 < src1",
        Test::Eq => "src0 == src1",
        Test::Le => "src0 <= src1",
        Test::Gt => "src0 > src1",
        Test::Lg => "src0 < src1 || src0 > src1",
        Test::Ge => "src0 >= src1",
        Test::O => "neither src0 nor src1 is NaN",
        Test::U => "src0 or src1 is NaN",
        Test::Nge => "!(src0 >= src1)",
        Test::Nlg => "!(src0 < src1 || src0 > src1)",
        Test::Ngt => "!(src0 > src1)",
        Test::Nle => "!(src0 <= src1)",
        Test::Neq => "src0 != src1",
        Test::Nlt => "!(src0 < src1)",
        Test::Tru => "1",
        Test::Class => "src1[class of src0]",
    }
}

/// Effect of a program control instruction.
fn control_effect(control: Control) -> &'static str {
    match control {
        Control::Nop => "nothing, for simm16 + 1 wait states",
        Control::End => "ends the wave",
        Control::Barrier => "waits until every wave of the workgroup is at a barrier",
        Control::Waitcnt => "waits until each counter is at most its value in simm16",
        Control::Sleep => "waits about 64 * simm16 clocks",
        Control::SetHalt => "status.halt = simm16[0]",
        Control::SetPrio => "status.prio = simm16[1:0]",
        Control::SendMsg { halt: false } => "sends the message simm16 with m0",
        Control::SendMsg { halt: true } => "sends the message simm16 with m0; status.halt = 1",
        Control::Trap => "enters the trap handler with simm16[7:0]",
        Control::CacheInvalidate => "invalidates the instruction cache",
        Control::PerfCount => "changes performance counter simm16[3:0] by 1",
        Control::TraceData => "writes m0 to the thread trace",
        Control::SetKill => "status.kill = simm16[0]",
        Control::Wakeup => "wakes the sleeping waves of the workgroup",
        Control::GprIndexOff => "mode.gpr_idx_en = 0",
        Control::GprIndexMode => "m0[15:12] = simm16[3:0]",
    }
}

/// Effect of a global wave sync instruction; M0 and OFFSET select the resource.
fn synchronisation(op: GwsOp) -> &'static str {
    match op {
        GwsOp::Init => "resource.counter = vaddr of the first lane",
        GwsOp::SemaV => "resource.counter += 1; a waiting wave continues",
        GwsOp::SemaBr => {
            "resource.counter += vaddr of the first lane; that many waiting waves continue"
        }
        GwsOp::SemaP => "waits until resource.counter > 0; resource.counter -= 1",
        GwsOp::SemaReleaseAll => "all waves that wait for the resource continue",
        GwsOp::Barrier => "waits until vaddr of the first lane + 1 waves are at the resource",
    }
}

impl Form {
    /// Notes on corner cases, each of one or more sentences.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// let corners = |name| {
    ///     let tables = Isa::Gfx9.tables();
    ///     tables.forms(tables.named(name).expect("an instruction"))[0].corners()
    /// };
    /// assert_eq!(corners("v_cmp_lt_u32"), ["Bits of inactive lanes become 0."]);
    /// assert_eq!(corners("s_add_u32"), ["SCC is the carry."]);
    /// ```
    pub fn corners(&self) -> Vec<&'static str> {
        let mut corners: Vec<&str> = Vec::new();
        corners.extend(meaning(self.op).map(|it| it.corners));
        let first = self.operands.first().map(|place| place.slot.ty);
        let is_float = first.is_some_and(Ty::is_float);
        if let Does::Compare(test, _) = self.row.does
            && !self.encoding.is_scalar()
        {
            let is_constant = matches!(test, Test::F | Test::Tru);
            if test == Test::Class {
                corners.push(
                    "Bits of SRC1, from 0 on: signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity. Denormals are a class in every mode.",
                );
            } else if !is_constant && self.row.slots().any(|slot| slot.ty.is_float()) {
                corners
                    .push("A comparison with NaN is false, and its negation true; -0 equals +0.");
            }
            corners.push("Bits of inactive lanes become 0.");
        }
        if matches!(self.row.does, Does::Alu(_))
            && self.modifier(Field::Clamp).is_some()
            && rules::clamps(self.isa, self.row)
        {
            corners.push(match is_float {
                true => {
                    "clamp brings the result to 0 to 1; NaN becomes 0 if MODE.DX10_CLAMP is set."
                }
                false => "clamp brings the exact result to the nearest number of VDST's type.",
            });
        }
        corners.retain(|text| !text.is_empty());
        corners
    }

    /// An example of the instruction with a distinct register for each operand and modifiers at their defaults.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// let tables = Isa::Gfx9.tables();
    /// let form = &tables.forms(tables.named("v_mad_f32").expect("an instruction"))[0];
    /// assert_eq!(form.example().text(), "v_mad_f32 v16, v32, v48, v64");
    /// ```
    pub fn example(&'static self) -> Inst {
        /// Distance between the registers of consecutive operands.
        const APART: u8 = 16;
        let mut inst = Inst::with_defaults(self);
        for (place, slot) in (0..).zip(self.row.slots()) {
            let first = APART * (place + 1);
            let count = slot.ty.dwords();
            let registers = [
                Operand::Vgprs { first, count },
                Operand::Scalar { code: first, count },
            ];
            // Operands that accept neither, such as immediates, keep their defaults.
            let _ = registers
                .into_iter()
                .find(|registers| inst.set_operand(slot, *registers).is_ok());
        }
        inst
    }

    /// Effect of the instruction as a line of pseudo-code.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// let code = |name| {
    ///     let tables = Isa::Gfx9.tables();
    ///     tables.forms(tables.named(name).expect("an instruction"))[0].pseudo_code()
    /// };
    /// assert_eq!(code("ds_add_u32"), "old = u32[address]; u32[address] = old + data");
    /// assert_eq!(code("s_or_b32"), "sdst = ssrc0 | ssrc1; scc = sdst != 0");
    /// assert_eq!(code("s_cbranch_vccz"), "if vcc == 0: pc = pc + 4*simm16");
    /// ```
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
        let written = fields(|form, i| form.operands[i].slot.access != OperandAccess::Read);
        let read = fields(|form, i| form.operands[i].slot.access != OperandAccess::Write);
        let other_half = if self.isa.d16_load_keeps_half() {
            "the other half stays"
        } else {
            "the other half is cleared"
        };
        match self.row.does {
            Does::Load(ty) => format!("{written} = {}[address]", lower(ty)),
            Does::LoadHalf(ty, half) => {
                let bits = if half == Half::Low { "15:0" } else { "31:16" };
                format!("{written}[{bits}] = {}[address]; {other_half}", lower(ty))
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
                    "{written}[31:16] = one component of the buffer's format at [address], as 16 bits; {other_half}"
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
                let (ty, new) = (lower(ty), new_value(op));
                format!("old = {ty}[address]; {ty}[address] = {new}{returned}")
            }
            Does::Return(op, ty) => {
                let (ty, new) = (lower(ty), new_value(op));
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
                let (ty, new) = (lower(ty), new_value(op));
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
            Does::Gws(op) => synchronisation(op).to_owned(),
            Does::OrderedCount => {
                format!("{written} = an ordered count, in the order of the waves' creation")
            }
            Does::LdsNop => "nothing".to_owned(),
            Does::Time(clock) => format!("{written} = time of the {clock:?} clock").to_lowercase(),
            Does::Cache(CacheOp::Invalidate) if self.encoding == Encoding::Mubuf => {
                "writes the cache back and invalidates it".to_owned()
            }
            Does::Cache(CacheOp::Invalidate) => "invalidates the cache".to_owned(),
            Does::Cache(CacheOp::WriteBack) => "writes the cache back".to_owned(),
            Does::Cache(CacheOp::Discard(lines)) => {
                format!("discards {lines} cache lines of 64 bytes")
            }
            Does::Probe => "prefetches the address's translation".to_owned(),
            Does::Image(ImageOp::Load(TexelForm::Converted, _)) => {
                format!("{written} = the texel at vaddr, components of dmask")
            }
            Does::Image(ImageOp::Load(TexelForm::Raw | TexelForm::RawSigned, _)) => {
                format!("{written} = the bits of the texel at vaddr, dwords of dmask")
            }
            Does::Image(ImageOp::Store(TexelForm::Converted, _)) => {
                "the texel at vaddr, components of dmask = vdata".to_owned()
            }
            Does::Image(ImageOp::Store(TexelForm::Raw | TexelForm::RawSigned, _)) => {
                "the bits of the texel at vaddr, dwords of dmask = vdata".to_owned()
            }
            Does::Image(ImageOp::Sample(_)) => {
                format!("{written} = sample(image, sampler, vaddr), components of dmask")
            }
            Does::Image(ImageOp::Gather(_)) => {
                format!("{written} = the component of dmask of four texels at vaddr")
            }
            Does::Image(ImageOp::GatherRow) => {
                format!("{written} = the component of dmask of texels of a row at vaddr")
            }
            Does::Image(ImageOp::Size) => {
                format!("{written} = width, height, depth and levels, components of dmask")
            }
            Does::Image(ImageOp::LevelOfDetail) => {
                format!("{written} = levels of detail of a sample at vaddr, components of dmask")
            }
            Does::Export => "target = the registers that EN names".to_owned(),
            Does::Alu(_) => meaning(self.op).map_or_else(String::new, |it| it.code),
            Does::Compare(test, implicit) => {
                if let Some(meaning) = meaning(self.op) {
                    return meaning.code;
                }
                let same = match implicit.has(Implicit::WRITES_EXEC) {
                    true => "; exec = the same",
                    false => "",
                };
                format!("{written}[lane] = {}{same}", comparison_text(test))
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
            Does::Control(control) => control_effect(control).to_owned(),
        }
    }
}
