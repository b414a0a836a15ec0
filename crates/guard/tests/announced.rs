//! Secrets that a server or an installer tells in its own words.
#![allow(missing_docs)]

use subcortex_guard::Redactor;

/// Passwords and keys as they are given out: drawn, chosen, short.
const PASSWORDS: &[&str] =
    &["wLaq3;f=Ke#p", "Zx8Qw3Er7Ty", "x7Gh2kLp", "hunter2x", "a8f5f167f44f", "k3v9-2m7q-8x4z", "Tr0ub4dor&3"];
const KEYS: &[&str] =
    &["Zx8Qw3Er7TyPq1", "a8f5f167f44f4964e6c998dee827110c", "pk_9Xq2LmZ7vT4bR1c", "k3v9x2m7q8x4z1"];

const PASSWORDS_SAID: &[&str] = &[
    "Your temporary password: {}",
    "temporary password is: {}",
    "[Note] [MY-010454] [Server] A temporary password is generated for root@localhost: {}",
    "A random root password was generated: {}",
    "Generated password: {}",
    "The generated password is {}",
    "GENERATED ROOT PASSWORD: {}",
    "Initial root password is {}",
    "initial admin password: {}",
    "Password for the elastic user (reset with `bin/elasticsearch-reset-password -u elastic`):\n  {}",
    "Password for the [elastic] user successfully reset.\nNew value: {}",
    "Your new password is {}",
    "The default password is {}",
    "One-time password: {}",
    "Please use the following password to proceed to installation:\n\n{}\n\nThis may also be found at: /var/jenkins_home/secrets/initialAdminPassword",
    "Admin password set to {}",
    "Password set to: {}",
    "password reset to {}",
    "Created user bob with password {}",
    "User admin created with password: {}",
    "Login with username admin and password {}",
    "root's password has been changed to {}",
    "The superuser password is: {}",
];

const KEYS_SAID: &[&str] = &[
    "Your new API key is {}",
    "Your API key: {}",
    "Here is your API token: {}",
    "New access token: {}",
    "Access token created: {}",
    "Your new secret key is: {}",
    "Client secret: {}",
    "Your recovery key is {}",
    "Bootstrap token: {}",
    "Save this token, it will not be shown again: {}",
    "Copy your API key now, you won't be able to see it again: {}",
    "Your personal access token is {}",
];

#[test]
fn what_a_server_gives_out_goes() {
    let redactor = Redactor::new();
    let mut missed = Vec::new();
    for (all, secrets) in [(PASSWORDS_SAID, PASSWORDS), (KEYS_SAID, KEYS)] {
        for said in all {
            for secret in secrets {
                let text = format!("ok\n{}\nready\n", said.replace("{}", secret));
                if redactor.text(&text).contains(secret) {
                    missed.push(format!("{secret}: {said}"));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{}:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn what_only_speaks_of_them_stays() {
    let redactor = Redactor::new();
    for text in [
        "Your new password is required.",
        "The new password: at least 8 characters, one digit",
        "your password was changed on 2026-11-17T10:00:00Z",
        "Your API key is invalid",
        "new API key: see docs/setup2.md",
        "reset the root password:\n\n    sudo passwd root\n",
        "// the default password: PasswordPolicy::V2(8)",
        "Enter new password: ",
        "The generated password is stored in ~/.config/app2/secret",
        "Password for user bob1985: ",
        "with password authentication2",
        "initial password = ${INITIAL_PASSWORD}",
        "Your API key will not be shown again: copy it now",
        "- [ ] test the new password: flow #1234",
        "New password for [sudo] user2: ",
    ] {
        assert_eq!(redactor.text(text), text);
    }
}
