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
