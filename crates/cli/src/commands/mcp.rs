//! `subcortex mcp`: agents ask what people ask with commands, and get the same answers.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use subcortex_blackboard::{Role, ThreadId};
use subcortex_home::Home;
use subcortex_mcp::{Call, McpError, Tools, serve};
use subcortex_store::locked;

use super::blackboard::Said;
use super::{World, blackboard, check, drop, inbox, recall, remember, status, why, worker};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::surroundings::Surroundings;

/// How many answers `recall` gives when nobody says.
const USUAL_HITS: u16 = 10;

impl From<McpError> for Failure {
    fn from(error: McpError) -> Self {
        Self::failed(error.to_string())
    }
}

pub(crate) fn run(world: &World<'_>) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    let tools = Arc::new(Desk {
        surroundings: world.surroundings.clone(),
        home: world.home.clone(),
        turn: Mutex::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("cannot start: {error}")))?;
    runtime.block_on(serve(tools))?;
    Ok(ExitCode::Done)
}

/// Where agents ask.
struct Desk {
    surroundings: Surroundings,
    home: Home,
    /// An agent may ask several things at once, and without a daemon whoever changes something holds the home alone.
    turn: Mutex<()>,
}

impl Tools for Desk {
    fn answer(&self, call: Call) -> Result<Value, String> {
        let world = World::new(&self.surroundings, self.home.clone());
        let _turn = locked(&self.turn);
        self.look_up(&world, call).map_err(|failure| failure.message().to_owned())
    }
}

impl Desk {
    fn look_up(&self, world: &World<'_>, call: Call) -> Result<Value, Failure> {
        Ok(match call {
            Call::Recall(asked) => {
                let limit = asked.limit.unwrap_or(USUAL_HITS);
                json!(recall::hits(world, &asked.query, limit.into())?)
            }
            Call::Why(asked) => why::document(world, &asked.what)?,
            Call::Check(asked) => check::document(world, asked.line.as_deref())?,
            Call::Remember(asked) => {
                let session = asked.session.as_deref().or(self.surroundings.session.as_deref());
                let session = session.ok_or_else(|| {
                    Failure::refused("the agent does not say which session this is: give `session`")
                })?;
                remember::remember(world, session, &asked.quote, &asked.rule)?
            }
            Call::DropTask(asked) => {
                let name = drop::drop_body(world, &asked.partition, asked.name.as_deref(), &asked.body)?;
                json!({ "partition": asked.partition, "name": name })
            }
            Call::Inbox(asked) => json!(inbox::tasks(world, asked.partition.as_deref())?),
            Call::Status(_) => status::document(world)?,
            Call::Whoami(asked) => worker::page(world, &self.worker(asked.worker)?)?.into(),
            Call::UpdateScratchpad(asked) => {
                worker::set(world, &self.worker(asked.worker)?, asked.scratchpad)?.into()
            }
            Call::BlackboardAppend(asked) => {
                // Whoever started this program, an agent asks.
                if asked.role.as_deref() == Some(Role::User.as_str()) {
                    return Err(Failure::refused(
                        "only a person speaks as the user, with `subcortex blackboard append` in a terminal of their own; nothing was changed",
                    ));
                }
                let thread = ThreadId::new(&asked.thread)?;
                let entry = Value::Object(asked.entry).to_string();
                let said = Said { thread, role: asked.role, id: asked.id, entry };
                json!({ "thread": asked.thread, "seq": blackboard::append(world, said)? })
            }
            Call::BlackboardRead(asked) => blackboard::document(world, &ThreadId::new(&asked.thread)?)?,
        })
    }

    /// The worker that is named, or the one whose run this is.
    fn worker(&self, named: Option<String>) -> Result<String, Failure> {
        let own = || self.surroundings.variables.text("SUBCORTEX_PARTITION");
        named
            .or_else(own)
            .ok_or_else(|| Failure::refused("outside a run the worker must be named: give `worker`"))
    }
}
