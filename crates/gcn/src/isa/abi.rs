//! Initial registers of a kernel.

use std::io::{self, Write};

use gcn_object::{Properties, UserSgpr};
use serde::Serialize;

use super::answer::Answer;

/// All initial registers, in allocation order. A kernel receives those that its descriptor requests.
#[derive(Serialize)]
pub(super) struct InitialRegisters {
    /// User SGPRs, starting at s0.
    user_sgprs: Vec<DirectiveRegisters>,
    /// SGPRs after the user SGPRs.
    system_sgprs: Vec<DirectiveRegisters>,
    /// VGPRs, starting at v0.
    vgprs: Vec<DirectiveRegisters>,
    /// Registers that no directive requests.
    others: Vec<FixedRegister>,
}

/// Registers that a directive of `.amdhsa_kernel` requests.
#[derive(Serialize)]
struct DirectiveRegisters {
    directive: String,
    registers: u32,
    holds: &'static str,
}

#[derive(Serialize)]
struct FixedRegister {
    register: &'static str,
    holds: &'static str,
}

/// Directive that requests user SGPRs, or the `.amd_kernel_code_t` key if there is none, and the contents of the SGPRs.
fn user(what: UserSgpr) -> (&'static str, &'static str) {
    let (key, holds) = match what {
        UserSgpr::PrivateSegmentBuffer => ("", "buffer descriptor of scratch, swizzled by lane"),
        UserSgpr::DispatchPtr => (
            "",
            "address of the dispatch packet: sizes of the grid and the workgroup",
        ),
        UserSgpr::QueuePtr => (
            "",
            "address of the queue: upper halves of the apertures at 0x40 (LDS) and 0x44 (scratch)",
        ),
        UserSgpr::KernargSegmentPtr => ("", "address of the arguments"),
        UserSgpr::DispatchId => ("", "dispatch ID; 0 here"),
        UserSgpr::FlatScratchInit => (
            "",
            "before GCN 1.4: offset of the wave's scratch, and bytes per lane; GCN 1.4: its address",
        ),
        UserSgpr::PrivateSegmentSize => ("", "bytes of scratch per lane"),
        UserSgpr::GridWorkgroupCountX => (
            "enable_sgpr_grid_workgroup_count_x",
            "workgroups in x (code objects of version 2)",
        ),
        UserSgpr::GridWorkgroupCountY => (
            "enable_sgpr_grid_workgroup_count_y",
            "workgroups in y (code objects of version 2)",
        ),
        UserSgpr::GridWorkgroupCountZ => (
            "enable_sgpr_grid_workgroup_count_z",
            "workgroups in z (code objects of version 2)",
        ),
    };
    (what.directive().unwrap_or(key), holds)
}

/// Directive suffixes and contents of the SGPRs after the user SGPRs, in register order.
const SYSTEM: [(&str, &str); 5] = [
    ("workgroup_id_x", "workgroup ID in x"),
    ("workgroup_id_y", "workgroup ID in y"),
    ("workgroup_id_z", "workgroup ID in z"),
    (
        "workgroup_info",
        "bit 31: the first wave of its workgroup; low bits: waves of the workgroup",
    ),
    (
        "private_segment_wavefront_offset",
        "offset of the wave's scratch from the descriptor's base",
    ),
];

pub(super) fn registers() -> InitialRegisters {
    let users = Properties(u16::MAX.into()).user_sgprs();
    let asked = |(directive, holds): (String, &'static str), registers| DirectiveRegisters {
        directive,
        registers,
        holds,
    };
    let items = [
        ("0", "work-item ID in x; v0 always holds it"),
        ("1", "work-item ID in y, too"),
        ("2", "work-item ID in z, too"),
    ];
    let others = [
        ("exec", "the wave's work-items, one bit each"),
        (
            "mode",
            "rounding, denormals, clamp, IEEE mode and exceptions as the descriptor says",
        ),
        ("pc", "the kernel's first instruction"),
        (
            "flat_scratch",
            "the value that the kernel writes, from flat_scratch_init",
        ),
        (
            "m0",
            "nothing: up to GCN 1.2 the kernel sets it to -1 before it uses LDS",
        ),
    ];
    InitialRegisters {
        user_sgprs: users
            .map(|(what, _, registers)| {
                let (name, holds) = user(what);
                asked((name.to_owned(), holds), registers)
            })
            .collect(),
        system_sgprs: SYSTEM
            .map(|(name, holds)| asked((format!(".amdhsa_system_sgpr_{name}"), holds), 1))
            .into(),
        vgprs: items
            .map(|(last, holds)| {
                let directive = format!(".amdhsa_system_vgpr_workitem_id {last}");
                asked((directive, holds), 1)
            })
            .into(),
        others: others
            .map(|(register, holds)| FixedRegister { register, holds })
            .into(),
    }
}

impl Answer for InitialRegisters {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let parts = [
            (
                "User SGPRs that the descriptor requests, from s0 on:",
                &self.user_sgprs,
            ),
            ("SGPRs after them:", &self.system_sgprs),
            ("VGPRs, from v0 on:", &self.vgprs),
        ];
        for (title, registers) in parts {
            writeln!(out, "{title}")?;
            for DirectiveRegisters {
                directive,
                registers,
                holds,
            } in registers
            {
                writeln!(out, "  {registers}  {directive:52} {holds}")?;
            }
            writeln!(out)?;
        }
        writeln!(out, "Others:")?;
        for FixedRegister { register, holds } in &self.others {
            writeln!(out, "  {register:12} {holds}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use gcn_asm::{Options, Source, assemble};
    use gcn_runtime::Device;

    use super::*;

    /// `docs/abi.md` contains the output of `gcn isa abi`.
    #[test]
    fn the_document_has_the_registers() {
        let mut text = Vec::new();
        registers().write(&mut text).expect("a vector takes it");
        let text = String::from_utf8(text).expect("text");
        let document = include_str!("../../../../docs/abi.md");
        assert!(document.contains(text.trim_end()), "{text}");
    }

    /// A kernel that requests all registers of version 3 receives the documented contents.
    #[test]
    fn registers_hold_what_is_said() {
        const SCRATCH: u32 = 64;
        const GRID: [u32; 3] = [2, 3, 4];
        let InitialRegisters {
            user_sgprs,
            system_sgprs,
            ..
        } = registers();
        let mut asked = String::new();
        let mut places = std::collections::BTreeMap::new();
        let mut next = 0;
        let known = |it: &&DirectiveRegisters| it.directive.starts_with('.');
        for it in user_sgprs.iter().filter(known).chain(&system_sgprs) {
            let _ = writeln!(asked, "{} 1", it.directive);
            let name = it.directive.split("sgpr_").last().unwrap_or_default();
            places.insert(name.to_owned(), next);
            next += it.registers;
        }
        let at = |name: &str| places[name];
        let pair = |name: &str| format!("s[{}:{}]", at(name), at(name) + 1);
        let stores = (0..next).fold(String::new(), |text, register| {
            let offset = 4 * register;
            text + &format!(
                "v_mov_b32 v2, s{register}\nglobal_store_dword v1, v2, s[40:41] offset:{offset}\n"
            )
        });
        let text = format!(
            ".text
             .type k,@function
             k:
             s_load_dwordx2 s[40:41], {arguments}, 0x0
             s_load_dwordx2 s[42:43], {packet}, 0xc
             s_load_dword s44, {packet}, 0x14
             s_add_u32 s45, s{x}, s{y}
             s_add_u32 s45, s45, s{z}
             s_lshl_b32 s45, s45, 7
             v_mov_b32 v1, s45
             s_waitcnt lgkmcnt(0)
             {stores}
             v_mov_b32 v2, s42
             global_store_dword v1, v2, s[40:41] offset:112
             v_mov_b32 v2, s43
             global_store_dword v1, v2, s[40:41] offset:116
             v_mov_b32 v2, s44
             global_store_dword v1, v2, s[40:41] offset:120
             s_endpgm
             .rodata
             .p2align 6
             .amdhsa_kernel k
             {asked}
             .amdhsa_private_segment_fixed_size {SCRATCH}
             .amdhsa_next_free_vgpr 3
             .amdhsa_next_free_sgpr 48
             .end_amdhsa_kernel",
            arguments = pair("kernarg_segment_ptr"),
            packet = pair("dispatch_ptr"),
            x = at("workgroup_id_x"),
            y = at("workgroup_id_y"),
            z = at("workgroup_id_z"),
        );
        let device = Device::new("gfx900").expect("a target");
        let source = Source {
            name: "abi.s",
            text: &text,
        };
        let program = assemble(&source, &Options::new(device.target())).program;
        let object = program.to_object(None).expect("an object");
        let module = device.load(&object).expect("a module");
        let kernel = module.kernel("k").expect("the kernel");
        for dimension in 0..3 {
            let mut grid = [1; 3];
            grid[dimension] = GRID[dimension];
            let records = device.allocate("records", 128 * 4).expect("memory");
            let launch = kernel.launch(grid).group([1, 1, 1]).arg(&records);
            let signal = launch.submit(&device.queue()).expect("a launch");
            signal.wait().expect("no fault");
            let words = records.read::<u32>().expect("it is there");
            for (group, record) in words.chunks(32).take(grid[dimension] as usize).enumerate() {
                let mut ids = [0; 3];
                ids[dimension] = group as u32;
                let found = ["x", "y", "z"]
                    .map(|axis| record[at(&format!("workgroup_id_{axis}")) as usize]);
                assert_eq!(found, ids, "workgroup's number");
                assert_eq!(record[at("private_segment_size") as usize], SCRATCH);
                assert_eq!(record[at("workgroup_info") as usize], 1 << 31 | 1);
                assert_eq!(record[28..31], grid, "the packet's grid");
            }
        }
    }
}
