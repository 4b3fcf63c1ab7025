//! Tests with generated bundles of every kind.

use std::io::Write;

use super::compressed::{HASH_BYTES, MAGIC as COMPRESSED_MAGIC, VERSIONS, ZLIB, ZSTD};
use super::entry::read;
use super::error::{MAX_UNCOMPRESSED, MAX_WINDOW};
use super::table::MAGIC;
use super::{BundleError, bundle_entries, code_objects};
use crate::bytes::Bytes;

fn uncompressed(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut table = MAGIC.to_vec();
    table.extend((entries.len() as u64).to_le_bytes());
    let names: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
    let mut offset = (table.len() + names) as u64;
    for (id, bytes) in entries {
        for number in [offset, bytes.len() as u64, id.len() as u64] {
            table.extend(number.to_le_bytes());
        }
        table.extend(id.bytes());
        offset += bytes.len() as u64;
    }
    entries.iter().for_each(|(_, bytes)| table.extend(*bytes));
    table
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory is large enough");
    encoder.finish().expect("memory is large enough")
}

/// Creates a compressed bundle with the given header version and stream.
fn compressed(version: u16, size: u64, stream: &[u8]) -> Vec<u8> {
    let sizes = &VERSIONS[usize::from(version) - 1];
    let mut bytes = COMPRESSED_MAGIC.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(ZLIB.to_le_bytes());
    let header = 8 + sizes.width * (1 + usize::from(sizes.has_total)) + HASH_BYTES;
    let total = (header + stream.len()) as u64;
    if sizes.has_total {
        bytes.extend(&total.to_le_bytes()[..sizes.width]);
    }
    bytes.extend(&size.to_le_bytes()[..sizes.width]);
    bytes.extend([0; HASH_BYTES]);
    bytes.extend(stream);
    bytes
}

#[test]
fn every_version_of_the_compressed_form_is_read() {
    let bundle = uncompressed(&[
        ("host-x86_64--", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx906", b"code"),
    ]);
    for version in 1..=3 {
        let bytes = compressed(version, bundle.len() as u64, &zlib(&bundle));
        let entries = bundle_entries(&bytes).expect("it is a bundle");
        let found: Vec<_> = entries.iter().map(|e| (e.target(), &e.bytes[..])).collect();
        assert_eq!(found, [(None, &b""[..]), (Some("gfx906"), &b"code"[..])]);
        for length in 0..bytes.len() {
            assert!(
                bundle_entries(&bytes[..length]).is_err(),
                "{version}: {length}"
            );
        }
    }
}

/// Entries of a compressed bundle are slices of the decompressed bytes, so entries that share bytes need no extra
/// memory.
#[test]
fn entries_of_a_compressed_bundle_are_not_copied() {
    const ENTRIES: u64 = 1000;
    let id = b"hip-amdgcn-amd-amdhsa--gfx803";
    let mut bundle = MAGIC.to_vec();
    bundle.extend(ENTRIES.to_le_bytes());
    let offset = bundle.len() as u64 + ENTRIES * (24 + id.len() as u64);
    for _ in 0..ENTRIES {
        for number in [offset, 4096, id.len() as u64] {
            bundle.extend(number.to_le_bytes());
        }
        bundle.extend(id);
    }
    bundle.extend([7; 4096]);
    let bytes = compressed(3, bundle.len() as u64, &zlib(&bundle));
    let entries = bundle_entries(&bytes).expect("it is a bundle");
    assert_eq!(entries.len() as u64, ENTRIES);
    let first = &entries[0];
    for entry in &entries {
        assert_eq!(entry.bytes.as_ptr(), first.bytes.as_ptr());
        assert_eq!(entry.bytes[..], [7; 4096]);
    }
}

/// The bundles in a program share one budget for decompressed bytes.
#[test]
fn bundles_of_a_program_share_a_limit() {
    let bundle = uncompressed(&[("hip-amdgcn-amd-amdhsa--gfx803", &[0; 4096])]);
    let bytes = compressed(3, bundle.len() as u64, &zlib(&bundle));
    let size = bundle.len() as u64;
    let mut budget = size + size / 2;
    let bytes = Bytes::from(&bytes);
    assert!(read(&bytes, &mut budget).is_ok());
    let error = read(&bytes, &mut budget).err();
    let limit = size / 2;
    assert_eq!(error, Some(BundleError::TooLarge { size, limit }));
}

/// Creates a zstd frame from a header and uncompressed content.
fn zstd(header: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd];
    frame.extend(header);
    // The header of the only block, which is uncompressed.
    frame.extend(&((bytes.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    frame.extend(bytes);
    frame
}

/// The decoder's memory use is bounded regardless of the window size in the header.
#[test]
fn a_stream_that_refers_back_too_far_is_refused() {
    let bundle = uncompressed(&[("hip-amdgcn-amd-amdhsa--gfx803", &[7; 256])]);
    let size = bundle.len() as u64;
    let entries = |header: &[u8]| {
        let mut bytes = compressed(3, size, &zstd(header, &bundle));
        bytes[6..8].copy_from_slice(&ZSTD.to_le_bytes());
        bundle_entries(&bytes).map(|entries| entries[0].bytes.to_vec())
    };
    let good = Ok(vec![7; 256]);
    // The maximum window size of 2^27 bytes, and the next larger one.
    assert_eq!(entries(&[0, 17 << 3]), good);
    let window = MAX_WINDOW + MAX_WINDOW / 8;
    assert_eq!(
        entries(&[0, 17 << 3 | 1]),
        Err(BundleError::Window { window })
    );
    let window = (1 << 41) + 7 * (1 << 38);
    assert_eq!(entries(&[0, 0xff]), Err(BundleError::Window { window }));
    // The window size is the content size, stored in four or eight bytes.
    let in_four = [&[0xa0][..], &(size as u32).to_le_bytes()].concat();
    assert_eq!(entries(&in_four), good);
    let window = u64::MAX;
    let in_eight = [&[0xe0][..], &window.to_le_bytes()].concat();
    assert_eq!(entries(&in_eight), Err(BundleError::Window { window }));
}

#[test]
fn a_stream_that_lies_about_its_size_is_no_bundle() {
    let bundle = uncompressed(&[("hip-amdgcn-amd-amdhsa--gfx803", &[0; 4096])]);
    let stream = zlib(&bundle);
    for size in [0, bundle.len() as u64 - 1, bundle.len() as u64 + 1] {
        let bytes = compressed(2, size, &stream);
        let error = bundle_entries(&bytes);
        assert!(
            matches!(error, Err(BundleError::Decompression { .. })),
            "{error:?}"
        );
    }
    let bytes = compressed(3, u64::MAX, &stream);
    let error = bundle_entries(&bytes);
    assert_eq!(
        error,
        Err(BundleError::TooLarge {
            size: u64::MAX,
            limit: MAX_UNCOMPRESSED
        })
    );
    let mut bytes = compressed(3, 1, &stream);
    bytes[4] = 4;
    let error = bundle_entries(&bytes);
    assert_eq!(error, Err(BundleError::CompressedVersion { version: 4 }));
}

/// Consecutive bundles are read in turn, without the linker's padding between them.
#[test]
fn bundles_that_follow_each_other_are_read_in_turn() {
    let id = "hip-amdgcn-amd-amdhsa--gfx803";
    let first = uncompressed(&[("host-x86_64--", b""), (id, b"one")]);
    let second = uncompressed(&[(id, b"two")]);
    let second = compressed(3, second.len() as u64, &zlib(&second));
    let broken = &uncompressed(&[(id, b"three")])[..60];
    let file = [&first[..], &[0; 77], b"C_CCO", &second, &[0; 5], broken].concat();
    let mut found = code_objects(&file).expect("it begins with a bundle");
    let mut next = || Some(found.next()?.map(|entry| entry.bytes.to_vec()));
    assert_eq!(next(), Some(Ok(b"one".to_vec())));
    assert_eq!(next(), Some(Ok(b"two".to_vec())));
    assert_eq!(next(), Some(Err(BundleError::Truncated)));
    assert_eq!(next(), None);
}
