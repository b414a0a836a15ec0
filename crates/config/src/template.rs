//! The file that a new home gets.

/// A commented file: every key with its default, switched off by a `#` in the first column.
///
/// Lines with `# ` and a word are for people. In the other lines the `#` takes the place of nothing, so
/// removing it leaves valid YAML.
pub const TEMPLATE: &str = include_str!("../../../bootstrap/config/subcortex.yaml");
