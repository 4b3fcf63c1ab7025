//! How something watches a run. Handlers know nothing of it: only the step loop is generic over [`Observer`],
//! and the unit observer compiles to nothing.

use crate::code::Step;
use crate::exec::memory::Access;
use crate::wave::Wave;

/// What an observer says of an access before it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Go on.
    Allow,
    /// Stop the run with this message.
    Veto(String),
}

/// Watches the waves of one thread.
pub trait Observer: Send {
    /// Whether it wants to be called at all.
    const ACTIVE: bool = true;

    /// A wave begins. Its registers are as the ABI sets them.
    fn started(&mut self, _wave: &Wave) {}
    /// An instruction is about to execute; `wave.pc` is its address.
    fn before(&mut self, _wave: &Wave, _step: &Step) {}
    /// A memory instruction is about to access memory.
    fn access(&mut self, _wave: &Wave, _step: &Step, _access: &Access) -> Verdict {
        Verdict::Allow
    }
    /// An instruction at `pc` has executed; `wave.pc` is where the wave goes on.
    fn after(&mut self, _wave: &Wave, _step: &Step, _pc: u64) {}
    /// All waves of a workgroup have passed a barrier.
    fn barrier(&mut self, _group: [u32; 3]) {}
    /// A wave has ended.
    fn ended(&mut self, _wave: &Wave) {}
}

/// Watches nothing and costs nothing.
impl Observer for () {
    const ACTIVE: bool = false;
}
