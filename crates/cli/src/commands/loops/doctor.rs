//! `subcortex loop doctor`: would it really run here?

use std::path::Path;

use subcortex_config::Config;
use subcortex_engine::{CommandSpec, Limits, resolve};
use subcortex_home::doctor::{Finding, Severity};
use subcortex_known_agents::AGENTS;
use subcortex_loops::LoopPlace;
use subcortex_loops::doctor::{Around, Health, Observation, examine};
use subcortex_store::RealDisk;

use super::{read, settings};
use crate::args::LoopTarget;
use crate::commands::doctor::shown;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::{print, print_json};
use crate::surroundings::Surroundings;

pub(super) fn run(
    surroundings: &Surroundings,
    home: Option<&Path>,
    args: &LoopTarget,
) -> Result<ExitCode, Failure> {
    let (place, config) = read(surroundings, &args.target)?;
    let Config { api, agents, budget, .. } = settings(surroundings, home)?;
    let programs: Vec<(&str, String)> = AGENTS.iter().map(|agent| (agent.name, agents.of(agent).0)).collect();
    let seen = examine(
        &config,
        &Around {
            place: &place,
            disk: &RealDisk,
            find_program: &|program| find_program(surroundings, &place, program),
            agents: &programs,
            has_endpoint: api.base_url.is_some(),
            tokens_per_run: budget.tokens_per_run,
        },
    );
    let findings: Vec<Finding> = seen.into_iter().map(finding).collect();
    if args.json {
        print_json(&findings)?;
    } else {
        print(&shown(&findings, &Looks::of(surroundings)))?;
    }
    let is_broken = findings.iter().any(|finding| finding.severity == Severity::Problem);
    Ok(if is_broken { ExitCode::Failed } else { ExitCode::Done })
}

/// As a run would: in the repository, with what passes through of the environment.
fn find_program(surroundings: &Surroundings, place: &LoopPlace, program: &str) -> Result<String, String> {
    let spec = CommandSpec {
        run_id: "doctor".into(),
        program: program.into(),
        args: Vec::new(),
        cwd: place.root.clone(),
        env: surroundings.environment.clone(),
        stdin: Vec::new(),
        writable: None,
        limits: Limits::within_ms(0),
    };
    let first_line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    resolve(&spec).map(|path| path.display().to_string()).map_err(|error| first_line(error.to_string()))
}

fn finding(seen: Observation) -> Finding {
    let Observation { about, health, found, advice } = seen;
    let severity = match health {
        Health::Fine => Severity::Ok,
        Health::Doubtful => Severity::Warning,
        Health::Broken => Severity::Problem,
    };
    Finding { severity, about, found, advice }
}
