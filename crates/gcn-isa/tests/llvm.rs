//! Checks that LLVM's disassembler, which supports GCN 1.2 and 1.4, knows no opcode that the tables lack. Tests of
//! `gcn-asm` compare the text of each row.

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::instructions;
use gcn_isa::{Encoding, Field, Isa};

/// Runs llvm-mc on `input`; returns its standard output and error.
fn llvm_mc(arguments: &[&str], input: &str) -> (String, String) {
    let mut child = Command::new("llvm-mc-19")
        .arg("-triple=amdgcn")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("llvm-mc-19 is needed (Debian package llvm-19): {e}"));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn bytes(words: &[u32]) -> String {
    let bytes: Vec<String> = words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .map(|b| format!("{b:#04x}"))
        .collect();
    bytes.join(",")
}

/// S_SETHALT with `i`: two of them follow every instruction and mark the end of its text in LLVM's output. If LLVM
/// does not know an instruction, it continues at the second word, which may swallow the first mark but not the
/// second.
fn mark(i: usize, which: usize) -> (u32, String) {
    let value = (i % 32 + 32 * which) as u16;
    (0xbf8d_0000 | u32::from(value), format!("s_sethalt {value}"))
}

/// LLVM's text of each of `code`; `None` if it does not know the instruction.
fn disassemble(cpu: &str, code: &[Vec<u32>]) -> Vec<Option<String>> {
    let mut input = String::new();
    for (i, words) in code.iter().enumerate() {
        input += &format!(
            "{}\n{}\n{}\n",
            bytes(words),
            bytes(&[mark(i, 0).0]),
            bytes(&[mark(i, 1).0])
        );
    }
    let cpu = format!("-mcpu={cpu}");
    let (out, _) = llvm_mc(&["--disassemble", &cpu], &input);
    let mut lines = out
        .lines()
        .map(normal)
        .filter(|line| !line.is_empty() && !line.starts_with('.'));
    code.iter()
        .enumerate()
        .map(|(i, words)| {
            let mut texts = Vec::new();
            loop {
                let line = lines.next();
                let line = line.unwrap_or_else(|| {
                    panic!("LLVM's text ends at {}, after {texts:?}", bytes(words))
                });
                if line == mark(i, 1).1 {
                    break;
                }
                texts.push(line);
                assert!(
                    texts.len() < 4,
                    "LLVM's text is out of step at {}: {texts:?}",
                    bytes(words)
                );
            }
            let is_whole = texts.last() == Some(&mark(i, 0).1);
            (is_whole && texts.len() == 2).then(|| texts.swap_remove(0))
        })
        .collect()
}

/// Every opcode of every encoding, with as many VGPR sources as LLVM may require.
fn every_opcode(isa: Isa) -> Vec<Vec<u32>> {
    /// Second dword of VOP3 with zero, one, two and three VGPRs; of SDWA and DPP with whole registers.
    const SECOND: [u32; 6] = [0, 0x100, 0x2_0100, 0x402_0100, 0x0606_0600, 0xff00_e400];
    let encodings: std::collections::BTreeMap<String, Encoding> = instructions(isa)
        .map(|(_, encoding, _)| (format!("{encoding:?}"), encoding))
        .collect();
    let mut code = Vec::new();
    for encoding in encodings.into_values() {
        let layout = isa.tables().layout(encoding).unwrap();
        let op = layout.bits(Field::Op);
        for opcode in 0..=op.max() {
            let first = op.put(layout.constant.into(), opcode) as u32;
            if layout.dwords == 1 {
                let src0 = layout.bits(Field::Src0);
                code.push(vec![first]);
                code.push(vec![src0.put(first.into(), 0x100) as u32]);
                code.push(vec![first, 1]);
            } else {
                code.extend(SECOND.iter().map(|&second| vec![first, second]));
            }
        }
    }
    code
}

#[test]
fn llvm_knows_no_opcode_that_we_lack() {
    for (isa, cpu) in [
        (Isa::Vi, "fiji"),
        (Isa::Gfx9, "gfx900"),
        (Isa::Vega12, "gfx904"),
        (Isa::Vega20, "gfx906"),
    ] {
        let code = every_opcode(isa);
        let theirs = disassemble(cpu, &code);
        // If LLVM does not know the first word, it continues at the second.
        let seconds: Vec<Vec<u32>> = code
            .iter()
            .map(|words| vec![words[words.len() - 1]])
            .collect();
        let of_second = disassemble(cpu, &seconds);
        let mut known = 0;
        let mut lacking = std::collections::BTreeSet::new();
        for ((words, text), second) in code.iter().zip(theirs).zip(of_second) {
            let Some(text) = text else { continue };
            if words.len() == 2 && second.as_ref() == Some(&text) {
                continue;
            }
            // V_NOP and V_CLREXCP have no operands to select or permute.
            let is_left_out = ["v_nop", "v_clrexcp"]
                .iter()
                .any(|name| text.starts_with(name));
            if text.contains("/*") || is_left_out {
                continue;
            }
            known += 1;
            if !gcn_isa::decode(isa, words).is_ok_and(|inst| inst.dwords() == words.len()) {
                lacking.insert(text);
            }
        }
        assert!(lacking.is_empty(), "{cpu}: {lacking:#?}");
        assert!(known > 1000, "{cpu}: {known} of {}", code.len());
    }
}
