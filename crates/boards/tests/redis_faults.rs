//! What happens to a Redis server, and what becomes of a thread then.
#![allow(clippy::unwrap_used)] // a test may

mod common;

use std::time::Duration;

use common::*;
use jiff::Timestamp;
use subcortex_boards::{BoardError, Boards, RedisBoards};

fn boards(server: &Server) -> RedisBoards {
    RedisBoards::new(&server.url(), TTL_S).unwrap()
}

#[test]
fn a_server_that_is_away_is_named_with_what_to_do() {
    let Some(mut server) = Server::start("away", &[]) else { return };
    let boards = boards(&server);
    server.kill();
    let error = say(&boards, &thread("t"), &boss(), strategy(&["Acme"])).unwrap_err();
    assert!(matches!(error, BoardError::Away { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains(&format!("127.0.0.1:{}", server.port)) && text.contains("start it"), "{text}");
    assert!(boards.watch(&thread("t")).is_err());
}

#[test]
fn a_thread_goes_on_after_a_restart_with_its_data() {
    let Some(mut server) = Server::start("restart", &["--appendonly", "yes", "--appendfsync", "always"])
    else {
        return;
    };
    let boards = boards(&server);
    let t = thread("t");
    say(&boards, &t, &boss(), strategy(&["Acme"])).unwrap();
    let mut watch = boards.watch(&t).unwrap();
    server.kill();
    server.start_again();
    assert_eq!(say(&boards, &t, &worker("w1"), pending("w1", "ceo")).unwrap(), 2, "on a new connection");
    for _ in 0..3 {
        watch.wait(Duration::from_millis(50)).unwrap();
    }
    assert_eq!(boards.read(&t, Timestamp::now()).unwrap().records().len(), 2);
}

#[test]
fn a_thread_whose_data_is_gone_begins_anew() {
    let Some(mut server) = Server::start("gone", &[]) else { return };
    let boards = boards(&server);
    let t = thread("t");
    say(&boards, &t, &boss(), strategy(&["Acme"])).unwrap();
    say(&boards, &t, &worker("w1"), pending("w1", "ceo")).unwrap();
    server.kill();
    server.start_again();
    let refused = say(&boards, &t, &worker("w1"), verified("w1", "ceo")).unwrap_err();
    assert!(refused.to_string().contains("there is no STRATEGY yet"), "{refused}");
    // As long as before, and not the same.
    say(&boards, &t, &boss(), strategy(&["Acme"])).unwrap();
    say(&RedisBoards::new(&server.url(), TTL_S).unwrap(), &t, &worker("w2"), pending("w2", "ceo")).unwrap();
    let refused = say(&boards, &t, &worker("w1"), verified("w1", "ceo")).unwrap_err();
    assert!(refused.to_string().contains("claimed by `w2`"), "{refused}");
}

#[test]
fn a_list_of_the_same_length_that_is_another_is_noticed() {
    let Some(server) = Server::start("another", &[]) else { return };
    let (one, other) = (boards(&server), boards(&server));
    let t = thread("t");
    say(&one, &t, &boss(), strategy(&["Acme"])).unwrap();
    server.ask("FLUSHALL");
    say(&other, &t, &boss(), strategy(&["Globex"])).unwrap();
    let refused = say(&one, &t, &worker("w1"), pending("w1", "ceo")).unwrap_err();
    assert!(refused.to_string().contains("does not list `Acme`"), "{refused}");
}

#[test]
fn a_full_server_takes_nothing_and_says_so() {
    let Some(server) = Server::start("full", &["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"])
    else {
        return;
    };
    let boards = boards(&server);
    let t = thread("t");
    let long = "x".repeat(100_000);
    let refused = (0..200).find_map(|_| say(&boards, &t, &person(), directive(&long)).err()).unwrap();
    assert!(matches!(refused, BoardError::Full { .. }), "{refused:?}");
    let before = boards.read(&t, Timestamp::now()).unwrap().records().len();
    server.ask("CONFIG SET maxmemory 0");
    assert_eq!(
        say(&boards, &t, &person(), directive("more")).unwrap() as usize,
        before + 1,
        "nothing half written"
    );
}

#[test]
fn a_cut_connection_neither_loses_nor_doubles_an_entry() {
    let Some(server) = Server::start("cut", &[]) else { return };
    let boards = boards(&server);
    let t = thread("t");
    for round in 0..200 {
        say(&boards, &t, &person(), directive(&format!("{round}"))).unwrap();
        if round % 10 == 0 {
            server.ask("CLIENT KILL TYPE normal SKIPME yes");
        }
    }
    let texts: Vec<_> = boards.read(&t, Timestamp::now()).unwrap().board().open_directives().to_vec();
    assert_eq!(texts, (0..200).map(|round| round.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_listener_that_never_listens_holds_nobody_up() {
    let Some(server) = Server::start("slow", &["--client-output-buffer-limit", "pubsub 1kb 1kb 1"]) else {
        return;
    };
    let boards = boards(&server);
    let t = thread("t");
    let mut watch = boards.watch(&t).unwrap();
    for round in 0..2_000 {
        say(&boards, &t, &person(), directive(&format!("{round}"))).unwrap();
    }
    for _ in 0..5 {
        watch.wait(Duration::from_millis(10)).unwrap();
    }
    assert_eq!(boards.read(&t, Timestamp::now()).unwrap().records().len(), 2_000, "nothing was lost for it");
}

#[test]
fn what_others_put_under_the_key_is_refused_and_left() {
    let Some(server) = Server::start("others", &[]) else { return };
    let boards = boards(&server);
    server.ask("RPUSH scratchpad:a nonsense");
    let error = say(&boards, &thread("a"), &boss(), strategy(&["Acme"])).unwrap_err();
    assert!(matches!(error, BoardError::Damaged { seq: 1, .. }), "{error:?}");
    server.ask("SET scratchpad:b text");
    let error = say(&boards, &thread("b"), &boss(), strategy(&["Acme"])).unwrap_err();
    assert!(matches!(error, BoardError::Server { .. }), "{error:?}");
}

#[test]
fn passwords_come_by_url_and_are_never_shown() {
    let Some(server) = Server::start("password", &["--requirepass", "hush-hush"]) else { return };
    let url = |password| format!("redis://:{password}@127.0.0.1:{}", server.port);
    let right = RedisBoards::new(&url("hush-hush"), TTL_S).unwrap();
    say(&right, &thread("t"), &boss(), strategy(&["Acme"])).unwrap();
    let wrong = RedisBoards::new(&url("not-this"), TTL_S).unwrap();
    let error = say(&wrong, &thread("t"), &boss(), strategy(&["Acme"])).unwrap_err();
    assert!(!format!("{error} {error:?} {right:?} {wrong:?}").contains("hush"), "{error}");
    assert!(!error.to_string().contains("not-this"), "{error}");
    let address = RedisBoards::new("http://user:hush@x/", TTL_S).unwrap_err();
    assert!(
        matches!(address, BoardError::Address { .. }) && !address.to_string().contains("hush"),
        "{address}"
    );
}

#[test]
fn the_expiry_is_set_with_every_entry() {
    let Some(server) = Server::start("expiry", &[]) else { return };
    let boards = RedisBoards::new(&server.url(), 100).unwrap();
    say(&boards, &thread("t"), &boss(), strategy(&["Acme"])).unwrap();
    server.ask("EXPIRE scratchpad:t 10");
    say(&boards, &thread("t"), &person(), directive("x")).unwrap();
    let left: u64 = server.ask("TTL scratchpad:t").trim_start_matches(':').parse().unwrap();
    assert!((90..=100).contains(&left), "{left}");
}
