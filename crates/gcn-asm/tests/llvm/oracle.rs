//! LLVM's assembler and disassembler, run on whole files.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};

/// Words of a line, or the error.
pub type Answer = Result<Vec<u32>, String>;

/// Runs llvm-mc on `input`; returns its standard output and error.
fn llvm_mc(arguments: &[&str], input: String) -> (String, String) {
    let mut child = Command::new("llvm-mc-19")
        .arg("-triple=amdgcn")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("llvm-mc-19 is needed (Debian package llvm-19): {e}"));
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("llvm-mc-19 ends");
    let written = writer.join().expect("the writer ends");
    written.expect("llvm-mc-19 reads its input");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// LLVM's words for each of `lines`, or its error.
pub fn assemble(cpu: &str, lines: &[String]) -> Vec<Answer> {
    let mut input = lines.join("\n");
    input.push('\n');
    let (out, err) = llvm_mc(&["-show-encoding", &format!("-mcpu={cpu}")], input);
    let mut errors: HashMap<usize, &str> = HashMap::new();
    for line in err.lines() {
        let place = line.strip_prefix("<stdin>:").and_then(|rest| {
            let (number, rest) = rest.split_once(':')?;
            let message = rest.split_once(": error: ")?.1;
            Some((number.parse::<usize>().ok()?, message))
        });
        if let Some((number, message)) = place {
            errors.entry(number - 1).or_insert(message);
        }
    }
    let mut encodings = out
        .lines()
        .filter_map(|line| line.rsplit_once("; encoding: ["))
        .map(|(_, encoding)| {
            let bytes: Vec<u8> = encoding
                .trim_end_matches(']')
                .split(',')
                .map(|byte| u8::from_str_radix(byte.trim_start_matches("0x"), 16))
                .collect::<Result<_, _>>()
                .expect("an encoding is bytes");
            words(&bytes)
        });
    let answers = (0..lines.len())
        .map(|index| match errors.get(&index) {
            Some(message) => Err((*message).to_owned()),
            None => Ok(encodings
                .next()
                .unwrap_or_else(|| panic!("{cpu}: LLVM says nothing of `{}`", lines[index]))),
        })
        .collect();
    assert!(encodings.next().is_none(), "{cpu}: LLVM says too much");
    answers
}

/// Bytes as words.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// S_SETHALT with `i`: two of them follow every instruction and mark the end of its text in LLVM's output. If LLVM
/// does not know an instruction, it continues at the second word, which may swallow the first mark but not the
/// second.
fn mark(i: usize, which: usize) -> (u32, String) {
    let value = (i % 32 + 32 * which) as u16;
    (
        0xbf8d_0000 | u32::from(value),
        format!("s_sethalt {value:#x}"),
    )
}

/// Normalizes blanks.
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// LLVM's text of each of `code`; `None` if it does not know the instruction.
pub fn disassemble(cpu: &str, code: &[Vec<u32>]) -> Vec<Option<String>> {
    let mut input = String::new();
    for (i, words) in code.iter().enumerate() {
        for words in [&words[..], &[mark(i, 0).0], &[mark(i, 1).0]] {
            for byte in words.iter().flat_map(|w| w.to_le_bytes()) {
                let _ = write!(input, "{byte:#04x},");
            }
            input.pop();
            input.push('\n');
        }
    }
    let (out, _) = llvm_mc(&["--disassemble", &format!("-mcpu={cpu}")], input);
    let mut lines = out
        .lines()
        .map(normal)
        .filter(|line| !line.is_empty() && !line.starts_with('.'));
    let mut text_of = |i: usize| {
        let mut texts = Vec::new();
        loop {
            let line = lines.next().expect("LLVM's text has all marks");
            // The first may be the instruction itself.
            if !texts.is_empty() && is_mark(&line, &mark(i, 1)) {
                break;
            }
            texts.push(line);
            assert!(
                texts.len() < 4,
                "LLVM's text is out of step at {:x?}: {texts:?}",
                code[i]
            );
        }
        let is_whole = texts.len() == 2 && is_mark(&texts[1], &mark(i, 0));
        is_whole.then(|| texts.swap_remove(0))
    };
    (0..code.len()).map(&mut text_of).collect()
}

/// LLVM prints small numbers in decimal.
fn is_mark(line: &str, mark: &(u32, String)) -> bool {
    line == mark.1 || line == format!("s_sethalt {}", mark.0 & 0xffff)
}
