//! Calls of a traced wave: code entered through indirect jumps.

use super::facts::Jump;

/// Code entered through an indirect jump: a function, or a case of a switch.
#[derive(Clone, Copy, Debug, Default)]
struct Call {
    /// Index of the jump; `None` for the kernel itself.
    by: Option<u32>,
    /// Index of the call to which the code returns.
    outer: u32,
    /// Address to which the code returns.
    back: Option<u64>,
}

/// Maximum number of calls that a single jump may return from. Code that uses calls as jumps never returns, so without
/// a limit every jump would search all earlier calls.
const MAX_RETURNS: usize = 64;

#[derive(Debug)]
pub(crate) struct Calls {
    /// The kernel, then calls in order of execution.
    calls: Vec<Call>,
    /// Index of the current call.
    current: u32,
    /// Jump whose target has not executed yet, with its index.
    pending: Option<(u32, Jump)>,
}

impl Default for Calls {
    fn default() -> Calls {
        Calls {
            calls: vec![Call::default()],
            current: 0,
            pending: None,
        }
    }
}

impl Calls {
    /// Returns the index of the jump that entered a call, or `None` for the kernel.
    pub(crate) fn by(&self, call: u32) -> Option<u32> {
        self.calls[call as usize].by
    }

    /// Records instruction `at` of the wave, which executes at `pc`. Returns the index of the call that contains it.
    pub(crate) fn execute(&mut self, at: u32, pc: u64, jump: Option<Jump>) -> u32 {
        if let Some((by, jump)) = self.pending.take() {
            self.arrive(by, jump, pc);
        }
        self.pending = jump.map(|jump| (at, jump));
        self.current
    }

    /// Handles the target of a jump: returns from a call if `pc` is its return address, or enters a new call.
    fn arrive(&mut self, by: u32, jump: Jump, pc: u64) {
        let mut call = self.calls[self.current as usize];
        for _ in 0..MAX_RETURNS {
            if call.by.is_none() {
                break;
            }
            if call.back == Some(pc) {
                self.current = call.outer;
                return;
            }
            call = self.calls[call.outer as usize];
        }
        let current = self.calls[self.current as usize];
        let (outer, back) = match jump {
            Jump::Call(back) => (self.current, Some(back)),
            Jump::Other => (current.outer, current.back),
        };
        self.current = self.calls.len() as u32;
        self.calls.push(Call {
            by: Some(by),
            outer,
            back,
        });
    }
}
