//! Expression values: numbers, and addresses known only when linking.

/// Index of a symbol in the symbol table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SymbolId(pub u32);

/// Item range of a stored expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExprId {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Relocation specifier, which selects the part of a symbol's address to store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Variant {
    #[default]
    Plain,
    Abs32Lo,
    Abs32Hi,
    Rel32Lo,
    Rel32Hi,
    Rel64,
    GotPcRel,
    GotPcRel32Lo,
    GotPcRel32Hi,
}

/// An address that is unknown until linking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    /// Section index and offset; `None` if the symbol is in no section.
    pub place: Option<(u32, u64)>,
    /// Symbol, or `None` for `.`.
    pub symbol: Option<SymbolId>,
}

/// An expression value: `plus − minus + constant`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ExprValue {
    pub plus: Option<Term>,
    pub minus: Option<Term>,
    pub constant: i64,
    pub variant: Variant,
}

impl ExprValue {
    pub(crate) fn absolute(constant: i64) -> ExprValue {
        ExprValue {
            constant,
            ..ExprValue::default()
        }
    }

    /// Number, if the value has no address terms.
    pub(crate) fn as_absolute(&self) -> Option<i64> {
        (self.plus.is_none() && self.minus.is_none()).then_some(self.constant)
    }

    /// Value of a use of `symbol`, which has this value; `variant` is the relocation specifier of the use.
    pub(crate) fn used_as(self, symbol: SymbolId, variant: Variant) -> ExprValue {
        let half = |shift: u32| {
            let bits = self.constant.cast_unsigned() >> shift;
            ExprValue::absolute(i64::from(bits as u32))
        };
        match (self.as_absolute(), variant) {
            (Some(_), Variant::Plain) => self,
            (Some(_), Variant::Abs32Lo) => half(0),
            (Some(_), Variant::Abs32Hi) => half(32),
            // The distance from the field is known only after linking.
            (Some(_), _) => ExprValue {
                plus: Some(Term {
                    place: None,
                    symbol: Some(symbol),
                }),
                variant,
                ..ExprValue::default()
            },
            // As in LLVM, only an alias of an undefined symbol keeps the specifier of its definition.
            (None, Variant::Plain) if self.plus.is_none_or(|term| term.place.is_none()) => self,
            (None, _) => ExprValue { variant, ..self },
        }
    }

    pub(crate) fn negated(self) -> ExprValue {
        ExprValue {
            plus: self.minus,
            minus: self.plus,
            constant: self.constant.wrapping_neg(),
            variant: self.variant,
        }
    }

    pub(crate) fn plus(self, other: ExprValue) -> Option<ExprValue> {
        let (mut plus, mut minus) = (self.plus, other.minus);
        if plus.is_some() && other.plus.is_some() || minus.is_some() && self.minus.is_some() {
            // Two added addresses can cancel out only if an address is subtracted.
            if self.minus.is_none() && other.minus.is_none() {
                return None;
            }
        }
        let mut constant = self.constant.wrapping_add(other.constant);
        let mut extra = (other.plus, self.minus);
        for p in [&mut plus, &mut extra.0] {
            for m in [&mut minus, &mut extra.1] {
                let (Some(a), Some(b)) = (*p, *m) else {
                    continue;
                };
                if let Some(distance) = distance(a, b) {
                    constant = constant.wrapping_add(distance);
                    *p = None;
                    *m = None;
                }
            }
        }
        let one = |a: Option<Term>, b: Option<Term>| match (a, b) {
            (Some(_), Some(_)) => None,
            (a, b) => Some(a.or(b)),
        };
        let variant = if self.variant == Variant::Plain {
            other.variant
        } else {
            self.variant
        };
        Some(ExprValue {
            plus: one(plus, extra.0)?,
            minus: one(minus, extra.1)?,
            constant,
            variant,
        })
    }
}

/// Distance between two addresses, if already known.
fn distance(a: Term, b: Term) -> Option<i64> {
    match (a.place, b.place) {
        (Some((s, x)), Some((t, y))) if s == t => {
            Some(x.cast_signed().wrapping_sub(y.cast_signed()))
        }
        (None, None) if a.symbol == b.symbol => Some(0),
        _ => None,
    }
}
