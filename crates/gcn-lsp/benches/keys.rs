//! Benchmarks the latency of protocol requests after a keystroke in a 10,000-line document.

#[path = "../../gcn/tests/lsp/client.rs"]
mod client;

use std::fmt::Write as _;
use std::io::{BufReader, PipeReader, PipeWriter, pipe};
use std::thread;

use client::{Client, URI};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

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

fn client() -> Client<PipeWriter, BufReader<PipeReader>> {
    let (input, to) = pipe().expect("a pipe");
    let (from, mut output) = pipe().expect("a pipe");
    thread::spawn(move || gcn_lsp::serve(BufReader::new(input), &mut output));
    Client::new(to, BufReader::new(from))
}

fn keys(criterion: &mut Criterion) {
    let mut client = client();
    client.initialize(json!({}));
    client.open(URI, &source());
    client.diagnostics(URI, 1);
    client.change(URI, 2, Some([LINE, 0, LINE, 0]), "v_");
    client.diagnostics(URI, 2);
    let mut version = 2;
    // Sends a keystroke at the end of the word; the next iteration undoes it.
    let mut key = |client: &mut Client<_, _>| {
        version += 1;
        match version % 2 {
            1 => client.change(URI, version, Some([LINE, 2, LINE, 2]), "m"),
            _ => client.change(URI, version, Some([LINE, 2, LINE, 3]), ""),
        }
        version
    };
    let mut group = criterion.benchmark_group("key in 10,000 lines");
    group.sample_size(30);
    group.bench_function("completion", |b| {
        b.iter(|| {
            key(&mut client);
            client.at("textDocument/completion", URI, LINE, 2)
        });
    });
    group.bench_function("hover", |b| {
        b.iter(|| {
            key(&mut client);
            client.at("textDocument/hover", URI, LINE + 2, 3)
        });
    });
    group.bench_function("diagnostics", |b| {
        b.iter(|| {
            let version = key(&mut client);
            client.diagnostics(URI, version)
        });
    });
    group.bench_function("semantic tokens", |b| {
        b.iter(|| {
            key(&mut client);
            client.result(
                "textDocument/semanticTokens/full",
                json!({"textDocument": {"uri": URI}}),
            )
        });
    });
    group.bench_function("symbols", |b| {
        b.iter(|| {
            key(&mut client);
            client.result(
                "textDocument/documentSymbol",
                json!({"textDocument": {"uri": URI}}),
            )
        });
    });
    group.finish();
}

criterion_group!(benches, keys);
criterion_main!(benches);
