//! The report: Markdown, for `docs/BENCHMARKS.md` and for the terminal.

use std::fmt::Write;

/// What one benchmark found.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// What was done, on which data.
    pub(crate) intro: String,
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) goals: Vec<Goal>,
    /// The commands that were run, exactly.
    pub(crate) commands: Vec<String>,
}

/// Something that was aimed at, and how it came out.
#[derive(Debug)]
pub(crate) struct Goal {
    pub(crate) goal: String,
    pub(crate) measured: String,
    /// `None` when it could not be measured.
    pub(crate) reached: Option<bool>,
}

impl Goal {
    /// A goal that a ratio is at least so and so much.
    pub(crate) fn at_least(goal: impl Into<String>, least: f64, measured: Option<f64>) -> Self {
        Self::judged(goal, measured.map(|ratio| (format!("{ratio:.2} ×"), ratio >= least)))
    }

    /// A goal whose figure has been judged already.
    pub(crate) fn judged(goal: impl Into<String>, outcome: Option<(String, bool)>) -> Self {
        let (measured, reached) = match outcome {
            Some((measured, reached)) => (measured, Some(reached)),
            None => ("not measured".to_owned(), None),
        };
        Self { goal: goal.into(), measured, reached }
    }
}

/// The whole page.
pub(crate) fn render(machine: &[[String; 2]], sections: &[Section]) -> String {
    let mut page = "# Benchmarks\n\nWritten by `cargo xtask bench`, which builds everything in release mode, makes its own data \
         and runs all contenders in turn in one run, several rounds each. A goal that was missed is said to be missed.\n"
        .to_owned();
    heading(&mut page, "Machine");
    table(&mut page, &["", ""], machine.iter().map(|row| row.as_slice()));
    for section in sections {
        render_section(&mut page, section);
    }
    page
}

fn render_section(page: &mut String, section: &Section) {
    heading(page, section.title);
    page.push_str(&section.intro);
    page.push_str("\n\n");
    table(page, &section.header, section.rows.iter().map(Vec::as_slice));
    if !section.goals.is_empty() {
        page.push('\n');
        let goals: Vec<_> = section.goals.iter().map(goal_row).collect();
        table(page, &["goal", "measured", "reached"], goals.iter().map(|row| row.as_slice()));
    }
    if !section.commands.is_empty() {
        let _ = write!(page, "\n```sh\n{}\n```\n", section.commands.join("\n"));
    }
}

fn goal_row(goal: &Goal) -> [String; 3] {
    let reached = match goal.reached {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not measured",
    };
    [goal.goal.clone(), goal.measured.clone(), reached.to_owned()]
}

fn heading(page: &mut String, title: &str) {
    let _ = write!(page, "\n## {title}\n\n");
}

fn table<'a>(page: &mut String, header: &[&str], rows: impl Iterator<Item = &'a [String]>) {
    let line = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    page.push_str(&format!("| {} |\n", header.join(" | ")));
    page.push_str(&format!("|{}\n", " --- |".repeat(header.len())));
    rows.for_each(|row| page.push_str(&line(row)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_figures_goals_and_commands() {
        let section = Section {
            title: "scan",
            intro: "One pass.".to_owned(),
            header: vec!["what", "best"],
            rows: vec![vec!["a | b".to_owned(), "1 s".to_owned()]],
            goals: vec![
                Goal::at_least("≥ 2 × grep", 2.0, Some(1.5)),
                Goal::at_least("≥ 2 × rg", 2.0, Some(2.0)),
                Goal::at_least("≥ 2 × jq", 2.0, None),
            ],
            commands: vec!["grep x".to_owned()],
        };
        let page = render(&[["cores".to_owned(), "2".to_owned()]], &[section]);
        let (_, from_machine) = page.split_once("## Machine").unwrap();
        assert_eq!(
            from_machine,
            "\n\n|  |  |\n| --- | --- |\n| cores | 2 |\n\n## scan\n\nOne pass.\n\n\
             | what | best |\n| --- | --- |\n| a \\| b | 1 s |\n\n\
             | goal | measured | reached |\n| --- | --- | --- |\n\
             | ≥ 2 × grep | 1.50 × | no |\n| ≥ 2 × rg | 2.00 × | yes |\n| ≥ 2 × jq | not measured | not measured |\n\n\
             ```sh\ngrep x\n```\n"
        );
    }
}
