//! Suggested `gcn why` command line for the first unexpected element of a run.

use std::ffi::OsString;

use crate::render::{printable, shell_word};

/// Command that the suggestion replaces with `why`.
const RUN: &str = "run";
/// Output options with a value, which the suggestion omits.
const DROPPED: [&str; 8] = [
    "--expect",
    "--print",
    "--save",
    "--trace-only",
    "--trace-file",
    "--profile",
    "--profile-format",
    "--dump-code",
];
/// Output flags, which the suggestion omits.
const DROPPED_FLAGS: [&str; 3] = ["--trace", "--fidelity", "--json"];

/// Formats the suggestion for the command line of a `gcn run`; `None` for another command.
pub fn note(arguments: impl Iterator<Item = OsString>, element: &str) -> Option<String> {
    let call = call(arguments, element)?;
    let element = printable(element);
    Some(format!("`{}` explains {element}", printable(&call)))
}

fn call(arguments: impl Iterator<Item = OsString>, element: &str) -> Option<String> {
    let arguments = arguments
        .skip(1)
        .map(|it| it.to_string_lossy().into_owned());
    let mut words = vec!["gcn".to_owned()];
    let mut is_run = false;
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        if argument == RUN && !is_run {
            is_run = true;
            words.push("why".to_owned());
            continue;
        }
        let (name, has_value) = match argument.split_once('=') {
            Some((name, _)) => (name, true),
            None => (&*argument, false),
        };
        if DROPPED.contains(&name) {
            if !has_value {
                arguments.next();
            }
            continue;
        }
        if !DROPPED_FLAGS.contains(&&*argument) {
            words.push(word(&argument));
        }
    }
    words.push(word(element));
    is_run.then(|| words.join(" "))
}

fn word(text: &str) -> String {
    String::from_utf8_lossy(&shell_word(text.as_bytes())).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_arguments_of_the_run() {
        for (run, expected) in [
            ("gcn run launch.toml", Some("gcn why launch.toml 'out[3]'")),
            (
                "gcn --color never run k.s --grid 64 --arg out=u32*4 --expect out=u32:1 --print=out --trace --dump-code code.txt",
                Some("gcn --color never why k.s --grid 64 --arg 'out=u32*4' 'out[3]'"),
            ),
            ("gcn check launch.toml", None),
        ] {
            let arguments = run.split(' ').map(OsString::from);
            assert_eq!(call(arguments, "out[3]").as_deref(), expected, "{run}");
        }
    }
}
