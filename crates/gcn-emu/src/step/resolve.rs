//! Construction of memory instruction plans from rows, fields and operands.

use gcn_isa::effect::ImageOp;
use gcn_isa::field::Field;
use gcn_isa::uses::Space;
use gcn_isa::{Does, Encoding, Inst, Isa, Op, Operand};

use super::arg::{Arg, MAX_ARGS};
use super::format::ElementFormat;
use super::image::ImagePlan;
use super::plan::{Family, FastPath, MemoryPlan};
use super::{fast_path, image};
use crate::lanes::Elements;

/// Bits of OFFSET that name a register if IMM and SOE are 0 (checklist 4.2).
const SMEM_REGISTER: u64 = 0x7f;
/// Mask of S_BUFFER's immediate, which is unsigned (errata E012).
const SCALAR_BUFFER_OFFSET: i64 = 0xf_ffff;

impl MemoryPlan {
    /// Creates the plan of an instruction with operands `args`, at dword `index`; `None` if it is not a memory
    /// instruction.
    pub fn new(inst: &Inst, args: &[Arg; MAX_ARGS], index: usize) -> Option<MemoryPlan> {
        let does = effect(inst);
        if matches!(
            does,
            Does::Alu(_)
                | Does::Compare(..)
                | Does::Branch(_)
                | Does::Jump
                | Does::ReturnFromTrap
                | Does::Fork
                | Does::Control(_)
                | Does::Image(ImageOp::GatherRow)
        ) {
            return None;
        }
        let family = family(inst)?;
        let ty = does.element();
        let bytes = i64::from(ty.bytes());
        let mut plan = MemoryPlan {
            family,
            does,
            ty,
            vaddr: None,
            vdata: 0,
            vdata1: 0,
            vdst: 0,
            sdata: 0,
            sbase: 0,
            saddr: None,
            sreg: None,
            soffset: Arg::None,
            offset: inst.get(Field::Offset) as i64,
            distance: 0,
            mask: match family {
                Family::Share => mask(inst.isa, does),
                _ => u32::MAX,
            },
            gds: inst.flag(Field::Gds),
            returns: inst.returns_old(),
            to_lds: inst.loads_to_lds(),
            keeps_half: inst.keeps_other_half(),
            tfe: inst.flag(Field::Tfe),
            idxen: inst.flag(Field::Idxen),
            offen: inst.flag(Field::Offen),
            addr64: inst.flag(Field::Addr64),
            format: (inst.encoding == Encoding::Mtbuf).then(|| {
                ElementFormat::new(
                    inst.isa,
                    inst.get(Field::Dfmt) as u32,
                    inst.get(Field::Nfmt) as u32,
                )
            }),
            image: (family == Family::Image).then(|| ImagePlan::new(inst)),
            data_dwords: 0,
            counters: inst.uses().counters(),
            loads_coherently: loads_coherently(inst),
            number: (index / 2) as u8,
            fast_path: FastPath::None,
            is_by_lane: false,
            keeps_addresses: false,
            share: None,
            elements: Elements::default(),
            gather: Elements::default().gather(),
        };
        for (slot, arg) in inst.row().slots().zip(args) {
            match (slot.field, *arg) {
                (Field::Vaddr, Arg::Vgpr(n)) => plan.vaddr = Some(n),
                (Field::Vdata, Arg::Vgpr(n)) => {
                    plan.vdata = n;
                    plan.data_dwords = slot.ty.dwords();
                    if matches!(family, Family::Buffer | Family::Image) {
                        plan.vdst = n;
                    }
                    if let (Family::Image, Operand::Vgprs { count, .. }) =
                        (family, inst.operand(slot))
                    {
                        plan.data_dwords = count - u8::from(plan.tfe);
                    }
                }
                (Field::Vdata1, Arg::Vgpr(n)) => plan.vdata1 = n,
                (Field::Vdst, Arg::Vgpr(n)) => plan.vdst = n,
                (Field::Sdata, Arg::Scalar(n)) => plan.sdata = n,
                (Field::Sbase | Field::Srsrc, Arg::Scalar(n)) => plan.sbase = n,
                (Field::Saddr, Arg::Scalar(n)) => plan.saddr = Some(n),
                (Field::Soffset, arg) => plan.soffset = arg,
                _ => {}
            }
        }
        match family {
            Family::Share => {
                if let Does::LoadTwo(_, stride)
                | Does::StoreTwo(_, stride)
                | Does::ExchangeTwo(_, stride) = does
                {
                    let step = bytes * i64::from(stride.elements());
                    plan.offset = inst.get(Field::Offset0) as i64 * step;
                    plan.distance = inst.get(Field::Offset1) as i64 * step - plan.offset;
                }
            }
            // FLAT ignores the offset's 13th bit, which this field omits (errata E084).
            Family::Flat => plan.offset = inst.get(Field::Offset12) as i64,
            Family::Global | Family::Scratch => plan.offset = inst.get_signed(Field::Offset),
            Family::Buffer | Family::Image => {}
            Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer => {
                plan.scalar_offset(inst)
            }
        }
        plan.fast_path = FastPath::of(&plan);
        plan.is_by_lane = plan.has_a_lane_each();
        plan.keeps_addresses = plan.finds_addresses_again();
        plan.share = plan.share_elements();
        plan.elements = fast_path::elements(&plan);
        plan.gather = plan.elements.gather();
        Some(plan)
    }

    /// Sets the offset of a scalar memory instruction: checklist 4.1 and 4.2; errata E110, E111, E113. SMRD counts
    /// dwords, but SMEM counts bytes (E133).
    fn scalar_offset(&mut self, inst: &Inst) {
        let offset = inst.get(Field::Offset);
        let is_smrd = inst.encoding == Encoding::Smrd;
        self.offset = 0;
        if inst.flag(Field::Imm) {
            self.offset = if is_smrd {
                offset as i64 * 4
            } else if self.family == Family::ScalarBuffer {
                offset as i64 & SCALAR_BUFFER_OFFSET & !3
            } else if inst.isa >= Isa::Gfx9 {
                inst.get_signed(Field::Offset) & !3
            } else {
                offset as i64 & !3
            };
            if inst.flag(Field::Soe) {
                self.sreg = Some(inst.get(Field::Soffset) as u8);
            }
        } else if let Some(literal) = inst.literal() {
            self.offset = i64::from(literal) * 4;
        } else if inst.flag(Field::Soe) {
            self.sreg = Some(inst.get(Field::Soffset) as u8);
        } else {
            self.sreg = Some((offset & SMEM_REGISTER) as u8);
        }
    }
}

/// Computes [`MemoryPlan::loads_coherently`]. For an atomic, GLC means that the old value is returned; an atomic is
/// itself a fence.
fn loads_coherently(inst: &Inst) -> bool {
    let loads_global = (inst.uses().memory())
        .is_some_and(|it| it.read.has(Space::Global) && !it.atomic && !it.scalar);
    loads_global && inst.flag(Field::Glc)
}

fn family(inst: &Inst) -> Option<Family> {
    Some(match inst.encoding {
        Encoding::Ds => Family::Share,
        Encoding::Flat => Family::Flat,
        Encoding::Global => Family::Global,
        Encoding::Scratch => Family::Scratch,
        Encoding::Mubuf | Encoding::Mtbuf => Family::Buffer,
        Encoding::Mimg => Family::Image,
        Encoding::Smrd | Encoding::Smem => {
            let is_scratch = matches!(inst.op, Op::Smem(op) if op.scales_offset());
            let descriptor = inst
                .row()
                .slots()
                .any(|slot| slot.field == Field::Sbase && slot.ty.dwords() == 4);
            if is_scratch {
                Family::ScalarScratch
            } else if descriptor {
                Family::ScalarBuffer
            } else {
                Family::Scalar
            }
        }
        _ => return None,
    })
}

/// Returns the effect of an instruction: the effect of its row, except that DMASK may select 64 bits for an image
/// atomic.
pub(super) fn effect(inst: &Inst) -> Does {
    match (inst.encoding, inst.does()) {
        (Encoding::Mimg, Does::Atomic(op, ty)) => Does::Atomic(op, image::width(inst, op, ty)),
        (_, does) => does,
    }
}

/// Returns the mask for addresses of DS, applied after the offset is added. Up to GCN 1.2 it clears the bits below the
/// natural alignment (96 bits align to 128); on GCN 1.4, it does so only for atomics. A conditional exchange also uses
/// only 16 address bits (errata E040–E042, E052).
fn mask(isa: Isa, does: Does) -> u32 {
    let is_load_or_store = matches!(
        does,
        Does::Load(_)
            | Does::LoadHalf(..)
            | Does::Store(_)
            | Does::StoreHigh(_)
            | Does::LoadTwo(..)
            | Does::StoreTwo(..)
            | Does::LoadByLane
            | Does::StoreByLane
    );
    if let Does::ExchangeConditionally(ty) = does {
        return 0xffff & !(u32::from(ty.bytes()) - 1);
    }
    if is_load_or_store && isa >= Isa::Gfx9 {
        return u32::MAX;
    }
    !(u32::from(does.element().bytes()).next_power_of_two() - 1)
}
