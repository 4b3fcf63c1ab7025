//! Loads, stores and atomics, lane by lane in ascending order.

use gcn_isa::effect::{AtomicOp, Half};
use gcn_isa::{Does, Ty};

use super::access::LaneSpace;
use super::combine::{Denormals, combine};
use super::element::{ElementDwords, HALF_BITS, MAX_DWORDS};
use super::places::{Places, Violation};
use crate::device::OnViolation;
use crate::fault::{FaultKind, Intent};
use crate::lanes::{LANES, Lanes, active};
use crate::step::{Family, MemoryPlan};
use crate::wave::Wave;

/// Outcome of an attempt to execute an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// The instruction has completed.
    Done,
    /// The wave must retry later.
    Blocked,
}

/// Fault, with the lane that caused it, if a lane did.
pub type LaneFault = (FaultKind, Option<u8>);

/// Instruction being executed.
pub(super) struct Running<'a> {
    pub(super) wave: &'a mut Wave,
    pub(super) plan: &'a MemoryPlan,
    pub(super) places: Places<'a>,
    /// See [`Transfer::old`].
    pub(super) old: &'a mut [Lanes; 2],
}

/// Sign- or zero-extends a loaded value to 32 bits.
#[inline]
fn extend(ty: Ty, value: u32) -> u32 {
    match ty {
        Ty::I8 => i32::from(value as i8) as u32,
        Ty::I16 => i32::from(value as i16) as u32,
        Ty::U8 | Ty::B8 => value & 0xff,
        Ty::U16 | Ty::B16 => value & 0xffff,
        Ty::B32 | Ty::U32 | Ty::I32 | Ty::F32 | Ty::F16x2 | Ty::I16x2 => value,
        Ty::F16 => value,
        // First of several dwords.
        Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 => value,
        Ty::B96 | Ty::B128 | Ty::B256 | Ty::B512 => value,
    }
}

impl Running<'_> {
    /// Records the old value of a lane's atomic.
    pub(super) fn keep(&mut self, lane: usize, old: u64) {
        self.old[0].0[lane] = old as u32;
        self.old[1].0[lane] = (old >> 32) as u32;
    }

    /// Records a violation. Returns an error if the violation stops the run.
    pub(super) fn check(
        &mut self,
        lane: usize,
        result: Result<(), Violation>,
    ) -> Result<(), LaneFault> {
        let Err(violation) = result else {
            return Ok(());
        };
        let access = self.places.access;
        self.wave.note_violation();
        let intent = access.intent.unwrap_or(Intent::Load);
        match violation.fault(intent, access.bytes) {
            Some(fault) if self.places.device.config.on_violation == OnViolation::Stop => {
                Err((fault, (!access.scalar).then_some(lane as u8)))
            }
            _ => Ok(()),
        }
    }

    /// Reads registers starting at `first`, in one lane.
    pub(super) fn gather(&self, first: u8, dwords: u8, lane: usize) -> ElementDwords {
        let mut element = [0; MAX_DWORDS];
        for (i, dword) in element.iter_mut().take(usize::from(dwords)).enumerate() {
            *dword = self.wave.vgpr(first.wrapping_add(i as u8)).0[lane];
        }
        element
    }

    /// Writes registers starting at `first`, in one lane.
    pub(super) fn scatter(&mut self, first: u8, dwords: u8, lane: usize, element: &ElementDwords) {
        for (i, &dword) in element.iter().take(usize::from(dwords)).enumerate() {
            self.wave.vgpr_mut(first.wrapping_add(i as u8)).0[lane] = dword;
        }
    }

    pub(super) fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        active(self.places.access.lanes())
    }

    pub(super) fn load(&mut self, ty: Ty) -> Result<(), LaneFault> {
        let (plan, access) = (self.plan, self.places.access);
        let dwords = ty.dwords();
        let lanes = access.lanes();
        if lanes == 0 {
            return Ok(());
        }
        let done = ty.bytes() >= 4 && self.load_at_once(&access.address, plan.vdst, dwords);
        if !done {
            for lane in active(lanes) {
                let (mut element, result) =
                    self.places
                        .load(lane, access.address[lane], ty.bytes().into());
                self.check(lane, result)?;
                element[0] = extend(ty, element[0]);
                self.scatter(plan.vdst, dwords, lane, &element);
            }
        }
        self.write_status(dwords);
        Ok(())
    }

    /// Writes the status after the data if the load requests it. All memory is resident (errata E080, E310).
    pub(super) fn write_status(&mut self, dwords: u8) {
        if self.plan.tfe {
            let status = self.plan.vdst.wrapping_add(dwords);
            self.write(status, &[0; LANES], self.places.access.lanes());
        }
    }

    /// Loads elements of `dwords` dwords for all lanes with vector accesses. Returns false if some lane needs the
    /// slow path.
    #[inline]
    fn load_at_once(&mut self, addresses: &[u64; LANES], first: u8, dwords: u8) -> bool {
        let lanes = self.places.access.lanes();
        let (first, count) = (usize::from(first), usize::from(dwords));
        let Some(registers) = self.wave.vgprs.get_mut(first..first + count) else {
            return false;
        };
        if lanes == u64::MAX {
            return self.places.load_all(addresses, registers).is_some();
        }
        let mut loaded = [Lanes::ZERO; MAX_DWORDS];
        let Some(loaded) = loaded.get_mut(..count) else {
            return false;
        };
        let done = self.places.load_all(addresses, loaded).is_some();
        if done {
            for (register, new) in registers.iter_mut().zip(loaded) {
                register.blend(new, lanes);
            }
        }
        done
    }

    #[inline]
    pub(super) fn write(&mut self, register: u8, value: &[u32; LANES], lanes: u64) {
        let it = self.wave.vgpr_mut(register);
        if lanes == u64::MAX {
            it.0 = *value;
        } else {
            it.blend(&Lanes(*value), lanes);
        }
    }

    /// Loads into half a register. The other half is kept or cleared (checklist 1.8).
    pub(super) fn load_half(&mut self, ty: Ty, half: Half) -> Result<(), LaneFault> {
        let access = self.places.access;
        for lane in self.lanes() {
            let (element, result) = self
                .places
                .load(lane, access.address[lane], ty.bytes().into());
            self.check(lane, result)?;
            self.write_half(lane, half, extend(ty, element[0]) & 0xffff);
        }
        self.write_status(1);
        Ok(())
    }

    /// Writes half a register, in one lane.
    pub(super) fn write_half(&mut self, lane: usize, half: Half, value: u32) {
        let register = &mut self.wave.vgpr_mut(self.plan.vdst).0[lane];
        let old = if self.plan.keeps_half { *register } else { 0 };
        *register = match half {
            Half::Low => old & 0xffff_0000 | value,
            Half::High => old & 0xffff | value << HALF_BITS,
        };
    }

    /// Copies from memory to LDS, one dword per lane (checklist 3.18; errata E089).
    pub(super) fn load_to_lds(&mut self) -> Result<(), LaneFault> {
        let access = self.places.access;
        for lane in self.lanes() {
            let value = if let Does::LoadFormat(_, ty) = self.plan.does {
                self.components(lane, ty)?[0]
            } else {
                let (element, result) =
                    self.places
                        .load(lane, access.address[lane], access.bytes.into());
                self.check(lane, result)?;
                extend(self.plan.ty, element[0])
            };
            let place = access.place_in_lds(lane);
            if !self.places.share.store(place, value, 4) {
                self.wave.note_violation();
            }
        }
        Ok(())
    }

    /// Copies from LDS to memory, one dword per lane.
    pub(super) fn store_from_lds(&mut self) -> Result<(), LaneFault> {
        let access = self.places.access;
        for lane in self.lanes() {
            let (value, inside) = self.places.share.load(access.place_in_lds(lane), 4);
            if !inside {
                self.wave.note_violation();
            }
            let result = self
                .places
                .store(lane, access.address[lane], 4, &[value, 0, 0, 0]);
            self.check(lane, result)?;
        }
        Ok(())
    }

    /// Stores an element per lane, with its first dword shifted right by `shift`.
    pub(super) fn store(&mut self, ty: Ty, shift: u32) -> Result<(), LaneFault> {
        let (plan, access) = (self.plan, self.places.access);
        let dwords = ty.dwords();
        if ty.bytes() >= 4 && self.store_at_once(&access.address, plan.vdata, dwords) {
            return Ok(());
        }
        for lane in self.lanes() {
            let mut element = self.gather(plan.vdata, dwords, lane);
            element[0] >>= shift;
            let result = self
                .places
                .store(lane, access.address[lane], ty.bytes().into(), &element);
            self.check(lane, result)?;
        }
        Ok(())
    }

    /// Stores elements of `dwords` dwords for all lanes with vector accesses. Returns false if some lane needs the
    /// slow path.
    #[inline]
    fn store_at_once(&mut self, addresses: &[u64; LANES], first: u8, dwords: u8) -> bool {
        let r = |i: u8| self.wave.vgpr(first.wrapping_add(i));
        let registers = [r(0), r(1), r(2), r(3)];
        let registers = registers.get(..usize::from(dwords)).unwrap_or_default();
        self.places.store_all(addresses, registers).is_some()
    }

    /// Returns the denormal handling of float atomics, which depends on the address space (errata E053).
    fn denormals(&self, lane: usize) -> Denormals {
        match self.places.access.space(lane) {
            Some(LaneSpace::Lds | LaneSpace::Gds) => Denormals::of_mode(self.wave.mode),
            _ => Denormals::FLUSHED,
        }
    }

    /// Returns the operands of [`combine`]. In a DS compare-and-swap, the first data field holds the comparison value
    /// and the second the new value. In other instructions, the low half of the data holds the new value and the high
    /// half the comparison value (errata E059, E090).
    fn operands(&self, op: AtomicOp, ty: Ty, lane: usize) -> (u64, u64) {
        let dwords = ty.dwords();
        let at = |first: u8| {
            let low = u64::from(self.wave.vgpr(first).0[lane]);
            if dwords == 1 {
                low
            } else {
                low | u64::from(self.wave.vgpr(first.wrapping_add(1)).0[lane]) << 32
            }
        };
        let plan = self.plan;
        if plan.family == Family::Share {
            let (first, second) = (at(plan.vdata), at(plan.vdata1));
            if op == AtomicOp::CompareSwap {
                (second, first)
            } else {
                (first, second)
            }
        } else if op.values() == 2 {
            (at(plan.vdata), at(plan.vdata.wrapping_add(dwords)))
        } else {
            (at(plan.vdata), 0)
        }
    }

    pub(super) fn atomic(&mut self, op: AtomicOp, ty: Ty) -> Result<(), LaneFault> {
        let (plan, access) = (self.plan, self.places.access);
        let dwords = ty.dwords();
        let is_float = ty.is_float();
        // Sources must be read before destinations are written. Doing so per lane suffices, since no lane reads another
        // lane's registers.
        for lane in self.lanes() {
            let (data, second) = self.operands(op, ty, lane);
            let denormals = if is_float {
                self.denormals(lane)
            } else {
                Denormals::default()
            };
            let (old, result) =
                self.places
                    .update(lane, access.address[lane], ty.bytes().into(), |old| {
                        combine(op, ty, old, data, second, denormals)
                    });
            self.check(lane, result)?;
            self.keep(lane, old);
            if plan.returns {
                let element = [old as u32, (old >> 32) as u32, 0, 0];
                self.scatter(plan.vdst, dwords, lane, &element);
            }
        }
        Ok(())
    }

    pub(super) fn load_two(&mut self, ty: Ty) -> Result<(), LaneFault> {
        let (plan, access) = (self.plan, self.places.access);
        // The addresses have been computed, so the first load may overwrite the address register.
        let dwords = ty.dwords();
        if self.load_at_once(&access.address, plan.vdst, dwords)
            && self.load_at_once(&access.second, plan.vdst.wrapping_add(dwords), dwords)
        {
            return Ok(());
        }
        let (dwords, bytes) = (ty.dwords(), usize::from(ty.bytes()));
        for lane in self.lanes() {
            let (first, result) = self.places.load(lane, access.address[lane], bytes);
            self.check(lane, result)?;
            let (second, result) = self.places.load(lane, access.second[lane], bytes);
            self.check(lane, result)?;
            self.scatter(plan.vdst, dwords, lane, &first);
            self.scatter(plan.vdst.wrapping_add(dwords), dwords, lane, &second);
        }
        Ok(())
    }

    /// Stores two elements. If the offsets are equal, only the first value is stored (errata E042).
    pub(super) fn store_two(&mut self, ty: Ty) -> Result<(), LaneFault> {
        let (plan, access) = (self.plan, self.places.access);
        let (dwords, bytes) = (ty.dwords(), usize::from(ty.bytes()));
        let r = |first: u8| [self.wave.vgpr(first), self.wave.vgpr(first.wrapping_add(1))];
        let (first, second) = (r(plan.vdata), r(plan.vdata1));
        let count = usize::from(dwords).min(first.len());
        let done = if plan.distance == 0 {
            let places = &mut self.places;
            places.store_all(&access.address, &first[..count])
        } else {
            let places = &mut self.places;
            places.store_two(&first[..count], &second[..count])
        };
        if done.is_some() {
            return Ok(());
        }
        for lane in self.lanes() {
            let first = self.gather(plan.vdata, dwords, lane);
            let result = self.places.store(lane, access.address[lane], bytes, &first);
            self.check(lane, result)?;
            if plan.distance != 0 {
                let second = self.gather(plan.vdata1, dwords, lane);
                let result = self.places.store(lane, access.second[lane], bytes, &second);
                self.check(lane, result)?;
            }
        }
        Ok(())
    }

    /// Exchanges two elements. Both old values are read before either is written (errata E075).
    pub(super) fn exchange_two(&mut self, ty: Ty) -> Result<(), LaneFault> {
        let (plan, access) = (self.plan, self.places.access);
        let (dwords, bytes) = (ty.dwords(), usize::from(ty.bytes()));
        for lane in self.lanes() {
            let (old, result) = self.places.load(lane, access.address[lane], bytes);
            self.check(lane, result)?;
            let (old_second, result) = self.places.load(lane, access.second[lane], bytes);
            self.check(lane, result)?;
            let new = self.gather(plan.vdata, dwords, lane);
            let new_second = self.gather(plan.vdata1, dwords, lane);
            // Out-of-range violations have been recorded.
            let _ = self.places.store(lane, access.address[lane], bytes, &new);
            if plan.distance != 0 {
                let _ = self
                    .places
                    .store(lane, access.second[lane], bytes, &new_second);
            }
            self.scatter(plan.vdst, dwords, lane, &old);
            self.scatter(plan.vdst.wrapping_add(dwords), dwords, lane, &old_second);
        }
        Ok(())
    }

    /// Updates the first address with the value at the second (errata E054). Parts of that value may be out of range
    /// (errata E311).
    pub(super) fn atomic_from_lds(&mut self, op: AtomicOp, ty: Ty) -> Result<(), LaneFault> {
        let access = self.places.access;
        let bytes = usize::from(ty.bytes());
        for lane in self.lanes() {
            let (data, result) = self.places.load(lane, access.second[lane], bytes);
            self.check(lane, result)?;
            let data = low_u64(&data);
            let denormals = self.denormals(lane);
            let (old, result) = self
                .places
                .update(lane, access.address[lane], bytes, |old| {
                    combine(op, ty, old, data, 0, denormals)
                });
            self.check(lane, result)?;
            self.keep(lane, old);
        }
        Ok(())
    }

    /// Performs one update for the wave; the operand is the number of active lanes (errata E051).
    pub(super) fn count(&mut self, op: AtomicOp) -> Result<(), LaneFault> {
        let exec = self.wave.exec();
        if exec == 0 {
            return Ok(());
        }
        let address = self.places.access.address[0];
        let lanes = u64::from(exec.count_ones());
        let (old, result) = self.places.update(0, address, 4, |old| {
            combine(op, Ty::U32, old, lanes, 0, Denormals::default())
        });
        self.check(0, result)?;
        self.keep(0, old);
        self.write(self.plan.vdst, &[old as u32; LANES], exec);
        Ok(())
    }

    /// Exchanges each dword if the top bit of the new value is set; this bit is not stored (errata E002, E052).
    pub(super) fn exchange_conditionally(&mut self, ty: Ty) -> Result<(), LaneFault> {
        const TOP: u32 = 1 << 31;
        let (plan, access) = (self.plan, self.places.access);
        for lane in self.lanes() {
            let dwords = ty.dwords();
            let new = self.gather(plan.vdata, dwords, lane);
            let mut old = [0; MAX_DWORDS];
            for (i, (old, new)) in old.iter_mut().zip(new).take(dwords.into()).enumerate() {
                let address = access.address[lane] + 4 * i as u64;
                let (value, result) = self.places.load(lane, address, 4);
                self.check(lane, result)?;
                *old = value[0];
                if new & TOP != 0 {
                    // Out-of-range violations have been recorded.
                    let _ = self.places.store(lane, address, 4, &[new & !TOP, 0, 0, 0]);
                }
            }
            self.scatter(plan.vdst, dwords, lane, &old);
        }
        Ok(())
    }
}

fn low_u64(element: &ElementDwords) -> u64 {
    u64::from(element[0]) | u64::from(element[1]) << 32
}
