//! PAL metadata: notes match those of llvm-mc 19 for `amdgcn--amdpal`.

use gcn_asm::{Assembly, Options, Severity, Source, assemble};
use gcn_isa::Target;

fn assembled(text: &str) -> Assembly {
    let target = Target::named("gfx803").expect("the tests name targets");
    let source = Source {
        name: "pal.s",
        text,
    };
    assemble(&source, &Options::new(target))
}

/// Notes of a source, which produces one warning and no other diagnostic.
fn notes(text: &str) -> Vec<u8> {
    let assembly = assembled(text);
    let severities: Vec<_> = assembly.diagnostics.iter().map(|d| d.severity).collect();
    assert_eq!(
        severities,
        [Severity::Warning],
        "{:?}",
        assembly.diagnostics
    );
    let mut sections = assembly.program.sections.into_iter();
    let section = sections.find(|section| section.name == ".note");
    section.expect("notes").bytes
}

/// A note in a section; sizes are such that only the owner needs padding.
fn note(owner: &[u8], kind: u32, description: &[u8]) -> Vec<u8> {
    let owner_size = owner
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |at| at + 2);
    let sizes = [owner_size as u32, description.len() as u32, kind];
    let numbers = sizes.iter().flat_map(|number| number.to_le_bytes());
    numbers.chain([owner, description].concat()).collect()
}

#[test]
fn pairs_of_numbers_are_a_note_of_amd() {
    let expected = [0x1234_5678u32, 0xfedc_ba98, 0x2468_ace0, 1].map(u32::to_le_bytes);
    assert_eq!(
        notes(".amd_amdgpu_pal_metadata 0x12345678, 0xfedcba98, 0x2468ace0, 1"),
        note(b"AMD\0", 12, expected.as_flattened())
    );
}

#[test]
fn yaml_is_a_note_of_amdgpu_with_numbers_of_registers() {
    let text = "\t.amdgpu_pal_metadata\n---\namdpal.pipelines:\n  - .registers:\n      0xa1b3 (SPI_PS_INPUT_ENA): 0x1\n      \
                0x2c0b (SPI_SHADER_PGM_RSRC2_PS): 0x42000000\n...\n\t.end_amdgpu_pal_metadata\n";
    let mut packed = vec![0x81, 0xb0];
    packed.extend(b"amdpal.pipelines\x91\x81\xaa.registers");
    packed.extend([
        0x82, 0xcd, 0x2c, 0x0b, 0xce, 0x42, 0, 0, 0, 0xcd, 0xa1, 0xb3, 1,
    ]);
    assert_eq!(packed.len() % 4, 0, "no padding");
    assert_eq!(notes(text), note(b"AMDGPU\0\0", 32, &packed));
}

#[test]
fn what_is_no_metadata_is_refused() {
    for (text, part) in [
        (".amd_amdgpu_pal_metadata 1", "the register's value"),
        (".amd_amdgpu_pal_metadata 1, 0x100000000", "out of range"),
        (".amdgpu_pal_metadata\na: 1\n", "is not closed"),
        (
            ".amdgpu_pal_metadata\n[1]\n.end_amdgpu_pal_metadata",
            "invalid metadata",
        ),
    ] {
        let assembly = assembled(text);
        let errors = assembly.diagnostics.iter();
        let found = errors.filter(|d| d.severity == Severity::Error);
        assert!(
            found.clone().any(|error| error.message.contains(part)),
            "{text}: {:?}",
            found.collect::<Vec<_>>()
        );
    }
}
