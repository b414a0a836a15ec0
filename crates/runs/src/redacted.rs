//! A record as it may reach the disk: without secrets, and bounded.

use subcortex_guard::Redactor;

use crate::record::SeenTo;
use crate::text::{front, shortened};
use crate::{RunRecord, TaskRecord};

/// The longest body that is kept of a task: as long as a task can be.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;
/// The longest that all bodies of one record are together.
pub const MAX_BODIES_BYTES: usize = 32 * 1024 * 1024;
/// The longest end of an output that is kept; of standard error the same.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// The longest reason or result line that is kept, in characters.
pub const MAX_REASON_CHARS: usize = 4_000;

impl RunRecord {
    /// Replaces secrets in every text that came from outside, then bounds it. In this order: half a secret has no
    /// form by which it could be recognised.
    pub(crate) fn redacted(&self) -> RunRecord {
        let redactor = Redactor::new();
        let mut clean = self.clone();
        clean.result = line(&redactor, self.result.as_deref());
        clean.reason = line(&redactor, self.reason.as_deref());
        clean.output = redactor.tail(&self.output, MAX_OUTPUT_BYTES);
        clean.errors = redactor.tail(&self.errors, MAX_OUTPUT_BYTES);
        let names = [
            &mut clean.acked,
            &mut clean.pending,
            &mut clean.changed,
            &mut clean.denied,
            &mut clean.subagents,
        ];
        for name in names.into_iter().flatten() {
            *name = redactor.text(name).into_owned();
        }
        for exit in &mut clean.exits {
            exit.task = redactor.text(&exit.task).into_owned();
            exit.saved = line(&redactor, exit.saved.as_deref());
            exit.why = line(&redactor, exit.why.as_deref());
        }
        clean.scan.iter_mut().for_each(|scan| redactor.value(scan));
        redactor.map(&mut clean.other);
        clean.tasks.iter_mut().for_each(|task| *task = task.redacted(&redactor));
        clean.cut_bodies(MAX_BODIES_BYTES);
        clean
    }

    /// Cuts bodies that are too long, alone or together.
    pub(crate) fn cut_bodies(&mut self, max_together_bytes: usize) {
        let mut left_bytes = max_together_bytes;
        for task in &mut self.tasks {
            let kept = front(&task.body, MAX_BODY_BYTES.min(left_bytes)).len();
            task.body_cut |= kept < task.body.len();
            task.body.truncate(kept);
            left_bytes -= kept;
        }
    }
}

impl TaskRecord {
    /// The same for one task.
    pub(crate) fn redacted(&self, redactor: &Redactor) -> TaskRecord {
        let mut clean = self.clone();
        clean.name = redactor.text(&self.name).into_owned();
        clean.result = line(redactor, self.result.as_deref());
        clean.reason = line(redactor, self.reason.as_deref());
        if !self.seen_to.0 {
            clean.body = redactor.text(&self.body).into_owned();
            clean.seen_to = SeenTo(true);
        }
        clean.body_cut |= clean.body.len() > MAX_BODY_BYTES;
        clean.body.truncate(front(&clean.body, MAX_BODY_BYTES).len());
        redactor.map(&mut clean.other);
        clean
    }
}

fn line(redactor: &Redactor, text: Option<&str>) -> Option<String> {
    text.map(|text| shortened(&redactor.text(text), MAX_REASON_CHARS))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ExitRecord;

    #[test]
    fn a_body_that_was_redacted_is_not_read_again() {
        // A mark that every redaction would take out shows that there was none.
        let task = TaskRecord::of_clean("a.md", "00", &format!("use {SECRET} please"));
        assert!(task.redacted(&Redactor::new()).body.contains(SECRET));
        let task = TaskRecord::new("a.md", "00", &format!("use {SECRET} please"));
        let clean = task.redacted(&Redactor::new());
        assert!(!clean.body.contains(SECRET));
        assert_eq!(clean.redacted(&Redactor::new()), clean);
    }

    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

    #[test]
    fn no_text_of_a_record_keeps_a_secret() {
        let said = Some(format!("UPDATED: {SECRET}"));
        let mut task = TaskRecord::new("a.md", "00", &format!("use {SECRET} please"));
        (task.result, task.reason) = (said.clone(), said.clone());
        let mut record =
            RunRecord { result: said.clone(), reason: said, tasks: vec![task], ..Default::default() };
        record.set_output(&format!("token {SECRET}\n"));
        record.set_errors(&format!("token {SECRET}\n"));
        record.scan = Some(json!({"range": SECRET}));
        record.other.insert("later".into(), json!([SECRET]));
        let clean = serde_json::to_string(&record.redacted()).unwrap();
        assert!(!clean.contains(SECRET), "{clean}");
        assert_eq!(clean.matches("[REDACTED").count(), 9, "{clean}");
        assert_eq!(record.redacted().redacted(), record.redacted());
    }

    #[test]
    fn a_secret_in_a_name_is_not_kept_and_the_task_is_still_known() {
        let name = format!("pw-{SECRET}.md");
        let mut record =
            RunRecord { acked: vec![name.clone()], pending: vec![name.clone()], ..Default::default() };
        record.changed.push(format!("topics/{name}"));
        let (saved, why) = (Some(name.clone()), Some(name.clone()));
        record.exits.push(ExitRecord { task: name.clone(), saved, why, ..ExitRecord::default() });
        record.tasks.push(TaskRecord::new(&name, "00", "x"));
        let mut stored = record.redacted();
        assert!(!serde_json::to_string(&stored).unwrap().contains(SECRET), "{stored:?}");
        assert!(stored.task(&name, "00").is_some() && stored.task(&name, "01").is_none());
        assert!(stored.task("pw.md", "00").is_none());
        stored.task_mut(&name, "00").acked = true;
        assert_eq!(stored.tasks.len(), 1);
    }

    #[test]
    fn the_key_of_a_task_is_no_secret() {
        let key = "5f6c1f7a9b3d2e4c5f6c1f7a9b3d2e4c5f6c1f7a9b3d2e4c5f6c1f7a9b3d2e4c";
        let record = RunRecord { tasks: vec![TaskRecord::new("a.md", key, "x")], ..Default::default() };
        assert_eq!(record.redacted(), record);
    }

    #[test]
    fn a_secret_at_the_place_of_the_cut_is_removed_before_the_cut() {
        let mut record = RunRecord::default();
        record.set_output(&format!("{SECRET}{}", " x".repeat(MAX_OUTPUT_BYTES / 2 - 10)));
        let output = record.redacted().output;
        assert!(!output.contains("6789") && output.len() <= MAX_OUTPUT_BYTES, "{}", &output[..60]);
    }

    #[test]
    fn bodies_are_kept_whole_until_all_of_them_are_too_long() {
        let body = "ü".repeat(MAX_BODY_BYTES / 2);
        let mut record =
            RunRecord { tasks: vec![TaskRecord::new("a", "0", &body); 2], ..RunRecord::default() };
        record.cut_bodies(MAX_BODIES_BYTES);
        assert!(record.tasks.iter().all(|task| task.body == body && !task.body_cut));
        record.cut_bodies(MAX_BODY_BYTES + 3);
        assert_eq!(record.tasks[0].body.len(), MAX_BODY_BYTES);
        assert_eq!((record.tasks[1].body.as_str(), record.tasks[1].body_cut), ("ü", true));
        let mut long =
            RunRecord { tasks: vec![TaskRecord::new("a", "0", &(body + "x"))], ..RunRecord::default() };
        long.cut_bodies(MAX_BODIES_BYTES);
        assert!(long.tasks[0].body_cut && long.tasks[0].body.len() == MAX_BODY_BYTES);
    }
}
