//! Tests listings of words and sections.

use gcn_isa::Isa;

use super::*;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

const ENDPGM: u32 = 0xbf81_0000;
const NOP: u32 = 0xbf80_0000;
/// `ds_read_b32 v1, v2` on GCN 1.2 and 1.4.
const DS_READ: [u32; 2] = [0xd86c_0000, 0x0100_0002];

fn lines(code: &ListedCode, options: &ListOptions) -> Vec<String> {
    list(code, options).lines().map(str::to_owned).collect()
}

#[test]
fn instructions_data_and_tail_are_each_a_line() {
    let mut input = bytes(&[DS_READ[0], DS_READ[1], ENDPGM, DS_READ[0]]);
    input.extend([1, 2, 3]);
    let text = lines(&ListedCode::raw(Isa::Vi, &input), &ListOptions::default());
    assert_eq!(
        text,
        [
            "\tds_read_b32 v1, v2",
            "\ts_endpgm",
            "\t.long 0xd86c0000",
            "\t.byte 0x01, 0x02, 0x03"
        ]
    );
}

#[test]
fn branches_name_labels_where_an_instruction_begins() {
    // Branches to the beginning, to the end, into the middle of `ds_read_b32`, and out of bounds.
    let input = bytes(&[
        0xbf82_ffff,
        0xbf82_0004,
        0xbf82_0001,
        DS_READ[0],
        DS_READ[1],
        0xbf82_7fff,
    ]);
    let text = lines(&ListedCode::raw(Isa::Vi, &input), &ListOptions::default());
    assert_eq!(
        text,
        [
            "L0_0:",
            "\ts_branch L0_0",
            "\ts_branch L0_18",
            "\ts_branch 1",
            "\tds_read_b32 v1, v2",
            "\ts_branch 32767",
            "L0_18:",
        ]
    );
}

#[test]
fn bits_that_the_text_lacks_make_data_with_a_comment() {
    // Bit 25 is reserved on GCN 1.2.
    let input = bytes(&[DS_READ[0] | 1 << 25, DS_READ[1]]);
    let options = ListOptions {
        hex: true,
        ..ListOptions::default()
    };
    let text = lines(&ListedCode::raw(Isa::Vi, &input), &options);
    assert_eq!(
        text,
        [".long 0xda6c0000, 0x01000002".to_owned()].map(|data| format!(
            "\t{data:48} // 000000000000: DA6C0000 01000002 ds_read_b32 v1, v2"
        ))
    );
}

#[test]
fn what_the_assembler_refuses_is_data() {
    // The instruction reads both VCC and s0, which exceeds the constant bus limit.
    let text = lines(
        &ListedCode::raw(Isa::Vi, &bytes(&[0])),
        &ListOptions::default(),
    );
    assert_eq!(
        text,
        [format!(
            "\t{:48} // v_cndmask_b32_e32 v0, s0, v0, vcc",
            ".long 0x00000000"
        )]
    );
}

#[test]
fn data_is_not_decoded() {
    let input = bytes(&[NOP, NOP, DS_READ[0], ENDPGM]);
    let table = ListedSymbol {
        name: "table",
        offset: 4,
        size: 0,
        data: 8,
        global: false,
        function: false,
        before: "",
        data_text: None,
    };
    let mut code = ListedCode::raw(Isa::Vi, &input);
    code.sections[0].symbols.push(table);
    assert_eq!(
        lines(&code, &ListOptions::default()),
        [
            "\ts_nop 0",
            "table:",
            "\t.long 0xbf800000",
            "\t.long 0xd86c0000",
            "\ts_endpgm",
        ]
    );
}

#[test]
fn symbols_are_labels_and_begin_an_instruction() {
    let input = bytes(&[DS_READ[0], NOP, ENDPGM, 0xbf82_fffe]);
    let symbol = |name, offset| ListedSymbol {
        name,
        offset,
        size: 0,
        data: 0,
        global: false,
        function: false,
        before: "",
        data_text: None,
    };
    let section = ListedSection {
        name: Some(".text"),
        head: "",
        address: 0x1000,
        align: 256,
        bytes: &input,
        symbols: vec![
            symbol("v1", 8),
            ListedSymbol {
                size: 8,
                global: true,
                function: true,
                ..symbol("kernel", 4)
            },
            symbol("kernel", 12),
            symbol("two words", 12),
            symbol("L0_", 0),
            symbol("outside", 17),
        ],
        open: Vec::new(),
        notes: Vec::new(),
    };
    let code = ListedCode {
        isa: Isa::Gfx9,
        target_id: Some("amdgcn-amd-amdhsa--gfx900".into()),
        version: None,
        reserves_xnack: false,
        labels: LABELS,
        sections: vec![section],
        kernels: Vec::new(),
        metadata: None,
    };
    assert_eq!(
        lines(&code, &ListOptions::default()),
        [
            "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"",
            "\t.text",
            "\t.p2align 8",
            "L0_:",
            "\t.long 0xd86c0000",
            "\t.globl kernel",
            "\t.type kernel,@function",
            "\t.size kernel, 8",
            "kernel:",
            "\ts_nop 0",
            "v1:",
            "L_0_8:",
            "\ts_endpgm",
            "// kernel + 0:",
            "\"two words\":",
            "\ts_branch L_0_8",
        ]
    );
}
