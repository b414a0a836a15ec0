//! The files of the page, embedded. They tell nothing of the home, so everybody may have them.

use subcortex_web::{Answer, Rights, Route};

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// Each file: where it is, its type, what it holds.
const FILES: [(&str, &str, &str); 17] = [
    ("/", HTML, include_str!("../assets/index.html")),
    ("/page/icon.svg", PICTURE, include_str!("../assets/icon.svg")),
    // The report looks as an audit does.
    ("/page/report.css", STYLE, subcortex_audit::STYLE),
    ("/page/page.css", STYLE, include_str!("../assets/page.css")),
    ("/page/main.js", SCRIPT, include_str!("../assets/main.js")),
    ("/page/server.js", SCRIPT, include_str!("../assets/server.js")),
    ("/page/dom.js", SCRIPT, include_str!("../assets/dom.js")),
    ("/page/words.js", SCRIPT, include_str!("../assets/words.js")),
    ("/page/charts.js", SCRIPT, include_str!("../assets/charts.js")),
    ("/page/views/broadcast.js", SCRIPT, include_str!("../assets/views/broadcast.js")),
    ("/page/views/review.js", SCRIPT, include_str!("../assets/views/review.js")),
    ("/page/views/now.js", SCRIPT, include_str!("../assets/views/now.js")),
    ("/page/views/runs.js", SCRIPT, include_str!("../assets/views/runs.js")),
    ("/page/views/inboxes.js", SCRIPT, include_str!("../assets/views/inboxes.js")),
    ("/page/views/spend.js", SCRIPT, include_str!("../assets/views/spend.js")),
    ("/page/views/spine.js", SCRIPT, include_str!("../assets/views/spine.js")),
    ("/page/views/blackboards.js", SCRIPT, include_str!("../assets/views/blackboards.js")),
];

/// A row for each file.
pub(crate) fn routes() -> Vec<Route> {
    let about = "A file of the page; it holds nothing of the home.";
    FILES
        .iter()
        .map(|&(path, kind, text)| {
            Route::get(path, Rights::Anybody, about, move |_| async move { Answer::File(kind, text) })
        })
        .collect()
}
