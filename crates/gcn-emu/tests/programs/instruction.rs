//! Random instructions whose effects do not depend on how a program is run.

use arbitrary::Unstructured;
use gcn_emu::Code;
use gcn_emu::step::Executor;
use gcn_isa::effect::Control;
use gcn_isa::{Does, Field, Inst, Isa, Op, Operand, Target, decode, regs, rows};

use super::BASE;
use super::frame::{IMAGE, KEPT, NAMED_VGPRS, SAMPLER, SCRATCH, SGPRS, VGPRS};

/// First of the SGPRs that most instructions other than memory accesses use.
const FEW_SCALARS: u8 = 20;
/// Value of SADDR for no register.
const SADDR_OFF: i64 = 0x7f;

/// Random instruction, most of whose registers are those that the prologue has set. Returns `None` if its effects may
/// differ between runs.
pub(super) fn instruction(
    u: &mut Unstructured<'_>,
    target: &'static Target,
) -> arbitrary::Result<Option<Inst>> {
    let isa = target.isa;
    let accesses_scratch = u.ratio(1, 8)?;
    let may_be = |op: Op| {
        !accesses_scratch
            || matches!(
                op,
                Op::Flat(_) | Op::Scratch(_) | Op::Mubuf(_) | Op::Mtbuf(_)
            )
    };
    let candidates = || rows().filter(|row| may_be(row.op()));
    let number = u.choose_index(candidates().count())?;
    let row = candidates().nth(number).expect("it is one of them");
    let forms = isa.tables().forms(row.op());
    if forms.is_empty() {
        return Ok(None);
    }
    let words: [u32; 2] = u.arbitrary()?;
    let mut inst = Inst::with_words(u.choose(forms)?, words);
    let is_memory = !matches!(
        inst.does(),
        Does::Alu(_) | Does::Compare(..) | Does::Branch(_) | Does::Control(_) | Does::Lanes(_)
    );
    if matches!(row.op(), Op::Global(_) | Op::Scratch(_)) && u.ratio(1, 2)? {
        let _ = inst.set(Field::Saddr, SADDR_OFF);
    }
    let few_scalars = u.ratio(3, 4)?;
    for slot in row.slots() {
        match inst.operand(slot) {
            Operand::Vgprs { first, count } => {
                let first = match slot.field {
                    Field::Vaddr if accesses_scratch => *u.choose(&[8, 10, 12, 12])?,
                    Field::Vaddr if matches!(row.op(), Op::Flat(_)) => {
                        *u.choose(&[2, 6, 8, 12, 14, 16])?
                    }
                    Field::Vaddr if is_memory => *u.choose(&[2, 2, 4, 4, 5, 6])?,
                    _ => first % (NAMED_VGPRS - count.min(NAMED_VGPRS - 1)),
                };
                let _ = inst.set_operand(slot, Operand::Vgprs { first, count });
            }
            Operand::Scalar { count, .. } if is_memory => {
                let code = match slot.field {
                    Field::Saddr if matches!(row.op(), Op::Scratch(_)) => 12,
                    Field::Saddr | Field::Sbase => 0,
                    Field::Srsrc if accesses_scratch => SCRATCH,
                    Field::Srsrc if matches!(inst.does(), Does::Image(_)) => IMAGE,
                    Field::Ssamp => SAMPLER,
                    Field::Srsrc => *u.choose(&[4, 8])?,
                    Field::Soffset => 12,
                    _ => 16,
                };
                let _ = inst.set_operand(slot, Operand::Scalar { code, count });
            }
            // Few registers, so that masks and counts are used again while host code has them in registers.
            Operand::Scalar { code, count } if code < KEPT && few_scalars => {
                let code = FEW_SCALARS + code % 8 / count.max(1) * count;
                let _ = inst.set_operand(slot, Operand::Scalar { code, count });
            }
            _ => {}
        }
    }
    if is_memory && u.ratio(3, 4)? {
        for field in [Field::Offset, Field::Offset12] {
            let small = (inst.get(field) & 0xff) as i64;
            let _ = inst.set(field, small);
        }
        if accesses_scratch {
            for field in [Field::Offset, Field::Idxen, Field::Addr64] {
                let few = inst.get(field) & 0x1f;
                let bits = if field == Field::Offset { few } else { 0 };
                let _ = inst.set(field, bits as i64);
            }
        }
        for field in [Field::Lds, Field::Tfe] {
            let _ = inst.set(field, 0);
        }
    }
    Ok(is_suitable(target, &inst).then_some(inst))
}

fn is_suitable(target: &'static Target, inst: &Inst) -> bool {
    let isa = target.isa;
    let is_one = decode(isa, &inst.words()[..inst.dwords()]).is_ok_and(|it| it == *inst);
    let writes_kept = inst.row().slots().any(|slot| match inst.operand(slot) {
        Operand::Scalar { code, count } if inst.writes(slot) => code < SGPRS && code + count > KEPT,
        _ => false,
    });
    let reads_address = inst.row().slots().any(|slot| match inst.operand(slot) {
        Operand::Scalar { code, count } => {
            slot.field != Field::Srsrc && code < SCRATCH + 4 && code + count > SCRATCH
        }
        _ => false,
    });
    // Jumps, and instructions that wait for other waves, depend on time, use GDS, or end the wave.
    let is_apart = match inst.does() {
        Does::Jump
        | Does::Fork
        | Does::ReturnFromTrap
        | Does::Time(_)
        | Does::Gws(_)
        | Does::OrderedCount => true,
        Does::Branch(_) => inst.row().slots().any(|slot| inst.writes(slot)),
        Does::Control(control) => matches!(
            control,
            Control::End
                | Control::Trap
                | Control::SetHalt
                | Control::SendMsg { .. }
                | Control::Sleep
        ),
        _ => inst.flag(Field::Gds),
    };
    if !is_one || writes_kept || reads_address || is_apart {
        return false;
    }
    let bytes: Vec<u8> = inst
        .words()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let code = Code::new(isa, BASE, &bytes[..4 * inst.dwords()], VGPRS, SGPRS);
    match code.step(BASE) {
        Some(Ok(step)) => {
            let writes_anywhere = step.relative.is_some() && inst.encoding.is_scalar();
            !matches!(step.run, Executor::Missing) && !writes_anywhere
        }
        _ => false,
    }
}

/// True if an instruction other than a memory access reads FLAT_SCRATCH where it contains an address.
pub(super) fn reads_flat_scratch(inst: &Inst) -> bool {
    let Some(first) = regs::flat_scratch(inst.isa).filter(|_| inst.isa >= Isa::Gfx9) else {
        return false;
    };
    inst.row().slots().any(|slot| match inst.operand(slot) {
        Operand::Scalar { code, count } => code < first + 2 && code + count > first,
        _ => false,
    })
}
