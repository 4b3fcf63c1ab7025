//! Example sources.

use serde::Serialize;

use crate::settings::DialectName;

/// A source with its target.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Example {
    pub title: &'static str,
    pub target: &'static str,
    pub dialect: DialectName,
    pub text: &'static str,
}

/// All examples; the page opens with the first.
pub(crate) const EXAMPLES: [Example; 5] = [
    Example {
        title: "A missing wait",
        target: "gfx906",
        dialect: DialectName::Llvm,
        text: include_str!("examples/missing-wait.s"),
    },
    Example {
        title: "Vector addition, a whole kernel",
        target: "gfx906",
        dialect: DialectName::Llvm,
        text: include_str!("examples/vector-add.s"),
    },
    Example {
        title: "Sum of a workgroup in LDS",
        target: "gfx803",
        dialect: DialectName::Llvm,
        text: include_str!("examples/reduce.s"),
    },
    Example {
        title: "Macros and DPP",
        target: "gfx900",
        dialect: DialectName::Llvm,
        text: include_str!("examples/dpp.s"),
    },
    Example {
        title: "CLRX's language",
        target: "gfx701",
        dialect: DialectName::Clrx,
        text: include_str!("examples/clrx.s"),
    },
];
