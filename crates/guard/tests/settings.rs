//! Passwords in settings, tables, commands and programs of many kinds, and what looks like them.

use subcortex_guard::Redactor;

/// A password as people choose them, with each of the signs that other rules might stop at.
const PASSWORDS: &[&str] = &["Zx8Qw3!Er7Ty", "Zx8Qw3%d6TFn7", "Zx8Qw3#Er7Ty", "Zx8Qw3%sEr7Ty"];

/// Where a password may stand: `{}` is the place.
const PLACES: &[&str] = &[
    // Names that say it.
    "SSHPASS={} sshpass -e ssh host",
    "deploy --pass {} now",
    "deploy --pat {} now",
    "deploy --secret={} now",
    "deploy --token {} now",
    "export GH_TOKEN={}",
    "JWT_SECRET={}",
    "curl --oauth2-bearer {} https://host.test",
    "aws configure set aws_secret_access_key {}",
    "rclone config create x s3 secret_access_key {}",
    "setx API_KEY {}",
    "vercel env add API_KEY {}",
    "<string name=\"api_key\">{}</string>",
    "<entry key=\"db.password\">{}</entry>",
    "<key>Password</key>\n\t<string>{}</string>",
    "<input type=\"password\" value=\"{}\">",
    "<input value=\"{}\" type=\"password\">",
    "ParameterKey=DbPassword,ParameterValue={}",
    "\"ParameterKey\": \"DbPassword\", \"ParameterValue\": \"{}\"",
    "CREATE LOGIN a WITH PASSWORD = N'{}';",
    "password:\n  {}\nport: 1",
    "password = <<EOF\n{}\nEOF",
    "pass: {}",
    "user: bob\npw: {}",
    "cookies = {'sessionid': '{}'}",
    // Arrays as PHP shows them.
    "Array\n(\n    [user] => bob\n    [password] => {}\n)",
    "array(1) {\n  [\"password\"]=>\n  string(12) \"{}\"\n}",
    // Other languages.
    "mot de passe : {}",
    "пароль: {}",
    "Пароль: {}",
    "密码：{}",
    "senha: {}",
    // Tables.
    "user,password\nbob,{}",
    "id;user;password\n1;bob;{}",
    " username | password \n----------+---------\n bob      | {}",
    "│ password │ {} │",
    "┃ user ┃ password ┃\n┡━━━━╇━━━━┩\n┃ bob ┃ {} ┃",
    // Programs.
    "openssl enc -aes-256-cbc -pass pass:{} -in a",
    "openssl passwd -6 {}",
    "sqlplus scott/{}@db",
    "jdbc:oracle:thin:scott/{}@host:1521:x",
    "lftp -u bob,{} host",
    "plink -pw {} host",
    "unrar x -p{} a.rar",
    "jarsigner -storepass {} a.jar",
    "cypher-shell -u neo4j -p {}",
    "rdesktop -u bob -p {} host",
    "etcdctl --user root:{} get x",
    "p4 -P {} sync",
    "wpa_passphrase home {}",
    "rabbitmqctl change_password bob {}",
    "vault kv put secret/x value={}",
    "net use \\\\host\\share {} /user:bob",
    "echo -e '{}\\n{}' | passwd bob",
    "echo '{}' | sudo kinit bob",
    "echo -n {} | cryptsetup open x y -",
    "kinit <<< '{}'",
    "wrangler secret put NAME <<< {}",
    "expect \"assword:\"; send \"{}\\r\"",
    "AUTH {}",
    "connect(host, \"bob\", \"{}\")",
    "DriverManager.getConnection(url, \"sa\", \"{}\")",
    "client.login(\"bob@host.test\", \"{}\")",
    "INSERT INTO users (name, password) VALUES ('bob', '{}');",
    // Addresses.
    "HTTPS_PROXY=http://bob:{}@host:3128",
    "socks5://bob:{}@host:1080",
    "https://bob@host.test:{}@host/",
];

#[test]
fn a_password_is_found_wherever_it_stands() {
    let redactor = Redactor::new();
    let mut missed = Vec::new();
    for place in PLACES {
        for password in PASSWORDS {
            let text = format!("before\n{}\nbehind", place.replace("{}", password));
            let clean = redactor.text(&text);
            assert_eq!(redactor.text(&clean), clean);
            if clean.contains(&password[..6]) || clean.contains(&password[7..]) {
                missed.push(clean.into_owned());
            }
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn a_token_that_is_the_user_of_an_address_is_found() {
    assert_eq!(
        Redactor::new().text("git clone https://Zx8Qw3!Er7Ty@github.com/a/b"),
        "git clone https://[REDACTED:url-token]@github.com/a/b"
    );
}

#[test]
fn the_private_members_of_a_web_key_go_from_a_piece_of_it() {
    let drawn = "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh";
    for text in [format!("\"k\":\"{drawn}\",\"kty\":\"oct\""), format!("\"kty\": \"EC\", \"d\": \"{drawn}\"")]
    {
        assert!(!Redactor::new().text(&text).contains(drawn), "{text}");
    }
}

/// What only looks like one of these places.
const ORDINARY: &[&str] = &[
    "    [password] => \n    [token] => 12",
    "  [\"password\"]=>\n  string(0) \"\"\n  [\"secret\"]=>\n  int(16)",
    "pass: 12, fail: 3",
    "pass: test_login2",
    "tests pass=14 fail=0",
    "deploy --pass 2 --pattern '*.rs'",
    "--secret id=mysecret,src=file.txt",
    "BYPASS=node1!x2 COMPASS=north",
    "user,password\nname,description",
    "user,password,token\nbob,required,optional",
    "| field | password |\n|---|---|\n| type | string |",
    "| Token | Meaning |\n|---|---|\n| Ident | a name2Use |",
    "fn login(user, password,\n    host1Name, port)",
    "openssl passwd -6",
    "openssl passwd -6 -stdin",
    "openssl enc -d -pass env:PASS",
    "net use x: \\\\host1\\share2 /user:bob",
    "echo hello1world | grep passwd ",
    "cat <<< \"some text 12\"",
    "<<<<<<< HEAD\nsecret put \n>>>>>>> x",
    "connect(\"localhost\", 5432, \"app_db2\")",
    "login(\"bob\", \"${PASSWORD}\")",
    "socket.connect(\"tcp://127.0.0.1:5555\", \"a1\")",
    "INSERT INTO users (name, password) VALUES (?, ?)",
    "INSERT INTO t (name, password_hash) VALUES ('bob', NULL)",
    "<input type=\"password\" value=\"\" placeholder=\"Password\">",
    "<string name=\"password\">Password</string>",
    "<string name=\"forgot_password\">Forgot your password?</string>",
    "<entry key=\"password.label\">Kennwort</entry>",
    "<key>PasswordPolicy</key><string>strict</string>",
    "https://host.test:8080#frag@x",
    "https://Bob%40corp1@host.test/a",
    "format!(\"%s:%s\", password)",
    "password = 'user-%d'",
    "token: %s",
    "AUTH LOGIN",
    "AUTH PLAIN AGJvYgBx",
    "send \"hello\" to the password service",
    "password:\n  type: string\n  minLength: 8",
    "password:\n  - required\n  - min:8",
    "api_key Base64Encoded string",
    "il passe : trois fois",
    "vault kv put secret/x ttl=30m",
    "sqlplus /nolog @script.sql",
    "\"kty\": \"EC\", \"d\": 3, \"k\": \"short\"",
];

#[test]
fn what_only_looks_like_such_a_place_stays() {
    let changed: Vec<_> = ORDINARY
        .iter()
        .map(|text| Redactor::new().text(text))
        .filter(|clean| !ORDINARY.contains(&&**clean))
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}
