//! Tests of `gcn exec --profile`: the program's environment. The profile itself is tested in `tests/hip`.

use std::fs;

use crate::exec::{command, output, prepared, variables};
use crate::{assert_status, stdout};

#[test]
fn options_of_profiles_reach_the_program() {
    let directory = prepared("exec-profile");
    let real = fs::canonicalize(&directory).expect("it exists");
    let file = real.join("profile.html");
    let shown = |options: &[&str]| {
        let ran = output(&directory, &[&["exec"], options, &["env"]].concat());
        assert_status(&ran, 0);
        let mut lines = variables(&stdout(&ran));
        lines.retain(|line| line.starts_with("GCN_PROFILE"));
        lines
    };
    assert_eq!(shown(&[]), [""; 0]);
    assert_eq!(shown(&["--profile"]), ["GCN_PROFILE=-"]);
    fs::write(&file, "of an earlier run").expect("written");
    let name = format!("GCN_PROFILE={}", file.display());
    assert_eq!(shown(&["--profile=profile.html"]), [name.as_str()]);
    let left = fs::read_to_string(&file).expect("it is there");
    assert!(left.contains("No kernel was executed."), "{left}");
    assert_eq!(
        shown(&["--profile=profile.html", "--profile-format", "json"]),
        [name.as_str(), "GCN_PROFILE_FORMAT=json"]
    );
    // The option overrides the format from the environment.
    let mut asked = command(&directory, &["exec", "--profile-format", "text", "env"]);
    asked
        .env("GCN_PROFILE", "p.json")
        .env("GCN_PROFILE_FORMAT", "html");
    let asked = stdout(&asked.output().expect("gcn starts"));
    let file = real.join("p.json");
    assert!(
        asked.contains(&format!("GCN_PROFILE={}\n", file.display())),
        "{asked}"
    );
    assert!(asked.contains("GCN_PROFILE_FORMAT=text\n"), "{asked}");
}
