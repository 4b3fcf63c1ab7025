//! Scalar memory accesses.

use gcn_isa::Does;

use super::combine::{Denormals, combine};
use super::places::Violation;
use super::running::{LaneFault, Running};
use crate::fault::FaultKind;
use crate::step::MAX_SCALAR_DWORDS;

impl Running<'_> {
    /// Executes a scalar memory access, once and regardless of EXEC (checklist 1.3).
    pub(super) fn scalar(&mut self) -> Result<(), LaneFault> {
        let (plan, access) = (self.plan, self.places.access);
        let address = access.address[0];
        let in_bounds = access.dwords_in_bounds;
        let registers = |i: u8| plan.sdata.wrapping_add(i);
        let memory = &self.places.device.memory;
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "`perform` lists what else memory instructions do, and no other of scalar memory reaches it"
        )]
        match plan.does {
            Does::Load(ty) => {
                let mut loaded = [0; MAX_SCALAR_DWORDS];
                let part = loaded.get_mut(..usize::from(in_bounds));
                let done = part.is_some_and(|part| memory.load_dwords(address, part).is_some());
                // If no dword is in bounds, nothing is accessed, so there is no violation.
                if !done && in_bounds != 0 {
                    self.check(0, Err(Violation::Unmapped { address }))?;
                }
                for i in 0..ty.dwords() {
                    self.wave.set_scalar(registers(i), loaded[usize::from(i)]);
                }
            }
            Does::Store(ty) => {
                let mut stored = [0; MAX_SCALAR_DWORDS];
                for i in 0..ty.dwords() {
                    stored[usize::from(i)] = self.wave.scalar(registers(i));
                }
                let part = stored.get(..usize::from(in_bounds));
                let done = part.is_some_and(|part| memory.store_dwords(address, part).is_some());
                if !done && in_bounds != 0 {
                    self.check(0, Err(Violation::Unmapped { address }))?;
                }
            }
            Does::Atomic(op, ty) => {
                let dwords = ty.dwords();
                let value = |first: u8| {
                    let high = if dwords == 2 {
                        u64::from(self.wave.scalar(registers(first + 1))) << 32
                    } else {
                        0
                    };
                    u64::from(self.wave.scalar(registers(first))) | high
                };
                let second = if op.values() == 2 { value(dwords) } else { 0 };
                let data = value(0);
                let (old, result) = if in_bounds == dwords {
                    self.places.update(0, address, ty.bytes().into(), |old| {
                        combine(op, ty, old, data, second, Denormals::FLUSHED)
                    })
                } else {
                    (0, Ok(()))
                };
                self.check(0, result)?;
                self.keep(0, old);
                if plan.returns {
                    self.wave.set_scalar(registers(0), old as u32);
                    if dwords == 2 {
                        self.wave.set_scalar(registers(1), (old >> 32) as u32);
                    }
                }
            }
            _ => return Err((FaultKind::NotExecuted, None)),
        }
        Ok(())
    }
}
