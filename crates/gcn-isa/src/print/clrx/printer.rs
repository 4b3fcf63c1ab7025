//! The state of the printer, and the fields that it writes as flags and numbers.

use std::fmt::Write;

use crate::field::{Field, Layout};
use crate::inst::Inst;
use crate::text::Text;

/// A text of an instruction, and the share of the instruction that it conveys so far.
pub(super) struct ClrxPrinter<'a> {
    pub(super) inst: &'a Inst,
    pub(super) layout: &'static Layout,
    pub(super) out: &'a mut Text,
    /// The bits that the text conveys.
    pub(super) shown: u64,
    pub(super) exact: bool,
}

impl ClrxPrinter<'_> {
    /// Notes that the text conveys a field.
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

    /// ` name:` and a number, left out when it is 0.
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
