/// Differences of text that are meant.
fn is_known_difference(inst: &Inst, ours: &str, theirs: &str) -> bool {
    // LLVM has no NV (errata E015, E028).
    (inst.flag(Field::Nv) && ours.replace(" nv", "") == without_remarks(theirs))
        // LLVM marks operands that its assembler does not take; apart from the remark the text is the same.
        || without_remarks(theirs) == ours
        // LLVM's disassembler leaves registers of an image atomic with a status out; its assembler wants them.
        || (inst.encoding == Encoding::Mimg && matches!(inst.does(), Does::Atomic(..)) && inst.flag(Field::Tfe))
        // LLVM's text does not tell VOP3 here.
        || (inst.encoding == Encoding::Vop3 && ours.strip_suffix("_e64") == Some(theirs))
        // Nor does it tell comparisons of GCN 1.2 with SDWA, which it refuses without the suffix.
        || (inst.isa == Isa::Vi && inst.encoding == Encoding::VopcSdwa && ours.replacen("_sdwa", "", 1) == theirs)
        // LLVM writes a floating-point inline constant of a 16-bit integer operand as a number, which its
        // assembler takes for a literal; it takes our text for the same words.
        || inst.row().slots().any(|slot| matches!(slot.ty, Ty::U16 | Ty::I16 | Ty::B16)) && same_but_constants(inst, ours, theirs)
}

/// The text without `/*…*/`.
fn without_remarks(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, after)) = rest.split_once("/*") {
        out += before;
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    out + rest
}

/// Whether the texts differ only in how they write floating-point inline constants of 16 bits.
fn same_but_constants(inst: &Inst, ours: &str, theirs: &str) -> bool {
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.split([' ', ',']).collect(), theirs.split([' ', ',']).collect());
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(&ours, theirs)| {
            let code = (regs::HALF..=regs::INV_2PI).find(|&code| {
                regs::inline(inst.isa, code).is_some_and(|c| matches!(c, regs::Inline::Float(f) if format!("{f:.1}") == ours || (code == regs::INV_2PI && ours.starts_with("0.1591"))))
            });
            let bits = code.and_then(|code| regs::float_bits(code, Ty::F16));
            ours == theirs || bits.is_some_and(|bits| theirs == format!("{bits:#x}"))
        })
}

/// Words that LLVM's disassembler does not take.
fn is_known_unknown(inst: &Inst) -> bool {
    match inst.name() {
        // In AMD's manuals but not in LLVM.
        "s_getreg_regrd_b32" | "s_mov_regrd_b32" | "s_mov_fed_b32" | "v_mov_fed_b32" => true,
        // LLVM lacks it (errata E002).
        "ds_condxchg32_rtn_b128" => true,
        // LLVM knows no address of these (errata E018, E019); the bits are there.
        "ds_nop" | "ds_gws_sema_v" | "ds_gws_sema_p" | "ds_gws_sema_release_all" => inst.get(Field::Vaddr) != 0,
        // LLVM has no GDS bit for lane exchanges, which use no memory.
        "ds_permute_b32" | "ds_bpermute_b32" => inst.flag(Field::Gds),
        // In AMD's Vega manual but not in LLVM.
        "image_gather4h_pck" | "image_gather8h_pck" => true,
        // LLVM has no status of typed buffer accesses; AMD's manuals have the bit.
        _ if inst.encoding == Encoding::Mtbuf && inst.flag(Field::Tfe) => true,
        // LLVM has no gather to three registers, two of packed components and a status, and reads one to two
        // as one to four first, which the last registers have no room for.
        _ if inst.does() == Does::Image(ImageOp::Gather) && inst.flag(Field::D16) && inst.isa >= Isa::Gfx9 && (inst.flag(Field::Tfe) || inst.get(Field::Vdata) > 252) => true,
        // LLVM reads a load to LDS with NV as none.
        _ => inst.flag(Field::Lds) && inst.flag(Field::Nv),
    }
}

/// Text of ours that LLVM's assembler does not take.
fn is_known_refusal(inst: &Inst, text: &str) -> bool {
    let is_old = inst.isa < Isa::Vi;
    let is_lane = matches!(inst.name(), "v_readlane_b32" | "v_writelane_b32");
    let is_float = inst.row().slots().next().is_some_and(|slot| slot.ty.is_float());
    // LLVM knows XNACK_MASK only on chips that can replay; fiji cannot.
    (inst.isa == Isa::Vi && text.contains("xnack_mask"))
        || is_known_unknown(inst)
        // In AMD's Southern Islands manual (as V_QSAD_U8), in LLVM from GCN 1.1 on.
        || (inst.isa == Isa::Si && inst.name() == "v_qsad_pk_u16_u8")
        // In AMD's Southern Islands manual only.
        || matches!(inst.name(), "buffer_atomic_rsub" | "buffer_atomic_rsub_x2")
        // LLVM's disassembler writes what its assembler refuses: a status of a store, NV.
        || (inst.encoding == Encoding::Mubuf && inst.flag(Field::Tfe) && matches!(inst.does(), Does::Store(_) | Does::StoreHigh(_) | Does::StoreFormat(..) | Does::StoreFormatHigh))
        || inst.flag(Field::Nv)
        // LLVM disassembles all of V_MAC's SDWA forms and assembles only some.
        || (inst.encoding == Encoding::Vop2Sdwa && matches!(inst.name(), "v_mac_f32" | "v_mac_f16"))
        // LLVM takes no constant where four registers are wanted.
        || inst.name() == "v_mqsad_u32_u8"
        // LLVM gives these to the chips before GCN 1.2 as VOP2 only; AMD's manuals have VOP3 forms of all.
        || (is_old && is_lane && inst.encoding == Encoding::Vop3)
        // LLVM clamps integers from GCN 1.2 on only; the bit is there before.
        || (is_old && inst.flag(Field::Clamp) && !is_float)
        // Without 16-bit arithmetic LLVM has no inline constants for 16-bit operands.
        || (is_old && inst.name() == "v_cvt_f32_f16")
        // LLVM does not load into EXEC and M0.
        || (matches!(inst.encoding, Encoding::Smem | Encoding::Smrd) && (text.contains(" exec") || text.contains(" m0")))
}

/// Words that an assembler refuses because of a rule about several operands, which samples know nothing of:
/// a vector instruction reads at most one scalar register or literal.
fn breaks_a_rule(inst: &Inst) -> bool {
    let is_vector = matches!(
        inst.encoding,
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vop3 | Encoding::Vop3b | Encoding::Vop3c | Encoding::Vop3p
            | Encoding::Vop1Sdwa
            | Encoding::Vop2Sdwa
            | Encoding::VopcSdwa
    );
    if !is_vector {
        return false;
    }
    let mut read: Vec<Operand> = Vec::new();
    let implicit = inst.does().implicit(inst.isa, false, false);
    if implicit.has(Implicit::READS_VCC) {
        read.push(Operand::Scalar { code: regs::VCC_LO, count: 2 });
    }
    if implicit.has(Implicit::READS_M0) {
        read.push(Operand::Scalar { code: regs::M0, count: 1 });
    }
    for slot in inst.row().slots().filter(|slot| slot.access == Access::Read) {
        let operand = inst.operand(slot);
        let is_scalar = match operand {
            Operand::Scalar { code, .. } => regs::inline(inst.isa, code).is_none(),
            Operand::Literal(_) => true,
            _ => false,
        };
        if is_scalar && !read.contains(&operand) {
            read.push(operand);
        }
    }
    read.len() > 1
}
