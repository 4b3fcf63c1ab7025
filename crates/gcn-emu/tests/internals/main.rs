//! Tests of parts of the emulator: memory, counters, the host's vectors, fast and slow paths of operations.

mod addresses;
mod elements;
mod fidelity;
mod host_level;
mod lanes;
mod limits;
mod memory;
mod scoreboard;
mod two_paths;

use std::fs;
use std::path::Path;

/// Tests in `src` do not run; with them, the crate would be compiled once more.
#[test]
fn no_test_is_in_src() {
    fn look(directory: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(directory).expect("the crate's sources are here") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                look(&path, found);
            } else if fs::read_to_string(&path).is_ok_and(|text| text.contains("#[test]")) {
                found.push(path.display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    look(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    assert_eq!(found, [] as [String; 0]);
}
