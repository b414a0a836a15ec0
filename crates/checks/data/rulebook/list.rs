const ENTRIES: &[(&str, &str)] = &[
    ("no-console-log", include_str!("../../data/rulebook/no-console-log.yaml")),
];
