//! Wait counters that an instruction increments, and the order in which instructions complete.
//!
//! Sources: `docs/semantics.md`, 5; errata E043, E046, E082, E083, E089, E120, E123, E250, E251, E254, E255.

use std::fmt;

use crate::chapters::exp::{PARAMETERS, POSITIONS};
use crate::effect::{CacheOp, Control, Does};
use crate::field::{Encoding, Field};
use crate::form::Form;
use crate::inst::Inst;
use crate::target::Isa;

use super::Uses;
use super::memory::Space;
use super::registers::{RegisterUse, Registers, UseOrigin};

/// Counter of outstanding operations, on which S_WAITCNT waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counter {
    /// Vector memory, including FLAT.
    Vm,
    /// LDS, GDS, scalar memory, messages, FLAT.
    Lgkm,
    /// Exports, GDS, and on GCN 1.0 the data of buffer and image writes.
    Exp,
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Counter::Vm => "vmcnt",
            Counter::Lgkm => "lgkmcnt",
            Counter::Exp => "expcnt",
        })
    }
}

/// Class of operations by order of completion. Operations of a class complete in order of issue, unless
/// [`Order::is_kept`] is false. Operations of different classes complete in any order, even if they share a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG: in order on VM_CNT.
    VectorMemory,
    /// FLAT: on VM_CNT and LGKM_CNT, out of order with everything (errata E082, E083).
    Flat,
    /// LDS: in order on LGKM_CNT.
    Lds,
    /// GDS and GWS: in order on LGKM_CNT, and on EXP_CNT until the sources have been read (errata E043).
    Gds,
    /// Scalar memory: on LGKM_CNT, out of order even among themselves.
    Scalar,
    /// Messages: on LGKM_CNT.
    Message,
    /// Exports to color, depth and null targets: on EXP_CNT. Position and parameter exports may overtake them (errata
    /// E254).
    ExportColor,
    /// Position exports: on EXP_CNT.
    ExportPosition,
    /// Parameter exports: on EXP_CNT.
    ExportParameter,
}

impl Order {
    /// True if operations of this class complete in order of issue.
    pub const fn is_kept(self) -> bool {
        !matches!(self, Order::Scalar | Order::Flat)
    }
}

/// Counter increments at issue; the counters are decremented as the instruction completes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Counters {
    /// Increment of VM_CNT.
    pub vm: u8,
    /// Increment of LGKM_CNT.
    pub lgkm: u8,
    /// Increment of EXP_CNT.
    pub exp: u8,
    /// Class of the operation.
    pub order: Order,
    /// True if a sampler is used: vector memory instructions with and without a sampler decrement the counter in order,
    /// but write results in any order (errata E255).
    pub sampled: bool,
}

impl Counters {
    /// True if an operation with these counters writes its results only after all earlier operations of class `order`
    /// have; `sampled` is true if those operations use a sampler.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::Order;
    /// use gcn_isa::{Isa, decode};
    /// let of = |words: [u32; 2]| decode(Isa::Vi, &words).ok()?.uses().counters();
    /// let read = of([0xd86c_0000, 0x0100_0002]).expect("ds_read_b32 v1, v2");
    /// assert!(read.writes_behind(Order::Lds, false) && !read.writes_behind(Order::Flat, false));
    /// let load = of([0xc006_0001, 8]).expect("s_load_dwordx2 s[0:1], s[2:3], 0x8");
    /// assert!(!load.writes_behind(Order::Scalar, false), "loads of the same kind overtake each other");
    /// ```
    pub fn writes_behind(&self, order: Order, sampled: bool) -> bool {
        self.order.is_kept() && self.order == order && self.sampled == sampled
    }

    /// Counters with a nonzero increment.
    pub fn held(&self) -> impl Iterator<Item = Counter> + use<> {
        let all = [
            (Counter::Vm, self.vm),
            (Counter::Lgkm, self.lgkm),
            (Counter::Exp, self.exp),
        ];
        all.into_iter()
            .filter(|(_, held)| *held != 0)
            .map(|(counter, _)| counter)
    }
}

impl Uses<'_> {
    /// Counters that the instruction increments; `None` if it increments none.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::{Counter, Order};
    /// use gcn_isa::{Isa, decode};
    /// let flat = decode(Isa::Gfx9, &[0xdc50_0000, 0x0100_0002])?.uses().counters().expect("a load");
    /// assert!(flat.held().eq([Counter::Vm, Counter::Lgkm]));
    /// assert!(flat.order == Order::Flat && !flat.order.is_kept());
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "ALU instructions hold no counter but for messages"
    )]
    pub fn counters(&self) -> Option<Counters> {
        let of = |order, vm, lgkm, exp| {
            Some(Counters {
                vm,
                lgkm,
                exp,
                order,
                sampled: self.has_sampler(),
            })
        };
        match self.inst.encoding {
            Encoding::Ds => {
                let in_gds = self.memory().is_some_and(|memory| {
                    let spaces = memory.spaces();
                    spaces.has(Space::Gds) || spaces.has(Space::Gws)
                });
                if in_gds {
                    of(Order::Gds, 0, 1, 1)
                } else {
                    of(Order::Lds, 0, 1, 0)
                }
            }
            Encoding::Smrd | Encoding::Smem => {
                of(Order::Scalar, 0, 1 + u8::from(self.counts_twice()), 0)
            }
            Encoding::Flat => of(Order::Flat, 1, 1, 0),
            Encoding::Global | Encoding::Scratch => of(Order::VectorMemory, 1, 0, 0),
            Encoding::Mubuf | Encoding::Mtbuf | Encoding::Mimg => {
                of(Order::VectorMemory, 1, 0, u8::from(self.locks_data()))
            }
            Encoding::Exp => of(self.order_of_exports(), 0, 0, 1),
            _ if matches!(self.inst.does(), Does::Control(Control::SendMsg { .. })) => {
                of(Order::Message, 0, 1, 0)
            }
            _ => None,
        }
    }

    fn has_sampler(&self) -> bool {
        let mut slots = self.inst.row().slots();
        slots.any(|slot| slot.field == Field::Ssamp)
    }

    /// Class of an export. Exports to the same kind of target complete in order (errata E254).
    fn order_of_exports(&self) -> Order {
        let target = self.inst.get(Field::Tgt);
        if target >= PARAMETERS.into() {
            Order::ExportParameter
        } else if target >= POSITIONS.into() {
            Order::ExportPosition
        } else {
            Order::ExportColor
        }
    }

    /// True for a buffer or image write on GCN 1.0, which holds EXP_CNT until its data has been read (errata E250).
    fn locks_data(&self) -> bool {
        self.inst.isa == Isa::Si
            && self
                .memory()
                .is_some_and(|memory| memory.written.has(Space::Global))
    }

    /// True for scalar memory instructions that increment LGKM_CNT by 2: those with two or more dwords or cache lines
    /// (errata E120, E123).
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the width of the data decides for all that have data"
    )]
    fn counts_twice(&self) -> bool {
        match self.inst.does() {
            Does::Cache(CacheOp::Discard(lines)) => lines >= 2,
            Does::Cache(CacheOp::Invalidate | CacheOp::WriteBack) => false,
            Does::Time(_) => true,
            Does::Probe => false,
            _ => {
                let mut slots = self.inst.row().slots();
                slots.any(|slot| slot.field == Field::Sdata && slot.ty.dwords() >= 2)
            }
        }
    }

    /// Counters that tell when a register used by this instruction may be accessed again: a written register once it
    /// holds its value, a read register once it has been read. Empty if it may be accessed right after issue.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::Counter;
    /// use gcn_isa::{Isa, decode};
    /// // buffer_store_dword v0, off, s[4:7], 0: only GCN 1.0 reads v0 late.
    /// let data_of = |isa| {
    ///     let store = decode(isa, &[0xe070_0000, 0x8001_0000]).expect("a store");
    ///     let data = store.uses().registers().next().expect("v0");
    ///     store.uses().released_by(&data)
    /// };
    /// assert_eq!(data_of(Isa::Si), [Counter::Exp]);
    /// assert_eq!(data_of(Isa::Ci), []);
    /// ```
    pub fn released_by(&self, it: &RegisterUse) -> &'static [Counter] {
        let Some(counters) = self.counters() else {
            return &[];
        };
        if it.written != 0 {
            return match (counters.order, it.operand()) {
                (_, None)
                | (
                    Order::Message
                    | Order::ExportColor
                    | Order::ExportPosition
                    | Order::ExportParameter,
                    _,
                ) => &[],
                (Order::VectorMemory, _) => &[Counter::Vm],
                // Software that does not know the address space must wait for both.
                (Order::Flat, _) => &[Counter::Vm, Counter::Lgkm],
                (Order::Lds | Order::Gds | Order::Scalar, _) => &[Counter::Lgkm],
            };
        }
        let is_data = || {
            let place = it.operand();
            let slot = place.and_then(|place| self.inst.row().slots().nth(place));
            slot.is_some_and(|slot| slot.field == Field::Vdata)
        };
        let is_late = match counters.order {
            // These instructions also read EXEC late.
            Order::Gds | Order::ExportColor | Order::ExportPosition | Order::ExportParameter => {
                it.source == UseOrigin::LaneMask || matches!(it.registers, Registers::Vector { .. })
            }
            Order::VectorMemory => counters.exp != 0 && is_data(),
            Order::Flat | Order::Lds | Order::Scalar | Order::Message => false,
        };
        if is_late { &[Counter::Exp] } else { &[] }
    }
}

impl Form {
    /// Counters that the instruction increments at issue, each with the modifier that causes the increment, if any:
    /// with GDS, DS instructions also increment EXP_CNT.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Field, Isa, uses::Counter};
    /// let tables = Isa::Gfx9.tables();
    /// let form = &tables.forms(tables.named("ds_read_b32").expect("an instruction"))[0];
    /// assert_eq!(form.counters(), [(Counter::Lgkm, None), (Counter::Exp, Some(Field::Gds))]);
    /// assert_eq!(Counter::Lgkm.to_string(), "lgkmcnt");
    /// ```
    pub fn counters(&'static self) -> Vec<(Counter, Option<Field>)> {
        let held = |inst: &Inst| -> Vec<Counter> {
            let counters = inst.uses().counters();
            counters.iter().flat_map(Counters::held).collect()
        };
        let with_defaults = Inst::with_defaults(self);
        let mut of_gds = with_defaults;
        let added = match self.modifier(Field::Gds) {
            Some(_) if of_gds.set(Field::Gds, 1).is_ok() => held(&of_gds),
            _ => Vec::new(),
        };
        let always = held(&with_defaults);
        let added = added
            .into_iter()
            .filter(|counter| !always.contains(counter));
        let added = added.map(|counter| (counter, Some(Field::Gds)));
        let mut counters: Vec<_> = always.iter().map(|&counter| (counter, None)).collect();
        counters.extend(added);
        counters
    }
}
