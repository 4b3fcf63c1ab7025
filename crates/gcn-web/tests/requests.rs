//! Requests of the page and their answers.

use serde_json::{Value, json};

fn respond(request: &Value) -> Value {
    let answer = gcn_web::respond(&request.to_string());
    serde_json::from_str(&answer).expect("an answer is JSON")
}

fn assemble(target: &str, dialect: &str, text: &str) -> Value {
    respond(&json!({"assemble": {"target": target, "dialect": dialect, "text": text}}))
}

fn texts<'a>(text: &'a str, items: &Value) -> Vec<&'a str> {
    let items = items.as_array().expect("a list");
    let place = |item: &Value, key: &str| item[key].as_u64().expect("a position") as usize;
    let slice = |item| text[place(item, "start")..place(item, "end")].trim();
    items.iter().map(slice).collect()
}

#[test]
fn statements_have_their_words() {
    let text = "v_mov_b32 v1, 0x12345\ns_branch next\nnext: s_endpgm\n";
    let answer = assemble("gfx900", "llvm", text);
    assert_eq!(answer["target"], "gfx900");
    assert_eq!(answer["problems"], json!([]));
    assert_eq!(
        (&answer["is_checked"], &answer["bytes"]),
        (&json!(true), &json!(16))
    );
    let instructions = &answer["instructions"];
    let words: Vec<_> = (0..3).map(|index| &instructions[index]["words"]).collect();
    assert_eq!(
        words,
        [
            &json!([0x7e02_02ff, 0x12345]),
            &json!([0xbf82_0000_u32]),
            &json!([0xbf81_0000_u32])
        ]
    );
    assert_eq!(texts(text, instructions)[1], "s_branch next");
    let first: (&str, u64, u64) = ("mnemonic", 0, 9);
    assert_eq!(answer["tokens"][0], json!(first));
}

#[test]
fn errors_have_spans_and_help() {
    let text = "s_nop 0\nv_ad_f32 v0, v1, v2\n";
    let answer = assemble("gfx900", "llvm", text);
    let problem = &answer["problems"][0];
    assert_eq!(
        (&problem["severity"], &problem["name"]),
        (&json!("error"), &json!("unknown-opcode"))
    );
    assert_eq!(texts(text, &answer["problems"]), ["v_ad_f32"]);
    assert!(
        problem["help"][0]
            .as_str()
            .is_some_and(|help| help.contains("v_add_f32")),
        "{problem}"
    );
    assert_eq!(answer["is_checked"], false);
    let explained = respond(&json!({"explain": "unknown-opcode"}));
    assert!(
        explained["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("unknown-opcode: "))
    );
}

#[test]
fn missing_waits_are_found_in_any_code() {
    let text = "ds_read_b32 v2, v1\nv_mov_b32 v3, v2\ns_endpgm\n";
    let answer = assemble("gfx900", "llvm", text);
    let finding = &answer["findings"][0];
    assert_eq!(finding["name"], "missing-wait");
    assert_eq!(texts(text, &answer["findings"]), ["v_mov_b32 v3, v2"]);
    assert_eq!(
        finding["help"],
        json!(["`s_waitcnt lgkmcnt(0)` before the instruction"])
    );
    assert_eq!(finding["notes"][0]["span"]["start"], 0, "the load");
    let waits = text.replace("v_mov", "s_waitcnt lgkmcnt(0)\nv_mov");
    assert_eq!(assemble("gfx900", "llvm", &waits)["findings"], json!([]));
    let explained = respond(&json!({"explain": "missing-wait"}));
    assert!(
        explained["text"]
            .as_str()
            .is_some_and(|text| text.contains("s_waitcnt"))
    );
}

#[test]
fn the_source_may_state_its_target() {
    let text = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\ns_endpgm\n";
    assert_eq!(assemble("gfx906", "llvm", text)["target"], "gfx803");
    let wrong = assemble("gfx1030", "llvm", "");
    assert!(
        wrong["error"]
            .as_str()
            .is_some_and(|error| error.contains("RDNA")),
        "{wrong}"
    );
}

#[test]
fn an_instruction_has_bit_fields_and_a_reference() {
    let request =
        json!({"target": "gfx900", "dialect": "llvm", "words": [0xd86c_0000_u32, 0x0200_0001]});
    let answer = respond(&json!({"inspect": request}));
    assert_eq!(
        (&answer["text"], &answer["encoding"]),
        (&json!("ds_read_b32 v2, v1"), &json!("DS"))
    );
    let dwords = answer["dwords"].as_array().expect("a list");
    assert_eq!(dwords.len(), 2);
    for dword in dwords {
        let bits = dword.as_array().expect("a list").iter();
        let widths = bits
            .map(|run| 1 + run["high"].as_u64().unwrap_or(0) - run["low"].as_u64().unwrap_or(0));
        assert_eq!(widths.sum::<u64>(), 32, "every bit is there: {dword}");
    }
    let vdst = json!({"high": 63, "low": 56, "name": "VDST", "role": "operand", "value": 2, "meaning": "v2"});
    assert_eq!(dwords[1][0], vdst);
    assert_eq!(answer["reference"]["name"], "ds_read_b32");
    assert_eq!(
        answer["reference"]["does"][0]["text"],
        "vdst = b32[address]"
    );
}

#[test]
fn words_are_completed() {
    let text = "// é𝄞\nloop:\n  ds_add_rtn_u3\n  s_cbranch_scc0 \n  ds_read_addtid\n";
    let complete = |target: &str, behind: &str| {
        let end = text.find(behind).expect("it is there") + behind.len();
        let position = text[..end].encode_utf16().count();
        let request =
            json!({"target": target, "dialect": "llvm", "text": text, "position": position});
        respond(&json!({"complete": request}))
    };
    let add = json!({"label": "ds_add_rtn_u32", "detail": "vDST, vADDR, vDATA [offset:N] [gds]"});
    assert_eq!(
        complete("gfx900", "rtn_u3"),
        json!({"start": 15, "is_head": true, "candidates": [add]})
    );
    let branch = complete("gfx900", "scc0 ");
    let candidates = branch["candidates"].as_array().expect("a list");
    assert_eq!((&branch["is_head"], candidates.len()), (&json!(false), 1));
    assert_eq!(candidates[0]["label"], "loop");
    assert_eq!(complete("gfx900", "//")["candidates"], json!([]));
    let read = &complete("gfx900", "addtid")["candidates"][0];
    assert_eq!(read["label"], "ds_read_addtid_b32");
    assert_eq!(complete("gfx803", "addtid")["candidates"], json!([]));
    assert!(complete("gfx1030", "addtid")["error"].is_string());
}

#[test]
fn words_are_read() {
    let request =
        json!({"target": "gfx900", "dialect": "llvm", "text": "0xbf820000 bf810000, ffffffff x"});
    let answer = respond(&json!({"read": request}));
    assert_eq!(
        answer["rows"][1],
        json!({"offset": 4, "words": [0xbf81_0000_u32], "text": "s_endpgm", "problem": null})
    );
    assert!(answer["rows"][2]["problem"].is_string());
    assert_eq!(answer["unread"][0]["start"], 30);
    let source = answer["source"].as_str().expect("source");
    let again = assemble("gfx900", "llvm", source);
    let words: Vec<_> = (0..2)
        .map(|index| again["instructions"][index]["words"][0].clone())
        .collect();
    assert_eq!(
        (words, &again["bytes"]),
        (
            vec![json!(0xbf82_0000_u32), json!(0xbf81_0000_u32)],
            &json!(12)
        )
    );
}

/// Findings of each example, in the order of the catalog.
const FINDINGS: [usize; 5] = [1, 0, 0, 0, 0];

#[test]
fn examples_assemble() {
    let catalog = respond(&json!("catalog"));
    let examples = catalog["examples"].as_array().expect("a list");
    assert_eq!(examples.len(), FINDINGS.len());
    for (example, expected) in examples.iter().zip(FINDINGS) {
        let text = |key: &str| example[key].as_str().expect("a text");
        let answer = assemble(text("target"), text("dialect"), text("text"));
        assert_eq!(answer["problems"], json!([]), "{}", text("title"));
        assert_eq!(answer["target"], example["target"], "{}", text("title"));
        let found = answer["findings"].as_array().map_or(0, Vec::len);
        assert_eq!(found, expected, "{}: {}", text("title"), answer["findings"]);
    }
    let targets = catalog["targets"].as_array().expect("a list");
    assert_eq!(targets.len(), gcn_isa::TARGETS.len());
}

#[test]
fn anything_is_answered() {
    assert!(gcn_web::respond("{").contains("not a request"));
    assert!(respond(&json!({"explain": "no-such-name"}))["error"].is_string());
    arbtest::arbtest(|random| {
        let target = random.choose(gcn_isa::TARGETS)?.name;
        let dialect = *random.choose(&["llvm", "clrx"])?;
        let words = [
            "s_",
            "v_add_f32 ",
            "v0",
            ",",
            " ",
            "\n",
            "é𝄞",
            ".if ",
            "1",
            "ds_read_b32 v1, v2\n",
            "\"",
            "ffff",
        ];
        let mut text = String::new();
        while !random.is_empty() {
            text += random.choose(&words)?;
        }
        for kind in ["assemble", "read"] {
            let request = json!({kind: {"target": target, "dialect": dialect, "text": text}});
            let answer = respond(&request);
            assert!(answer.get("error").is_none(), "{answer}");
            for key in ["problems", "findings", "instructions", "unread"] {
                for item in answer[key].as_array().into_iter().flatten() {
                    let [start, end] =
                        ["start", "end"].map(|key| item[key].as_u64().unwrap_or(u64::MAX));
                    assert!(
                        start <= end && end <= text.encode_utf16().count() as u64,
                        "{item}"
                    );
                }
            }
        }
        let position = text.encode_utf16().count() / 2;
        let request =
            json!({"target": target, "dialect": dialect, "text": text, "position": position});
        let answer = respond(&json!({"complete": request}));
        let start = answer["start"].as_u64();
        assert!(
            start.is_some_and(|start| start <= position as u64),
            "{answer}"
        );
        Ok(())
    });
}
