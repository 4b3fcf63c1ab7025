//! Ctrl-C: the first ends the run, so that it can be told where the waves are; the second ends the tool.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::INTERRUPTED;

/// Makes Ctrl-C set `interrupted`, and end the tool if that is set already.
///
/// # Errors
/// The system does not let the signal be handled.
pub fn listen(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    // In this order: what is registered first looks at the flag before the other sets it.
    flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), interrupted.clone())?;
    flag::register(SIGINT, interrupted.clone())?;
    Ok(())
}

/// The run has ended: from now on Ctrl-C ends the tool, as it does without this module. Whether there was one.
pub fn ended(interrupted: &AtomicBool) -> bool {
    interrupted.swap(true, Relaxed)
}
