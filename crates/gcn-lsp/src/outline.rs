//! Finds the statements and definitions of a source from its tokens. Conditionals and macros are not evaluated, so a
//! name may have several definitions. Errors elsewhere have no effect.

use std::ops::Range;

use gcn_asm::Dialect;
use gcn_asm::syntax::{Token, TokenKind, tokens};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum DefinitionKind {
    Label,
    Value,
    Macro,
    /// Memory reserved by a directive.
    Object,
}

/// Definition of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Definition {
    pub name: String,
    pub kind: DefinitionKind,
    /// Span of the name.
    pub span: Range<usize>,
    /// Span of the whole definition; for a macro, up to `.endm`.
    pub whole: Range<usize>,
    /// Span of the directive's operands, or of the value.
    pub rest: Range<usize>,
}

/// File included by a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inclusion {
    pub name: String,
    /// Span of the file name, including quotes.
    pub span: Range<usize>,
}

/// Statements and definitions in a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pub tokens: Vec<Token>,
    /// Token ranges of statements, including labels and trailing comments.
    pub statements: Vec<Range<usize>>,
    pub definitions: Vec<Definition>,
    pub inclusions: Vec<Inclusion>,
    /// Names of kernels and functions that directives declare.
    pub functions: Vec<String>,
}

/// Directives that define a value for the name in their first operand.
const VALUES: [&str; 4] = [".set", ".equ", ".equiv", ".eqv"];
const OBJECTS: [&str; 3] = [".comm", ".lcomm", ".amdgpu_lds"];
const INCLUSIONS: [&str; 2] = [".include", ".incbin"];

impl Outline {
    pub(crate) fn new(text: &str, dialect: Dialect) -> Outline {
        let tokens: Vec<Token> = tokens(text, dialect).collect();
        let statements = statements(text, &tokens);
        let mut outline = Outline::default();
        let mut macros: Vec<usize> = Vec::new();
        for range in &statements {
            let statement = tokens.get(range.clone()).unwrap_or_default();
            outline.read_statement(text, statement, &mut macros);
        }
        Outline {
            tokens,
            statements,
            ..outline
        }
    }

    /// Returns the tokens of a statement.
    pub(crate) fn statement(&self, index: usize) -> &[Token] {
        let range = self.statements.get(index).cloned().unwrap_or_default();
        self.tokens.get(range).unwrap_or_default()
    }

    /// Returns the index of the last statement that starts at or before a byte offset.
    pub(crate) fn statement_at(&self, offset: usize) -> Option<usize> {
        let begins = |range: &Range<usize>| {
            self.tokens
                .get(range.start)
                .is_some_and(|it| it.span.start <= offset)
        };
        self.statements.partition_point(begins).checked_sub(1)
    }

    /// Returns the token that contains a byte offset or ends there.
    pub(crate) fn token_at(&self, offset: usize) -> Option<&Token> {
        let end = self
            .tokens
            .partition_point(|token| token.span.start <= offset);
        let last = self.tokens.get(end.checked_sub(1)?)?;
        if last.span.end > offset || last.span.end == offset && is_name(last.kind) {
            return Some(last);
        }
        // At the boundary between a name and an operator, the name takes precedence.
        let before = self.tokens.get(end.checked_sub(2)?)?;
        (before.span.end == offset && is_name(before.kind))
            .then_some(before)
            .or_else(|| (last.span.end == offset).then_some(last))
    }

    fn read_statement(&mut self, text: &str, statement: &[Token], macros: &mut Vec<usize>) {
        let slice = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
        let mut content = statement
            .iter()
            .filter(|token| token.kind != TokenKind::Comment);
        let end = content.next_back().map_or(0, |token| token.span.end);
        let mut define = |kind, token: &Token, whole: Range<usize>, rest: Range<usize>| {
            self.definitions.push(Definition {
                name: slice(&token.span).trim_matches('"').to_owned(),
                kind,
                span: token.span.clone(),
                whole,
                rest,
            });
        };
        for (place, token) in statement.iter().enumerate() {
            let next = statement.get(place + 1);
            let rest = |from: usize| {
                let first = statement
                    .get(from)
                    .filter(|it| it.kind != TokenKind::Comment);
                first.map_or(end..end, |first| {
                    first.span.start..end.max(first.span.start)
                })
            };
            match token.kind {
                TokenKind::Label => {
                    define(DefinitionKind::Label, token, token.span.clone(), end..end)
                }
                TokenKind::Assigned => {
                    let whole = token.span.start..end.max(token.span.end);
                    define(DefinitionKind::Value, token, whole, rest(place + 2));
                    return;
                }
                TokenKind::Directive => {
                    let name = slice(&token.span).to_ascii_lowercase();
                    let whole = token.span.start..end.max(token.span.end);
                    let named =
                        next.filter(|it| matches!(it.kind, TokenKind::Word | TokenKind::String));
                    let is_one_of = |names: &[&str]| names.contains(&name.as_str());
                    match (name.as_str(), named) {
                        (".macro", Some(named)) => {
                            define(DefinitionKind::Macro, named, whole, rest(place + 2));
                            macros.push(self.definitions.len() - 1);
                        }
                        (".endm" | ".endmacro", _) => {
                            let open = macros.pop().and_then(|open| self.definitions.get_mut(open));
                            if let Some(open) = open {
                                open.whole.end = token.span.end;
                            }
                        }
                        (_, Some(named)) if is_one_of(&VALUES) => {
                            define(DefinitionKind::Value, named, whole, rest(place + 3));
                        }
                        (_, Some(named)) if is_one_of(&OBJECTS) => {
                            define(DefinitionKind::Object, named, whole, rest(place + 3));
                        }
                        (_, Some(named)) if is_one_of(&INCLUSIONS) => {
                            let written = slice(&named.span).trim_matches('"');
                            self.inclusions.push(Inclusion {
                                name: written.replace("\\\\", "\\"),
                                span: named.span.clone(),
                            });
                        }
                        (".amdhsa_kernel" | ".amdgpu_hsa_kernel", Some(named)) => {
                            self.functions.push(slice(&named.span).to_owned());
                        }
                        (".type", Some(named))
                            if text
                                .get(rest(place + 3))
                                .is_some_and(|kind| kind.contains("function")) =>
                        {
                            self.functions.push(slice(&named.span).to_owned());
                        }
                        _ => {}
                    }
                    return;
                }
                TokenKind::Mnemonic => return,
                _ => {}
            }
        }
    }

    /// Returns the definitions of a name. Macro names are case-insensitive.
    pub(crate) fn definitions_of<'o>(
        &'o self,
        name: &'o str,
    ) -> impl Iterator<Item = &'o Definition> {
        let simple = name.rsplit("::").next().unwrap_or(name);
        self.definitions.iter().filter(move |it| {
            it.name == simple
                || it.kind == DefinitionKind::Macro && it.name.eq_ignore_ascii_case(simple)
        })
    }

    /// Returns the macro whose definition contains a byte offset.
    pub(crate) fn macro_around(&self, offset: usize) -> Option<&Definition> {
        let around =
            |it: &&Definition| it.kind == DefinitionKind::Macro && it.whole.contains(&offset);
        self.definitions.iter().rev().find(around)
    }
}

/// Returns the token ranges of the statements.
fn statements(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut statements = Vec::new();
    let mut begin = 0;
    for (index, pair) in tokens.windows(2).enumerate() {
        let [before, token] = pair else {
            continue;
        };
        let gap = text
            .get(before.span.end..token.span.start)
            .unwrap_or_default();
        if before.kind == TokenKind::Separator || gap.contains('\n') {
            statements.push(begin..index + 1);
            begin = index + 1;
        }
    }
    if begin < tokens.len() {
        statements.push(begin..tokens.len());
    }
    statements
}

/// True for names and numbers. A cursor directly after such a token refers to that token.
pub(crate) fn is_name(kind: TokenKind) -> bool {
    match kind {
        TokenKind::Label
        | TokenKind::Assigned
        | TokenKind::Directive
        | TokenKind::Mnemonic
        | TokenKind::Word
        | TokenKind::Parameter
        | TokenKind::Number => true,
        TokenKind::String
        | TokenKind::Comment
        | TokenKind::Separator
        | TokenKind::Text
        | TokenKind::Operator => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_have_places() {
        let text = ".macro twice a, b=1 // both\n  \\a\n.endm\n.set n, 3 + 1\nk: m = 2\n.comm c, 4\n1: s_nop n\n";
        let outline = Outline::new(text, Dialect::Llvm);
        let found: Vec<_> = outline
            .definitions
            .iter()
            .map(|it| (it.kind, it.name.as_str(), &text[it.rest.clone()]))
            .collect();
        assert_eq!(
            found,
            [
                (DefinitionKind::Macro, "twice", "a, b=1"),
                (DefinitionKind::Value, "n", "3 + 1"),
                (DefinitionKind::Label, "k", ""),
                (DefinitionKind::Value, "m", "2"),
                (DefinitionKind::Object, "c", "4"),
                (DefinitionKind::Label, "1", ""),
            ]
        );
        assert_eq!(
            &text[outline.definitions[0].whole.clone()],
            &text[..text.find("\n.set").expect("there")]
        );
        assert_eq!(outline.statements.len(), 7);
        let word = text.find(" n\n").expect("a use") + 2;
        assert_eq!(
            outline
                .token_at(word)
                .map(|token| &text[token.span.clone()]),
            Some("n")
        );
    }

    #[test]
    fn functions_and_files_are_found() {
        let text = ".type f,@function\n.amdhsa_kernel k\n.end_amdhsa_kernel\n.include \"a b.s\"\n.type v,@object\n";
        let outline = Outline::new(text, Dialect::Llvm);
        assert_eq!(outline.functions, ["f", "k"]);
        assert_eq!(outline.inclusions[0].name, "a b.s");
    }
}
