//! The broadcast as lines that can be changed one by one. Whatever is not changed stays as it is, byte for byte: line ends,
//! blanks, a missing last newline.

use subcortex_known_agents::hooks::PRIORITY_LINE;
use subcortex_memory::Broadcast;

/// How a section for one project begins.
const PROJECT_HEADING: &str = "## Project: ";

/// A text file as lines.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pieces: Vec<Piece>,
    newline: &'static str,
    ends_with_newline: bool,
    byte_order_mark: bool,
}

#[derive(Debug, Clone)]
struct Piece {
    text: String,
    end: String,
    /// Its number in the file as it was.
    was: Option<usize>,
    /// The project that it is a rule of, when it was a rule: `Some(None)` is a rule for all.
    rule_of: Option<Option<String>>,
    /// By which name it was put in.
    tag: Option<usize>,
}

impl Page {
    /// Cuts a broadcast into its lines.
    pub(super) fn of(broadcast: &Broadcast) -> Self {
        let text = broadcast.text.as_deref().unwrap_or("");
        let byte_order_mark = text.starts_with('\u{feff}');
        let text = text.trim_start_matches('\u{feff}');
        let newline = match text.split_once('\n') {
            Some((first, _)) if first.ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let mut pieces = Vec::new();
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = if line.ends_with('\n') { bare.strip_suffix('\r').unwrap_or(bare) } else { bare };
            let end = line.get(bare.len()..).filter(|end| !end.is_empty()).unwrap_or(newline);
            let rule_of = broadcast.by_number(at + 1).map(|line| line.project.clone());
            pieces.push(Piece {
                text: bare.to_owned(),
                end: end.to_owned(),
                was: Some(at + 1),
                rule_of,
                tag: None,
            });
        }
        let ends_with_newline = text.is_empty() || text.ends_with('\n');
        Self { pieces, newline, ends_with_newline, byte_order_mark }
    }

    /// The whole file.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(if self.byte_order_mark { "\u{feff}" } else { "" });
        for (at, piece) in self.pieces.iter().enumerate() {
            text.push_str(&piece.text);
            if self.ends_with_newline || at + 1 < self.pieces.len() {
                text.push_str(&piece.end);
            }
        }
        text
    }

    /// The number that a line has now which had this one.
    pub(super) fn now_at(&self, was: usize) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.was == Some(was)).map(|at| at + 1)
    }

    /// The number of the line that was put in under a name.
    pub(super) fn tagged(&self, tag: usize) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.tag == Some(tag)).map(|at| at + 1)
    }

    /// The text of the line that had this number.
    pub(super) fn line(&self, was: usize) -> Option<&str> {
        self.pieces.iter().find(|piece| piece.was == Some(was)).map(|piece| piece.text.as_str())
    }

    /// Gives the line that had this number another text.
    pub(super) fn replace(&mut self, was: usize, text: &str) {
        if let Some(piece) = self.pieces.iter_mut().find(|piece| piece.was == Some(was)) {
            text.clone_into(&mut piece.text);
        }
    }

    /// Takes out the line that had this number.
    pub(super) fn remove(&mut self, was: usize) {
        self.pieces.retain(|piece| piece.was != Some(was));
    }

    /// The indentation and list mark of a line.
    pub(super) fn mark_of(text: &str) -> &str {
        let indent = text.len() - text.trim_start().len();
        let after = text.get(indent..).unwrap_or("");
        let mark =
            ["- ", "* ", "+ "].iter().find(|mark| after.starts_with(**mark)).map_or(0, |mark| mark.len());
        text.get(..indent + mark).unwrap_or("")
    }

    /// The list mark that most lines have.
    pub(super) fn usual_mark(&self) -> &'static str {
        let count = |mark: &str| self.pieces.iter().filter(|piece| piece.text.starts_with(mark)).count();
        // The first of equals wins.
        ["+ ", "* ", "- "].into_iter().max_by_key(|mark| count(mark)).unwrap_or("- ")
    }

    /// Puts a line at the end of its section, under a name. Says whether the section had to be made.
    pub(super) fn add(&mut self, project: Option<&str>, line: &str, tag: usize) -> bool {
        let (mut at, makes_section) = match project {
            None => (self.end_of_unscoped(), false),
            Some(project) => match self.end_of_section(project) {
                Some(at) => (at, false),
                None => (self.make_section(project), true),
            },
        };
        while self.pieces.get(at).is_some_and(|piece| piece.tag.is_some() && !is_heading(&piece.text)) {
            at += 1;
        }
        self.insert(at, line, Some(tag));
        makes_section
    }

    /// Puts a line back where it stood, if that is still in its section: beside a rule of it, or as the first below a heading. Else it
    /// goes to the section's end.
    pub(super) fn put_back(&mut self, number: usize, project: Option<&str>, line: &str, tag: usize) {
        let at = number.saturating_sub(1);
        let in_section = |piece: &Piece| piece.rule_of.as_ref().is_some_and(|of| of.as_deref() == project);
        let beside = [Some(at), at.checked_sub(1)].into_iter().flatten();
        let has_neighbour = beside.filter_map(|at| self.pieces.get(at)).any(in_section);
        if has_neighbour || self.would_begin_section(at, project, line) {
            self.insert(at, line, Some(tag));
        } else {
            self.add(project, line, tag);
        }
    }

    /// Whether a line would be the first below a heading here, and a rule of the project.
    fn would_begin_section(&self, at: usize, project: Option<&str>, line: &str) -> bool {
        let above = self.pieces.iter().take(at).rev().find(|piece| !piece.text.trim().is_empty());
        if at > self.pieces.len() || !above.is_some_and(|piece| is_heading(&piece.text)) {
            return false;
        }
        let mut tried = self.clone();
        tried.insert(at, line, None);
        let broadcast = Broadcast::parse(tried.text());
        broadcast.by_number(at + 1).is_some_and(|rule| rule.project.as_deref() == project)
    }

    /// Moves a line to where another one stands, which comes behind it.
    pub(super) fn move_before(&mut self, was: usize, before: usize) {
        let Some(from) = self.pieces.iter().position(|piece| piece.was == Some(was)) else { return };
        let piece = self.pieces.remove(from);
        let to = self.pieces.iter().position(|piece| piece.was == Some(before)).unwrap_or(from);
        self.pieces.insert(to, piece);
    }

    /// Moves a line to a number, as far as the file goes.
    pub(super) fn move_to(&mut self, was: usize, number: usize) {
        let Some(from) = self.pieces.iter().position(|piece| piece.was == Some(was)) else { return };
        let piece = self.pieces.remove(from);
        let to = number.saturating_sub(1).min(self.pieces.len());
        self.pieces.insert(to, piece);
    }

    /// The line to which this one can be moved up: the first of its list, where both are items of their own without
    /// anything that belongs to them on further lines.
    pub(super) fn first_of_list(&self, was: usize) -> Option<usize> {
        let at = self.pieces.iter().position(|piece| piece.was == Some(was))?;
        if !self.stands_alone(at) {
            return None;
        }
        let rule_of = &self.pieces.get(at)?.rule_of;
        let above = self.pieces.get(..at)?.iter().enumerate().rev();
        let same_list = above.take_while(|(_, piece)| !is_heading(&piece.text) && piece.rule_of == *rule_of);
        same_list.filter(|(at, _)| self.stands_alone(*at)).last().and_then(|(_, piece)| piece.was)
    }

    fn stands_alone(&self, at: usize) -> bool {
        let is_item =
            |piece: &Piece| piece.text.starts_with(['-', '*', '+']) && Self::mark_of(&piece.text).len() == 2;
        let belongs =
            |piece: &Piece| !piece.text.trim().is_empty() && !is_heading(&piece.text) && !is_item(piece);
        self.pieces.get(at).is_some_and(is_item) && !self.pieces.get(at + 1).is_some_and(belongs)
    }

    /// Takes out the heading of a project's section that holds nothing any more, and the blank line before it.
    pub(super) fn drop_empty_section(&mut self, project: &str) {
        let Some(heading) = self.heading_of(project) else { return };
        let after = self.pieces.iter().skip(heading + 1);
        let blank = after.take_while(|piece| piece.text.trim().is_empty()).count();
        let next = self.pieces.get(heading + 1 + blank);
        if next.is_some_and(|piece| !is_heading(&piece.text)) {
            return;
        }
        let blank_before =
            heading > 0 && self.pieces.get(heading - 1).is_some_and(|piece| piece.text.trim().is_empty());
        let from = heading - usize::from(blank_before);
        let to =
            if next.is_some() { heading + 1 + blank - usize::from(blank > 0) } else { heading + 1 + blank };
        self.pieces.drain(from..to.max(heading + 1));
    }

    /// Whether the first line that is not empty is the import of the person's own lines.
    pub(super) fn begins_with_priority(&self) -> bool {
        self.pieces
            .iter()
            .find(|piece| !piece.text.trim().is_empty())
            .is_some_and(|piece| piece.text.trim() == PRIORITY_LINE)
    }

    /// Makes the import of the person's own lines the first line, wherever it stood.
    pub(super) fn begin_with_priority(&mut self) {
        if self.begins_with_priority() {
            return;
        }
        let plain = self.outside_code();
        let mut at = 0;
        self.pieces.retain(|piece| {
            at += 1;
            piece.text.trim() != PRIORITY_LINE || !plain.get(at - 1).copied().unwrap_or(true)
        });
        self.insert(0, PRIORITY_LINE, None);
    }

    fn insert(&mut self, at: usize, line: &str, tag: Option<usize>) {
        let at = at.min(self.pieces.len());
        let piece =
            Piece { text: line.to_owned(), end: self.newline.to_owned(), was: None, rule_of: None, tag };
        self.pieces.insert(at, piece);
    }

    /// Behind the last rule for all, before the first section of a project where that is possible.
    fn end_of_unscoped(&self) -> usize {
        let plain = self.outside_code();
        let first_section = self.pieces.iter().enumerate().position(|(at, piece)| {
            plain.get(at).copied().unwrap_or(true) && project_of_heading(&piece.text).is_some()
        });
        let for_all = |piece: &Piece| piece.rule_of == Some(None);
        let before = self.pieces.get(..first_section.unwrap_or(self.pieces.len())).unwrap_or(&[]);
        if let Some(last) = before.iter().rposition(for_all) {
            return self.end_of_block(last);
        }
        match (first_section, self.pieces.iter().rposition(for_all)) {
            (_, Some(last)) => self.end_of_block(last),
            (Some(section), None) => {
                let blank = before.iter().rev().take_while(|piece| piece.text.trim().is_empty()).count();
                section - blank
            }
            (None, None) => self.pieces.len(),
        }
    }

    fn end_of_section(&self, project: &str) -> Option<usize> {
        let of_project =
            |piece: &Piece| piece.rule_of.as_ref().is_some_and(|rule_of| rule_of.as_deref() == Some(project));
        if let Some(last) = self.pieces.iter().rposition(of_project) {
            return Some(self.end_of_block(last));
        }
        let heading = self.heading_of(project)?;
        let blank = self.pieces.get(heading + 1).is_some_and(|piece| piece.text.trim().is_empty());
        Some(heading + 1 + usize::from(blank))
    }

    fn heading_of(&self, project: &str) -> Option<usize> {
        let plain = self.outside_code();
        self.pieces.iter().enumerate().position(|(at, piece)| {
            plain.get(at).copied().unwrap_or(true) && project_of_heading(&piece.text) == Some(project)
        })
    }

    /// Makes a section at the end of the file; its first line goes to the place that is handed out.
    fn make_section(&mut self, project: &str) -> usize {
        if self.pieces.last().is_some_and(|piece| !piece.text.trim().is_empty()) {
            self.insert(self.pieces.len(), "", None);
        }
        self.insert(self.pieces.len(), &format!("{PROJECT_HEADING}{project}"), None);
        self.insert(self.pieces.len(), "", None);
        self.pieces.len()
    }

    /// Behind everything that belongs to a rule: a code block, a table, a comment right below it.
    fn end_of_block(&self, rule: usize) -> usize {
        let plain = self.outside_code();
        let mut at = rule + 1;
        while let Some(piece) = self.pieces.get(at) {
            let code = !plain.get(at).copied().unwrap_or(true);
            if !code && (piece.text.trim().is_empty() || is_heading(&piece.text) || piece.tag.is_some()) {
                break;
            }
            at += 1;
        }
        at
    }

    /// For each line, whether it is outside of code blocks (their fences belong to them).
    fn outside_code(&self) -> Vec<bool> {
        let mut fence: Option<&str> = None;
        let mut plain = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let mark = ["```", "~~~"].into_iter().find(|mark| piece.text.trim_start().starts_with(mark));
            plain.push(fence.is_none() && mark.is_none());
            if mark.is_some() {
                fence = if fence == mark { None } else { fence.or(mark) };
            }
        }
        plain
    }
}

fn is_heading(text: &str) -> bool {
    let trimmed = text.trim();
    let level = trimmed.chars().take_while(|c| *c == '#').count();
    level > 0 && trimmed.get(level..).is_some_and(|rest| rest.starts_with(' '))
}

fn project_of_heading(text: &str) -> Option<&str> {
    let rest = is_heading(text).then(|| text.trim().trim_start_matches('#').trim())?;
    let name = rest.strip_prefix("Project:").or_else(|| rest.strip_prefix("project:"))?;
    Some(name.trim().trim_matches('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_add(before: &str, project: Option<&str>, after: &str) {
        let mut page = Page::of(&Broadcast::parse(before));
        let mark = page.usual_mark();
        page.add(project, &format!("{mark}New."), 0);
        assert_eq!(page.text(), after);
    }

    #[test]
    fn the_only_line_below_a_heading_comes_back_there() {
        for (text, number, project) in [
            ("# T\n\n## Tests\n\n- Old.\n\n## Style\n\n- A b.\n", 5, None),
            ("## Tests\n- Old.\n\n## Project: web\n- A b.\n", 2, None),
            ("- A b.\n\n## Project: web\n- Old.\n\n## Project: api\n- X y.\n", 4, Some("web")),
            ("- A b.\n\n## Style\n\n- Old.\n", 5, None),
        ] {
            let mut page = Page::of(&Broadcast::parse(text));
            page.remove(number);
            page.put_back(number, project, "- Old.", 0);
            assert_eq!(page.text(), text);
        }
        // Another project's heading has come between: the line goes where its own rules stand.
        let mut page = Page::of(&Broadcast::parse("- A b.\n\n## Project: web\n"));
        page.put_back(4, None, "- Old.", 0);
        assert_eq!(page.text(), "- A b.\n- Old.\n\n## Project: web\n");
    }

    #[test]
    fn a_line_goes_to_the_end_of_its_section() {
        check_add("", None, "- New.\n");
        check_add("- Old.\n", None, "- Old.\n- New.\n");
        check_add("- Old.", None, "- Old.\n- New.");
        check_add("* Old.\r\n\r\n", None, "* Old.\r\n* New.\r\n\r\n");
        check_add(
            "# T\n\n- A b.\n\n## Project: web\n\n- Old.\n",
            None,
            "# T\n\n- A b.\n- New.\n\n## Project: web\n\n- Old.\n",
        );
        check_add("## Project: web\n\n- Old.\n", None, "- New.\n## Project: web\n\n- Old.\n");
        check_add(
            "- A b.\n\n## Project: web\n- Old.\n\n## Project: api\n- X y.\n",
            Some("web"),
            "- A b.\n\n## Project: web\n- Old.\n- New.\n\n## Project: api\n- X y.\n",
        );
        check_add("- A b.\n", Some("/p"), "- A b.\n\n## Project: /p\n\n- New.\n");
        check_add("- A b.", Some("/p"), "- A b.\n\n## Project: /p\n\n- New.");
    }

    #[test]
    fn a_line_does_not_come_between_a_rule_and_what_belongs_to_it() {
        check_add(
            "- Run:\n```sh\nx\n\ny\n```\n\nEnd.\n# Z\n",
            None,
            "- Run:\n```sh\nx\n\ny\n```\n\nEnd.\n- New.\n# Z\n",
        );
        check_add("- Run:\n```sh\nx\n\ny\n```\n# Z\n", None, "- Run:\n```sh\nx\n\ny\n```\n- New.\n# Z\n");
    }

    #[test]
    fn a_section_that_was_made_goes_without_a_trace() {
        for before in ["- A b.\n", "- A b.", "# T\r\n\r\n- A b.\r\n", ""] {
            let mut page = Page::of(&Broadcast::parse(before));
            assert!(page.add(Some("/p"), "- New.", 0));
            let after = Broadcast::parse(page.text());
            let mut page = Page::of(&after);
            page.remove(after.lines.last().unwrap().number);
            page.drop_empty_section("/p");
            assert_eq!(page.text(), before);
        }
    }

    #[track_caller]
    fn check_priority(before: &str, after: &str) {
        let mut page = Page::of(&Broadcast::parse(before));
        page.begin_with_priority();
        assert_eq!(page.text(), after);
        page.begin_with_priority();
        assert_eq!(page.text(), after);
    }

    #[test]
    fn the_import_of_the_priority_lines_comes_first_and_once() {
        check_priority("- A b.\n", "@priority.md\n- A b.\n");
        check_priority("\n@priority.md\n- A b.\n", "\n@priority.md\n- A b.\n");
        check_priority("- A b.\r\n@priority.md\r\n", "@priority.md\r\n- A b.\r\n");
        check_priority(
            "\u{feff}- A b.\n```\n@priority.md\n```\n",
            "\u{feff}@priority.md\n- A b.\n```\n@priority.md\n```\n",
        );
    }

    #[test]
    fn only_an_item_of_its_own_moves_up_and_only_within_its_list() {
        let check = |text: &str, was: usize, expect: Option<usize>| {
            assert_eq!(Page::of(&Broadcast::parse(text)).first_of_list(was), expect, "{text}");
        };
        check("# T\n- A b.\n- C d.\n- E f.\n", 4, Some(2));
        check("# T\n- A b.\n# U\n- C d.\n- E f.\n", 5, Some(4));
        check("- A b.\n- C d.\n  more\n", 2, None);
        check("- A b.\n  more\n- C d.\n- E f.\n", 4, Some(3));
        check("- A b.\n", 1, None);
    }
}
