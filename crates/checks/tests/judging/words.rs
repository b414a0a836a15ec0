//! What people say of a line, and what is its proof.

use super::*;

/// What a turn says about the lines of a memory whose words are known, after another turn.
fn sides_after(memory: &str, before: &str, script: &str) -> Vec<(usize, Option<Stance>)> {
    let lines: Vec<_> = compile_memory(memory);
    let words: Vec<(usize, String)> =
        memory.lines().enumerate().map(|(at, line)| (at + 1, line.to_owned())).collect();
    let board = Board::new(lines.into_iter().map(|(number, _, check)| (number, check)))
        .with_words(words.iter().map(|(number, line)| (*number, line.trim_start_matches("- "))));
    let verdicts = judge(&turn(script), Some(&turn(before)), &board);
    verdicts.iter().map(|verdict| (verdict.line, verdict.stance)).collect()
}

#[test]
fn who_asks_why_the_agent_did_what_a_line_asks_for_is_not_for_it() {
    let memory = "- When you add a table or an index, also update the baseline migration `1700000000000-FullSchema.ts` so that fresh databases match.\n\
                  - Write a summary of every change.\n";
    let before =
        "> add the table\n~ src/migrations/1700000000000-FullSchema.ts | a | create table x\n< Done.";
    let taken_out = "\n~ src/migrations/1700000000000-FullSchema.ts | create table x | a";
    for (said, expect) in [
        (
            "but a fresh install always runs all migrations, why would you repeat creating the table in the full schema if it will be created in the dedicated migration?",
            vec![],
        ),
        ("why are you adding the index there?", vec![]),
        ("no, it is a snapshot. why would you update the full schema?", vec![(1, Some(Stance::Against))]),
    ] {
        assert_eq!(sides_after(memory, before, &format!("> {said}{taken_out}")), expect, "{said}");
    }
    // Who asks why it was not done is for it.
    let asked = "> why didn't you update the full schema, the baseline migration?\n~ src/migrations/1700000000000-FullSchema.ts | a | b";
    let with = sides_after(memory, "> add the table\n~ src/a.ts | a | b\n< Done.", asked);
    assert!(with.iter().all(|(_, stance)| *stance != Some(Stance::Against)), "{with:?}");
}

#[test]
fn who_objects_to_what_was_only_said_says_nothing_about_a_line_without_a_test() {
    let memory = "- Changes to encrypted metadata objects (folder, file, device registry) follow `docs/PROTOCOL.md`.\n";
    let said = "> so the recovery tool would have to traverse the tree in any case to obtain file and folder metadata, so this justification really does not make a lot of sense to me.";
    assert_eq!(sides_after(memory, "> why\n? src/a.ts\n< Files are deterministic.", said), []);
}

#[test]
fn a_stand_in_of_a_test_does_not_show_that_the_real_thing_is_used() {
    check(
        "- Use the `Environment` abstraction for all OS calls, never call OS APIs directly.",
        &[
            ("> go\n~ src/x_test.go | a | env := new(mock.Environment)", "N"),
            ("> go\n~ src/x.go | a | func (e Environment) Get() {}", "S"),
        ],
    );
}

#[test]
fn a_turn_that_missed_a_line_itself_is_its_proof_and_a_shared_word_is_no_reproach() {
    let memory = "- After every code change, run the whole test suite with `bun run test`.\n- Use tabs.\n";
    let before = "> make it bigger\n~ src/a.tsx | a | b";
    let said = "> Remove the sentence at the top and make sure it covers the whole iframe\n";
    let again = sides_after(memory, before, &format!("{said}~ src/a.tsx | b | c"));
    assert_eq!(again, [(1, None)]);
    assert_eq!(sides_after(memory, before, &format!("{said}? src/a.tsx")), []);
    assert_eq!(
        sides_after(memory, before, "> the whole test suite please\n$ bun run test"),
        [(1, Some(Stance::With))]
    );
}

#[test]
fn a_long_command_is_quoted_where_the_rule_is_broken() {
    let board = Board::new(
        compile_memory("- Never commit with `--no-verify`.")
            .into_iter()
            .map(|(number, _, check)| (number, check)),
    );
    let message = "word ".repeat(60);
    let verdicts = judge(&turn(&format!("> go\n$ git commit -m '{message}' --no-verify")), None, &board);
    assert!(verdicts[0].quote.contains("--no-verify"), "{}", verdicts[0].quote);
}
