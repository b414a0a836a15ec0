//! What agents reach over MCP, on standard input and output.
//!
//! [`Call`] is everything that can be asked, [`TOOLS`] how it is described to an agent. Whoever serves hands in a
//! [`Tools`], which answers; this crate knows the protocol and nothing of a home.

mod broken;
mod call;
mod serve;
mod table;

pub use call::{
    BlackboardAppend, BlackboardRead, Call, Check, DropTask, Inbox, Recall, Remember, Status, UnknownCall,
    UpdateScratchpad, Whoami, Why,
};
pub use serve::{McpError, Tools, serve, serve_on};
pub use table::{TOOLS, Tool};
