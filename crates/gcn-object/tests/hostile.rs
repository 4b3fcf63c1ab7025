//! Arbitrary bytes: reading them returns an object or an error, never panics, and takes little memory. (Arithmetic is
//! checked: tests are built with debug assertions.)

mod common;

use std::sync::LazyLock;

use arbtest::arbitrary::{Result as Arbitrary, Unstructured};
use gcn_object::{DocumentValue, Metadata, ReadError, Warning, read};

const V2: &[u8] = include_bytes!("fixtures/scale-gfx803-v2.co");
const V3: &[u8] = include_bytes!("fixtures/scale-gfx803-v3.co");
static LINKED: LazyLock<Vec<u8>> = LazyLock::new(|| common::clang("scale.s", "gfx906", 5, &[]));
static SINGLE: LazyLock<Vec<u8>> = LazyLock::new(|| common::clang("scale.s", "gfx906", 4, &["-c"]));

fn fixtures() -> [&'static [u8]; 4] {
    [V2, V3, &LINKED, &SINGLE]
}

/// Small enough that thousands of images can be created.
const IMAGE_LIMIT: u64 = 1 << 20;
/// Time budget of each random test, in milliseconds.
const BUDGET: u64 = 2000;

/// Does everything with the bytes that a user of the crate would do.
fn use_all(bytes: &[u8]) -> Result<(), ReadError> {
    let object = read(bytes)?;
    for section in &object.sections {
        assert!(object.section_bytes(section).len() <= bytes.len());
    }
    for kernel in &object.kernels {
        assert!(object.kernel(&kernel.name).is_some());
        for (_, first, count) in kernel.descriptor.kernel_code_properties.user_sgprs() {
            assert!(first + count <= 20);
        }
    }
    if let Ok(mut image) = object.image_within(IMAGE_LIMIT) {
        assert!(image.bytes.len() as u64 <= IMAGE_LIMIT);
        for segment in &image.segments {
            assert_eq!(
                image.get(segment.address, segment.size).map(<[u8]>::len),
                Some(segment.size as usize)
            );
        }
        let errors = object
            .apply_relocations(&mut image, 0xffff_ffff_ffff_f000)
            .err()
            .unwrap_or_default();
        assert!(errors.len() <= object.relocations.len());
        errors
            .iter()
            .for_each(|error| assert!(!error.to_string().is_empty()));
    }
    object
        .warnings
        .iter()
        .for_each(|warning| assert!(!warning.to_string().is_empty()));
    Ok(())
}

#[test]
fn every_truncation_ends_in_an_error() {
    for fixture in fixtures() {
        assert_eq!(use_all(fixture), Ok(()));
        for length in 0..fixture.len() {
            let error = use_all(&fixture[..length]).expect_err("a part is not an object");
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn changed_bytes_are_survived() {
    arbtest::arbtest(|u| {
        let mut bytes = u.choose(&fixtures())?.to_vec();
        for _ in 0..u.int_in_range(1..=8)? {
            let at = u.choose_index(bytes.len())?;
            let field = interesting(u)?;
            let end = bytes.len().min(at + field.len());
            bytes[at..end].copy_from_slice(&field[..end - at]);
        }
        // Most changes of the header are rejected immediately, so it is restored now and then.
        if u.ratio(1, 2)? {
            bytes[..20].copy_from_slice(&V3[..20]);
            bytes[8] = u.int_in_range(0..=4)?;
        }
        let _ = use_all(&bytes);
        Ok(())
    })
    .budget_ms(BUDGET);
}

/// A random field value, often a boundary value.
fn interesting(u: &mut Unstructured<'_>) -> Arbitrary<Vec<u8>> {
    let random = u.arbitrary()?;
    let limits = [
        0,
        1,
        0x40,
        0xff,
        0xffff,
        0x7fff_ffff,
        u32::MAX.into(),
        1 << 63,
        u64::MAX,
    ];
    let number: u64 = if u.ratio(1, 4)? {
        random
    } else {
        *u.choose(&limits)?
    };
    let width = *u.choose(&[1, 2, 4, 8])?;
    Ok(number.to_le_bytes()[..width].to_vec())
}

#[test]
fn random_bytes_are_survived() {
    arbtest::arbtest(|u| {
        let mut bytes = V3[..64].to_vec();
        bytes[8] = u.int_in_range(0..=5)?;
        let keep = u.choose_index(65)?;
        bytes.truncate(keep);
        bytes.extend(u.bytes(u.len())?);
        let _ = use_all(&bytes);
        Ok(())
    })
    .budget_ms(BUDGET);
}

#[test]
fn random_metadata_is_survived() {
    arbtest::arbtest(|u| {
        let bytes = u.bytes(u.len())?;
        let _ = Metadata::from_msgpack(bytes);
        let _ = Metadata::from_yaml_v2(bytes);
        if let Ok(value) = DocumentValue::from_msgpack(bytes) {
            let again = value
                .to_msgpack()
                .and_then(|packed| DocumentValue::from_msgpack(&packed));
            // NaN is not equal to itself, so the text is compared.
            assert_eq!(format!("{again:?}"), format!("{:?}", Ok::<_, ()>(value)));
        }
        Ok(())
    })
    .budget_ms(BUDGET);
}

/// Peak memory use of this process, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux reports memory");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("Linux reports memory");
    let kilobytes: u64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|it| it.parse().ok())
        .expect("it is a number");
    kilobytes << 10
}

/// A file whose tables all share the same bytes: `headers` section headers of a type, each covering the whole file.
fn shared_tables(kind: u32, flags: u64, headers: usize, fill: u8) -> Vec<u8> {
    let mut file = V3[..64].to_vec();
    file[16..18].copy_from_slice(&1u16.to_le_bytes());
    file.resize((1 << 20) - 64, fill);
    // Names end here at the latest.
    file.resize(1 << 20, 0);
    let table = file.len() as u64;
    file[40..48].copy_from_slice(&table.to_le_bytes());
    file[60..62].copy_from_slice(&(headers as u16).to_le_bytes());
    file[62..64].copy_from_slice(&1u16.to_le_bytes());
    for index in 0..headers {
        let (kind, info) = match index {
            0 => (0, 0),
            // The string table.
            1 => (3, 0),
            _ => (kind, 1),
        };
        let mut header = [0; 64];
        header[4..8].copy_from_slice(&u32::to_le_bytes(kind));
        header[8..16].copy_from_slice(&flags.to_le_bytes());
        if index != 0 {
            // Everything except the file header, in entries of 24 bytes.
            header[24..32].copy_from_slice(&64u64.to_le_bytes());
            header[32..40].copy_from_slice(&(((1u64 << 20) - 64) / 24 * 24).to_le_bytes());
        }
        header[44..48].copy_from_slice(&u32::to_le_bytes(info));
        header[48..56].copy_from_slice(&4u64.to_le_bytes());
        header[56..64].copy_from_slice(&24u64.to_le_bytes());
        file.extend(header);
    }
    file
}

#[test]
fn shared_bytes_do_not_multiply() {
    const RELA: u32 = 4;
    const NOTE: u32 = 7;
    const PROGBITS: u32 = 1;
    const ALLOC: u64 = 2;
    let before = peak_memory();
    let names = shared_tables(PROGBITS, ALLOC, 1000, b'a');
    let relocations = shared_tables(RELA, ALLOC, 1000, 0);
    let notes = shared_tables(NOTE, ALLOC, 1000, 0);
    for bytes in [&names, &relocations, &notes] {
        let error = read(bytes).expect_err("the tables overlap");
        assert!(
            matches!(
                error,
                ReadError::Overlap { .. } | ReadError::Malformed { .. }
            ),
            "{error}"
        );
    }
    assert!(matches!(
        read(&relocations),
        Err(ReadError::Overlap {
            what: "relocations"
        })
    ));
    // Three files of 1 MiB; names have the largest factor.
    let used = peak_memory() - before;
    assert!(used < 200 << 20, "{used} bytes for three files of 1 MiB");
}

#[test]
fn an_absurd_segment_is_refused() {
    // The second program header is the first loaded segment; its p_memsz is at offset 40.
    let mut bytes = V3.to_vec();
    let size = 64 + 56 + 40;
    bytes[size..size + 8].copy_from_slice(&(1u64 << 46).to_le_bytes());
    let object = read(&bytes).expect("the size alone does not hurt");
    let error = object.image().expect_err("64 TiB");
    assert!(matches!(
        error,
        gcn_object::ImageError::TooLarge { .. } | gcn_object::ImageError::Overlap { .. }
    ));
    bytes[size..size + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    bytes[size - 24] = 1;
    assert!(matches!(
        read(&bytes),
        Err(ReadError::SegmentOutside { .. })
    ));
}

#[test]
fn metadata_that_lies_is_named() {
    // `.kernarg_segment_size` is 48, 0x30, in both the YAML and the MessagePack; with 4, the arguments are outside.
    let patched = |fixture: &[u8], from: &[u8], to: &[u8]| {
        let at = fixture
            .windows(from.len())
            .position(|window| window == from)
            .expect("the fixture has it");
        let mut bytes = fixture.to_vec();
        bytes[at..at + from.len()].copy_from_slice(to);
        bytes
    };
    let v3 = patched(V3, b".kernarg_segment_size0", b".kernarg_segment_size\x04");
    let v2 = patched(V2, b"KernargSegmentSize: 48", b"KernargSegmentSize: 04");
    for bytes in [v2, v3] {
        let object = read(&bytes).expect("metadata does not keep an object from being loaded");
        assert_eq!(object.kernels.len(), 1);
        let claims = object
            .warnings
            .iter()
            .filter(|warning| matches!(warning, Warning::Claim { .. }))
            .count();
        assert_eq!(claims, 5, "{:?}", object.warnings);
    }
    // A byte that MessagePack never uses, in place of a key's length.
    let broken = patched(V3, b"\xaeamdhsa.kernels", b"\xc1amdhsa.kernels");
    let object = read(&broken).expect("metadata does not keep an object from being loaded");
    assert!(
        matches!(object.warnings.as_slice(), [Warning::Metadata(_)]),
        "{:?}",
        object.warnings
    );
    assert_eq!(object.kernels.len(), 1);
}
