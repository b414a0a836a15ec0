//! Two more people, who speak otherwise than those of [`crate::sayings`]: one types fast, in lower case and half sentences; one writes
//! whole sentences with reasons, politely. Written after reading how people in public histories talk to agents, none of it copied; none
//! was changed or left out after the first run.

/// What they say when something in [`crate::topics`] was done otherwise than they want it, by topic and choice.
pub(crate) fn other_corrections(topic: &str, wanted: &str) -> &'static [&'static str] {
    match (topic, wanted) {
        ("packages", "pnpm") => &[
            "hm u ran npm install, pls only pnpm in here",
            "why is there a package-lock.json now, we gonna stick with pnpm",
            "I noticed that npm was used. In this project we work with pnpm, so please use it for every install.",
            "Could you please always use pnpm? The lock file of npm breaks our pipeline.",
        ],
        ("packages", "bun") => &[
            "its bun now not pnpm",
            "dont use pnpm, i switched everything to bun last week",
            "Please note that we have moved to bun. From now on packages are installed with bun and not with pnpm.",
            "I would prefer that you use bun here, pnpm is no longer set up.",
        ],
        ("python", "uv") => &[
            "pip is not how we do it, uv add",
            "again pip.. just use uv pls",
            "Please do not install with pip. All Python dependencies should be managed with uv.",
            "For this service I would like you to use uv every time you add a dependency.",
        ],
        ("search", "rg") => &[
            "grep takes forever here, rg",
            "next time rg not grep ok",
            "Please search with rg rather than grep, because grep also walks the generated folders.",
            "I'd like you to use ripgrep whenever you look for something.",
        ],
        ("comments", "none") => &[
            "whats with all the comments, dont",
            "code without comments pls, i can read",
            "Please remove the comments and do not write new ones; I prefer code that explains itself.",
            "In general I do not want any comments in the code.",
        ],
        ("tests first", "before") => &[
            "u didnt run the tests before that commit",
            "tests then commit, always in that order",
            "Before you commit, please make sure that the tests have been run.",
            "I would like the tests to be run before every commit, without exception.",
        ],
        ("branch", "feature") => &[
            "not on main!! branch",
            "why are you commiting on main, make a feature branch",
            "Please do not commit to main. Every change should go on a feature branch first.",
            "Our process is that work happens on a branch, so please create one before committing.",
        ],
        ("branch", "main") => &[
            "no branches for this one, main is fine",
            "just main here, dont open branches",
            "In this repository we commit directly to main, a branch is not necessary.",
            "Please keep in mind that this project has no feature branches.",
        ],
        ("trailer", "none") => &[
            "ur name is in the commit again, no co author",
            "dont put co-authored-by in there",
            "Please leave out the Co-Authored-By line in all commits.",
            "I do not want the agent to be listed as a co-author, in any commit.",
        ],
        ("message", "conventional") => &[
            "commit msg needs the feat/fix thing",
            "conventional commits pls, how often do i have to say it",
            "Our commit messages follow the conventional commits format, please keep to it.",
            "Please start each commit message with a type such as feat or fix.",
        ],
        ("message", "plain") => &[
            "no feat: in the message, normal words",
            "dont do conventional commits here",
            "Please write commit messages as a plain sentence, without a prefix.",
            "We do not use conventional commits in this service.",
        ],
        ("deletion", "trash") => &[
            "omg dont rm stuff, trash it",
            "rm again.. i said trash",
            "Please move files to the trash instead of deleting them with rm.",
            "I would feel safer if you always used trash rather than rm.",
        ],
        ("summaries", "none") => &[
            "no summary md files, i dont read them",
            "why do you keep writing SUMMARY.md",
            "Please do not create a summary file when a task is finished.",
            "There is no need to write a SUMMARY.md, I follow the conversation anyway.",
        ],
        ("logging", "logging") => &[
            "print? we got logging",
            "dont print, log",
            "Please use the logging module instead of print, so that the output can be filtered.",
            "In this service all output should go through logging.",
        ],
        ("logging", "structlog") => &[
            "thats the old logging, structlog now",
            "structlog everywhere pls not logging",
            "We have replaced logging by structlog, please use structlog from now on.",
            "I would like new code to use structlog, not the standard logging module.",
        ],
        ("unwrap", "question mark") => &[
            "unwrap again, use ?",
            "no unwraps, ever",
            "Please do not call unwrap, return the error with the question mark operator.",
            "We avoid unwrap in this code base, errors should be propagated.",
        ],
        ("compose", "plugin") => &[
            "docker compose with a space",
            "not docker-compose, thats the old one",
            "Please use docker compose rather than docker-compose, the old script is not installed.",
            "On our machines the command is docker compose, please always use that.",
        ],
        ("runner", "vitest") => &[
            "jest isnt even in here, vitest",
            "vitest not jest pls",
            "The tests of this project run with vitest, please do not use jest.",
            "Please remember that we have moved from jest to vitest.",
        ],
        ("any", "typed") => &[
            "any is not a type, fix",
            "stop with the any, real types",
            "Please do not use any, every value should have a proper type.",
            "I prefer unknown or a real type over any, everywhere in this project.",
        ],
        _ => &[],
    }
}

/// What they say that is no rule.
pub(crate) const OTHER_NO_RULES: &[&str] = &[
    "hm ok what now",
    "u sure thats right?",
    "page is blank when i click save",
    "go on with the next one",
    "do all of them",
    "it still says undefined, see screenshot",
    "make the first column wider pls",
    "Could you explain how the retry works?",
    "Thank you, this is what I had in mind. Please continue with step two.",
    "I have restarted the server and the error is still there.",
    "Please show the total in the footer of the table.",
    "For this release we only need the export as CSV.",
    "Should we add a test for that as well?",
    "I will test it tomorrow and let you know.",
];
