//! Who a worker is, for people who ask while it sleeps.

use subcortex_agent::whoami;
use subcortex_cadence::PartitionId;
use subcortex_scratchpad::State;

use crate::edge::load_saved;
use crate::setup::{ServeError, Setup};
use subcortex_work::{Occasion, identity};

/// What a worker would be told about itself if it woke now; nothing is changed.
pub fn whoami_of(setup: &Setup, worker: &PartitionId) -> Result<String, ServeError> {
    let config = setup.read_config()?;
    let definition = setup
        .eyes()
        .definition(worker)
        .map_err(|source| ServeError::Os { what: "read its definition", source })?
        .map_err(ServeError::Config)?;
    let minds = setup.minds(&config);
    let (tokens_per_run, usd_per_day) = minds.limits(&definition);
    let occasion = Occasion {
        run_id: None,
        tick: load_saved(&*setup.disk, &setup.home)?.tick.0,
        mode: "asleep",
        model: minds.model_in_words(&definition),
        tokens_per_run,
        usd_per_day,
    };
    let identity = identity(&setup.home, worker.as_str(), &definition, occasion);
    Ok(whoami(&identity, &scratchpad_of(setup, worker)?))
}

/// The scratchpad of a worker as it stands.
pub fn scratchpad_of(setup: &Setup, worker: &PartitionId) -> Result<State, ServeError> {
    let dir = setup.home.scratchpad(worker.as_str());
    let read = subcortex_scratchpad::read(&*setup.disk, &dir);
    Ok(read.map_err(|error| ServeError::Config(error.to_string()))?.state)
}

/// What was spent on models today.
pub fn spend(setup: &Setup) -> Result<subcortex_usage::Spend, ServeError> {
    let config = setup.read_config()?;
    Ok(setup.minds(&config).account.spend(jiff::Timestamp::now()))
}
