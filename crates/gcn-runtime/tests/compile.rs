//! Tests compilation of source text with the system's Clang: Debian's packages clang-19, lld-19 and rocm-device-libs.

use gcn_runtime::compile::{
    CompileError, Compiled, CompilerInput, Language, Product, Request, Toolchain, compile_with,
};
use gcn_runtime::{Device, Error, Module};

/// Compiles text for a device, with a cache in the given directory.
fn compile(
    device: &Device,
    cache: &tempfile::TempDir,
    language: Language,
    text: &str,
    options: &[&str],
) -> Result<(Module, Compiled), Error> {
    let toolchain = Toolchain::find().unwrap_or_else(|error| panic!("{error}"));
    let options: Vec<_> = options.iter().map(Into::into).collect();
    let request = Request {
        options: &options,
        ..Request::new(CompilerInput::Text(text), language)
    };
    Module::compile_with(device, &toolchain, Some(cache.path()), &request)
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

#[test]
fn text_is_compiled_for_the_devices_code_target() {
    let cache = directory();
    let gfx900 = Device::new("gfx900").expect("a target").target();
    let device = Device::builder("gfx906:sramecc+:xnack-").expect("a target");
    let device = device.code_target(gfx900).build();
    let text = "kernel void nothing() {}";
    let (module, _) = compile(&device, &cache, Language::OpenClC, text, &[]).expect("it compiles");
    assert_eq!(module.object().target_id(), "gfx900:xnack-");
}

#[test]
fn text_becomes_a_module_that_runs() {
    let cache = directory();
    let device = Device::builder("gfx906:xnack-").expect("a target");
    let device = device.threads(1).build();
    let texts = [
        (
            Language::OpenClC,
            "kernel void scale(global int *xs) { xs[get_global_id(0)] *= FACTOR; }",
        ),
        (
            Language::Hip,
            "__global__ void scale(int *xs) { xs[__builtin_amdgcn_workitem_id_x()] *= FACTOR; }",
        ),
    ];
    for (language, text) in texts {
        for (factor, cached) in [(2, false), (3, false), (3, true)] {
            let option = format!("-DFACTOR={factor}");
            let (module, compiled) =
                compile(&device, &cache, language, text, &[&option]).expect("it compiles");
            assert_eq!(compiled.cached, cached, "{language:?}, {factor}");
            let shown = compiled.commands.join("\n");
            assert!(shown.contains(&option), "{shown}");
            assert!(shown.contains("gfx906:xnack-"), "{shown}");
            let xs = device.buffer("xs", &[1i32, -2, 3]).expect("memory");
            let kernel = module.kernel("scale").expect("it is there");
            let launch = kernel.launch([3, 1, 1]).arg(&xs);
            let done = launch.submit(&device.queue()).expect("good arguments");
            done.wait().expect("no fault");
            assert_eq!(
                xs.read::<i32>().expect("it is there"),
                [1, -2, 3].map(|x| x * factor)
            );
        }
    }
}

#[test]
fn the_compilers_diagnostics_are_there() {
    let cache = directory();
    let device = Device::new("gfx900").expect("a target");
    let warned = "kernel void k(global int *xs) { int unused; xs[0] = 1; }";
    let options = ["-Wunused-variable"];
    let compiled = compile(&device, &cache, Language::OpenClC, warned, &options);
    let (module, compiled) = compiled.expect("a warning is no error");
    assert_eq!(module.kernels().collect::<Vec<_>>(), ["k"]);
    let said = &compiled.diagnostics;
    assert!(said.contains("unused variable 'unused'"), "{said}");

    let wrong = "kernel void k(global int *xs) { xs[0] = nothing; }";
    let error = compile(&device, &cache, Language::OpenClC, wrong, &[]).expect_err("no such name");
    let Error::Compile(error) = error else {
        panic!("{error}");
    };
    let CompileError::Failed {
        diagnostics,
        commands,
        ..
    } = &*error
    else {
        panic!("{error}");
    };
    let place = "undeclared identifier 'nothing'";
    assert!(diagnostics.contains(place), "{diagnostics}");
    assert!(commands[0].contains("gfx900"), "{commands:?}");
}

#[test]
fn debug_information_of_a_text_has_the_text() {
    let text = "kernel void k(global int *x) {\n    x[get_global_id(0)] *= 3;\n}\n";
    let device = Device::new("gfx906").unwrap();
    let compiled = compile(&device, &directory(), Language::OpenClC, text, &["-g"]);
    let (_, compiled) = compiled.unwrap();
    let object = gcn_object::read(&compiled.code).unwrap();
    let lines = object.source_lines().unwrap().expect("it has lines");
    let ranges = lines.ranges(0..u64::MAX).unwrap();
    let mut places = ranges.iter().map(|range| &range.place);
    let place = places.find(|place| place.line == 2).unwrap();
    assert!(place.file.starts_with("<program "), "{place}");
    let embedded = lines.embedded_source(&place.file).unwrap();
    assert!(embedded.ends_with(text), "{embedded}");
    let numbered = lines.embedded_lines(&place.file).unwrap();
    let second = numbered.get(&2).map(String::as_str);
    assert_eq!(second, Some("    x[get_global_id(0)] *= 3;"));
    assert_eq!(lines.embedded_source("<program >"), None);
}

#[test]
fn bitcode_whose_assembly_reads_a_file_is_linked_each_time() {
    let place = directory();
    let toolchain = Toolchain::find().unwrap_or_else(|error| panic!("{error}"));
    let compile = |request: &Request<'_>| {
        let compiled = compile_with(&toolchain, Some(place.path()), request);
        compiled.unwrap_or_else(|error| panic!("{error:?}"))
    };
    // Encoding of S_NOP. The kernel itself ends with S_ENDPGM.
    let file = place.path().join("nops");
    std::fs::write(&file, [0, 0, 0x80, 0xbf]).expect("written");
    let reads = format!("__asm__ volatile(\".incbin \\\"{}\\\"\");", file.display());
    for (assembly, is_cached) in [("__asm__ volatile(\"s_nop 0\");", true), (&*reads, false)] {
        let text = format!("kernel void k() {{ {assembly} }}");
        let source = Request {
            product: Product::Bitcode,
            ..Request::new(CompilerInput::Text(&text), Language::OpenClC)
        };
        let bitcode = compile(&source).code;
        let modules = [&*bitcode];
        let link = Request::new(CompilerInput::Bitcode(&modules), Language::Ir);
        assert!(!compile(&link).cached);
        assert_eq!(compile(&link).cached, is_cached, "{text}");
    }
}

#[test]
fn options_reach_the_code_generator() {
    let cache = directory();
    let toolchain = Toolchain::find().unwrap_or_else(|error| panic!("{error}"));
    let texts = [
        (
            Language::OpenClC,
            "kernel void k(global uint *x) { x[0] = x[1] / x[2]; }",
        ),
        (
            Language::Hip,
            "__global__ void k(unsigned *x) { x[0] = x[1] / x[2]; }",
        ),
    ];
    // Expansion of a division, by a pass of the code generator.
    let option = "-amdgpu-codegenprepare-disable-idiv-expansion";
    for (language, text) in texts {
        let compile = |options: &[&str]| {
            let options: Vec<_> = options.iter().map(Into::into).collect();
            let request = Request {
                options: &options,
                ..Request::new(CompilerInput::Text(text), language)
            };
            let compiled = compile_with(&toolchain, Some(cache.path()), &request);
            compiled.unwrap_or_else(|error| panic!("{error:?}"))
        };
        let plain = compile(&[]);
        let other = compile(&["-mllvm", option, "-DX", "-Wno-such-warning"]);
        assert!(!other.cached);
        assert_ne!(plain.code, other.code, "{language:?}");
        assert!(other.commands[1].contains(option), "{:?}", other.commands);
        // Each step could warn of it.
        let warnings = other.diagnostics.matches("no-such-warning").count();
        assert_eq!(warnings, 1, "{}", other.diagnostics);
    }
}

#[test]
fn the_optimizer_runs_once() {
    let text = "__global__ void k(int *x) { for (int i = 0; i < 9; i++) x[i] += i; }";
    let toolchain = Toolchain::find().unwrap_or_else(|error| panic!("{error}"));
    let options = ["-Rpass=loop-unroll", "-gline-tables-only"].map(Into::into);
    let request = Request {
        options: &options,
        ..Request::new(CompilerInput::Text(text), Language::Hip)
    };
    let compiled = compile_with(&toolchain, None, &request);
    let compiled = compiled.unwrap_or_else(|error| panic!("{error:?}"));
    let remarks = compiled.diagnostics.matches("unrolled loop").count();
    assert_eq!(remarks, 1, "{}", compiled.diagnostics);
}

#[test]
fn printf_in_a_header_is_lowered() {
    let place = directory();
    let header = place.path().join("say.h");
    let text = "static void say(int x) { printf(\"x %d\\n\", x); }\n";
    std::fs::write(&header, text).expect("written");
    let device = Device::new("gfx900").expect("a target");
    let text = format!(
        "#include \"{}\"\nkernel void k(int x) {{ say(x); }}",
        header.display()
    );
    for level in ["-O0", "-O2"] {
        let compiled = compile(&device, &place, Language::OpenClC, &text, &[level]);
        let (_, compiled) = compiled.expect("it compiles");
        let object = gcn_object::read(&compiled.code).expect("an object");
        let metadata = object.metadata.as_ref().expect("compilers write it");
        assert_eq!(metadata.printf.len(), 1, "{level}");
        assert!(compiled.dependencies.contains(&header), "{level}");
    }
}
