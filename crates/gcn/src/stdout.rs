//! Standard output. If it is closed when the process starts, Rust opens `/dev/null` in its place before `main`, and
//! results would be lost silently. To detect this, a function in `.init_array` checks the descriptor first.
//!
//! This module may use `unsafe`, to query a descriptor by number.

use std::io::{self, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True if standard output was closed when the process started.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls the functions in this section before `main`; this one does not need the Rust runtime.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: the call only reads the flags of a descriptor, which may be closed.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        IS_CLOSED.store(flags == -1, Relaxed);
    }
    look
};

/// Writer to standard output. Fails if standard output was closed when the process started.
struct Output(Stdout);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Checks that standard output is open.
///
/// # Errors
/// Fails if standard output was closed when the process started.
pub fn check() -> io::Result<()> {
    if IS_CLOSED.load(Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    Ok(())
}

/// Standard output, locked only during each write, since other threads, such as the line editor's, also write to it.
pub fn shared() -> impl Write + Send {
    Output(io::stdout())
}
