//! Tests of fidelity notes for instructions that are affected by hardware bugs.

use gcn_emu::Fidelity;
use gcn_isa::{Isa, decode};

#[test]
fn faults_of_hardware_are_named() {
    let of = |isa, words: &[u32], text: &str, vgprs| {
        let inst = decode(isa, words).expect("an instruction");
        assert_eq!(inst.text(), text);
        Fidelity::of(&inst, vgprs)
    };
    let narrow = |isa, words: &[u32], text| of(isa, words, text, 8);
    let byte = "buffer_store_byte v1, off, s[4:7], 0";
    let stored = narrow(Isa::Si, &[0xe060_0000, 0x8001_0100], byte);
    assert_eq!(stored, Fidelity::HardwareFault("E257"));
    let stored = narrow(Isa::Ci, &[0xe060_0000, 0x8001_0100], byte);
    assert_eq!(stored, Fidelity::Exact);
    let coherent = "buffer_store_byte v1, off, s[4:7], 0 glc";
    let stored = narrow(Isa::Si, &[0xe060_4000, 0x8001_0100], coherent);
    assert_eq!(stored, Fidelity::Exact);
    let dword = "buffer_store_dword v1, off, s[4:7], 0";
    let stored = narrow(Isa::Si, &[0xe070_0000, 0x8001_0100], dword);
    assert_eq!(stored, Fidelity::Exact);

    let gather = "image_gather4 v[6:7], v0, s[0:7], s[8:11] dmask:0x1 d16";
    let gathered = |vgprs| of(Isa::Gfx9, &[0xf100_0100, 0x8040_0600], gather, vgprs);
    assert_eq!(gathered(8), Fidelity::HardwareFault("E258"));
    assert_eq!(gathered(10), Fidelity::Exact);
    let store = "image_store v[6:7], v0, s[0:7] dmask:0xf unorm d16";
    let stored = |isa| of(isa, &[0xf020_1f00, 0x8000_0600], store, 8);
    assert_eq!(stored(Isa::Stoney), Fidelity::HardwareFault("E258"));
    assert_eq!(stored(Isa::Gfx9), Fidelity::Exact);

    let scratch = |word, text| of(Isa::Gfx9, &[0xdc50_5ffc, word], text, 8);
    let by_sgpr = scratch(0x0102_0000, "scratch_load_dword v1, off, s2 offset:-4");
    assert_eq!(by_sgpr, Fidelity::HardwareFault("E259"));
    let by_vgpr = scratch(0x017f_0002, "scratch_load_dword v1, v2, off offset:-4");
    assert_eq!(by_vgpr, Fidelity::Exact);

    let atomic = "buffer_atomic_add v1, off, s[4:7], s3 offset:2";
    let added = of(Isa::Gfx9, &[0xe108_0002, 0x0301_0100], atomic, 8);
    assert_eq!(added, Fidelity::HardwareFault("E260"));
}
