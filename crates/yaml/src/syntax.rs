//! Our own words for text that is not YAML.

use granit_parser::{ErrorKind, ScanError};

use crate::found::reason;
use crate::{MAX_DEPTH_LEVELS, Problem};

/// Says what the parser stumbled over.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is open; rare kinds keep its own words"
)]
pub(crate) fn explain(error: &ScanError) -> Problem {
    match error.kind() {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::InvalidBlockEntryWhitespace
        | ErrorKind::InvalidMappingValueWhitespace
        | ErrorKind::TabInPlainScalar => Problem::new("there is a tab")
            .because("YAML takes only spaces here")
            .hinting("replace the tab with spaces"),
        ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedDocumentStart
        | ErrorKind::BlockSequenceEntryNotAllowed => {
            Problem::new("this line does not fit the lines above it")
                .hinting("give keys of one group the same number of spaces, and write `key: value`")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::MappingKeyNotAllowed => {
            Problem::new("there is a `:`").because("a key cannot stand here").hinting(
                "look at the spaces at the beginning of the line and at the line above; \
                 a text that contains `: ` goes in quotes",
            )
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            Problem::new("there is no `:` behind a key").hinting("write `key: value`")
        }
        ErrorKind::UnclosedFlowCollection { open } => never_closed(*open),
        ErrorKind::UnexpectedEofFlowSequence | ErrorKind::ExpectedFlowSequenceSeparator => {
            Problem::new("a list in `[` `]` breaks off here")
                .hinting("put `,` between the items and `]` at the end")
        }
        ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::ExpectedFlowMappingSeparator => Problem::new("a mapping in `{` `}` breaks off here")
            .hinting("put `,` between the keys and `}` at the end"),
        ErrorKind::MisplacedFlowCollectionEnd => Problem::new("there is a closing bracket")
            .because("none was opened")
            .hinting("put a text that contains brackets in quotes"),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            Problem::new(format!("`{open}` is closed by `{close}`"))
                .because(format!("it must be closed by `{}`", closing(*open)))
        }
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => {
            Problem::new("a quoted text is not closed").hinting("put the same quote at its end")
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            Problem::new("there is text behind the closing quote").hinting(
                "put the whole value in quotes; a single quote inside single quotes is written twice",
            )
        }
        ErrorKind::UnknownQuotedScalarEscape | ErrorKind::InvalidQuotedScalarHexEscape => {
            Problem::new("a backslash in this text does not begin an escape")
                .hinting("use single quotes, which take backslashes as they are")
        }
        ErrorKind::UnexpectedCharacter { character } if character.is_control() => {
            Problem::new(format!("there is the control character U+{:04X}", u32::from(*character)))
                .hinting("remove it")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            Problem::new(format!("a value begins with `{character}`"))
                .because("that has a meaning of its own in YAML")
                .hinting("put the value in quotes")
        }
        ErrorKind::MissingAnchorOrAliasName => Problem::new("there is a `*` or `&` without a name")
            .hinting("put a text that begins with `*` or `&` in quotes"),
        ErrorKind::RecursionLimitExceeded => too_deep(),
        ErrorKind::DirectiveDisallowed
        | ErrorKind::MissingDirectiveName
        | ErrorKind::InvalidDirectiveName
        | ErrorKind::InvalidDirectiveTerminator => Problem::new("a line begins with `%`")
            .because("that is a directive, and this one is not known")
            .hinting("put the text in quotes"),
        _ => Problem::new(format!("this is not valid YAML ({})", reason(&error.info()))),
    }
}

/// Lists and mappings stand in each other too deep.
pub(crate) fn too_deep() -> Problem {
    Problem::new(format!("this is nested deeper than {MAX_DEPTH_LEVELS} levels")).hinting("use fewer levels")
}

fn never_closed(open: char) -> Problem {
    Problem::new(format!("`{open}` is not closed")).hinting(format!("put `{}` at its end", closing(open)))
}

fn closing(open: char) -> char {
    if open == '[' { ']' } else { '}' }
}
