//! Target directive: `.amdgcn_target`.

use gcn_isa::{Target, UnknownTarget};

use crate::assembler::parser::Parser;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::inputs::features::Features;

/// Processor in a target triple: `gfx906:xnack-` in `amdgcn-amd-amdhsa--gfx906:xnack-`.
pub(crate) fn processor(triple: &str) -> &str {
    triple.splitn(5, '-').nth(4).unwrap_or("")
}

/// Handles `.amdgcn_target "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"`.
pub(crate) fn target_directive(
    parser: &mut Parser<'_>,
    features: &mut Features,
) -> Result<(), Fail> {
    let start = parser.cursor.token_start();
    let text = parser.cursor.string()?;
    let span = parser.cursor.since(start);
    let triple = String::from_utf8_lossy(&text).into_owned();
    let name = processor(&triple);
    if !triple.starts_with("amdgcn-") || name.is_empty() {
        let message = format!("`{}` is not a target", triple.escape_debug());
        return Err(fail(&ids::UNKNOWN_TARGET, span, message).with_help(format!(
            "for example \"amdgcn-amd-amdhsa--{}\"",
            parser.target.name
        )));
    }
    let Some(target) = Target::named(name) else {
        let message = UnknownTarget(name).to_string();
        return Err(fail(&ids::UNKNOWN_TARGET, span, message));
    };
    if target.name != parser.target.name {
        let message = format!(
            "the source is for {target}, but is assembled for {}",
            parser.target
        );
        return Err(
            fail(&ids::TARGET_MISMATCH, span, message).with_help(format!(
                "assemble it with `--target {}`, or change the directive",
                target.name
            )),
        );
    }
    let stated = match Features::parse(target, name) {
        Ok(stated) => stated,
        Err(error) => {
            let wrong = fail(&ids::TARGET_FEATURE, span, error.to_string());
            return Err(match error.help() {
                Some(help) => wrong.with_help(help),
                None => wrong,
            });
        }
    };
    *features = features.joined(stated).ok_or_else(|| {
        let message = "the source is assembled for other features of this target";
        fail(&ids::TARGET_FEATURE, span, message).with_help(format!(
            "assemble it with `--target {}`, or change the directive",
            name.escape_debug()
        ))
    })?;
    Ok(())
}
