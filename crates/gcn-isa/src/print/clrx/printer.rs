//! State of the CLRX printer; flags and numeric fields.

use std::fmt::Write;

use crate::field::{Field, Layout};
use crate::inst::Inst;
use crate::text::Text;

/// Text of an instruction under construction, and the bits that it represents so far.
pub(super) struct ClrxPrinter<'a> {
    pub(super) inst: &'a Inst,
    pub(super) layout: &'static Layout,
    pub(super) out: &'a mut Text,
    /// Bits that the text represents.
    pub(super) shown: u64,
    pub(super) exact: bool,
}

impl ClrxPrinter<'_> {
    /// Records that the text represents a field.
    pub(super) fn convey(&mut self, field: Field) {
        self.shown |= self.layout.bits(field).mask();
    }

    pub(super) fn flag(&mut self, field: Field, name: &str) {
        self.convey(field);
        if self.inst.flag(field) {
            self.out.push(' ');
            self.out.push_str(name);
        }
    }

    pub(super) fn flags(&mut self, flags: &[(Field, &str)]) {
        for (field, name) in flags {
            self.flag(*field, name);
        }
    }

    /// Writes ` name:` and a number, unless it is 0.
    pub(super) fn decimal(&mut self, field: Field, name: &str) {
        self.convey(field);
        let value = self.inst.get(field);
        if value != 0 {
            let _ = write!(self.out, " {name}:{value}");
        }
    }

    pub(super) fn has_source(&self, field: Field) -> bool {
        self.inst.row().slots().any(|slot| slot.field == field)
    }
}
