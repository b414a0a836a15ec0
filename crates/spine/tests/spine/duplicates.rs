use std::sync::Arc;

use subcortex_model::{CONTESTS_FIELD, HOOK_FIELD, Standing};
use subcortex_spine::{Appended, Durability, Item, Spine};
use subcortex_store::RealDisk;

use crate::common::{Home, keyed, message, now, read_all};

fn is_new(home: &Home, source_id: &str) -> bool {
    let added = home.spine().append(vec![keyed("x", source_id)], now(), Durability::Written).unwrap();
    matches!(&*added, [Appended::New(_)])
}

#[test]
fn an_event_is_stored_once_also_across_restarts() {
    let home = Home::new();
    assert!(is_new(&home, "s/1"));
    assert!(!is_new(&home, "s/1"));
    assert!(is_new(&home, "s/1#2"));
    let both = vec![keyed("a", "s/2"), keyed("b", "s/2"), keyed("c", "s/1")];
    let added = home.spine().append(both, now(), Durability::Written).unwrap();
    assert!(matches!(&*added, [Appended::New(_), Appended::Duplicate, Appended::Duplicate]));
}

#[test]
fn a_record_with_other_words_than_the_hook_of_its_name_is_kept_once_and_is_doubtful() {
    let home = Home::new();
    let told = |text: &str, by_hook: bool| {
        let mut draft = keyed(text, "s/1");
        draft.payload.extend(by_hook.then(|| (HOOK_FIELD.to_owned(), "UserPromptSubmit".into())));
        let added = home.spine().append(vec![draft], now(), Durability::Written).unwrap();
        matches!(&*added, [Appended::New(_)])
    };
    assert!(told("go on", true));
    assert!(!told("go  on\n", false), "the same words");
    assert!(!told("use tabs", true), "what is typed meanwhile has the name of the running prompt");
    assert!(told("use tabs", false) && !told("use tabs", false));
    let mut events = Vec::new();
    read_all(&home.dirs().events, |item| {
        if let Item::Record { envelope, .. } = item {
            events.push(envelope.to_event().unwrap());
        }
    });
    let contested = events.last().unwrap();
    assert_eq!((contested.text(), contested.standing()), (Some("use tabs"), Standing::Hearsay));
    assert_eq!(contested.payload.get(CONTESTS_FIELD).and_then(|name| name.as_str()), Some("s/1"));
}

#[test]
fn equal_text_twice_is_two_events() {
    let home = Home::new();
    home.append("again");
    home.append("again");
    assert_eq!(home.texts(), ["again", "again"]);
}

#[test]
fn the_index_can_be_deleted_and_is_made_anew() {
    let home = Home::new();
    for n in 0..300 {
        assert!(is_new(&home, &format!("s/{n}")));
    }
    std::fs::remove_dir_all(home.dirs().dedup).unwrap();
    for n in 0..300 {
        assert!(!is_new(&home, &format!("s/{n}")), "{n}");
    }
}

#[test]
fn garbage_in_the_index_loses_nothing_and_doubles_nothing() {
    let home = Home::new();
    for n in 0..100 {
        is_new(&home, &format!("s/{n}"));
    }
    // Every file of the index is spoilt in turn; a table that lies is caught by looking into the log, a
    // position that lies by its checksum.
    for name in ["head", "00", "7f", "ff"] {
        std::fs::write(home.dirs().dedup.join(name), vec![0x5a; 1024]).unwrap();
    }
    std::fs::remove_file(home.dirs().dedup.join("head")).unwrap();
    for n in 0..100 {
        assert!(!is_new(&home, &format!("s/{n}")), "{n}");
    }
    assert!(is_new(&home, "s/100"));
}

#[test]
fn lines_appended_by_others_are_indexed_too() {
    let home = Home::new();
    is_new(&home, "s/1");
    let plain = r#"{"id":"x","ts":"2026-03-01T00:00:00Z","type":"agent.result","source":{"kind":"u"},"dedup":{"source_id":"s/2"},"payload":{}}"#;
    let mut bytes = std::fs::read(home.day_file()).unwrap();
    bytes.extend_from_slice(plain.as_bytes());
    bytes.push(b'\n');
    std::fs::write(home.day_file(), bytes).unwrap();
    assert!(!is_new(&home, "s/2"));
}

#[test]
fn after_a_power_cut_the_index_goes_on_from_its_checkpoint() {
    let home = Home::new();
    let mut first = home.spine();
    first.append(vec![keyed("a", "s/1")], now(), Durability::Synced).unwrap();
    first.checkpoint_index().unwrap();
    first.append(vec![keyed("b", "s/2")], now(), Durability::Synced).unwrap();
    // The tables lose what was not synced: everything since the checkpoint.
    let dedup = home.dirs().dedup;
    for entry in std::fs::read_dir(&dedup).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.len() == 2 && !table_holds_first(&home, &path) {
            std::fs::remove_file(path).unwrap();
        }
    }
    let mut other_boot = Spine::new(Arc::new(RealDisk), home.dirs(), "another-boot".into());
    let added =
        other_boot.append(vec![keyed("a", "s/1"), keyed("b", "s/2")], now(), Durability::Synced).unwrap();
    assert_eq!(added, [Appended::Duplicate, Appended::Duplicate]);
}

/// Whether a table was written before the checkpoint: it points to the first record, at offset 0.
fn table_holds_first(_: &Home, path: &std::path::Path) -> bool {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks(16).any(|slot| slot[..8] != [0; 8] && slot[8..13] == [0; 5])
}

#[test]
fn a_secret_in_a_key_is_redacted_the_same_way_each_time() {
    let home = Home::new();
    let key = format!("ghp_{}/1", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert!(is_new(&home, &key));
    assert!(!is_new(&home, &key));
}

#[test]
fn events_without_a_key_do_not_need_the_index() {
    let home = Home::new();
    home.spine().append(vec![message("x")], now(), Durability::Written).unwrap();
    assert!(!home.dirs().dedup.exists());
}

#[test]
fn a_hundred_thousand_keys_are_all_recognised() {
    let home = Home::new();
    let keys = || (0..100_000).map(|n| keyed("", &format!("session/{n}"))).collect::<Vec<_>>();
    let mut spine = home.spine();
    let added = spine.append(keys(), now(), Durability::Written).unwrap();
    assert!(added.iter().all(|one| matches!(one, Appended::New(_))));
    let again = home.spine().append(keys(), now(), Durability::Written).unwrap();
    assert!(again.iter().all(|one| *one == Appended::Duplicate));
}

#[test]
fn something_else_in_the_place_of_the_index_is_set_aside_and_it_is_made_anew() {
    type Put = fn(&std::path::Path);
    let things: [(&str, Put); 4] = [
        ("a directory", |path| std::fs::create_dir(path).unwrap()),
        ("a full directory", |path| std::fs::create_dir_all(path.join("more")).unwrap()),
        ("a link that leads nowhere", |path| std::os::unix::fs::symlink("/nowhere/at/all", path).unwrap()),
        ("a link to itself", |path| std::os::unix::fs::symlink(path.file_name().unwrap(), path).unwrap()),
    ];
    for (what, make) in things {
        for name in ["head", "checkpoint", "00", "7f", "ff", ""] {
            let home = Home::in_memory();
            for n in 0..20 {
                assert!(is_new(&home, &format!("s/{n}")));
            }
            home.spine().checkpoint_index().unwrap();
            let dedup = home.dirs().dedup;
            let path = if name.is_empty() { dedup.clone() } else { dedup.join(name) };
            match name {
                "" => std::fs::remove_dir_all(&path).unwrap(),
                _ => std::fs::remove_file(&path).unwrap(),
            }
            if !(name.is_empty() && what.ends_with("directory")) {
                make(&path);
            }
            let mut spine = home.spine();
            for n in 0..20 {
                let added =
                    spine.append(vec![keyed("x", &format!("s/{n}"))], now(), Durability::Written).unwrap();
                assert!(matches!(&*added, [Appended::Duplicate]), "{what} at {name:?}: {n}");
            }
            spine.checkpoint_index().unwrap();
            let aside = spine.take_set_aside();
            assert_eq!(
                aside.len(),
                usize::from(path.symlink_metadata().is_err() || aside.len() == 1),
                "{aside:?}"
            );
            assert!(is_new(&home, "s/20") && !is_new(&home, "s/20"), "{what} at {name:?}");
            home.spine().checkpoint_index().unwrap();
        }
    }
}
