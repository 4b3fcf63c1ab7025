//! Guards for mapped files. If another process truncates a mapped file, reads past the new end raise SIGBUS, which
//! would kill the tool. The handler maps zero pages over the truncated range so that the command can finish, and
//! [`shortened`] returns the file's name.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// Maximum number of guarded maps. A command needs only a few.
const MAX_MAPS: usize = 256;

/// Guarded map, as seen by the handler; inactive if `end` is 0.
struct GuardSlot {
    begin: AtomicUsize,
    end: AtomicUsize,
    is_shortened: AtomicBool,
}

static SLOTS: [GuardSlot; MAX_MAPS] = [const {
    GuardSlot {
        begin: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        is_shortened: AtomicBool::new(false),
    }
}; MAX_MAPS];
/// Names of the files in the slots; `None` for a free slot. The handler must not lock them.
static NAMES: Mutex<[Option<String>; MAX_MAPS]> = Mutex::new([const { None }; MAX_MAPS]);

/// Guard of a map. Dropping it ends the protection.
pub struct Guard(usize);

impl Guard {
    /// Guards the map of a file; `None` if too many maps are guarded.
    ///
    /// # Errors
    /// Fails if the handler cannot be installed.
    pub fn new(name: String, addresses: Range<usize>) -> io::Result<Option<Guard>> {
        handle()?;
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        // The slot of a truncated file is kept for `shortened`.
        let Some(free) = names.iter().position(Option::is_none) else {
            return Ok(None);
        };
        names[free] = Some(name);
        SLOTS[free].begin.store(addresses.start, SeqCst);
        SLOTS[free].end.store(addresses.end, SeqCst);
        Ok(Some(Guard(free)))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let slot = &SLOTS[self.0];
        slot.end.store(0, SeqCst);
        if !slot.is_shortened.load(SeqCst) {
            NAMES.lock().unwrap_or_else(PoisonError::into_inner)[self.0] = None;
        }
    }
}

/// Name of a file whose truncated part was read, if there is one.
pub fn shortened() -> Option<String> {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let place = SLOTS.iter().position(|slot| slot.is_shortened.load(SeqCst));
    place.and_then(|place| names[place].clone())
}

#[cfg(unix)]
use unix::handle;

#[cfg(not(unix))]
fn handle() -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;
    use std::{io, ptr};

    use super::{SLOTS, SeqCst};

    /// Previous action for SIGBUS.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
    /// Page size in bytes, queried in advance for the handler.
    static PAGE: OnceLock<usize> = OnceLock::new();

    /// Installs the handler for SIGBUS, at the first call.
    pub(super) fn handle() -> io::Result<()> {
        /// Error code of the installation.
        static ERROR: OnceLock<Option<i32>> = OnceLock::new();
        let error = ERROR.get_or_init(|| {
            // SAFETY: The call has no side effects.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let _ = PAGE.set(usize::try_from(page).unwrap_or(4096));
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_sigbus;
            // SAFETY: All zeros are a valid value of this C structure. Both pointers refer to local variables, and the
            // handler has the signature that SA_SIGINFO requires and makes only async-signal-safe calls.
            let failed = unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
                action.sa_sigaction = handler as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                let failed = libc::sigaction(libc::SIGBUS, &action, &mut before);
                let _ = BEFORE.set(before);
                failed
            };
            let error = (failed != 0).then(io::Error::last_os_error);
            error.and_then(|error| error.raw_os_error())
        });
        error.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)))
    }

    extern "C" fn on_sigbus(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: The system passes a valid `siginfo_t`; for SIGBUS, `si_addr` is the address of the access.
        let address = unsafe { (*info).si_addr() } as usize;
        let page = PAGE.get().copied().unwrap_or(4096);
        for slot in &SLOTS {
            let (begin, end) = (slot.begin.load(SeqCst), slot.end.load(SeqCst));
            if (begin..end).contains(&address) {
                let from = address / page * page;
                // SAFETY: The pages from the access to the end belong to the map of a file. This process neither
                // writes to the map nor moves it. mmap only makes a system call.
                let zeros = unsafe {
                    libc::mmap(
                        ptr::with_exposed_provenance_mut(from),
                        end - from,
                        libc::PROT_READ,
                        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                        -1,
                        0,
                    )
                };
                if zeros != libc::MAP_FAILED {
                    slot.is_shortened.store(true, SeqCst);
                    return;
                }
            }
        }
        // The access is outside all guarded maps, or mmap failed. Repeating it invokes the previous handler.
        if let Some(before) = BEFORE.get() {
            // SAFETY: The structure came from the system.
            unsafe { libc::sigaction(libc::SIGBUS, before, ptr::null_mut()) };
        }
    }
}
