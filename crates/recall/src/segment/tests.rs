use std::collections::HashMap;

use super::*;

fn stored(path: &str) -> Stored {
    Stored {
        kind: Kind::Line,
        path: path.into(),
        ts: None,
        event: None,
        session: None,
        parts: vec![path.into()],
    }
}

fn built(docs: &[(&str, &[(&str, u32)])]) -> Files {
    let mut builder = Builder::default();
    for (path, words) in docs {
        let counts: HashMap<String, u32> =
            words.iter().map(|(word, times)| ((*word).into(), *times)).collect();
        builder.add(&stored(path), &counts);
    }
    builder.finish()
}

fn found(segment: &Segment, word: &str) -> Vec<(u32, u32)> {
    let list = segment.find(word);
    list.into_iter().flat_map(|(_, postings)| postings).map(|posting| (posting.doc, posting.times)).collect()
}

fn three() -> Files {
    built(&[("a", &[("tab", 2), ("space", 1)]), ("b", &[("tab", 300)]), ("c", &[("zebra", 1)])])
}

#[test]
fn what_was_put_in_is_found() {
    let segment = Segment::parse(three().words).unwrap();
    assert_eq!(segment.docs(), 3);
    assert_eq!(found(&segment, "tab"), [(0, 2), (1, 300)]);
    assert_eq!(found(&segment, "space"), [(0, 1)]);
    assert_eq!(found(&segment, "zebra"), [(2, 1)]);
    assert_eq!(found(&segment, "nothing"), []);
    assert_eq!((segment.length(0), segment.length(1), segment.total_length()), (3, 300, 304));
}

#[test]
fn an_empty_segment_holds_nothing() {
    let segment = Segment::parse(Builder::default().finish().words).unwrap();
    assert_eq!((segment.docs(), found(&segment, "tab").len()), (0, 0));
}

#[test]
fn a_line_is_where_the_segment_says() {
    let files = three();
    let segment = Segment::parse(files.words).unwrap();
    for (doc, path) in [(0, "a"), (1, "b"), (2, "c")] {
        let (from, len, crc) = segment.line_of(doc).unwrap();
        let line = &files.docs[from as usize..from as usize + len as usize];
        assert_eq!(crc32fast::hash(line), crc);
        assert_eq!(serde_json::from_slice::<Stored>(line).unwrap(), stored(path));
    }
}

#[test]
fn segments_become_one_without_what_is_gone() {
    let (one, other) =
        (Segment::parse(three().words).unwrap(), Segment::parse(built(&[("d", &[("tab", 1)])]).words));
    let mut both = Builder::default();
    one.pour_into(&mut both, |doc| (doc != 1).then(|| doc.to_string().into_bytes())).unwrap();
    other.unwrap().pour_into(&mut both, |_| Some(b"d".to_vec())).unwrap();
    let files = both.finish();
    assert_eq!(files.docs, b"0\n2\nd\n");
    let segment = Segment::parse(files.words).unwrap();
    assert_eq!(found(&segment, "tab"), [(0, 2), (2, 1)]);
    assert_eq!(found(&segment, "zebra"), [(1, 1)]);
}

#[test]
fn no_damage_goes_unseen_and_none_makes_it_panic() {
    let whole = three().words;
    for cut in 0..whole.len() {
        assert!(Segment::parse(whole[..cut].to_vec()).is_err(), "cut at {cut}");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        assert!(Segment::parse(bytes.clone()).is_err(), "byte {at}");
        // Whoever mends the checksum as well gets some answer, and no panic.
        let end = bytes.len() - 4;
        let crc = crc32fast::hash(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&crc);
        if let Ok(segment) = Segment::parse(bytes) {
            let _list = found(&segment, "tab");
            let _lines: Vec<_> = (0..segment.docs().min(100)).map(|doc| segment.line_of(doc)).collect();
        }
    }
}
