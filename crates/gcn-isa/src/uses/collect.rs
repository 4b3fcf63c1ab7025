//! All registers of an instruction, explicit and implicit.

use super::Uses;
use super::registers::{RegisterUse, RegisterUses};

impl Uses<'_> {
    /// All registers that the instruction uses: operands in row order, then implicit ones. For an operand, a read and a
    /// write are separate uses.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::{Registers, UseOrigin};
    /// use gcn_isa::{Isa, decode};
    /// let mov = decode(Isa::Gfx9, &[0x7e06_0204])?;
    /// let uses: Vec<_> = mov.uses().registers().collect();
    /// assert_eq!(uses[0].registers, Registers::Vector { first: 3, count: 1 });
    /// assert_eq!((uses[1].registers, uses[1].read), (Registers::Scalar { first: 4, count: 1 }, u32::MAX));
    /// assert!(uses.iter().any(|it| it.source == UseOrigin::LaneMask), "EXEC");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn registers(&self) -> impl Iterator<Item = RegisterUse> + use<> {
        let mut found = RegisterUses::new();
        for (place, slot) in self.inst.row().slots().enumerate() {
            for it in self
                .of_slot(place, slot, &self.inst.operand(slot))
                .into_iter()
                .flatten()
            {
                found.push(it);
            }
        }
        self.implicit(&mut found);
        found.into_uses()
    }
}
