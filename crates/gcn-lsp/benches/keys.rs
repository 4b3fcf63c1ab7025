//! Times protocol requests after a keystroke in a 10,000-line document. Fails if the median time of one exceeds 30 ms.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

#[path = "../../gcn/tests/lsp/client.rs"]
#[expect(dead_code, reason = "tests use the rest")]
mod client;

use std::fmt::Write as _;
use std::io::{BufReader, PipeReader, PipeWriter, pipe};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use client::{Client, URI};
use serde_json::{Value, json};

/// Maximum median time from a keystroke to the response.
const LIMIT: Duration = Duration::from_millis(30);
/// Number of keystrokes for each request.
const KEYS: usize = 100;

/// Number of lines in the document.
const LINES: usize = 10_000;
/// Line where `v_` is completed.
const LINE: u32 = 5_000;

/// Generates a kernel with loops.
fn source() -> String {
    let mut text =
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"\n.type k,@function\nk:\n".to_owned();
    let mut number = 0;
    while text.lines().count() < LINES - 12 {
        number += 1;
        let register = number % 50;
        let _ = write!(
            text,
            ".Lloop{number}:\n\
             \tv_add_u32_e32 v{}, v{register}, v0 // the next\n\
             \tv_mul_f32 v3, s2, v{register}\n\
             \tglobal_load_dword v5, v[6:7], off offset:{}\n\
             \ts_waitcnt vmcnt(0)\n\
             \tds_write_b32 v1, v5 offset:{}\n\
             \tv_fma_f32 v4, v5, v3, v{register}\n\
             \ts_waitcnt lgkmcnt(0)\n\
             \ts_add_u32 s8, s8, 1\n\
             \ts_cmp_lt_u32 s8, s9\n\
             \ts_cbranch_scc1 .Lloop{number}\n",
            register + 1,
            number % 1000 * 4,
            number % 1000,
        );
    }
    text += "\ts_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 64\n";
    text + ".amdhsa_next_free_sgpr 32\n.end_amdhsa_kernel\n"
}

type Editor = Client<PipeWriter, BufReader<PipeReader>>;

/// Starts a server on its own thread.
fn editor() -> Editor {
    let (input, to) = pipe().expect("a pipe");
    let (from, mut output) = pipe().expect("a pipe");
    thread::spawn(move || gcn_lsp::serve(BufReader::new(input), &mut output));
    Client::new(to, BufReader::new(from))
}

/// Editor session in which keystrokes in the open document are timed.
struct Session {
    editor: Editor,
    version: i32,
    /// Number of keystrokes for each request.
    keys: usize,
    /// Names of requests that exceed [`LIMIT`].
    slow: Vec<&'static str>,
}

impl Session {
    fn new(keys: usize) -> Session {
        let mut editor = editor();
        editor.initialize(json!({}));
        editor.open(URI, &source());
        editor.diagnostics(URI, 1);
        editor.change(URI, 2, Some([LINE, 0, LINE, 0]), "v_");
        editor.diagnostics(URI, 2);
        Session {
            editor,
            version: 2,
            keys,
            slow: Vec::new(),
        }
    }

    /// Sends a keystroke at the end of the word. The next call undoes the change.
    fn key(&mut self) {
        self.version += 1;
        let (end, text) = match self.version % 2 {
            1 => (2, "m"),
            _ => (3, ""),
        };
        let range = Some([LINE, 2, LINE, end]);
        self.editor.change(URI, self.version, range, text);
    }

    /// Times a keystroke and `wait`, which receives the version of the document.
    fn time(&mut self, name: &'static str, mut wait: impl FnMut(&mut Editor, i32)) {
        let mut times = Vec::new();
        for _ in 0..self.keys {
            let start = Instant::now();
            self.key();
            wait(&mut self.editor, self.version);
            times.push(start.elapsed());
        }
        times.sort_unstable();
        let (least, median) = (times[0], times[times.len() / 2]);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{name:<15} {:5.1} ms, at least {:5.1} ms",
            milliseconds(median),
            milliseconds(least)
        );
        if median > LIMIT {
            self.slow.push(name);
        }
    }

    /// Times a keystroke and a request. The response must not be an error.
    fn request(&mut self, name: &'static str, method: &str, params: &Value) {
        self.editor.result(method, params.clone());
        self.time(name, |editor, _| {
            editor.ask_bytes(method, params.clone());
        });
    }
}

fn main() -> ExitCode {
    // `cargo test --benches` does not pass `--bench`. Tests must not depend on time.
    let is_timed = std::env::args().any(|argument| argument == "--bench");
    let mut session = Session::new(if is_timed { KEYS } else { 1 });
    let document = json!({"uri": URI});
    let at = |line: u32, character: u32| {
        let position = json!({"line": line, "character": character});
        json!({"textDocument": document, "position": position})
    };
    let lines = json!({
        "textDocument": document,
        "range": {
            "start": {"line": LINE, "character": 0},
            "end": {"line": LINE + 50, "character": 0},
        },
    });
    let whole = json!({"textDocument": document});
    session.request("completion", "textDocument/completion", &at(LINE, 2));
    session.request("hover", "textDocument/hover", &at(LINE + 2, 3));
    session.request("definition", "textDocument/definition", &at(LINE + 7, 18));
    session.request("symbols", "textDocument/documentSymbol", &whole);
    session.request("tokens", "textDocument/semanticTokens/full", &whole);
    session.request(
        "tokens in lines",
        "textDocument/semanticTokens/range",
        &lines,
    );
    let tokens = session
        .editor
        .result("textDocument/semanticTokens/full", whole);
    let mut known = tokens["resultId"].clone();
    session.time("tokens delta", |editor, _| {
        let params = json!({"textDocument": document, "previousResultId": known});
        let mut delta = editor.result("textDocument/semanticTokens/full/delta", params);
        known = delta["resultId"].take();
    });
    session.time("diagnostics", |editor, version| {
        editor.diagnostics(URI, version);
    });
    if is_timed && !session.slow.is_empty() {
        let slow = session.slow.join(", ");
        println!("slower than {} ms: {slow}", LIMIT.as_millis());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
