//! `subcortex audit --engine`: every rule is read by a model before it is held against the sessions.
//!
//! What was answered is kept below `var/index/compiled/` of the home, or of the person's cache where there is no home, by a key of what
//! it rests on; so a rule costs once. The account, the budget and the kill switch are the home's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use subcortex_audit::{Asking, Found, Kept, Options, Project, Rules, sample};
use subcortex_counsel::Counsel;
use subcortex_counsel::compiler::{Knowledge, MAX_RULES_A_QUESTION};
use subcortex_counsel::project::look_at;
use subcortex_daemon::counsel;
use subcortex_home::Home;
use subcortex_store::{Disk, RealDisk, durable};

use super::World;
use crate::failure::Failure;
use crate::output::note;
use crate::surroundings::Surroundings;

/// Where answers are kept, below `var/index`.
const COMPILED: &str = "compiled";
/// The largest answer that is read again, in bytes.
const MAX_KEPT_BYTES: u64 = 256 * 1024;
/// As what the questions stand in the account.
const PAYER: &str = "audit";

pub(crate) fn compile(
    surroundings: &Surroundings,
    home: Option<&Path>,
    engine: &str,
    project: &Project,
    found: &Found,
    options: &Options<'_>,
    rules: &mut Rules,
) -> Result<(), Failure> {
    let world = World { home: home_or_cache(surroundings, home)?, disk: Arc::new(RealDisk), surroundings };
    let folder = world.home.var().join("index").join(COMPILED);
    let targets = project.folder().map(|folder| look_at(options.disk, folder).targets).unwrap_or_default();
    let mut knowledge = Knowledge { targets, ..Knowledge::default() };
    let turns = sample(found, options);
    knowledge.learn(turns.iter());
    let asking = Asking::new(rules, &knowledge, &|key| kept(&*world.disk, &folder, key));
    if asking.open() == 0 {
        return Ok(());
    }
    let mind = counsel(&world.setup(), engine, PAYER, folder.clone())?;
    durable::make_dirs(&*world.disk, Path::new("/"), folder.strip_prefix("/").unwrap_or(&folder))?;
    let (read, written) = asking.tokens();
    let questions = asking.open().div_ceil(MAX_RULES_A_QUESTION);
    note(&format!(
        "note: asking `{engine}` about {} rules in {questions} question{}: about {read} tokens to read, at most {written} to answer; and once more about what looks wrong in its answers",
        asking.open(),
        if questions == 1 { "" } else { "s" },
    ));
    // One more, if what it answered looks wrong on the turns.
    let mut counsel = Counsel::new(Some(&mind), questions + 1);
    for (key, kept) in asking.ask(rules, &mut counsel, &turns) {
        if let Ok(text) = serde_json::to_string(&kept) {
            durable::replace(&*world.disk, &folder.join(format!("{key}.json")), text.as_bytes())?;
        }
    }
    match counsel.last_failure() {
        Some(why) => Err(Failure::failed(format!(
            "`{engine}` did not answer: {why}\nwithout --engine the rules are read by code"
        ))),
        None => Ok(()),
    }
}

fn kept(disk: &dyn Disk, folder: &Path, key: &str) -> Option<Kept> {
    let text = durable::read_text(disk, &folder.join(format!("{key}.json")), MAX_KEPT_BYTES).ok()?;
    serde_json::from_str(&text).ok()
}

/// The home if there is one, else a place of the same form in the person's cache.
fn home_or_cache(surroundings: &Surroundings, home: Option<&Path>) -> Result<Home, Failure> {
    let home = surroundings.home(home)?;
    if home.root().is_dir() {
        return Ok(home);
    }
    let cache: Option<PathBuf> =
        surroundings.xdg_cache_home.clone().or_else(|| Some(surroundings.user_home.as_ref()?.join(".cache")));
    cache.filter(|cache| cache.is_absolute()).map(|cache| Home::at(cache.join("subcortex"))).ok_or_else(
        || Failure::refused("there is no home and no $HOME, so what a model answers could not be kept"),
    )
}
