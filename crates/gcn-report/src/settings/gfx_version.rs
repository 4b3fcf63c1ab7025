//! `HSA_OVERRIDE_GFX_VERSION`, which presents devices to programs as another target.

use std::env;

use gcn_isa::{TARGETS, Target};

/// Environment variable of ROCm. The suffix `_N` restricts it to node N.
const VARIABLE: &str = "HSA_OVERRIDE_GFX_VERSION";

/// Returns the target that device number `device` (starting at 0) presents to programs, as set by
/// `HSA_OVERRIDE_GFX_VERSION` or `HSA_OVERRIDE_GFX_VERSION_N`. As in ROCm, the host processor is node 0. Programs see a
/// device of that target, but it executes code like the actual chip. Returns `None` if neither variable is set.
///
/// # Errors
/// Fails if the version is malformed or does not belong to a GCN target. The message begins with the variable's name.
///
/// # Examples
/// ```
/// use gcn_report::settings::overriding_target;
/// # if std::env::vars().any(|(name, _)| name.starts_with("HSA_OVERRIDE")) { return; }
/// assert_eq!(overriding_target(0), Ok(None), "the variable is not set");
/// ```
pub fn overriding_target(device: usize) -> Result<Option<&'static Target>, String> {
    overriding(device, |name| {
        Some(env::var_os(name)?.to_string_lossy().into_owned())
    })
}

fn overriding(
    device: usize,
    value: impl Fn(&str) -> Option<String>,
) -> Result<Option<&'static Target>, String> {
    let of_node = format!("{VARIABLE}_{}", device + 1);
    for name in [of_node.as_str(), VARIABLE] {
        if let Some(version) = value(name) {
            let target = target_of(&version).map_err(|problem| format!("{name}: {problem}"))?;
            return Ok(Some(target));
        }
    }
    Ok(None)
}

/// Finds the target with a version such as `9.0.6`.
fn target_of(version: &str) -> Result<&'static Target, String> {
    let numbers: Vec<Option<u8>> = version.split('.').map(|it| it.parse().ok()).collect();
    let [Some(major), Some(minor), Some(stepping)] = numbers[..] else {
        return Err(format!(
            "`{version}` is not MAJOR.MINOR.STEPPING, such as 9.0.6 for gfx906"
        ));
    };
    let name = format!("gfx{major}{minor}{stepping:x}");
    let target = TARGETS.iter().find(|target| target.name == name);
    target.ok_or_else(|| format!("`{version}` is {name}, whose code no GCN chip runs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_name_targets_of_all_devices_or_of_one() {
        let of = |device, variables: &[(&str, &str)]| {
            let value = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            overriding(device, value).map(|target| target.map(|target| target.name))
        };
        assert_eq!(of(0, &[]), Ok(None));
        assert_eq!(of(1, &[(VARIABLE, "9.0.0")]), Ok(Some("gfx900")));
        assert_eq!(of(0, &[(VARIABLE, "9.0.12")]), Ok(Some("gfx90c")));
        let second = "HSA_OVERRIDE_GFX_VERSION_2";
        assert_eq!(
            of(1, &[(VARIABLE, "9.0.0"), (second, "8.0.3")]),
            Ok(Some("gfx803"))
        );
        assert_eq!(of(0, &[(second, "8.0.3")]), Ok(None));
        for (version, problem) in [
            ("10.3.0", "`10.3.0` is gfx1030, whose code no GCN chip runs"),
            (
                "9.0",
                "`9.0` is not MAJOR.MINOR.STEPPING, such as 9.0.6 for gfx906",
            ),
            (
                "gfx906",
                "`gfx906` is not MAJOR.MINOR.STEPPING, such as 9.0.6 for gfx906",
            ),
            (
                "9.0.300",
                "`9.0.300` is not MAJOR.MINOR.STEPPING, such as 9.0.6 for gfx906",
            ),
        ] {
            assert_eq!(
                of(0, &[(VARIABLE, version)]),
                Err(format!("{VARIABLE}: {problem}"))
            );
        }
    }
}
