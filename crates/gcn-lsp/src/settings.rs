//! Settings from the client and from comments and directives in sources.

use std::path::PathBuf;

use gcn_asm::{Dialect, Features, Options, definition, named_target};
use gcn_isa::Target;
use serde::Deserialize;
use serde_json::Value;

/// Target used if neither the source nor the client specifies one.
const DEFAULT_TARGET: &str = "gfx906";
/// Number of lines at the start of a source in which comments may specify settings.
const STATED_LINES: usize = 40;

/// Settings sent by a client: its initialization options, or the `gcn` section of its configuration.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ClientSettings {
    target: Option<String>,
    dialect: Option<String>,
    include_directories: Vec<PathBuf>,
    defines: Vec<String>,
    lint: bool,
    operand_column: usize,
    comment_column: usize,
}

impl Default for ClientSettings {
    fn default() -> ClientSettings {
        ClientSettings {
            target: None,
            dialect: None,
            include_directories: Vec::new(),
            defines: Vec::new(),
            lint: true,
            operand_column: 24,
            comment_column: 56,
        }
    }
}

/// Validated settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    target: Option<(&'static Target, Features)>,
    dialect: Dialect,
    /// Include directories, searched after the including source's directory.
    pub directories: Vec<PathBuf>,
    defines: Vec<(String, i64)>,
    /// True to run the static checker, which reports missing waits and wait states.
    pub lint: bool,
    /// Column of operands in formatted sources, starting at 0.
    pub operand_column: usize,
    /// Column of trailing comments in formatted sources, starting at 0.
    pub comment_column: usize,
}

/// Target and dialect of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SourceSettings {
    pub target: &'static Target,
    features: Features,
    pub dialect: Dialect,
    /// True if neither the source nor the client specifies a target.
    pub is_default: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::read(&Value::Null).0
    }
}

impl Settings {
    /// Validates a client's settings. Invalid settings keep their defaults, and the returned messages explain why.
    pub(crate) fn read(value: &Value) -> (Settings, Vec<String>) {
        let mut problems = Vec::new();
        let client = match value {
            Value::Null => ClientSettings::default(),
            value => ClientSettings::deserialize(value).unwrap_or_else(|error| {
                problems.push(format!("settings of gcn: {error}"));
                ClientSettings::default()
            }),
        };
        let target = client.target.filter(|name| !name.is_empty()).and_then(|name| {
            let named = target_named(&name);
            if named.is_none() {
                problems.push(format!(
                    "settings of gcn: `{name}` is not a target; write gfx600 … gfx90c, or a chip's name"
                ));
            }
            named
        });
        let dialect = client.dialect.and_then(|name| {
            let dialect = dialect_named(&name);
            if dialect.is_none() {
                problems.push(format!(
                    "settings of gcn: `{name}` is not a dialect; write llvm or clrx"
                ));
            }
            dialect
        });
        let mut defines = Vec::new();
        for text in client.defines {
            match definition(&text) {
                Ok(define) => defines.push(define),
                Err(error) => problems.push(format!("settings of gcn: {error}")),
            }
        }
        let settings = Settings {
            target,
            dialect: dialect.unwrap_or_default(),
            directories: client.include_directories,
            defines,
            lint: client.lint,
            operand_column: client.operand_column.min(MAX_COLUMN),
            comment_column: client.comment_column.min(MAX_COLUMN),
        };
        (settings, problems)
    }

    /// Returns the settings for a source: those that the source specifies, or else the client's.
    pub(crate) fn of_source(&self, text: &str) -> SourceSettings {
        let head = || text.lines().take(STATED_LINES);
        let stated = |key: &str| {
            head().find_map(|line| {
                let (before, behind) = line.split_once(key)?;
                let is_comment = ["//", ";", "#", "/*"]
                    .iter()
                    .any(|mark| before.contains(mark));
                let value = behind.trim_start().split([' ', '\t', ',', '*']).next()?;
                (is_comment && !value.is_empty()).then_some(value)
            })
        };
        let own = named_target(text).map(|target| (target, Features::unspecified(target)));
        let target = own
            .or_else(|| stated("gcn-target:").and_then(target_named))
            .or(self.target);
        let default = || {
            let target = Target::named(DEFAULT_TARGET).unwrap_or(&gcn_isa::TARGETS[0]);
            (target, Features::unspecified(target))
        };
        let (named, features) = target.unwrap_or_else(default);
        SourceSettings {
            target: named,
            features,
            dialect: stated("gcn-dialect:")
                .and_then(dialect_named)
                .unwrap_or(self.dialect),
            is_default: target.is_none(),
        }
    }

    /// Returns options for assembling a source.
    pub(crate) fn options(&self, source: SourceSettings) -> Options<'_> {
        Options {
            features: source.features,
            defines: &self.defines,
            dialect: source.dialect,
            ..Options::new(source.target)
        }
    }
}

/// Maximum column of operands and comments.
const MAX_COLUMN: usize = 200;

fn target_named(name: &str) -> Option<(&'static Target, Features)> {
    let target = Target::named(name)?;
    Some((target, Features::parse(target, name).ok()?))
}

fn dialect_named(name: &str) -> Option<Dialect> {
    match name {
        "llvm" => Some(Dialect::Llvm),
        "clrx" => Some(Dialect::Clrx),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sources_win_over_clients() {
        let (settings, problems) = Settings::read(&json!({"target": "vega10", "dialect": "clrx"}));
        assert_eq!(problems, Vec::<String>::new());
        let of = |text| {
            let source = settings.of_source(text);
            (source.target.name, source.dialect)
        };
        assert_eq!(of("s_endpgm\n"), ("gfx900", Dialect::Clrx));
        assert_eq!(
            of("// gcn-target: gfx803, gcn-dialect: llvm\n"),
            ("gfx803", Dialect::Llvm)
        );
        assert_eq!(
            of(".amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"\n").0,
            "gfx906"
        );
        assert_eq!(of("gcn-target: gfx803\n").0, "gfx900", "it is no comment");
        assert!(Settings::default().of_source("").is_default);
    }

    #[test]
    fn wrong_settings_are_reported() {
        let wrong = json!({"target": "gfx1100", "dialect": "masm", "defines": ["1x"]});
        let (settings, problems) = Settings::read(&wrong);
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert_eq!(settings, Settings::default());
        assert_eq!(Settings::read(&json!({"lint": "yes"})).1.len(), 1);
    }
}
