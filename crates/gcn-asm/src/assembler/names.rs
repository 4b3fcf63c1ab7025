//! Names that a source gives: symbols with their values, symbols that stand for registers, and the registers counted.

use std::collections::HashMap;
use std::ops::Range;

use crate::argument::ArgValue;
use crate::diagnostic::{Fail, fail};
use crate::expr::Exprs;
use crate::ids;
use crate::symbols::{Defined, Symbols};
use crate::value::{ExprValue, SymbolId};

/// Symbols, expressions that wait for symbols, and counts of named registers.
pub(crate) struct Names {
    pub symbols: Symbols,
    pub exprs: Exprs,
    /// CLRX's symbols that stand for registers or constants of operands: `name = %v[0:3]`.
    pub registers: HashMap<SymbolId, ArgValue>,
    pub vgprs: NamedRegisters,
    pub sgprs: NamedRegisters,
    pub builtins: Builtins,
}

/// One more than the largest register of a kind that was named.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct NamedRegisters {
    /// Before the last `.amdgpu_hsa_kernel`, or what `.amdgcn.next_free_vgpr` and the like were set to.
    pub before: u32,
    /// Since then.
    pub since: u32,
}

impl NamedRegisters {
    /// A register is named.
    #[inline]
    pub(crate) fn include(&mut self, register: u32) {
        self.since = self.since.max(register + 1);
    }

    /// All in all.
    pub(crate) fn ever(self) -> u32 {
        self.before.max(self.since)
    }

    /// A kernel begins, whose registers count anew.
    pub(crate) fn begin_kernel(&mut self) {
        *self = NamedRegisters {
            before: self.ever(),
            since: 0,
        };
    }
}

/// Symbols that follow what was assembled, and the values that they have: of VGPRs and SGPRs ever, then in a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Builtins {
    pub counts: [SymbolId; 4],
    pub shown: [u32; 4],
}

impl Names {
    /// The register or the constant of an operand that a symbol stands for where it is used.
    pub(crate) fn register_symbol(&mut self, name: &str) -> Option<ArgValue> {
        if self.registers.is_empty() {
            return None;
        }
        let id = self.symbols.lookup(name)?;
        self.registers.get(&id).copied()
    }

    /// The symbol that would be defined by this name stands for no register any longer.
    pub(crate) fn forget_register(&mut self, name: &str) {
        if !self.registers.is_empty()
            && let Some(id) = self.symbols.lookup_own(name)
        {
            self.registers.remove(&id);
        }
    }

    /// Returns whether a name is that of a label.
    pub(crate) fn is_label(&mut self, name: &str) -> bool {
        let id = self.symbols.lookup_own(name);
        id.is_some_and(|id| matches!(self.symbols.defined(id), Defined::Label { .. }))
    }

    /// An error if a symbol that can be defined only once is defined.
    pub(crate) fn is_new(&mut self, name: &str, span: &Range<usize>) -> Result<(), Fail> {
        let id = self.symbols.lookup_own(name);
        if id.is_some_and(|id| self.symbols.defined(id) != Defined::No) {
            let message = format!("symbol `{name}` is already defined");
            return Err(fail(&ids::REDEFINED_SYMBOL, span.clone(), message));
        }
        Ok(())
    }

    /// Gives the symbols of registers' counts their values, if these have changed since an expression was read.
    pub(crate) fn show_counts(&mut self) {
        let counts = [
            self.vgprs.ever(),
            self.sgprs.ever(),
            self.vgprs.since,
            self.sgprs.since,
        ];
        if counts == self.builtins.shown {
            return;
        }
        self.builtins.shown = counts;
        for (id, value) in self.builtins.counts.into_iter().zip(counts) {
            if let Some(entry) = self.symbols.get_mut(id) {
                entry.defined = Defined::Value(ExprValue::absolute(i64::from(value)));
            }
        }
    }

    /// Gives a symbol a number.
    pub(crate) fn define_number(&mut self, name: &str, value: i64, span: Range<usize>) {
        let id = self.symbols.own(name, span);
        if let Some(entry) = self.symbols.get_mut(id) {
            entry.defined = Defined::Value(ExprValue::absolute(value));
        }
    }
}
