//! Instructions that change control flow.

use crate::effect::{Control, Does};

use super::Uses;

impl Uses<'_> {
    /// True if execution may end, or continue at an instruction other than the next one.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let (branch, call) = (decode(Isa::Gfx9, &[0xbf85_fffe])?, decode(Isa::Gfx9, &[0xbe80_1e02])?);
    /// assert!(branch.uses().leaves_sequence() && !branch.uses().calls());
    /// assert!(call.uses().leaves_sequence() && call.uses().calls(), "s_swappc_b64");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn leaves_sequence(&self) -> bool {
        matches!(
            self.inst.does(),
            Does::Branch(_)
                | Does::Jump
                | Does::Fork
                | Does::ReturnFromTrap
                | Does::Control(Control::End | Control::Trap)
        )
    }

    /// True for a possible call or return: a jump to an address in registers, or a branch that saves a return address.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others go on at a known place"
    )]
    pub fn calls(&self) -> bool {
        match self.inst.does() {
            Does::Jump => true,
            Does::Branch(_) => self
                .registers()
                .any(|r| r.written != 0 && r.operand().is_some()),
            _ => false,
        }
    }
}
