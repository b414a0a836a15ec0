//! Which tools there are, and what a model is told about them.

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Echo,
    Shell,
    ReadFile,
    WriteFile,
    HttpGet,
    BlackboardRead,
    BlackboardAppend,
    DropTask,
    UpdateScratchpad,
    Done,
}

/// The names of the tools that there are.
pub const TOOL_NAMES: [&str; 10] = {
    let mut names = [""; 10];
    let mut index = 0;
    while index < names.len() {
        names[index] = Tool::ALL[index].name();
        index += 1;
    }
    names
};

/// The tools of those who have a place on a blackboard.
pub const BLACKBOARD_TOOLS: [&str; 2] = [Tool::BlackboardRead.name(), Tool::BlackboardAppend.name()];

impl Tool {
    pub(crate) const ALL: [Tool; 10] = [
        Tool::Echo,
        Tool::Shell,
        Tool::ReadFile,
        Tool::WriteFile,
        Tool::HttpGet,
        Tool::BlackboardRead,
        Tool::BlackboardAppend,
        Tool::DropTask,
        Tool::UpdateScratchpad,
        Tool::Done,
    ];

    /// The tool of exactly this name.
    pub(crate) fn named(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Tool::Echo => "echo",
            Tool::Shell => "shell",
            Tool::ReadFile => "read_file",
            Tool::WriteFile => "write_file",
            Tool::HttpGet => "http_get",
            Tool::BlackboardRead => "blackboard_read",
            Tool::BlackboardAppend => "blackboard_append",
            Tool::DropTask => "drop_task",
            Tool::UpdateScratchpad => "update_scratchpad",
            Tool::Done => "done",
        }
    }

    /// The keys of its arguments; nothing when a worker may make up its own.
    pub(crate) fn keys(self) -> Option<&'static [&'static str]> {
        match self {
            Tool::Echo => Some(&["text", "message"]),
            Tool::Shell => Some(&["program", "args", "command"]),
            Tool::ReadFile => Some(&["path", "offset"]),
            Tool::WriteFile => Some(&["path", "content"]),
            Tool::HttpGet => Some(&["url"]),
            Tool::BlackboardRead => Some(&[]),
            Tool::BlackboardAppend => Some(&["entry"]),
            Tool::DropTask => Some(&["task"]),
            Tool::UpdateScratchpad => None,
            Tool::Done => Some(&["summary"]),
        }
    }

    /// Its arguments, and what it does.
    pub(crate) fn manual(self) -> &'static str {
        match self {
            Tool::Echo => r#"{"text": "…"}: gives the text back."#,
            Tool::Shell => {
                r#"{"program": "name", "args": ["one", "two"]}: starts one of your programs in your first write folder. {"command": "name one two"} does the same: it is split into words. There is no shell, so no pipes, variables or wildcards: each argument reaches the program as it is."#
            }
            Tool::ReadFile => {
                r#"{"path": "…", "offset": 0}: a part of a text file, from a byte on. Relative paths start at your first write folder."#
            }
            Tool::WriteFile => r#"{"path": "…", "content": "…"}: a whole file; folders are made."#,
            Tool::HttpGet => r#"{"url": "https://…"}: a public page."#,
            Tool::BlackboardRead => {
                r#"{}: the blackboard of your run: the plan, what is known, claimed and open, dead pages, directives."#
            }
            Tool::BlackboardAppend => {
                r#"{"entry": {"kind": "PENDING", …}}: says something on the blackboard. Claim a field with PENDING before you find it out, then VERIFIED with a page that you fetched, or UNVERIFIED."#
            }
            Tool::DropTask => {
                r#"{"task": "[marker] what is wanted"}: leaves a task in the shared inbox. It goes to the one partition that takes the marker, and its answer does not come back to you."#
            }
            Tool::UpdateScratchpad => {
                "{…}: `completed_tasks` (list, added), `pending_actions` (list, replaced), `goals` (list, replaced), `current_task`, \
                 `scratchpad` or `content` (text, replaced), `notes` (text, one line is added), or keys of your own (null removes one)."
            }
            Tool::Done => {
                r#"{"summary": "…"}: ends the run. The last line of the summary is the result line."#
            }
        }
    }
}
