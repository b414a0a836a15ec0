//! Passwords of letters and digits only, as password managers draw them: they are found where only the place tells what they
//! are, and what looks like such a place stays.

use subcortex_guard::Redactor;

/// Nobody's.
const PASSWORDS: &[&str] =
    &["Zq7LltTIr6uqpXk9", "Tr0ub4dorzfc2CEmn", "k9Rw2mXv7TqL4sBn", "q8Zx2Lm9Wd4Rk7Vt1"];

const PLACES: &[&str] = &[
    // `pass` and `pw`.
    "db:\n  pass: {}",
    "db:\n  pass: \"{}\"",
    "{\"pass\":\"{}\"}",
    "{ host: 'x', pass: '{}' }",
    "- user: bob\n- pass: {}",
    "pw: {}",
    "pw = \"{}\"",
    "{\"pw\": \"{}\"}",
    "[db]\npw={}",
    "PW={}",
    "tool --pass {} now",
    "tool --pw {}",
    "tool --pw='{}'",
    "rclone config create x webdav pass {}",
    // Commands that keep secrets.
    "gh secret set API_KEY --body \"{}\"",
    "gh secret set API_KEY -b {}",
    "gh secret set API_KEY --body={}",
    "az keyvault secret set --vault-name v --name x --value {}",
    "aws ssm put-parameter --name /a --type SecureString --value {}",
    "aws ssm put-parameter --name /a \\\n  --type SecureString \\\n  --value '{}'",
    "aws secretsmanager create-secret --name x --secret-string {}",
    "fly secrets set NAME={} OTHER={}",
    "pulumi config set --secret name {}",
    "echo {} | vercel env add NAME",
    "echo \"{}\" | wrangler secret put NAME",
    "echo -n \"{}\" | gcloud secrets create name --data-file=-",
    "printf '%s' '{}' | docker secret create name -",
    "printf \"%s\\n\" {} | gh secret set NAME",
    "wrangler secret put NAME <<< '{}'",
    "aws configure set aws_secret_access_key {}",
    // What reads a password.
    "sudo -S ls <<< '{}'",
    "echo '{}' | sudo -k -S ls",
    "read -s ANSWER <<< \"{}\"",
    "expect \"password:\"; send \"{}\\r\"",
    "redis-cli AUTH {}",
    "bw unlock {}",
    "ConvertTo-SecureString \"{}\" -AsPlainText -Force",
    // Flags.
    "signtool sign /f c.pfx /p {} a.exe",
    "schtasks /create /ru bob /rp {}",
    "cf login -u bob -p {}",
    "beeline -u jdbc:hive2://host -n bob -p {}",
    "mosquitto_pub -u bob -P {} -t x -m y",
    "psexec \\\\host -u bob -p {} cmd",
    "tool -P {}",
    "govc -u bob:{}@host",
    "mega-login bob@host.test {}",
    "composer config http-basic.host bob {}",
    "poetry config http-basic.host bob {}",
    "snmp-server community {} RO",
    // Tests of pages.
    "driver.find_element(By.ID, \"password\").send_keys(\"{}\")",
    "cy.get(\"#password\").type(\"{}\")",
    "page.fill(\"#password\", \"{}\")",
    "await page.getByLabel('Password').fill('{}');",
    "await page.type('input[name=password]', '{}')",
    "fill_in \"Password\", with: \"{}\"",
    "userEvent.type(screen.getByLabelText(/password/i), '{}')",
    // Defaults and elements.
    "password: ${DB_PASS:{}}",
    "@Value(\"${db.password:{}}\")",
    "<Password><Value>{}</Value></Password>",
    // Sentences.
    "le mot de passe est {}",
    "密码是 {}",
    "パスワードは {}",
    "la password è {}",
    "hasło to: {}",
    "şifre: {}",
    "das Passwort für die Datenbank ist {}",
    "mật khẩu: {}",
    "пароль - {}",
    "login with bob / {}",
    "credentials: bob / {}",
    "When I log in with \"bob\" and \"{}\"",
    "login('bob', '{}')",
];

#[test]
fn a_drawn_password_is_found_where_only_its_place_tells() {
    let redactor = Redactor::new();
    let mut missed = Vec::new();
    for place in PLACES {
        for password in PASSWORDS {
            let text = format!("before\n{}\nbehind", place.replace("{}", password));
            let clean = redactor.text(&text);
            assert_eq!(redactor.text(&clean), clean);
            assert!(clean.starts_with("before\n") && clean.ends_with("\nbehind"), "{clean}");
            if clean.contains(&password[..8]) || clean.contains(&password[8..]) {
                missed.push(clean.into_owned());
            }
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}

/// Keys of wallets and tunnels, and tokens, that have a form or a place of their own.
#[test]
fn keys_without_armour_are_found() {
    let hex = "5b828f1380ea04be758bfac95cf478e5574558dd3b4890889bff1bd347462d12";
    let numbers = "102,127,228,180,40,229,237,105,169,12,205,138,111,188,36,43,161,61,228,37,186,89,143,74,216,252,43,85,125,232,65,134,133,63,5,70,62,24,95,162,115,253,224,71,19,33,90,17,8,201,77,151,240,11,98,173,64,209,30,147,82,195,1,248";
    let wif = "5KJvsngHeMpm884wtkJNzQGaCErckhHJBGFsvd3VyK5qMZXj3hS";
    let base64 = "1mxv9dXsh/V2E3zs8lmh4xQ4eOK3B0Ddd9Er5RodLBc=";
    let word = "FXJKr3P5IGjKmAMhjkHWGgbgek8HF0DNBZZdPaRXLujTpwrkcrOg258LewmC";
    for (text, secret) in [
        (format!("accounts: ['0x{hex}']"), hex),
        (format!("accounts: [\n    \"0x{hex}\",\n]"), hex),
        (format!("new ethers.Wallet('0x{hex}')"), hex),
        (format!("Private Keys\n==================\n(0) 0x{hex}\n"), hex),
        (format!("[{numbers}]"), numbers),
        (format!("$ cat ~/.config/solana/id.json\n[{numbers}]\n"), numbers),
        (format!("     1→[{numbers}]\n"), numbers),
        (format!("wif: {wif}"), wif),
        (format!("bitcoin-cli dumpprivkey bc1q\n{wif}\n"), wif),
        (format!("$ wg genkey\n{base64}\n"), base64),
        (format!("== ed25519v1-secret: type0 ==\n{base64}\n"), base64),
        (format!("client-key-data: {word}"), word),
        (format!("essu_{word}"), word),
        (format!("vercel_{}", &word[..24]), &word[..24]),
        (format!("SSWS 00{}", &word[..40]), &word[..40]),
        (format!("output: 00{} done", &word[..40]), &word[..40]),
    ] {
        let clean = Redactor::new().text(&text);
        assert!(!clean.contains(&secret[..10]) && !clean.contains(&secret[secret.len() - 12..]), "{clean}");
    }
}

#[test]
fn the_second_half_of_a_token_on_a_line_of_its_own_goes_too() {
    let drawn = "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz3Xc7Vb1Nm5Qw9Er2Ty6Ui0Op4As8Df3Gh7";
    let half = drawn.len() / 2;
    for prefix in ["sk-ant-api03-", "sk-proj-", "github_pat_", "hvs.", "sntrys_", "tskey-auth-"] {
        let text = format!("token\n{prefix}{}\n{}\nThe next line stays.\n", &drawn[..half], &drawn[half..]);
        let clean = Redactor::new().text(&text);
        assert!(!clean.contains(&drawn[half + 2..half + 12]), "{clean}");
        assert!(clean.ends_with("\nThe next line stays.\n"), "{clean}");
    }
}

/// What only looks like one of these places, or like one of these keys.
const ORDINARY: &[&str] = &[
    "pass: true",
    "pass: 12",
    "PASS: 12, FAIL: 0",
    "--- PASS: TestABC123 (0.00s)",
    "PASS: tests/test-Foo2Bar.sh",
    "PASS: gcc.dg/pr12345.c (test for excess errors)",
    "PASS TestLogin2FA",
    "{\"pass\": true, \"fail\": 0}",
    "{\"pass\": \"all\", \"total\": 12}",
    "pass: test_login2Works",
    "pass: TestLogin2Works",
    "pass = compute_pass2()",
    "pass: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "pw = width",
    "pw = width / 2",
    "pw: u32,",
    "let pw = page.width();",
    "const pw = params.pageWidth2;",
    "{\"pw\": 640, \"ph\": 480}",
    "--pw 640 --ph 480",
    "tests pass x86_64-unknown-linux-gnu",
    "all checks pass Base64Encoder tests",
    "gh pr create --title x --body \"Fixes Abc123Def456 in q8Zx2Lm9Wd4R\"",
    "gh secret set API_KEY --body \"$TOKEN\"",
    "gh secret set API_KEY --body ${{ secrets.X }}",
    "gh secret set API_KEY < token.txt",
    "gh secret list",
    "az keyvault secret set --vault-name v --name x --value \"$(cat f)\"",
    "aws ssm put-parameter --name /a --type String --value v1.2.3",
    "aws secretsmanager create-secret --name x --secret-string file://secret.json",
    "echo production | vercel env add NODE_ENV production",
    "echo 'apt-get update' | sudo -s",
    "echo done | sudo -u bob tee file1",
    "cat file | wrangler secret put NAME",
    "docker run -d -p 8080:80 nginx",
    "mkdir -p src/generated/v2Beta1",
    "git log -p 9f86d081884c7d65",
    "ps -p 12345 -o comm=",
    "grep -P '\\d+' file",
    "claude -p \"fix Bug12 in the parser\" -u x",
    "wget -P downloads/v1.2 https://host.test/a",
    "ssh -p 2222 bob@host",
    "unzip -l Release2024Final.zip",
    "cy.get(\"#name\").type(\"q8Zx2Lm9Wd4Rk7Vt1\")",
    "cy.get(\"#password\").type(\"{enter}\")",
    "cy.get(\"#password\").type(Cypress.env(\"PW\"))",
    "page.fill(\"#password\", process.env.PASSWORD)",
    "cy.get('#password').should('be.visible')",
    "cy.get('#password').clear(); cy.get('#city').type('Area51Base7')",
    "driver.find_element(By.ID, \"search\").send_keys(\"Model3Y2024\")",
    "password: ${DB_PASS:changeme}",
    "password: ${DB_PASS:}",
    "echo ${PASS:0:3}",
    "${TOKEN:?not set}",
    "<Password><Value></Value></Password>",
    "<Token><Kind>Ident</Kind></Token>",
    "le mot de passe est obligatoire",
    "密码是什么",
    "密码是必填项",
    "log in with GitHub and OAuth2Proxy",
    "log in with \"Google\" and \"GitHub\"",
    "login as root / administrator",
    "credentials: see docs/Login2FA.md",
    "signed in with SSO / SAML2.0",
    "accounts: ['0x5FbDB2315678afecb367f032d93F642f64180aa3']",
    "accounts: [\"bob\", \"ann\"]",
    "tx 0x5b828f1380ea04be758bfac95cf478e5574558dd3b4890889bff1bd347462d12",
    "sha256:5b828f1380ea04be758bfac95cf478e5574558dd3b4890889bff1bd347462d12",
    "5b828f1380ea04be758bfac95cf478e5574558dd3b4890889bff1bd347462d12  app.tar.gz",
    "let sizes = [1,2,3,4,5,6,7,8];",
    "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]",
    "x = [102, 127, 228, 180, 40, 229]",
    "wifi: on",
    "wif_count = 12",
    "0000000000000000000000000000000000000000",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "\"integrity\": \"sha512-1mxv9dXsh/V2E3zs8lmh4xQ4eOK3B0Ddd9Er5RodLBc1mxv9dXsh/V2E3zs8lmh4xQ4eOK3B0Ddd9Er5RodLBc==\"",
    "github.com/a/b v1.2.3 h1:1mxv9dXsh/V2E3zs8lmh4xQ4eOK3B0Ddd9Er5RodLBc=",
    "wg show wg0",
    "vercel_project_name",
    "vercel_env_production_settings",
    "== Tests: type0 ==",
    "send \"hello\" to the password service",
    "The Bitcoin address is 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa.",
    "privkey.rs:12: pub fn new()",
];

#[test]
fn lookalikes_of_places_and_keys_stay() {
    let redactor = Redactor::new();
    let changed: Vec<_> = ORDINARY
        .iter()
        .map(|text| redactor.text(text))
        .filter(|clean| !ORDINARY.contains(&&**clean))
        .collect();
    assert!(changed.is_empty(), "{} changed\n{}", changed.len(), changed.join("\n"));
    let all = ORDINARY.join("\n");
    assert_eq!(redactor.text(&all), all, "also beside each other");
}
