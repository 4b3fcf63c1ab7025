//! Target directive.

use gcn_isa::{Target, UnknownTarget};

use crate::assembler::Assembler;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::inputs::features::Features;

/// Processor of a target triple: `gfx906:xnack-` in `amdgcn-amd-amdhsa--gfx906:xnack-`.
pub(crate) fn processor(triple: &str) -> &str {
    triple.splitn(5, '-').nth(4).unwrap_or("")
}

/// `"amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"`
pub(crate) fn target_directive(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let text = asm.reader.cursor.string()?;
    let span = start..asm.reader.cursor.pos();
    let triple = String::from_utf8_lossy(&text).into_owned();
    let name = processor(&triple);
    if !triple.starts_with("amdgcn-") || name.is_empty() {
        return Err(fail(
            &ids::UNKNOWN_TARGET,
            span,
            format!("`{}` is not a target", triple.escape_debug()),
        )
        .with_help(format!(
            "for example \"amdgcn-amd-amdhsa--{}\"",
            asm.target.name
        )));
    }
    let Some(target) = Target::named(name) else {
        let message = UnknownTarget(name).to_string();
        return Err(fail(&ids::UNKNOWN_TARGET, span, message));
    };
    if target.name != asm.target.name {
        return Err(fail(
            &ids::TARGET_MISMATCH,
            span,
            format!(
                "the source is for {target}, but is assembled for {}",
                asm.target
            ),
        )
        .with_help(format!(
            "assemble it with `--target {}`, or change the directive",
            target.name
        )));
    }
    let features = match Features::parse(target, name) {
        Ok(features) => features,
        Err(error) => {
            let wrong = fail(&ids::TARGET_FEATURE, span, error.to_string());
            return Err(match error.help() {
                Some(help) => wrong.with_help(help),
                None => wrong,
            });
        }
    };
    asm.features = asm.features.joined(features).ok_or_else(|| {
        let message = "the source is assembled for other features of this target";
        fail(&ids::TARGET_FEATURE, span, message).with_help(format!(
            "assemble it with `--target {}`, or change the directive",
            name.escape_debug()
        ))
    })?;
    Ok(())
}
