//! Tests of the protocol of `gcn lsp`, over the command's standard input and output.

#[path = "lsp/client.rs"]
mod client;
#[path = "lsp/clients.rs"]
mod clients;

use std::io::{BufReader, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use client::{Client, URI};
use serde_json::{Value, json};

struct Server {
    process: Child,
    client: Client<ChildStdin, BufReader<ChildStdout>>,
}

impl Server {
    fn start() -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gcn"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("gcn starts");
        let to = process.stdin.take().expect("a pipe");
        let from = BufReader::new(process.stdout.take().expect("a pipe"));
        Server {
            process,
            client: Client::new(to, from),
        }
    }

    /// Starts a session with a document.
    fn with(text: &str) -> Server {
        let mut server = Server::start();
        server.client.initialize(json!({"target": "gfx906"}));
        server.client.open(URI, text);
        server
    }

    /// Ends the session, and returns the status, standard error, and any output after the last response.
    fn end(mut self) -> (ExitStatus, String, Option<Value>) {
        assert_eq!(self.client.result("shutdown", Value::Null), Value::Null);
        self.client.notify("exit", Value::Null);
        let mut rest = None;
        while let Some(message) = self.client.receive() {
            // Diagnostics may arrive in between.
            if message["method"] != "textDocument/publishDiagnostics" {
                rest = Some(message);
            }
        }
        let mut said = String::new();
        let mut stderr = self.process.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut said).expect("text");
        (self.process.wait().expect("it ends"), said, rest)
    }

    #[track_caller]
    fn ends_well(self) {
        let (status, said, rest) = self.end();
        assert!(
            status.success() && said.is_empty() && rest.is_none(),
            "{status} {said} {rest:?}"
        );
    }
}

fn range(value: &Value) -> [u64; 4] {
    let number = |end: &str, part: &str| value[end][part].as_u64().expect("a number");
    [
        number("start", "line"),
        number("start", "character"),
        number("end", "line"),
        number("end", "character"),
    ]
}

/// Labels of the completion items at a position.
fn labels(server: &mut Server, line: u32, character: u32) -> Vec<String> {
    let list = server
        .client
        .at("textDocument/completion", URI, line, character);
    let items = list["items"].as_array().expect("a list");
    items
        .iter()
        .map(|item| item["label"].as_str().expect("text").to_owned())
        .collect()
}

const KERNEL: &str = "\
.type k,@function
// The kernel.
k:
  s_load_dword s0, s[4:5], 0x0
  v_mov_b32 v0, s0
.macro pause n
  s_nop \\n
.endm
  pause 3 /* 𝄞 */
  s_branch end
end:
  s_endpgm
.set count, 16
  .long count
";

#[test]
fn errors_have_help_and_places() {
    let text = "/* 𝄞é */ v_ad_f32 v0, v1, v2\n.macro m\n  s_noop 0\n.endm\nm\n";
    let mut server = Server::with(text);
    let found = server.client.diagnostics(URI, 1);
    let [unknown, inner] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        range(&unknown["range"]),
        [0, 10, 0, 18],
        "counted in UTF-16"
    );
    assert_eq!(
        (&unknown["code"], &unknown["severity"]),
        (&json!("unknown-opcode"), &json!(1))
    );
    let message = unknown["message"].as_str().expect("text");
    assert!(message.contains("\nhelp: did you mean"), "{message}");
    assert_eq!(range(&inner["range"]), [2, 2, 2, 8]);
    let related = &inner["relatedInformation"][0];
    assert_eq!(related["message"], "in macro `m`, called here");
    assert_eq!(range(&related["location"]["range"]), [4, 0, 4, 1]);
    server.client.change(URI, 2, Some([0, 10, 4, 1]), "");
    assert_eq!(server.client.diagnostics(URI, 2), Vec::<Value>::new());
    server.ends_well();
}

#[test]
fn clients_without_related_information_get_it_in_the_message() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    std::fs::write(directory.join("lib.s"), "\ns_noop 0\n").expect("a file");
    let uri = format!("file://{}/main.s", directory.display());
    let mut server = Server::start();
    let params = json!({"capabilities": {}, "initializationOptions": {"target": "gfx906"}});
    server.client.result("initialize", params);
    server.client.notify("initialized", json!({}));
    let text = ".macro m\n  s_noop 0\n.endm\nm\n.include \"lib.s\"\n";
    server.client.open(&uri, text);
    let found = server.client.diagnostics(&uri, 1);
    let [call, included] = &found[..] else {
        panic!("{found:?}");
    };
    let call = call["message"].as_str().expect("text");
    let note = "\nnote: in macro `m`, called here (line 4)";
    assert!(call.contains(note), "{call}");
    let included = included["message"].as_str().expect("text");
    let place = format!("{}/lib.s:2", directory.display());
    let note = format!("\nnote: in this included file ({place})");
    assert!(included.contains(&note), "{included}");
    server.ends_well();
}

#[test]
fn findings_are_warnings_with_their_other_sides() {
    let mut server = Server::with(KERNEL);
    let found = server.client.diagnostics(URI, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "missing-wait");
    assert_eq!(
        (&found[0]["severity"], &found[0]["source"]),
        (&json!(2), &json!("gcn lint"))
    );
    assert_eq!(range(&found[0]["range"])[0], 4);
    let related = found[0]["relatedInformation"].as_array().expect("a list");
    let lines = related.iter().map(|it| range(&it["location"]["range"])[0]);
    assert!(lines.clone().any(|line| line == 3), "the load: {related:?}");
    assert!(
        found[0]["message"]
            .as_str()
            .is_some_and(|it| it.contains("help: ")),
        "{found:?}"
    );
    server.ends_well();
}

#[test]
fn hover_tells_what_the_tables_have() {
    let mut server = Server::with(KERNEL);
    server.client.diagnostics(URI, 1);
    let mut hover = |line, character| {
        let answer = server.client.at("textDocument/hover", URI, line, character);
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let load = hover(3, 4);
    for part in [
        "s_load_dword s0, s[4:5], 0x0",
        "written   s_load_dword",
        "counters",
        "SBASE",
        "GCN 1.",
        "opcode",
    ] {
        assert!(load.contains(part), "{part}: {load}");
    }
    assert!(hover(8, 3).contains(".macro pause n"));
    assert!(hover(12, 6).contains("count = 16 (0x10)"));
    assert!(hover(9, 12).contains("end = .text+0x"));
    let label = hover(2, 0);
    assert!(label.contains("The kernel."), "{label}");
    assert_eq!(hover(4, 1), "", "blanks");
    server.ends_well();
}

#[test]
fn completion_goes_by_the_place() {
    let text = "  v_add_\n  v_mov_b32 \n  s_cbranch_scc0 \nloop:\n  ds_add_u32 v0, v1 \n  s_load_dwordx2 s[\n  // v_\n  .p2al\n";
    let mut server = Server::with(text);
    let heads = labels(&mut server, 0, 8);
    assert!(
        heads.contains(&"v_add_f32".to_owned()) && !heads.contains(&"v_sub_f32".to_owned()),
        "{heads:?}"
    );
    assert!(labels(&mut server, 1, 12).contains(&"v255".to_owned()));
    assert_eq!(labels(&mut server, 2, 17), ["loop"]);
    assert_eq!(labels(&mut server, 4, 20), ["offset:", "gds"]);
    let pairs = labels(&mut server, 5, 19);
    assert!(
        pairs.contains(&"s[2:3]".to_owned()) && !pairs.contains(&"s[1:2]".to_owned()),
        "{pairs:?}"
    );
    assert_eq!(labels(&mut server, 6, 7), Vec::<String>::new(), "a comment");
    assert_eq!(
        labels(&mut server, 7, 7),
        [".p2align", ".p2alignw", ".p2alignl"]
    );
    let list = server.client.at("textDocument/completion", URI, 0, 8);
    let items = list["items"].as_array().expect("a list");
    let add = items
        .iter()
        .find(|item| item["label"] == "v_add_f32")
        .expect("it is there");
    let resolved = server.client.result("completionItem/resolve", add.clone());
    assert!(
        resolved["detail"]
            .as_str()
            .is_some_and(|it| it.starts_with("v_add_f32 vDST, ")),
        "{resolved}"
    );
    server.ends_well();
}

#[test]
fn definitions_are_found_across_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    std::fs::write(
        path("lib é.s"),
        ".set shared, 7\n.macro twice\n  s_nop 0\n.endm\n",
    )
    .expect("a file");
    std::fs::write(path("raw.s"), [0xff, 0xfe, b'\n']).expect("a file");
    let uri = format!("file://{}", path("main.s").display());
    let text = ".include \"lib é.s\"\n1: s_branch 1b\n  twice\n  s_nop shared\nend: s_branch end\n.include \"raw.s\"\n";
    let mut server = Server::with("");
    server.client.open(&uri, text);
    let found = server.client.diagnostics(&uri, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["code"], range(&found[0]["range"])[0]),
        (&json!("invalid-utf8"), 5)
    );
    let mut definition = |line, character| {
        let places = server
            .client
            .at("textDocument/definition", &uri, line, character);
        let places = places.as_array().expect("a list").clone();
        assert_eq!(places.len(), 1, "{places:?}");
        let uri = places[0]["uri"].as_str().expect("text");
        (
            uri.rsplit('/').next().expect("a name").to_owned(),
            range(&places[0]["range"])[0],
        )
    };
    let library = || "lib%20%C3%A9.s".to_owned();
    assert_eq!(definition(0, 12), (library(), 0));
    assert_eq!(definition(1, 12), ("main.s".to_owned(), 1));
    assert_eq!(definition(2, 4), (library(), 1));
    assert_eq!(definition(3, 10), (library(), 0));
    assert_eq!(definition(4, 15), ("main.s".to_owned(), 4));
    // An open document replaces its file, and its edits affect documents that include it.
    let library_uri = format!("file://{}/lib%20%C3%A9.s", directory.path().display());
    server.client.open(&library_uri, "s_noop 0\n");
    let all = server
        .client
        .wait_for("textDocument/publishDiagnostics", |params| {
            params["uri"] == uri.as_str()
                && params["diagnostics"]
                    .as_array()
                    .is_some_and(|all| all.len() > 1)
        });
    let all = all["diagnostics"].as_array().expect("a list").iter();
    let mut inside = all.filter(|it| range(&it["range"])[0] == 0);
    let inner = inside.next().expect("the include's error");
    assert_eq!(
        (range(&inner["range"])[0], &inner["code"]),
        (0, &json!("unknown-opcode"))
    );
    assert_eq!(
        inner["relatedInformation"][0]["location"]["uri"],
        library_uri.as_str()
    );
    server.ends_well();
}

#[test]
fn symbols_and_tokens_are_listed() {
    let mut server = Server::with(KERNEL);
    let symbols = server.client.result(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": URI}}),
    );
    let names: Vec<_> = symbols
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(names, ["k", "pause", "count"]);
    assert_eq!(symbols[0]["children"][0]["name"], "end");
    let document = json!({"textDocument": {"uri": URI}});
    let full = server
        .client
        .result("textDocument/semanticTokens/full", document.clone());
    let data = full["data"].as_array().expect("a list").clone();
    assert!(
        data.len() > 100 && data.len().is_multiple_of(5),
        "{}",
        data.len()
    );
    // After an edit, the delta turns the old tokens into the new ones.
    server.client.change(URI, 2, Some([3, 15, 3, 16]), "10");
    let asked = json!({"textDocument": {"uri": URI}, "previousResultId": full["resultId"]});
    let delta = server
        .client
        .result("textDocument/semanticTokens/full/delta", asked);
    let mut patched = data;
    for edit in delta["edits"].as_array().expect("a list") {
        let number = |key: &str| edit[key].as_u64().expect("a number") as usize;
        let (start, count) = (number("start"), number("deleteCount"));
        let new = edit["data"].as_array().cloned().unwrap_or_default();
        patched.splice(start..start + count, new);
    }
    let new = server
        .client
        .result("textDocument/semanticTokens/full", document);
    assert_eq!(json!(patched), new["data"]);
    server.ends_well();
}

#[test]
fn formatting_keeps_the_program() {
    let mut server = Server::with(KERNEL);
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let edits = server.client.result(
        "textDocument/formatting",
        json!({"textDocument": {"uri": URI}, "options": options}),
    );
    let lines: Vec<&str> = KERNEL.split('\n').collect();
    let mut formatted: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    for edit in edits.as_array().expect("a list").iter().rev() {
        let [line, from, end_line, to] = range(&edit["range"]).map(|number| number as usize);
        assert_eq!(line, end_line);
        formatted[line].replace_range(from..to, edit["newText"].as_str().expect("text"));
    }
    assert_eq!(formatted[3], "    s_load_dword        s0, s[4:5], 0x0");
    assert_eq!(formatted[6], "        s_nop           \\n");
    server.ends_well();
}

/// Invalid messages are answered or ignored, and the session continues.
#[test]
fn wrong_messages_do_no_harm() {
    let mut server = Server::start();
    let early = server.client.ask("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "before initialize");
    server.client.initialize(json!({"target": "vega99"}));
    let warning = server.client.wait_for("window/showMessage", |_| true);
    assert!(
        warning["message"]
            .as_str()
            .is_some_and(|it| it.contains("vega99")),
        "{warning}"
    );
    for body in [&b"{"[..], b"", b"[]", b"{\"id\": []}", b"\xff\xfe", b"null"] {
        server.client.send_bytes(body);
        let answer = server.client.receive().expect("an answer");
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(-32700)),
            "{body:?}"
        );
    }
    server
        .client
        .notify("textDocument/didChange", json!({"textDocument": 1}));
    server.client.notify("$/unknown", json!(null));
    server
        .client
        .change("file:///not/open.s", 3, None, "s_nop 0");
    let at = json!({"textDocument": {"uri": "file:///not/open.s"}, "position": {"line": 0, "character": 0}});
    assert_eq!(
        server.client.ask("textDocument/hover", at)["error"]["code"],
        -32602
    );
    assert_eq!(
        server.client.ask("textDocument/unknown", json!({}))["error"]["code"],
        -32601
    );
    // A long line, and positions outside the text.
    let long = format!("s_nop {}\n", "0+".repeat(200_000));
    server.client.open(URI, &long);
    assert!(!server.client.diagnostics(URI, 1).is_empty());
    server
        .client
        .at("textDocument/hover", URI, u32::MAX, u32::MAX);
    server.client.at("textDocument/completion", URI, 0, 400_000);
    server.client.change(URI, 2, Some([7, 7, 0, 0]), "");
    server.client.change(URI, 3, Some([0, 0, 9, 9]), "");
    assert_eq!(server.client.diagnostics(URI, 3), Vec::<Value>::new());
    server.client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    server.ends_well();
}

#[test]
fn a_stream_without_messages_ends_with_an_error() {
    let mut server = Server::start();
    std::io::Write::write_all(&mut server.client.to, b"GET / HTTP/1.1\r\n\r\n").expect("it reads");
    assert!(
        server.client.receive().is_none(),
        "nothing but the protocol is on standard output"
    );
    let status = server.process.wait().expect("it ends");
    assert_eq!(status.code(), Some(1));
    let mut server = Server::start();
    server.client.initialize(Value::Null);
    let Server {
        client,
        mut process,
    } = server;
    drop(client.to);
    assert_eq!(
        process.wait().expect("it ends").code(),
        Some(1),
        "the client has gone"
    );
}

/// After incremental edits, a document is the same as after full replacement.
#[test]
fn random_edits_keep_both_ends_equal() {
    const PARTS: [&str; 14] = [
        "s_nop 0\n",
        "v_mov_b32 v0, v1",
        "\n",
        "\r\n",
        " // é𝄞\n",
        "/*",
        "*/",
        "\"",
        ".macro m\n",
        ".endm\n",
        "label: ",
        ".set x, 1\n",
        "𝄞",
        ".amdgpu_metadata\n",
    ];
    let whole = "file:///nowhere/whole.s";
    let mut server = Server::with("");
    server.client.open(whole, "");
    // xorshift: the same edits in each run.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut model = String::new();
    for version in 2..150 {
        let mut place = |text: &str| {
            let mut at = random(text.len() + 1);
            while !text.is_char_boundary(at)
                || text[..at].ends_with('\r') && text[at..].starts_with('\n')
            {
                at -= 1;
            }
            at
        };
        let (one, other) = (place(&model), place(&model));
        let (start, end) = (one.min(other), one.max(other).min(one.min(other) + 12));
        let end = (start..=end).rev().find(|&at| {
            model.is_char_boundary(at)
                && !(model[..at].ends_with('\r') && model[at..].starts_with('\n'))
        });
        let end = end.unwrap_or(start);
        let position = |at: usize| {
            let before = &model[..at];
            let lines = before.replace("\r\n", "\n");
            let last = lines.rsplit('\n').next().unwrap_or_default();
            (
                lines.matches('\n').count() as u32,
                last.encode_utf16().count() as u32,
            )
        };
        let (from, to) = (position(start), position(end));
        let new = PARTS[random(PARTS.len())];
        server
            .client
            .change(URI, version, Some([from.0, from.1, to.0, to.1]), new);
        model.replace_range(start..end, new);
        server.client.change(whole, version, None, &model);
        let mut of = |uri: &str| {
            let document = json!({"textDocument": {"uri": uri}});
            let tokens = server
                .client
                .result("textDocument/semanticTokens/full", document.clone());
            let symbols = server
                .client
                .result("textDocument/documentSymbol", document);
            (tokens["data"].clone(), symbols)
        };
        assert_eq!(of(URI), of(whole), "version {version}: {model:?}");
    }
    let last = server.client.diagnostics(URI, 149);
    assert_eq!(last, server.client.diagnostics(whole, 149));
    server.ends_well();
}
