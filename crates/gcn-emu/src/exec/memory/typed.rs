//! Typed buffers: loads and stores that convert elements, lane by lane.

use gcn_isa::Ty;
use gcn_isa::effect::Half;

use super::element::HALF_BITS;
use super::running::{LaneFault, Running};
use crate::step::COMPONENTS;

impl Running<'_> {
    /// Loads a lane's element and converts its components.
    pub(super) fn components(
        &mut self,
        lane: usize,
        ty: Ty,
    ) -> Result<[u32; COMPONENTS], LaneFault> {
        let access = self.places.access;
        let bytes = access.format.bytes();
        if bytes == 0 {
            // An element without bytes cannot be out of bounds, so there is no violation.
            return Ok(access.format.load(&Default::default(), ty));
        }
        let (element, result) = self.places.load(lane, access.address[lane], bytes.into());
        self.check(lane, result)?;
        Ok(access.format.load(&element, ty))
    }

    /// Loads converted components. 16-bit components are packed two to a register if the instruction has fewer data
    /// registers than components (errata E200).
    pub(super) fn load_format(&mut self, count: u8, ty: Ty) -> Result<(), LaneFault> {
        let plan = self.plan;
        let is_packed = plan.data_dwords < count;
        for lane in self.lanes() {
            let mut values = self.components(lane, ty)?;
            values[usize::from(count)..].fill(0);
            if is_packed {
                values = [
                    values[0] | values[1] << HALF_BITS,
                    values[2] | values[3] << HALF_BITS,
                    0,
                    0,
                ];
            }
            self.scatter(plan.vdst, plan.data_dwords, lane, &values);
        }
        self.write_status(plan.data_dwords);
        Ok(())
    }

    /// Loads the first component into the upper half of the register.
    pub(super) fn load_format_high(&mut self) -> Result<(), LaneFault> {
        for lane in self.lanes() {
            let [value, ..] = self.components(lane, Ty::B16)?;
            self.write_half(lane, Half::High, value);
        }
        self.write_status(1);
        Ok(())
    }

    pub(super) fn store_format(&mut self, count: u8, ty: Ty) -> Result<(), LaneFault> {
        let plan = self.plan;
        let is_packed = plan.data_dwords < count;
        for lane in self.lanes() {
            let mut values = self.gather(plan.vdata, plan.data_dwords, lane);
            if is_packed {
                let [low, high, ..] = values;
                values = [low, low >> HALF_BITS, high, high >> HALF_BITS];
            }
            let count = usize::from(count).min(values.len());
            self.store_components(lane, &values[..count], ty)?;
        }
        Ok(())
    }

    /// Stores the first component from the upper half of the register.
    pub(super) fn store_format_high(&mut self) -> Result<(), LaneFault> {
        for lane in self.lanes() {
            let [value, ..] = self.gather(self.plan.vdata, 1, lane);
            self.store_components(lane, &[value >> HALF_BITS], Ty::B16)?;
        }
        Ok(())
    }

    fn store_components(&mut self, lane: usize, values: &[u32], ty: Ty) -> Result<(), LaneFault> {
        let access = self.places.access;
        let format = access.format;
        if format.bytes() == 0 {
            return Ok(());
        }
        let result = self.places.store(
            lane,
            access.address[lane],
            format.bytes().into(),
            &format.store(values, ty),
        );
        self.check(lane, result)
    }
}
