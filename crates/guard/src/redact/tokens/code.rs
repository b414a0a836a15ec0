//! Tokens of code hosts, package registries and build services.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Piece, Shape, run, shape};

const URL64: Class = Class::URL64;
const ALNUM: Class = Class::ALNUM;
const LOWER_HEX: Class = Class::LOWER_HEX;

pub(super) const SHAPES: &[Shape] = &[
    shape("github-token", &["ghp_", "gho_", "ghu_", "ghr_"], &[run(ALNUM, 30, OPEN)]),
    // Tokens of installations may carry a signed part with dots.
    shape("github-token", &["ghs_"], &[run(URL64.or(Class::DOT), 30, OPEN)]),
    shape("github-token", &["github_pat_"], &[run(Class::WORD, 22, OPEN)]),
    shape(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-",
            "glcbt-", "glffct-", "gloas-", "glwt-",
        ],
        &[run(URL64.or(Class::DOT), 16, OPEN)],
    )
    .word(),
    shape("gitlab-token", &["GR1348941"], &[run(URL64, 16, OPEN)]).word(),
    shape("bitbucket-token", &["ATBB"], &[run(ALNUM, 24, 40)]).word().closed().random(),
    shape("bitbucket-token", &["ATCTT3"], &[run(Class::ANY64, 40, OPEN)]).word(),
    shape("atlassian-token", &["ATATT3", "ATSTT3"], &[run(Class::ANY64, 40, OPEN)]).word(),
    shape("npm-token", &["npm_"], &[run(ALNUM, 36, 36)]).word().closed(),
    shape("pypi-token", &["pypi-AgE"], &[run(URL64, 40, OPEN)]),
    shape("rubygems-token", &["rubygems_"], &[run(LOWER_HEX, 40, OPEN)]),
    shape("crates-io-token", &["cio"], &[run(ALNUM, 32, 32)]).word().closed().random(),
    shape("docker-hub-token", &["dckr_pat_", "dckr_oat_"], &[run(URL64, 20, OPEN)]),
    shape("nuget-key", &["oy2"], &[run(Class::LOWER_ALNUM, 43, 43)]).word().closed(),
    shape("clojars-token", &["CLOJARS_"], &[run(LOWER_HEX, 50, OPEN)]),
    shape("jfrog-token", &["AKCp"], &[run(ALNUM, 60, 80)]).word().closed(),
    shape("jfrog-token", &["cmVmdGtu"], &[run(Class::BASE64, 42, 66)]).word().closed(),
    shape("circleci-token", &["CCIPAT_", "CCIPRJ_"], &[run(Class::WORD, 30, OPEN)]),
    shape("buildkite-token", &["bkua_", "bkct_", "bkaj_"], &[run(ALNUM, 30, OPEN)]).word(),
    shape("sonar-token", &["squ_", "sqp_", "sqa_"], &[run(LOWER_HEX, 40, 40)]).word().closed(),
    shape("sonar-token", &["sonar.login=", "sonar.login: "], &[run(LOWER_HEX, 40, 40)])
        .keep_anchor()
        .closed(),
    shape("sourcegraph-token", &["sgp_"], &[run(Class::WORD, 40, 64)]).word().closed().random(),
    shape("postman-key", &["PMAK-"], &[run(Class::HEX, 24, 24), Piece::Text("-"), run(Class::HEX, 30, OPEN)])
        .word(),
    shape("readme-token", &["rdme_"], &[run(Class::LOWER_ALNUM, 60, OPEN)]).word(),
    shape("prefect-token", &["pnu_", "pnb_"], &[run(ALNUM, 32, 40)]).word().closed(),
    shape(
        "harness-token",
        &["pat.", "sat."],
        &[run(URL64, 22, 22), Piece::Text("."), run(ALNUM, 24, 24), Piece::Text("."), run(ALNUM, 20, OPEN)],
    )
    .word(),
    shape("octopus-key", &["API-"], &[run(Class::UPPER_ALNUM, 25, 32)]).word().closed().random(),
    shape(
        "jetbrains-token",
        &["perm:", "perm-"],
        &[run(Class::ANY64, 8, 200), Piece::Text("."), run(Class::ANY64.or(Class::DOT), 20, OPEN)],
    )
    .word(),
    shape("semaphore-token", &["sema4_"], &[run(ALNUM, 30, OPEN)]).word(),
];
