//! Secrets are found where their bytes are listed: `xxd`, `hexdump`, `od`, numbers in brackets; and in UTF-16.

mod corpus;

use corpus::Case;
use corpus::draw::Draw;
use subcortex_guard::Redactor;

/// Of what is found in the plain text.
const RECALL_MIN_PER_CENT: f64 = 99.8;
/// How many bytes programs list on a line.
const LINE_BYTES: usize = 16;
/// A line that lists fewer bytes of a secret than this gives nothing away.
const LEAK_MIN_BYTES: usize = 10;
/// How many of those that are missed are shown.
const SHOWN: usize = 20;

type Line = fn(usize, &[u8]) -> String;

const PROGRAMS: &[(&str, Line)] = &[
    ("xxd", |at, bytes| {
        let numbers: String = bytes.chunks(2).map(|pair| hex(pair, "") + " ").collect();
        format!("{at:08x}: {numbers:<40} {}", seen(bytes))
    }),
    ("hexdump -C", |at, bytes| {
        let halves: Vec<String> = bytes.chunks(8).map(|half| hex(half, " ")).collect();
        format!("{at:08x}  {:<48}  |{}|", halves.join("  "), seen(bytes))
    }),
    ("hexdump", |at, bytes| {
        let swapped = bytes.chunks(2).map(|pair| match pair {
            [low, high] => format!(" {high:02x}{low:02x}"),
            other => format!(" 00{}", hex(other, "")),
        });
        format!("{at:07x}{}", swapped.collect::<String>())
    }),
    ("od -t x1", |at, bytes| format!("{at:07o} {}", hex(bytes, " "))),
    ("od -t x1z", |at, bytes| format!("{at:06x} {:<47}  >{}<", hex(bytes, " "), seen(bytes))),
    ("od -c", |at, bytes| {
        let cell = |byte: &u8| match byte {
            b'\n' => "  \\n".to_owned(),
            b'\t' => "  \\t".to_owned(),
            b' '..=b'~' => format!("   {}", char::from(*byte)),
            other => format!(" {other:03o}"),
        };
        format!("{at:07o}{}", bytes.iter().map(cell).collect::<String>())
    }),
];

fn hex(bytes: &[u8], between: &str) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between)
}

fn seen(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' }).collect()
}

/// The lines of a listing, and which of them give away a secret.
fn listing(case: &Case, line: Line) -> Vec<(String, bool)> {
    let bytes = case.text.as_bytes();
    let secrets: Vec<_> = case
        .secrets
        .iter()
        .flat_map(|secret| case.text.match_indices(secret.as_str()).map(|(at, found)| at..at + found.len()))
        .collect();
    let gives_away = |from: usize, to: usize| {
        secrets
            .iter()
            .any(|secret| to.min(secret.end).saturating_sub(from.max(secret.start)) >= LEAK_MIN_BYTES)
    };
    let lines = bytes.chunks(LINE_BYTES).enumerate();
    lines
        .map(|(index, chunk)| {
            let from = index * LINE_BYTES;
            (line(from, chunk), gives_away(from, from + chunk.len()))
        })
        .collect()
}

#[test]
fn secrets_are_found_in_listings_of_bytes() {
    let redactor = Redactor::new();
    let (mut count, mut missed) = (0, Vec::new());
    let cases = corpus::cases(1);
    for case in cases.iter().filter(|case| !case.is_leaked_by(&redactor.text(&case.text))) {
        for (program, line) in PROGRAMS {
            let lines = listing(case, *line);
            let shown: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
            let clean = redactor.text(&shown);
            count += 1;
            if lines.iter().any(|(line, gives_away)| *gives_away && clean.contains(line.as_str())) {
                missed.push(format!("{program}: {} / {}: {clean}", case.kind, case.place));
            }
        }
    }
    let recall = (count - missed.len()) as f64 * 100.0 / count as f64;
    println!("{count} listings, recall {recall:.3} %");
    assert!(recall >= RECALL_MIN_PER_CENT, "{recall:.3} %\n{}", missed[..missed.len().min(SHOWN)].join("\n"));
}

#[test]
fn secrets_are_found_in_utf_16() {
    let redactor = Redactor::new();
    let wide = |text: &str| text.chars().flat_map(|character| [character, '\0']).collect::<String>();
    let cases = corpus::formed::cases(&mut Draw::seeded(1));
    let found = cases.iter().filter(|case| !case.is_leaked_by(&redactor.text(&case.text)));
    let (whole, leaked): (Vec<_>, Vec<_>) = found.partition(|case| {
        let clean = redactor.text(&wide(&case.text)).replace('\0', "");
        !case.is_leaked_by(&clean)
    });
    let recall = whole.len() as f64 * 100.0 / (whole.len() + leaked.len()) as f64;
    println!("{} texts, recall {recall:.3} %", whole.len() + leaked.len());
    assert!(recall >= RECALL_MIN_PER_CENT, "{recall:.3} %: {:?}", leaked.first().map(|case| &case.text));
}

#[test]
fn a_private_key_is_found_as_a_list_of_numbers() {
    let body = Draw::seeded(3).fill("{b64}").0;
    let key =
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n{body}\n-----END OPENSSH PRIVATE KEY-----\n");
    let decimal = |between: &str| key.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(between);
    for text in [
        format!("{{\"type\":\"Buffer\",\"data\":[{}]}}", decimal(",")),
        format!("array([{}], dtype=uint8)", decimal(", ")),
        format!("<Buffer {}>", hex(key.as_bytes(), " ")),
        hex(key.as_bytes(), ""),
        hex(key.as_bytes(), "").to_uppercase(),
        key.as_bytes().chunks(12).map(|line| format!("  0x{},\n", hex(line, ", 0x"))).collect(),
    ] {
        let clean = Redactor::new().text(&text).into_owned();
        assert!(clean.len() < 80 && clean.contains("[REDACTED:private-key]"), "{clean}");
    }
}

#[test]
fn listings_of_ordinary_bytes_stay() {
    let text =
        "-----BEGIN CERTIFICATE-----\nfn main() { println!(\"hello\"); }\n// password: see the vault\n";
    for (_, line) in PROGRAMS {
        let lines = text.as_bytes().chunks(LINE_BYTES).enumerate();
        let shown: String = lines.map(|(index, bytes)| line(index * LINE_BYTES, bytes) + "\n").collect();
        assert_eq!(Redactor::new().text(&shown), shown);
    }
    let numbers = hex(text.as_bytes(), " ");
    assert_eq!(Redactor::new().text(&numbers), numbers);
}
