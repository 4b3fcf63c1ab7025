//! Selection of warnings: `-w` and `-W`, by stable names of diagnostics.

use gcn_asm::{Diagnostic, Explanation, Severity, closest, explain, explanations};

/// Options for warnings.
#[derive(clap::Args, Default)]
pub struct Options {
    /// Do not show warnings.
    #[arg(short = 'w', long)]
    no_warnings: bool,
    /// Hide a warning (`no-NAME`), show it again (`NAME`), or make it an error (`error=NAME`); the last option wins.
    /// `error` alone makes all warnings errors. NAME is the name in brackets, as in `warning[unused-modifier]`.
    #[arg(short = 'W', value_name = "[no-|error=]NAME", value_parser = rule)]
    rules: Vec<WarningRule>,
    /// Write no output if there are warnings, and exit with status 1.
    #[arg(long)]
    fatal_warnings: bool,
    /// Show at most COUNT warnings of each kind in full; 0 shows all.
    #[arg(long, value_name = "COUNT", default_value_t = WARNING_LIMIT)]
    warning_limit: usize,
}

/// Default maximum number of warnings per name.
pub const WARNING_LIMIT: usize = 1;

/// Value of a `-W` option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct WarningRule {
    /// Warning that the rule applies to; `None` for all.
    name: Option<&'static Explanation>,
    effect: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Show,
    Hide,
    Fail,
}

/// Clap parser for a rule.
fn rule(text: &str) -> Result<WarningRule, String> {
    const ERROR: &str = "error";
    if text == ERROR {
        return Ok(WarningRule {
            name: None,
            effect: Effect::Fail,
        });
    }
    let (name, effect) = if let Some(name) = text.strip_prefix("no-") {
        (name, Effect::Hide)
    } else if let Some(name) = text.strip_prefix("error=") {
        (name, Effect::Fail)
    } else {
        (text, Effect::Show)
    };
    match explain(name) {
        Some(known) => Ok(WarningRule {
            name: Some(known),
            effect,
        }),
        None => Err(match closest(name, explanations().iter().map(|e| e.name)) {
            Some(similar) => format!("there is no diagnostic `{name}`; did you mean `{similar}`?"),
            None => format!("there is no diagnostic `{name}`; `gcn explain` lists them"),
        }),
    }
}

impl Options {
    /// Maximum number of warnings per name shown in full; 0 means no limit.
    pub fn limit(&self) -> usize {
        self.warning_limit
    }

    /// Removes warnings that the options hide, and turns others into errors if the options require it.
    pub fn apply(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain_mut(|diagnostic| {
            if diagnostic.severity != Severity::Warning {
                return true;
            }
            match self.effect(diagnostic) {
                Effect::Hide => return false,
                Effect::Fail => diagnostic.severity = Severity::Error,
                Effect::Show => {}
            }
            true
        });
    }

    /// Effect of the options on a warning. Rules for its name take precedence over rules for all warnings.
    fn effect(&self, warning: &Diagnostic) -> Effect {
        let of = |name: Option<&Explanation>| {
            let mut rules = self.rules.iter().rev();
            rules.find(|rule| rule.name == name).map(|rule| rule.effect)
        };
        let of_all = || {
            if self.no_warnings {
                Some(Effect::Hide)
            } else {
                of(None)
            }
        };
        of(Some(warning.id)).or_else(of_all).unwrap_or(Effect::Show)
    }

    /// Lowest severity that prevents output.
    pub fn fatal(&self) -> Severity {
        if self.fatal_warnings {
            Severity::Warning
        } else {
            Severity::Error
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcn_asm::ids;

    fn effects(no_warnings: bool, rules: &[&str]) -> [Option<Severity>; 2] {
        let rules = rules.iter().map(|text| rule(text).expect("a rule"));
        let args = Options {
            no_warnings,
            rules: rules.collect(),
            ..Options::default()
        };
        [&ids::UNUSED_MODIFIER, &ids::SCALAR_OFFSET].map(|id| {
            let mut list = vec![Diagnostic::warning(id, 0..0, "")];
            args.apply(&mut list);
            list.first().map(|left| left.severity)
        })
    }

    #[test]
    fn the_last_rule_about_a_name_counts() {
        use Severity::{Error, Warning};
        assert_eq!(effects(false, &[]), [Some(Warning); 2]);
        assert_eq!(effects(true, &[]), [None; 2]);
        assert_eq!(effects(false, &["error"]), [Some(Error); 2]);
        assert_eq!(
            effects(false, &["no-unused-modifier"]),
            [None, Some(Warning)]
        );
        assert_eq!(
            effects(false, &["error=unused-modifier", "no-scalar-offset"]),
            [Some(Error), None]
        );
        assert_eq!(
            effects(false, &["error", "no-unused-modifier"]),
            [None, Some(Error)]
        );
        assert_eq!(
            effects(true, &["no-unused-modifier", "unused-modifier"]),
            [Some(Warning), None]
        );
    }

    #[test]
    fn errors_stay() {
        let args = Options {
            no_warnings: true,
            rules: vec![rule("no-literal").expect("a rule")],
            ..Options::default()
        };
        let mut list = vec![Diagnostic::error(&ids::LITERAL, 0..0, "")];
        args.apply(&mut list);
        assert_eq!(list.len(), 1);
    }

    #[test]
    fn names_must_be_known() {
        let error = rule("no-unused-modifer").expect_err("misspelt");
        assert!(error.contains("did you mean `unused-modifier`?"), "{error}");
    }
}
