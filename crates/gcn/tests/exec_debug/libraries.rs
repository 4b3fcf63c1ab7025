//! Libraries of emulated devices for `gcn exec`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::link;

/// Directory with the libraries, which cargo has built next to this test.
pub fn libraries() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let test = std::env::current_exe().expect("a test");
        let beside = test.parent().expect("a directory");
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exec-libraries");
        fs::create_dir_all(&directory).expect("a directory");
        let newest = |begin: &str, end: &str| {
            let entries = beside.read_dir().expect("a directory").flatten();
            let is_it = |name: &str| name.starts_with(begin) && name.ends_with(end);
            let found = entries.filter(|it| is_it(&it.file_name().to_string_lossy()));
            let time = |it: &fs::DirEntry| it.metadata().and_then(|it| it.modified()).ok();
            let found = found.max_by_key(time);
            found
                .unwrap_or_else(|| panic!("no {begin}*{end} in {}", beside.display()))
                .path()
        };
        link::link(&newest("libgcn_hsa", ".a"), &directory.join(link::LIBRARY)).expect("it links");
        let platform = directory.join("libgcn_opencl.so");
        let _ = fs::remove_file(&platform); // May not exist.
        fs::hard_link(newest("libgcn_opencl", ".so"), platform).expect("a link");
        directory
    })
}
