//! Parts of an execution one by one: memory, counters, vectors of the host, the paths of an operation.

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

/// No test is in `src`, where none is run: the crate would be compiled once more for it.
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
