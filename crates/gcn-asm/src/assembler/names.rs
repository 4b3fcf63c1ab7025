//! Names in a source: symbols, register aliases and sections. Also counts the registers used.

use std::collections::HashMap;
use std::ops::Range;

use gcn_isa::Target;

use crate::argument::{ArgValue, DelayedValue};
use crate::assembler::layout::Layout;
use crate::diagnostic::{Fail, fail};
use crate::expr::{ExprScope, Exprs};
use crate::ids;
use crate::inputs::options::Options;
use crate::symbols::{SymbolDefinition, Symbols};
use crate::value::{ExprValue, SymbolId};

/// Symbols, pending expressions, sections, and counts of named registers.
pub(crate) struct Names {
    pub target: &'static Target,
    pub symbols: Symbols,
    pub exprs: Exprs,
    pub layout: Layout,
    /// CLRX's aliases for registers and operand constants: `name = %v[0:3]`.
    pub registers: HashMap<SymbolId, ArgValue>,
    pub vgprs: NamedRegisters,
    pub sgprs: NamedRegisters,
    pub builtins: Builtins,
}

/// Register count for a bank: the highest register named, plus one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct NamedRegisters {
    /// Count up to the last `.amdgpu_hsa_kernel`, or as assigned to `.amdgcn.next_free_vgpr` and similar symbols.
    pub before: u32,
    /// Count since the last `.amdgpu_hsa_kernel`.
    pub since: u32,
}

impl NamedRegisters {
    /// Records that the source names a register.
    #[inline]
    pub(crate) fn include(&mut self, register: u32) {
        self.since = self.since.max(register + 1);
    }

    /// Count for the whole source.
    pub(crate) fn total(self) -> u32 {
        self.before.max(self.since)
    }

    /// Starts a new count for the next kernel.
    pub(crate) fn begin_kernel(&mut self) {
        *self = NamedRegisters {
            before: self.total(),
            since: 0,
        };
    }
}

/// Built-in symbols that hold register counts, with their current values: VGPRs and SGPRs of the whole source, then of
/// the current kernel.
#[derive(Clone, Copy)]
pub(crate) struct Builtins {
    pub counts: [SymbolId; 4],
    pub shown: [u32; 4],
}

impl Names {
    /// Creates the tables, with the built-in symbols and those from the options.
    pub(crate) fn new(options: &Options<'_>) -> Names {
        let target = options.target;
        let mut symbols = Symbols::new(options.dialect.has_scopes());
        let mut builtin = |name: &str, value: u32| {
            let id = symbols.reference(name, 0..0);
            if let Some(entry) = symbols.get_mut(id) {
                entry.builtin = true;
                entry.defined = SymbolDefinition::Value(ExprValue::absolute(i64::from(value)));
            }
            id
        };
        let (major, minor, stepping) = target.version();
        // LLVM uses the second names on systems other than HSA.
        for (name, older, number) in [
            ("number", "major", major),
            ("minor", "minor", minor),
            ("stepping", "stepping", stepping),
        ] {
            builtin(&format!(".amdgcn.gfx_generation_{name}"), number);
            builtin(&format!(".option.machine_version_{older}"), number);
        }
        let builtins = Builtins {
            counts: [
                ".amdgcn.next_free_vgpr",
                ".amdgcn.next_free_sgpr",
                ".kernel.vgpr_count",
                ".kernel.sgpr_count",
            ]
            .map(|name| builtin(name, 0)),
            shown: [0; 4],
        };
        for (name, value) in options.defines {
            let id = symbols.reference(name, 0..0);
            if let Some(entry) = symbols.get_mut(id) {
                entry.defined = SymbolDefinition::Value(ExprValue::absolute(*value));
            }
        }
        Names {
            target,
            symbols,
            exprs: Exprs::default(),
            layout: Layout::new(),
            registers: HashMap::new(),
            vgprs: NamedRegisters::default(),
            sgprs: NamedRegisters::default(),
            builtins,
        }
    }

    /// Pending expressions, and the scope for parsing an expression at the current location; `|` ends it if `bar_ends`
    /// is set.
    pub(crate) fn scope(&mut self, bar_ends: bool) -> (&mut Exprs, ExprScope<'_>) {
        let scope = ExprScope {
            here: self.layout.here(),
            bar_ends,
            is_absolute: self.layout.is_absolute(),
            symbols: &mut self.symbols,
            target: self.target,
        };
        (&mut self.exprs, scope)
    }

    /// Evaluates a delayed value at the end of the source.
    pub(crate) fn value(
        &mut self,
        delayed: DelayedValue,
        span: &Range<usize>,
    ) -> Result<ExprValue, Fail> {
        match delayed {
            DelayedValue::Value(value) => Ok(value),
            DelayedValue::Expr(id) => {
                let value = self.exprs.eval(id, &self.symbols, true);
                value.map_err(|error| error.diagnose(span.clone(), &self.symbols))
            }
        }
    }

    /// Returns true if a symbol called `name` is defined.
    pub(crate) fn is_defined(&mut self, name: &str) -> bool {
        let id = self.symbols.lookup(name);
        id.is_some_and(|id| self.symbols.defined(id) != SymbolDefinition::No)
    }

    /// Register or operand constant that a symbol aliases.
    pub(crate) fn register_symbol(&mut self, name: &str) -> Option<ArgValue> {
        if self.registers.is_empty() {
            return None;
        }
        let id = self.symbols.lookup(name)?;
        self.registers.get(&id).copied()
    }

    /// Removes the register alias of the symbol that a definition of `name` would define.
    pub(crate) fn remove_register_alias(&mut self, name: &str) {
        if !self.registers.is_empty()
            && let Some(id) = self.symbols.lookup_definition(name)
        {
            self.registers.remove(&id);
        }
    }

    /// Returns true if `name` is defined as a label.
    pub(crate) fn is_label(&mut self, name: &str) -> bool {
        let id = self.symbols.lookup_definition(name);
        id.is_some_and(|id| matches!(self.symbols.defined(id), SymbolDefinition::Label { .. }))
    }

    /// Checks that `name` is not defined yet, for definitions that must be unique.
    pub(crate) fn require_new(&mut self, name: &str, span: &Range<usize>) -> Result<(), Fail> {
        let id = self.symbols.lookup_definition(name);
        if id.is_some_and(|id| self.symbols.defined(id) != SymbolDefinition::No) {
            let message = format!("symbol `{name}` is already defined");
            return Err(fail(&ids::REDEFINED_SYMBOL, span.clone(), message));
        }
        Ok(())
    }

    /// Updates the register-count symbols if the counts changed since the last update.
    pub(crate) fn update_count_symbols(&mut self) {
        let counts = [
            self.vgprs.total(),
            self.sgprs.total(),
            self.vgprs.since,
            self.sgprs.since,
        ];
        if counts == self.builtins.shown {
            return;
        }
        self.builtins.shown = counts;
        for (id, value) in self.builtins.counts.into_iter().zip(counts) {
            if let Some(entry) = self.symbols.get_mut(id) {
                entry.defined = SymbolDefinition::Value(ExprValue::absolute(i64::from(value)));
            }
        }
    }

    /// Sets a symbol to a number.
    pub(crate) fn define_number(&mut self, name: &str, value: i64, span: Range<usize>) {
        let id = self.symbols.declare(name, span);
        if let Some(entry) = self.symbols.get_mut(id) {
            entry.defined = SymbolDefinition::Value(ExprValue::absolute(value));
        }
    }
}
