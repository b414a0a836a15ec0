//! What a person can do from the page: the deeds of the commands, by the same functions.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_blackboard::{Author, Entry, Malformed, Role, ThreadId};
use subcortex_daemon::Decision;
use subcortex_daemon::control::{Answer as Told, Request};
use subcortex_home::kill_switch::{self, Paused};
use subcortex_inbox::{default_name, drop_task};
use subcortex_web::Call;

use crate::page::refusal;
use crate::{Page, PageError};

/// Under which name a person writes on a blackboard.
const PERSON: &str = "person";

/// Lets the daemon carry out a decision about the memory.
pub(crate) async fn decide(page: Arc<Page>, decision: Decision) -> Result<Value, PageError> {
    let told = page.helm.ask(Request::Decide(decision)).await;
    page.changed().await;
    if let Told::Decided { value } = told { Ok(value) } else { Err(PageError::Refused(refusal(told))) }
}

/// Lets a held task be tried again.
pub(crate) async fn retry(page: Arc<Page>, call: Call) -> Result<Value, PageError> {
    let (partition, task) = (call.place("partition").to_owned(), call.place("task").to_owned());
    let told = page.helm.ask(Request::Retry { partition, task }).await;
    page.changed().await;
    if told == Told::Done { Ok(json!({ "done": true })) } else { Err(PageError::Refused(refusal(told))) }
}

/// Hands a task to a partition.
pub(crate) async fn hand_over(page: Arc<Page>, call: Call) -> Result<Value, PageError> {
    let done = page.read(move |page| {
        let partition = page.expect_partition(call.place("partition"))?;
        let made_up = default_name(Timestamp::now());
        let name = call.text("name").filter(|name| !name.is_empty()).unwrap_or(made_up.as_str());
        let inbox = page.helm.home().inbox(partition.as_str());
        let dropped =
            drop_task(&**page.helm.disk(), &inbox, name, call.text("body").unwrap_or_default().as_bytes());
        match dropped {
            Ok(name) => Ok(json!({ "name": name.as_str() })),
            Err(subcortex_inbox::InboxError::Write(subcortex_store::durable::WriteError::Exists {
                ..
            })) => Err(PageError::Refused(format!("there is a task `{name}` already; give it another name"))),
            Err(error) => Err(error.into()),
        }
    });
    let done = done.await;
    page.changed().await;
    done
}

/// Sets a kill switch.
pub(crate) async fn pause(page: Arc<Page>, call: Call) -> Result<Value, PageError> {
    let done = page.read(move |page| {
        let switch = switch(page, &call)?;
        let set = kill_switch::pause(&**page.helm.disk(), &switch, call.text("why").unwrap_or_default())?;
        Ok(json!({ "paused": true, "changed": set != Paused::Already }))
    });
    let done = done.await;
    page.changed().await;
    done
}

/// Lifts a kill switch.
pub(crate) async fn resume(page: Arc<Page>, call: Call) -> Result<Value, PageError> {
    let done = page.read(move |page| {
        let was_set = kill_switch::resume(&**page.helm.disk(), &switch(page, &call)?)?;
        Ok(json!({ "paused": false, "changed": was_set }))
    });
    let done = done.await;
    page.changed().await;
    done
}

fn switch(page: &Page, call: &Call) -> Result<PathBuf, PageError> {
    match call.text("partition") {
        None => Ok(page.helm.home().kill_switch()),
        Some(name) => {
            let id = page.expect_partition(name)?;
            Ok(page.helm.home().partition_kill_switch(id.as_str()))
        }
    }
}

/// Writes a directive on a blackboard, as the person.
pub(crate) async fn direct(page: Arc<Page>, call: Call) -> Result<Value, PageError> {
    let unfit = |why: Malformed| PageError::Unfit(why.to_string());
    let done = page.read(move |page| {
        let thread = ThreadId::new(call.place("thread")).map_err(unfit)?;
        let entry = Entry::UserDirective { text: call.text("text").unwrap_or_default().trim().to_owned() };
        let entry = entry.checked().map_err(unfit)?;
        let author = Author::new(Role::User, PERSON).map_err(unfit)?;
        let record = page.helm.boards().append(&thread, &author, entry, Timestamp::now())?;
        Ok(json!({ "seq": record.seq }))
    });
    done.await
}
