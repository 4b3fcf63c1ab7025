//! Test outcomes, parsed from GoogleTest's output.

use std::collections::BTreeMap;

/// Outcome of a test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Crashed,
    TooSlow,
    /// The test skipped itself.
    Skipped,
    /// The program contains no code for the target.
    NoCode,
}

impl Outcome {
    pub(crate) const ALL: [Outcome; 6] = [
        Outcome::Passed,
        Outcome::Failed,
        Outcome::Crashed,
        Outcome::TooSlow,
        Outcome::Skipped,
        Outcome::NoCode,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Crashed => "crashed",
            Outcome::TooSlow => "too slow",
            Outcome::Skipped => "skipped",
            Outcome::NoCode => "no code",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|it| it.name() == name)
    }

    /// True if the outcome needs an entry in `rocm-known.txt`.
    pub(crate) fn is_failure(self) -> bool {
        matches!(self, Outcome::Failed | Outcome::Crashed)
    }
}

/// Parses the outcomes of finished tests, by name, from a program's output.
pub(crate) fn outcomes_of(text: &str) -> BTreeMap<&str, Outcome> {
    let mut ended = BTreeMap::new();
    for line in text.lines() {
        let outcome = match line.get(..12) {
            Some("[       OK ]") => Outcome::Passed,
            Some("[  FAILED  ]") => Outcome::Failed,
            Some("[  SKIPPED ]") => Outcome::Skipped,
            _ => continue,
        };
        let name = line[12..]
            .trim()
            .split([' ', ','])
            .next()
            .unwrap_or_default();
        ended.entry(name).or_insert(outcome);
    }
    ended
}

/// Extracts a test's output from that of its program. Returns all output if the test does not appear in it.
pub(crate) fn output_of<'a>(text: &'a str, test: &str) -> &'a str {
    let begin = format!("[ RUN      ] {test}\n");
    let output = text.find(&begin).map_or(text, |at| &text[at..]);
    let next = output.find("\n[ RUN      ]");
    next.map_or(output, |at| &output[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read_from_what_programs_print() {
        let text = "[ RUN      ] a/b.c/0\n[       OK ] a/b.c/0 (12 ms)\n[ RUN      ] a/b.c/1\nwrong\n\
                    [  FAILED  ] a/b.c/1, where GetParam() = 3 (4 ms)\n[ RUN      ] d.e\n[  SKIPPED ] d.e (0 ms)\n\
                    [ RUN      ] d.f\n";
        let ended = outcomes_of(text);
        assert_eq!(ended.len(), 3);
        assert_eq!(ended["a/b.c/0"], Outcome::Passed);
        assert_eq!(ended["a/b.c/1"], Outcome::Failed);
        assert_eq!(ended["d.e"], Outcome::Skipped);
        assert_eq!(
            output_of(text, "a/b.c/1"),
            "[ RUN      ] a/b.c/1\nwrong\n[  FAILED  ] a/b.c/1, where GetParam() = 3 (4 ms)\n"
        );
        assert_eq!(output_of("", "a/b.c/1"), "");
        assert_eq!(output_of("ä\n", "a/b.c/1"), "ä\n");
    }
}
