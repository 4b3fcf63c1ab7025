"""Runs `gcn test` or `gcn exec` for the action, and annotates the lines that its SARIF log names.

The inputs are environment variables, as `action.yml` sets them. The exit status is that of gcn.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

# Exit status of `gcn exec --check` with findings, as `gcn check` has it.
FINDINGS = 3
# Levels of SARIF, as GitHub's commands name them.
COMMANDS = {"error": "error", "warning": "warning"}


def command(inputs):
    """The call of gcn."""
    launches, program = inputs.get("LAUNCHES", "").split(), inputs.get("PROGRAM", "")
    if bool(launches) == bool(program):
        sys.exit("gcn: give either `launches` or `program`")
    check = {"true": True, "false": False}.get(inputs.get("CHECK", "true"))
    if check is None:
        sys.exit("gcn: `check` is true or false")
    options, sarif = shlex.split(inputs.get("OPTIONS", "")), inputs["SARIF"]
    if launches:
        checked = ["--check"] if check else []
        return ["gcn", "test", *launches, *checked, "--sarif", sarif, *options]
    checked = ["--check", f"--error-exitcode={FINDINGS}", "--format", "sarif", "--output", sarif]
    return ["gcn", "exec", *(checked if check else []), *options, "--", *shlex.split(program)]


def escaped(text, more=""):
    """Text in a command of GitHub's."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def annotations(log):
    """A command for each result of a log."""
    for run in log["runs"]:
        for result in run.get("results", []):
            name = COMMANDS.get(result.get("level", "warning"), "notice")
            properties = {"title": result.get("ruleId", "gcn")}
            for location in result.get("locations", [])[:1]:
                place = location.get("physicalLocation", {})
                properties["file"] = place.get("artifactLocation", {}).get("uri", "")
                properties["line"] = str(place.get("region", {}).get("startLine", 1))
            written = ",".join(f"{key}={escaped(value, ':,')}" for key, value in properties.items())
            yield f"::{name} {written}::{escaped(result['message']['text'])}"


def main():
    call, sarif = command(os.environ), Path(os.environ["SARIF"])
    # What an earlier step has left is no result of this one.
    sarif.unlink(missing_ok=True)
    try:
        status = subprocess.run(call, check=False).returncode
    except FileNotFoundError:
        sys.exit("gcn: the command is not installed, or not in PATH")
    if sarif.exists():
        for annotation in annotations(json.loads(sarif.read_text(encoding="utf-8"))):
            print(annotation)
    # The shell's status of a process that a signal has ended.
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
