use std::collections::BTreeSet;

use super::*;

/// Texts are written on one line here: `a b c` are three lines.
#[track_caller]
fn check(base: &str, ours: &str, theirs: &str, expect: &str, both: usize) {
    let lines = |text: &str| text.split_whitespace().map(|word| format!("- {word}\n")).collect::<String>();
    let merged = merge(Form::Lines, &lines(base), &lines(ours), &lines(theirs));
    assert_eq!(merged.text, lines(expect), "{base} | {ours} | {theirs}");
    assert_eq!(merged.both_changed.len(), both, "{merged:?}");
}

#[test]
fn changes_of_either_side_meet_line_by_line() {
    check("a b c", "a b c", "a b c", "a b c", 0);
    check("a b c", "A b c", "a B c", "A B c", 0);
    check("a b c", "a c", "a b c d", "a c d", 0);
    check("a b c", "x a b c", "a b c y", "x a b c y", 0);
    check("a b", "a b x", "a b y", "a b x y", 0);
    check("a b", "a b x y", "a b x z", "a b x y z", 0);
    check("", "x", "y", "x y", 0);
    check("a b c", "", "a b c", "", 0);
    check("a b c d", "b c d a", "a b c d e", "b c d a e", 0);
}

#[test]
fn a_line_that_both_changed_stands_in_both_versions_and_a_change_wins_over_a_removal() {
    check("a b c", "a X c", "a Y c", "a X Y c", 1);
    check("a b c", "a X c", "a X c", "a X c", 0);
    check("a b c", "a c", "a Y c", "a Y c", 0);
    check("a b c", "a X c", "a c", "a X c", 0);
    check("a b c", "X Y Z", "a Q c", "X Q Y Z", 1);
}

#[test]
fn a_rule_that_both_sides_move_stands_once() {
    check("a b c d e", "b c d a e", "b c d e a", "b c d a e", 0);
}

#[test]
fn a_last_line_without_its_end_gets_one_when_something_follows() {
    let merged = merge(Form::Markdown, "- a", "- a\n- x\n", "- a\n- y");
    assert_eq!(merged.text, "- a\n- x\n- y");
}

/// Whatever two sides do: no line that one of them wrote, and the other did not know, is lost.
#[test]
fn no_line_that_anybody_added_is_ever_lost() {
    let mut random = subcortex_testkit::Random::seeded(7);
    for round in 0..2_000 {
        let base: Vec<String> = (0..random.below(8)).map(|at| format!("- base {at}")).collect();
        let mut new = Vec::new();
        let mut side = |name: &str| -> String {
            let mut lines = base.clone();
            for at in 0..random.below(5) {
                let place = random.below(lines.len() + 1);
                let line = format!("- {name} {at}");
                match random.below(3) {
                    0 if place < lines.len() => drop(lines.remove(place)),
                    1 if place < lines.len() => {
                        new.retain(|known| *known != lines[place]);
                        new.push(line.clone());
                        lines[place] = line;
                    }
                    _ => {
                        new.push(line.clone());
                        lines.insert(place, line);
                    }
                }
                new.retain(|known: &String| {
                    !known.starts_with(&format!("- {name}")) || lines.contains(known)
                });
            }
            lines.iter().map(|line| format!("{line}\n")).collect()
        };
        let (ours, theirs) = (side("ours"), side("theirs"));
        let text: String = base.iter().map(|line| format!("{line}\n")).collect();
        let merged = merge(Form::Markdown, &text, &ours, &theirs);
        for line in &new {
            assert!(
                merged.text.lines().any(|found| found == line),
                "round {round}: {line} in\n{}",
                merged.text
            );
        }
    }
}

const RULES: &str = "- Keep functions small.\n- Use tabs.\n";
const SECTION: &str = "\n## Project: /q\n\n- Q one.\n- Q two.\n";

/// Whoever comes first: the same text.
#[track_caller]
fn check_text(base: &str, ours: &str, theirs: &str, expect: &str) {
    let merged = merge(Form::Markdown, base, ours, theirs);
    assert_eq!(merged.text, expect, "\n{}", merged.text);
    assert_eq!(merge(Form::Markdown, base, theirs, ours).text, expect, "the other way round");
}

#[test]
fn an_added_line_goes_to_the_end_of_its_own_section() {
    let with = |text: &str| format!("{RULES}{text}");
    let b = "\n## Project: /b\n\n- B one.\n";
    check_text(RULES, &with("- Global A.\n"), &with(b), &with(&format!("- Global A.\n{b}")));
    let both = with(SECTION);
    let r = "\n## Project: /r\n\n- R one.\n";
    let three = format!("{both}- Q three.\n");
    check_text(&both, &format!("{both}{r}"), &three, &format!("{three}{r}"));
    let above = with(&format!("{r}{SECTION}"));
    check_text(&both, &above, &three, &format!("{above}- Q three.\n"));
    let global = both.replace("tabs.\n", "tabs.\n- Global A.\n");
    check_text(&both, &global, &three, &format!("{global}- Q three.\n"));
    let shorter = both.replace("- Q two.\n", "");
    check_text(&both, &format!("{both}{r}"), &shorter, &format!("{shorter}{r}"));
    let (a, c) = ("\n## Project: /a\n\n- A one.\n", "\n## Project: /c\n\n- C one.\n");
    check_text(RULES, &with(a), &with(c), &with(&format!("{a}{c}")));
}

#[test]
fn a_section_that_one_side_removed_stays_with_its_heading_for_what_the_other_wrote_in_it() {
    let both = format!("{RULES}{SECTION}");
    let changed = both.replace("Q two.", "Q two, changed.");
    let rest = |line: &str| format!("{RULES}\n## Project: /q\n\n{line}\n");
    check_text(&both, RULES, &changed, &rest("- Q two, changed."));
    check_text(&both, RULES, &format!("{both}- Q three.\n"), &rest("- Q three."));
    check_text(&both, RULES, &both, RULES);
    check_text(&both, RULES, &both.replace("- Q two.\n", ""), RULES);
}

#[test]
fn a_heading_that_was_renamed_takes_only_the_lines_that_its_side_has_below_it() {
    let both = format!("{RULES}{SECTION}");
    let named = |name: &str| SECTION.replace("/q", name);
    let (y, z) = (named("/y"), named("/z"));
    let with = |section: &str| format!("{RULES}{section}");
    check_text(&both, &with(&z), &with(&y), &format!("{RULES}{y}{z}"));
    let three = format!("{both}- Q three.\n");
    check_text(&both, &with(&z), &three, &format!("{RULES}\n## Project: /q\n\n- Q three.\n{z}"));
}

#[test]
fn the_same_words_below_two_headings_are_two_lines() {
    let base = format!("{RULES}- Run make.\n{SECTION}- Run make.\n");
    let ours = format!("{base}- Q x.\n");
    let theirs = base.replacen("- Run make.\n", "", 1);
    check_text(&base, &ours, &theirs, &format!("{RULES}{SECTION}- Run make.\n- Q x.\n"));
    let moved = format!("{RULES}- Q one.\n\n## Project: /q\n\n- Q two.\n");
    let changed = format!("{RULES}{}", SECTION.replace("Q two.", "Q two!"));
    check_text(&format!("{RULES}{SECTION}"), &moved, &changed, &moved.replace("Q two.", "Q two!"));
    let (a, b) = ("\n## Project: /a\n\n- Run make.\n", "\n## Project: /b\n\n- Run make.\n");
    check_text(RULES, &format!("{RULES}{a}"), &format!("{RULES}{b}"), &format!("{RULES}{a}{b}"));
}

#[test]
fn a_block_is_never_taken_apart() {
    let blocks = [
        ("\n```sh\nif x; then\n  make a\nfi\n```\n", "\n```sh\nif y; then\n  make b\nfi\n```\n"),
        ("- A long rule of A that\n  goes on here.\n", "- A long rule of B that\n  goes on here.\n"),
        ("\n| a | b |\n|---|---|\n| 1 | 2 |\n", "\n| c | d |\n|---|---|\n| 1 | 2 |\n"),
        ("\n<!--\nnotes of A\nmore\n-->\n", "\n<!--\nnotes of B\nmore\n-->\n"),
        ("\nIntro by A, that goes\nover two lines.\n", "\nIntro by B, that goes\nover two lines.\n"),
        ("- Build with:\n\n  ```sh\n  # a\n  fi\n  ```\n", "- Deploy with:\n\n  ```sh\n  # b\n  fi\n  ```\n"),
    ];
    for (a, b) in blocks {
        let with = |text: &str| format!("{RULES}{text}");
        check_text(RULES, &with(a), &with(b), &with(&format!("{a}{b}")));
    }
    let fence = "\n```\n## Project: /no\n```\n";
    let ours = format!("{RULES}{fence}");
    check_text(RULES, &ours, &format!("{RULES}- B.\n"), &format!("{RULES}- B.\n{fence}"));
}

#[test]
fn a_block_that_lacks_its_end_does_not_take_in_what_the_other_side_wrote() {
    let b = "\n## Project: /b\n\n- B one.\n";
    for (open, end) in [("\n```sh\nmake\n", "```\n"), ("\n~~~~\n~~~\n", "~~~~\n"), ("\n<!-- note\n", "-->\n")]
    {
        let ours = format!("{RULES}{open}");
        check_text(RULES, &ours, &format!("{RULES}{b}"), &format!("{ours}{end}{b}"));
        check_text(RULES, &ours, RULES, &ours);
    }
}

#[test]
fn nested_items_stay_below_their_item() {
    let base = "- Use tabs.\n  - in Go\n- Other.\n";
    let ours = "- Use tabs.\n  - in Go\n  - in C\n- Other.\n";
    check_text(base, ours, "- Use real tabs.\n  - in Go\n- Other.\n", &ours.replace("Use", "Use real"));
    check_text(base, ours, "- Other.\n", "- Use tabs.\n  - in C\n- Other.\n");
    check_text(base, ours, &format!("{base}- More.\n"), &format!("{ours}- More.\n"));
}

#[test]
fn settings_at_the_head_of_a_file_are_merged_one_by_one() {
    let page = |name: &str, seen: &str, more: &str| {
        format!("---\nname: {name}\nseen: {seen}\n---\n\n# Title\n\nWords.\n{more}")
    };
    check_text(
        &page("a", "1", ""),
        &page("b", "1", ""),
        &page("a", "2", "\n## More\n\n- x\n"),
        &page("b", "2", "\n## More\n\n- x\n"),
    );
}

#[test]
fn a_text_that_only_one_side_changed_is_that_sides_text_to_the_byte() {
    let texts = [
        "",
        "\u{feff}# R\r\n\r\n- a\r\n\r\n\r\n- b\r\n",
        "\n\n# R\n- a\n\n  para\n  more\n\n  - nested\n\n    deep\n- - x\n1. y\n\n[l]: http://x\n\n> q\n> - r\n\n",
        "Title\n=====\n\ntext\nMore text\n***\n    code\n\n    code\n\n```\nopen\n\n## no",
        "---\na: 1\n---\n## S\n### T\n# U\n| a |\n|---|\n| b |\ntail <b>x</b>\n<div>\n- x\n</div>\n\n- z",
    ];
    for base in texts {
        for text in texts {
            check_text(base, text, base, text);
            check_text(base, text, text, text);
        }
    }
}

/// Each line with its heading; a line of a code block with its block.
fn placed(text: &str) -> Vec<(String, String)> {
    let (mut heading, mut fence, mut found) = (String::new(), None::<String>, Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match (&mut fence, line) {
            (Some(block), "```") => {
                found.push((heading.clone(), std::mem::take(block)));
                fence = None;
            }
            (Some(block), line) => block.push_str(line),
            (None, "```sh") => fence = Some(String::new()),
            (None, line) if line.starts_with('#') => heading = line.to_owned(),
            (None, line) => found.push((heading.clone(), line.to_owned())),
        }
    }
    assert_eq!(fence, None, "{text}");
    found
}

/// Sections with their lines; the first has no heading.
type Sections = Vec<(String, Vec<String>)>;

fn written(sections: &Sections) -> String {
    let lines = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let section = |(heading, below): &(String, Vec<String>)| match heading.as_str() {
        "" => lines(below),
        heading => format!("\n## Project: {heading}\n\n{}", lines(below)),
    };
    sections.iter().map(section).collect()
}

fn edit(random: &mut subcortex_testkit::Random, name: &str, sections: &mut Sections) {
    for at in 0..random.below(6) {
        let place = random.below(sections.len());
        let new = match random.below(4) {
            0 => format!("\n```sh\nif {name} {at}\nfi\n```\n"),
            // Both may write the same.
            1 => format!("- same {at}"),
            _ => format!("- {name} {at}"),
        };
        let line = random.below(sections[place].1.len() + 1);
        let is_there = line < sections[place].1.len();
        match random.below(8) {
            0 if place > 0 => drop(sections.remove(place)),
            1 if place > 0 => sections[place].0 = format!("/{name}-{at}"),
            2 => {
                let place = 1 + random.below(sections.len());
                sections.insert(place, (format!("/new-{name}-{at}"), vec![new]));
            }
            3 if is_there => drop(sections[place].1.remove(line)),
            4 if is_there && !sections[place].1.contains(&new) => sections[place].1[line] = new,
            5 if is_there => {
                let moved = sections[place].1.remove(line);
                let to = random.below(sections[place].1.len() + 1);
                sections[place].1.insert(to, moved);
            }
            _ if !sections[place].1.contains(&new) => sections[place].1.insert(line, new),
            _ => {}
        }
    }
}

#[test]
fn whatever_two_sides_do_every_line_that_nobody_removed_stands_once_below_its_heading() {
    let mut random = subcortex_testkit::Random::seeded(11);
    for round in 0..1_000 {
        let mut base: Sections = vec![(String::new(), Vec::new())];
        base.extend((0..random.below(4)).map(|at| (format!("/{at}"), Vec::new())));
        for (_, lines) in &mut base {
            lines.extend((0..random.below(4)).map(|at| format!("- base {at}")));
        }
        let (mut ours, mut theirs) = (base.clone(), base.clone());
        edit(&mut random, "ours", &mut ours);
        edit(&mut random, "theirs", &mut theirs);
        let [base, ours, theirs] = [&base, &ours, &theirs].map(written);
        let merged = merge(Form::Markdown, &base, &ours, &theirs).text;
        let all =
            format!("round {round}\n{base}\n=== ours\n{ours}\n=== theirs\n{theirs}\n=== merged\n{merged}");
        assert_eq!(merged, merge(Form::Markdown, &base, &theirs, &ours).text, "{all}");
        let [base, ours, theirs] =
            [base, ours, theirs].map(|text| placed(&text).into_iter().collect::<BTreeSet<_>>());
        let expect: BTreeSet<_> = ours
            .union(&theirs)
            .filter(|line| !base.contains(line) || (ours.contains(line) && theirs.contains(line)))
            .cloned()
            .collect();
        let found = placed(&merged);
        assert_eq!(found.len(), expect.len(), "{all}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expect, "{all}");
    }
}
