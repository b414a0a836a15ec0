//! A torn tail, at every byte and in every shape.

use subcortex_spine::Durability;

use crate::common::{Home, message, now};

/// A log of records, with the offset behind each of them.
fn log_of(records: usize) -> (Vec<u8>, Vec<usize>) {
    let home = Home::new();
    let drafts = (0..records).map(|n| message(&format!("{n} ☃ \"quoted\""))).collect();
    home.spine().append(drafts, now(), Durability::Written).unwrap();
    let bytes = std::fs::read(home.day_file()).unwrap();
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    (bytes, ends)
}

#[test]
fn a_log_cut_at_every_offset_keeps_its_whole_records_and_takes_the_next() {
    let (bytes, ends) = log_of(1000);
    let home = Home::in_memory();
    home.append("make the folders");
    // Every offset is tried. Repairing looks at the last 64 KiB only, so most of the file before that is left
    // out of most trials: the last 5 records before the cut stand for it, and every 997th trial uses all.
    let mut trials = 0;
    for cut in 0..=bytes.len() {
        let whole = ends.partition_point(|end| *end <= cut);
        let skip = if cut.is_multiple_of(997) { 0 } else { whole.saturating_sub(5) };
        let from = if skip == 0 { 0 } else { ends[skip - 1] };
        check_cut(&home, &bytes[from..cut], skip, whole, ends.binary_search(&(cut + 1)).is_ok());
        trials += 1;
    }
    println!("{trials} cuts");
}

#[track_caller]
fn check_cut(home: &Home, bytes: &[u8], skip: usize, whole: usize, only_newline_missing: bool) {
    home.write_day(bytes);
    home.append("next");
    let whole = if only_newline_missing { whole + 1 } else { whole };
    let mut expect: Vec<String> = (skip..whole).map(|n| format!("{n} ☃ \"quoted\"")).collect();
    expect.push("next".into());
    assert_eq!(home.texts(), expect, "cut after {} bytes", bytes.len());
    if bytes.len().is_multiple_of(97) {
        let verified = home.verify();
        assert_eq!(verified.damaged, []);
        let is_torn = !bytes.is_empty() && !bytes.ends_with(b"\n");
        assert_eq!(verified.repaired, u64::from(is_torn));
    }
}

/// Writes `tail` behind three records, appends one more, and says what is there then.
#[track_caller]
fn check_tail(tail: &[u8], expect: &[&str], quarantined: bool) {
    let (mut bytes, _) = log_of(3);
    bytes.extend_from_slice(tail);
    let home = Home::new();
    home.write_day(&bytes);
    home.append("next");
    let mut all = vec!["0 ☃ \"quoted\"", "1 ☃ \"quoted\"", "2 ☃ \"quoted\""];
    all.extend_from_slice(expect);
    assert_eq!(home.texts(), all);
    let kept: Vec<_> = std::fs::read_dir(home.dirs().quarantine)
        .map(|entries| entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect())
        .unwrap_or_default();
    let expect_kept: &[&[u8]] = if quarantined { &[tail] } else { &[] };
    assert_eq!(kept, expect_kept);
    assert_eq!(home.verify().damaged, [], "a repaired log is sound");
    home.append("and on");
    assert_eq!(home.texts().last().unwrap(), "and on");
}

#[test]
fn every_shape_of_a_torn_tail_is_repaired() {
    // The fourth record of its log, because it stands behind three others here.
    let (four, ends) = log_of(4);
    let whole = &four[ends[2]..ends[3] - 1];
    let fused = [&whole[..40], whole, b"\n"].concat();
    let fused_open = [&whole[..40], whole].concat();
    check_tail(b"", &["next"], false);
    check_tail(b"{\"id\":\"evt_1\",\"ts", &["next"], true);
    check_tail("{\"id\":\"☃".as_bytes().split_last().unwrap().1, &["next"], true);
    check_tail(&[0; 700], &["next"], true);
    check_tail(&[&[0; 300][..], b"\n"].concat(), &["next"], true);
    check_tail(b"half a line\n", &["next"], true);
    check_tail(whole, &["3 ☃ \"quoted\"", "next"], false);
    check_tail(&fused, &["3 ☃ \"quoted\"", "next"], true);
    check_tail(&fused_open, &["3 ☃ \"quoted\"", "next"], true);
    check_tail(&[&[0; 100][..], whole, b"\n"].concat(), &["3 ☃ \"quoted\"", "next"], true);
    check_tail(&vec![0; 9 * 1024 * 1024], &["next"], true);
}

#[test]
fn lines_of_others_are_left_alone() {
    let plain = r#"{"type":"channel.message","id":"x","ts":"2026-03-01T00:00:00Z","source":{"kind":"u"},"payload":{"text":"plain"}}"#;
    check_tail(format!("{plain}\n").as_bytes(), &["plain", "next"], false);
    check_tail(plain.as_bytes(), &["plain", "next"], false);
}

#[test]
fn damage_in_the_middle_is_reported_and_records_around_it_stay() {
    let (bytes, ends) = log_of(5);
    let mut damaged = bytes.clone();
    damaged[ends[1] + 30] ^= 1;
    let home = Home::new();
    home.write_day(&damaged);
    home.append("next");
    let texts = home.texts();
    assert_eq!(texts.len(), 6);
    assert_eq!(texts[2], "!the checksum does not match");
    let verified = home.verify();
    assert_eq!(verified.damaged.len(), 1);
    assert_eq!(verified.damaged[0].offset, ends[1] as u64);
}

#[test]
fn a_record_that_was_taken_out_of_the_middle_is_noticed() {
    let (bytes, ends) = log_of(5);
    let home = Home::new();
    home.write_day(&[&bytes[..ends[1]], &bytes[ends[2]..]].concat());
    assert_eq!(home.verify().damaged[0].reason, "record 2 is followed by record 4");
}
