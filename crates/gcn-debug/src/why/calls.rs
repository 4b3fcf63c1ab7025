//! Calls of a traced wave: code entered by jumps to addresses in registers.

use super::facts::Jump;

/// Code entered by a jump to an address in registers: a function, or a case of a switch.
#[derive(Clone, Copy, Debug, Default)]
struct Call {
    /// Index of the jump; `None` for the kernel itself.
    by: Option<u32>,
    /// Index of the call to which the code returns.
    outer: u32,
    /// Address to which the code returns.
    back: Option<u64>,
}

/// Maximum number of calls from which one jump returns. Code that uses calls as jumps never returns, so its calls would be
/// searched to the first one at every jump.
const MAX_RETURNS: usize = 64;

/// Calls of a wave.
#[derive(Debug)]
pub(crate) struct Calls {
    /// The kernel, then calls in order of execution.
    calls: Vec<Call>,
    /// Index of the current call.
    current: u32,
    /// Last jump and its index, until its target executes.
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

    /// Records instruction number `at`, which executes at `pc` and makes `jump`, if any. Returns the index of its call.
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
