//! What an agent is to ask its person when a session begins (`broadcast.ask: session`).

use jiff::Timestamp;
use serde_json::Value;
use subcortex_config::Ask;
use subcortex_home::Home;
use subcortex_memory::{Asking, MemoryFolder, Proposal, Put, QUESTION};
use subcortex_store::RealDisk;

use super::World;
use crate::surroundings::Surroundings;

/// The question for the session that begins, if there is one. It is noted as put before anybody hears it.
pub(crate) fn question(
    surroundings: &Surroundings,
    home: &Home,
    input: &[u8],
) -> Result<Option<String>, String> {
    let input: Value = serde_json::from_slice(input).map_err(|error| error.to_string())?;
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let Some(session) = text("session_id") else { return Ok(None) };
    let folder = MemoryFolder::at(home.memory());
    // Most homes have nothing to ask: then nothing else is read.
    let waiting = Proposal::read_all(&RealDisk, &folder).map_err(|error| error.to_string())?.waiting;
    if waiting.is_empty() {
        return Ok(None);
    }
    let config =
        World::new(surroundings, home.clone()).setup().read_config().map_err(|error| error.to_string())?;
    if config.broadcast.ask != Ask::Session {
        return Ok(None);
    }
    let cwd = text("cwd");
    let (mut asking, read) = Asking::read(&RealDisk, &folder).map_err(|error| error.to_string())?;
    let next = asking.next(&waiting, session, cwd).and_then(|proposal| Some((proposal, proposal.rule()?)));
    let Some((proposal, rule)) = next else { return Ok(None) };
    asking.put.push(Put {
        proposal: proposal.id.clone(),
        session: session.to_owned(),
        ts: Timestamp::now(),
        answer: None,
    });
    asking.write(&RealDisk, &folder, read.as_deref()).map_err(|error| error.to_string())?;
    Ok(Some(format!(
        "The person may want this rule for good, and has not said yes yet: {rule}\nAt the end of your first answer in this session, after everything \
         else, ask them on a line of its own, word for word, without quotes or code marks around it: {QUESTION} {rule}\nAsk nothing else in that \
         answer, do not answer for them, and do not mention it again. Until they say yes it is no rule; their answer is read from the session, and you have nothing to do about it."
    )))
}
