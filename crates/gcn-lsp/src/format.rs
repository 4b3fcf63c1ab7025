//! Formatting: aligns statements, operands and comments. Only blanks change. Between adjacent tokens, blanks are
//! inserted only before comments, so statements keep their meaning.

use std::ops::Range;

use gcn_asm::syntax::{Token, TokenKind};
use lsp_types::{FormattingOptions, TextEdit};

use crate::outline::Outline;
use crate::settings::Settings;
use crate::text::{Encoding, Positions, Text};

/// Directives that open an indented block, in addition to `.if` and its variants.
const OPENS: [&str; 10] = [
    ".macro",
    ".rept",
    ".rep",
    ".irp",
    ".irpc",
    ".while",
    ".for",
    ".amdhsa_kernel",
    ".amd_kernel_code_t",
    ".scope",
];
const CLOSES: [&str; 9] = [
    ".endm",
    ".endmacro",
    ".endr",
    ".endrept",
    ".endif",
    ".end_amdhsa_kernel",
    ".end_amd_kernel_code_t",
    ".ends",
    ".endscope",
];
/// Maximum indentation level.
const MAX_DEPTH: usize = 16;
/// Maximum width of an indentation level in columns.
const MAX_INDENT: usize = 8;

/// Replacement for a range of blanks.
type BlankEdit = (Range<usize>, String);

/// Text to format, with indentation and column settings.
struct Columns<'a> {
    text: &'a str,
    indent: usize,
    unit: String,
    operands: usize,
    comments: usize,
}

/// Converts blank edits in text order to protocol edits.
pub(crate) fn edits(text: &Text, changes: Vec<BlankEdit>, encoding: Encoding) -> Vec<TextEdit> {
    let mut positions = Positions::new(text, encoding);
    let edit = |(span, new_text): BlankEdit| TextEdit {
        range: lsp_types::Range {
            start: positions.advance(span.start),
            end: positions.advance(span.end),
        },
        new_text,
    };
    changes.into_iter().map(edit).collect()
}

/// Applies blank edits in text order.
pub(crate) fn apply(text: &str, changes: &[BlankEdit]) -> String {
    let mut formatted = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in changes {
        formatted.push_str(text.get(at..span.start).unwrap_or_default());
        formatted.push_str(new);
        at = span.end;
    }
    formatted.push_str(text.get(at..).unwrap_or_default());
    formatted
}

/// Returns the blank edits that format a text, in text order.
pub(crate) fn changes(
    text: &str,
    outline: &Outline,
    settings: &Settings,
    options: &FormattingOptions,
) -> Vec<BlankEdit> {
    let indent = (options.tab_size as usize).clamp(1, MAX_INDENT);
    let columns = Columns {
        text,
        indent,
        unit: if options.insert_spaces {
            " ".repeat(indent)
        } else {
            "\t".to_owned()
        },
        operands: settings.operand_column,
        comments: settings.comment_column,
    };
    let mut changes = Vec::new();
    let mut depth = 0usize;
    let mut last_end = 0;
    for index in 0..outline.statements.len() {
        let tokens = outline.statement(index);
        let Some(first) = tokens.first() else {
            continue;
        };
        let begin = first.span.start;
        let line = text
            .get(..begin)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |at| at + 1);
        let is_first_on_line = line >= last_end;
        last_end = tokens.last().map_or(begin, |token| token.span.end);
        let head = tokens
            .iter()
            .find(|token| token.kind == TokenKind::Directive);
        let name = head
            .map_or("", |head| columns.slice(head))
            .to_ascii_lowercase();
        let is_branch = name == ".else" || name.starts_with(".elseif");
        if CLOSES.contains(&name.as_str()) {
            depth = depth.saturating_sub(1);
        }
        if is_first_on_line && columns.may_change(tokens, line, begin) {
            let depth = depth.saturating_sub(usize::from(is_branch));
            columns.statement(tokens, line, depth.min(MAX_DEPTH), &mut changes);
        }
        let opens = OPENS.contains(&name.as_str()) || name.starts_with(".if");
        depth += usize::from(opens);
    }
    changes.retain(|(span, new)| text.get(span.clone()) != Some(new));
    changes
}

impl Columns<'_> {
    fn slice(&self, token: &Token) -> &str {
        self.text.get(token.span.clone()).unwrap_or_default()
    }

    /// True if a statement occupies a whole line and does not continue on the next one.
    fn may_change(&self, tokens: &[Token], line: usize, begin: usize) -> bool {
        let end = tokens.last().map_or(begin, |token| token.span.end);
        let content = self.text.get(line..end).unwrap_or_default();
        let before = self.text.get(line..begin).unwrap_or_default();
        let previous = self
            .text
            .get(..line)
            .unwrap_or_default()
            .trim_end_matches(['\n', '\r']);
        let rest = self.text.get(end..).unwrap_or_default();
        let rest = rest.split('\n').next().unwrap_or_default();
        let is_open = |token: &Token| {
            let text = self.slice(token);
            token.kind == TokenKind::String && (text.len() < 2 || !text.ends_with('"'))
        };
        !content.contains('\n')
            && before.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
            && rest.trim().is_empty()
            && !content.ends_with('\\')
            && !previous.ends_with('\\')
            && !tokens.iter().any(|token| {
                is_open(token) || matches!(token.kind, TokenKind::Text | TokenKind::Separator)
            })
    }

    /// Adds the edits for a statement on the line that starts at byte `line`.
    fn statement(&self, tokens: &[Token], line: usize, depth: usize, changes: &mut Vec<BlankEdit>) {
        let Some(first) = tokens.first() else {
            return;
        };
        let mut column = 0;
        let is_label = first.kind == TokenKind::Label;
        let is_margin = first.kind == TokenKind::Comment && first.span.start == line;
        let lead = if is_label || is_margin {
            String::new()
        } else {
            self.unit.repeat(depth + 1)
        };
        column += self.width(&lead);
        changes.push((line..first.span.start, lead));
        let head = tokens.iter().position(|token| {
            matches!(
                token.kind,
                TokenKind::Directive | TokenKind::Mnemonic | TokenKind::Assigned
            )
        });
        for (index, pair) in tokens.windows(2).enumerate() {
            let [token, next] = pair else {
                continue;
            };
            column += self.slice(token).chars().count();
            let gap = token.span.end..next.span.start;
            let old = self.text.get(gap.clone()).unwrap_or_default();
            let is_blank = old.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
            let is_comment = next.kind == TokenKind::Comment && index + 2 == tokens.len();
            let new = if is_comment && is_line_comment(self.slice(next)) && !is_label_only(tokens) {
                Some(self.comments.saturating_sub(column).max(1))
            } else if old.is_empty() || next.kind == TokenKind::Comment {
                None
            } else if head == Some(index) && token.kind == TokenKind::Mnemonic {
                Some(self.operands.saturating_sub(column).max(1))
            } else if head == Some(index) && token.kind == TokenKind::Directive {
                Some(1)
            } else if head == Some(index + 1) {
                // The next token is the first after a label.
                Some((self.indent * (depth + 1)).saturating_sub(column).max(1))
            } else {
                None
            };
            match new.filter(|_| is_blank) {
                Some(blanks) => {
                    column += blanks;
                    changes.push((gap, " ".repeat(blanks)));
                }
                None => column += self.width(old),
            }
        }
        let end = tokens.last().map_or(line, |token| token.span.end);
        let rest = self.text.get(end..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if blanks > 0 {
            changes.push((end..end + blanks, String::new()));
        }
    }

    fn width(&self, blanks: &str) -> usize {
        blanks
            .chars()
            .map(|c| if c == '\t' { self.indent } else { 1 })
            .sum()
    }
}

/// True if a comment extends to the end of the line.
fn is_line_comment(comment: &str) -> bool {
    !comment.starts_with("/*")
}

/// True for a line with only labels and an optional comment, which is not moved.
fn is_label_only(tokens: &[Token]) -> bool {
    let is_part = |token: &Token| {
        matches!(
            token.kind,
            TokenKind::Label | TokenKind::Operator | TokenKind::Comment
        )
    };
    tokens.iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use gcn_asm::Dialect;

    use super::*;

    fn formatted(text: &str) -> String {
        let options = FormattingOptions {
            tab_size: 4,
            insert_spaces: true,
            ..FormattingOptions::default()
        };
        let outline = Outline::new(text, Dialect::Llvm);
        apply(
            text,
            &changes(text, &outline, &Settings::default(), &options),
        )
    }

    #[test]
    fn statements_have_columns() {
        let text = "\
.text
k: s_nop 0 ; é
  v_mov_b32  v0,  1 // one\t
.macro m a
s_nop \\a
.if \\a
s_nop 1
.else
 .byte \"x  y\"
.endif
.endm
// left
   # moved
.amdgpu_metadata
  a: b
.end_amdgpu_metadata
";
        let expected = [
            "    .text",
            "k:  s_nop               0                               ; é",
            "    v_mov_b32           v0,  1                          // one\t",
            "    .macro m a",
            "        s_nop           \\a",
            "        .if \\a",
            "            s_nop       1",
            "        .else",
            "            .byte \"x  y\"",
            "        .endif",
            "    .endm",
            "// left",
            "    # moved",
            "    .amdgpu_metadata",
            "  a: b",
            "    .end_amdgpu_metadata",
            "",
        ];
        assert_eq!(formatted(text).split('\n').collect::<Vec<_>>(), expected);
        assert_eq!(formatted(&formatted(text)), formatted(text));
    }

    /// Formatting is idempotent and changes only blanks.
    #[test]
    fn only_blanks_change() {
        arbtest::arbtest(|u| {
            const PARTS: [&str; 22] = [
                "a:",
                "s_nop",
                " ",
                "  ",
                "\t",
                "\n",
                "\"",
                "\\",
                "é",
                "/*",
                "*/",
                "//",
                ";",
                "#",
                ".macro m",
                ".endm",
                ".if",
                ".endif",
                ".amdgpu_metadata",
                ".end_amdgpu_metadata",
                ",",
                "\r\n",
            ];
            let mut text = String::new();
            while !u.is_empty() {
                text.push_str(u.choose(&PARTS)?);
            }
            let once = formatted(&text);
            let bare = |text: &str| text.replace([' ', '\t'], "");
            assert_eq!(bare(&text), bare(&once));
            assert_eq!(formatted(&once), once, "{text:?}");
            Ok(())
        });
    }
}
