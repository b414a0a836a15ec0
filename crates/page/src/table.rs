//! Everything that can be asked for: one table. The guard, the limits, the description for programs and the tests are made from it.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use subcortex_daemon::{Decision, Helm};
use subcortex_web::{Answer, Call, Fault, Field, Rights, Route, Takes, openapi};

use crate::page::shown;
use crate::{Page, PageError, actions, assets, pulse, views};

const LIMIT: Field = Field::number("limit", "How many at most.");
const DAYS: Field = Field::number("days", "How many days, up to today.");
const PARTITION: Field = Field::text("partition", "Which partition; all of them when it is left out.");
const WHY: Field = Field::text("why", "For whoever finds it.");
const WORDS: Field = Field::text("words", "What the line shall say, instead of what is proposed.");
const TEXT: Field = Field::text("text", "What the supervisor is told.").required();
const BODY: Field = Field::text("body", "What is to be done.").required();
const NAME: Field = Field::text("name", "What the task is called; a name is made up when it is left out.");
const EVENTS: [Field; 6] = [
    Field::text("kind", "Only events of this source kind."),
    Field::text("type", "Only events of this type."),
    Field::text("session", "Only events of this session."),
    Field::text("text", "Only events that hold this text, in any case."),
    Field::text("after", "Only what came behind this `cursor` of an earlier answer."),
    LIMIT,
];

/// All routes of the page of a running daemon; the description names the `others`, too, that the same listener serves.
pub fn routes(helm: Helm, others: &[Route]) -> Vec<Route> {
    let page = Page::of(helm);
    let mut routes = memory(&page);
    routes.extend(work(&page));
    routes.extend(records(&page));
    routes.extend(for_machines(&page));
    routes.extend(assets::routes());
    let described: Arc<OnceLock<Value>> = Arc::default();
    let description = Arc::clone(&described);
    routes.push(Route::get("/api/v1/openapi.json", Rights::Person, "This description.", move |_| {
        let description = description.get().cloned().unwrap_or_default();
        async move { Answer::Json(description) }
    }));
    let all: Vec<Route> = routes.iter().chain(others).cloned().collect();
    described.get_or_init(|| openapi("subcortex", "1", &all));
    routes
}

/// The broadcast, and what people decide about it.
fn memory(page: &Arc<Page>) -> Vec<Route> {
    vec![
        look(
            page,
            "/api/v1/broadcast",
            "The broadcast as a coverage report: each line with what became of it.",
            |page, _| async move { page.coverage().await },
        ),
        look(
            page,
            "/api/v1/broadcast/{hash}",
            "The evidence for one line, and the edits that made it.",
            |page, call| async move { page.read(move |page| views::line(page, call.place("hash"))).await },
        ),
        look(
            page,
            "/api/v1/edits",
            "Every edit of the broadcast, newest first, with its effect.",
            |page, _| async move { page.read(views::edits).await },
        ),
        act(page, "/api/v1/edits/seen", "All edits so far have been seen.", |page, _| {
            actions::decide(page, Decision::Seen)
        }),
        act(page, "/api/v1/edits/{edit}/revert", "Takes an edit back.", |page, call| {
            actions::decide(page, Decision::Revert { edit: call.place("edit").to_owned(), change: None })
        }),
        look(
            page,
            "/api/v1/review",
            "Edits that wait for a yes, with what was said and what the agent had done.",
            |page, _| async move { page.read(views::review).await },
        ),
        act(
            page,
            "/api/v1/review/{proposal}/accept",
            "Makes an edit that waits, in its own words or in yours.",
            |page, call| {
                let words = call.text("words").map(str::to_owned);
                actions::decide(page, Decision::Accept { proposal: call.place("proposal").to_owned(), words })
            },
        )
        .taking(Takes::Object(&[WORDS])),
        act(page, "/api/v1/review/{proposal}/reject", "Drops an edit that waits, for good.", |page, call| {
            actions::decide(page, Decision::Reject { proposal: call.place("proposal").to_owned() })
        }),
    ]
}

/// What is going on, and what people can do about it.
fn work(page: &Arc<Page>) -> Vec<Route> {
    vec![
        look(
            page,
            "/api/v1/now",
            "What the daemon is doing, as `status --json`, with the kill switches.",
            |page, _| async move { views::now(&page).await },
        ),
        act(
            page,
            "/api/v1/pause",
            "Sets a kill switch: running work ends, and nothing starts.",
            actions::pause,
        )
        .taking(Takes::Object(&[PARTITION, WHY])),
        act(page, "/api/v1/resume", "Lifts a kill switch.", actions::resume)
            .taking(Takes::Object(&[PARTITION])),
        look(page, "/api/v1/inboxes", "The tasks that wait, and why.", |page, _| async move {
            page.inboxes().await
        }),
        act(page, "/api/v1/inboxes/{partition}", "Hands a task to a partition.", actions::hand_over)
            .taking(Takes::Object(&[NAME, BODY])),
        look(page, "/api/v1/inboxes/{partition}/{task}", "What a task says.", |page, call| async move {
            page.read(move |page| views::task(page, call.place("partition"), call.place("task"))).await
        }),
        act(
            page,
            "/api/v1/inboxes/{partition}/{task}/retry",
            "Lets a held task be tried again.",
            actions::retry,
        ),
        look(page, "/api/v1/blackboards", "The threads of supervised runs.", |page, _| async move {
            page.read(views::blackboards).await
        }),
        look(
            page,
            "/api/v1/blackboards/{thread}",
            "One thread: its entries, and what they come to.",
            |page, call| async move { page.read(move |page| views::blackboard(page, call.place("thread"))).await },
        ),
        act(
            page,
            "/api/v1/blackboards/{thread}/directives",
            "Tells the supervisor of a thread something.",
            actions::direct,
        )
        .taking(Takes::Object(&[TEXT])),
    ]
}

/// What happened.
fn records(page: &Arc<Page>) -> Vec<Route> {
    let stream = Arc::clone(page);
    vec![
        look(page, "/api/v1/runs", "What ran, newest first.", |page, call| async move {
            page.read(move |page| views::runs(page, call.number("limit"))).await
        })
        .with_query(&[LIMIT]),
        look(page, "/api/v1/runs/{run}", "Everything about one run.", |page, call| async move {
            page.read(move |page| views::run(page, call.place("run"))).await
        }),
        look(page, "/api/v1/spend", "What models cost, by day and partition.", |page, call| async move {
            page.read(move |page| views::spend(page, call.number("days"))).await
        })
        .with_query(&[DAYS]),
        look(page, "/api/v1/spine", "The newest events of the log, oldest first.", |page, call| async move {
            page.read(move |page| views::spine(page, &call)).await
        })
        .with_query(&EVENTS),
        Route::get(
            "/api/v1/stream",
            Rights::Person,
            "Server-sent events: which views have changed.",
            move |_| {
                let answer = pulse::stream(&stream);
                async move { answer }
            },
        ),
    ]
}

/// What other programs look at.
fn for_machines(page: &Arc<Page>) -> Vec<Route> {
    let (page, counted) = (Arc::clone(page), Arc::clone(page));
    vec![
        Route::get("/metrics", Rights::Person, "What can be counted, for Prometheus.", move |_| {
            let page = Arc::clone(&counted);
            async move { views::metrics(&page).await.map_or_else(Answer::from, exposition) }
        }),
        Route::get("/healthz", Rights::Anybody, "Whether the daemon lives.", |_| async {
            Answer::Text("text/plain", "ok\n".into())
        }),
        Route::get("/readyz", Rights::Anybody, "Whether it can append to its log.", move |_| {
            let page = Arc::clone(&page);
            async move {
                match views::is_ready(&page).await {
                    true => Answer::Text("text/plain", "ready\n".into()),
                    false => Answer::Refused(Fault::NotNow, "not ready".into()),
                }
            }
        }),
    ]
}

/// A text that Prometheus reads.
fn exposition(text: Value) -> Answer {
    let text = text.as_str().unwrap_or_default().to_owned();
    Answer::Text("text/plain; version=0.0.4; charset=utf-8", text)
}

type Done = Result<Value, PageError>;

/// A person looks.
fn look<F>(
    page: &Arc<Page>,
    path: &'static str,
    about: &'static str,
    view: impl Fn(Arc<Page>, Call) -> F + Send + Sync + 'static,
) -> Route
where
    F: Future<Output = Done> + Send + 'static,
{
    let page = Arc::clone(page);
    Route::get(path, Rights::Person, about, move |call| {
        let seen = view(Arc::clone(&page), call);
        async move { shown(seen.await) }
    })
}

/// A person does something.
fn act<F>(
    page: &Arc<Page>,
    path: &'static str,
    about: &'static str,
    action: impl Fn(Arc<Page>, Call) -> F + Send + Sync + 'static,
) -> Route
where
    F: Future<Output = Done> + Send + 'static,
{
    look(page, path, about, action).that_acts()
}
