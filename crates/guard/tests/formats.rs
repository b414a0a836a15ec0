//! Passwords in the formats of files, programs and tools: a value bound to its name, however the two are written.

use serde_json::{Value, json};
use subcortex_guard::Redactor;

/// What people choose, and what a generator gives them.
const PASSWORDS: &[&str] = &["hunter2", "Zx8Qw3!Er7Ty"];

/// A format, and texts of it. `{}` is the place of the password.
const FORMATS: &[(&str, &[&str])] = &[
    (
        "cookies",
        &[
            ".example.test\tTRUE\t/\tTRUE\t1893456000\tsessionid\t{}\n",
            "# Netscape HTTP Cookie File\n#HttpOnly_app.test\tFALSE\t/\tFALSE\t0\tauth_token\t{}\n",
            "Set-Cookie: sid={}; Path=/; HttpOnly",
            "set-cookie: theme=dark\nset-cookie: auth={}; Secure",
            "document.cookie = \"session={}; path=/\"",
            "document.cookie = `auth_token={}`;",
            "< Set-Cookie: JSESSIONID={}; Path=/",
            "res.cookie('session', '{}', { httpOnly: true })",
            "response.set_cookie('sessionid', '{}')",
            "[{\"domain\": \"a.test\", \"name\": \"sessionid\", \"value\": \"{}\", \"httpOnly\": true}]",
        ],
    ),
    (
        "yaml anchors and tags",
        &[
            "password: &pw {}\nother: *pw\n",
            "password: !!str {}\n",
            "password: !!str \"{}\"\n",
            "password: &pw \"{}\"\n",
            "password: &pw !!str {}\n",
            "? password\n: {}\n",
            "- {name: DB_PASSWORD, value: {}}",
        ],
    ),
    (
        "value before name",
        &[
            "{} # db password",
            "{}  # the password of the database",
            "{} // password",
            "\"{}\" as password",
            "use `{}` as the password",
            "with '{}' as its password",
            "{} is the password",
            "`{}` is the db password",
            "{} <- password",
            "{} (password)",
            "{} -- admin password",
        ],
    ),
    (
        "expanded rows of a database",
        &[
            "-[ RECORD 1 ]------\nid       | 1\nusername | bob\npassword | {}\n",
            "-[ RECORD 1 ]------\npassword | {}\nid       | 1\n",
            "*************************** 1. row ***************************\n      id: 1\npassword: {}\n",
            "      id = 1\npassword = {}\n",
        ],
    ),
    (
        "tables",
        &[
            "| user | password |\n|------|----------|\n| bob  | {} |\n",
            "| user | password | host |\n|---|:---:|---|\n| bob | `{}` | db1 |\n| al | {} | db2 |\n",
            "| Service | Password |\n| --- | --- |\n| **db** | {} |\n",
            "user | password\n--- | ---\nbob | {}\n",
            "| Setting | Value |\n|---|---|\n| DB_PASSWORD | {} |\n",
            "| Setting | Value |\n|---|---|\n| DB password | `{}` |\n",
            "+------+----------+\n| user | password |\n+------+----------+\n| bob  | {} |\n+------+----------+\n",
            "user     password       host\n-------  -------------  ----\nbob      {}  db1\n",
            "NAME     PASSWORD       HOST\nbob      {}  db1\n",
            "<table><tr><th>user</th><th>password</th></tr>\n<tr><td>bob</td><td>{}</td></tr></table>",
            "<tr><td>Password</td><td>{}</td></tr>",
            "[cols=\"1,1\"]\n|===\n|user |password\n|bob |{}\n|===\n",
        ],
    ),
    (
        "csv",
        &[
            "user,password\nbob,{}\n",
            "\"user\",\"password\"\r\n\"bob\",\"{}\"\r\n",
            "name,url,username,password\nx,https://a.test,bob,{}\n",
            "user\tpassword\nbob\t{}\n",
            "name,url,username,password,note\n\"a, b\",https://a.test,bob,{},\"x, y\"\n",
            "user;password;role\nbob;{};admin\n",
            "username:password\nbob:{}\n",
        ],
    ),
    (
        "forms",
        &[
            "Content-Disposition: form-data; name=\"password\"\r\n\r\n{}\r\n--x--\r\n",
            "--x\nContent-Disposition: form-data; name=\"user\"\n\nbob\n--x\nContent-Disposition: form-data; name=\"password\"\n\n{}\n--x--\n",
            "content-disposition: form-data; name=password\r\nContent-Type: text/plain\r\n\r\n{}\r\n",
            "curl -F 'user=bob' -F 'password={}' https://a.test",
            "curl -d 'user=bob&password={}' https://a.test",
            "user=bob&password={}&remember=1",
            "form.append('password', '{}')",
        ],
    ),
    (
        "names and values in lists",
        &[
            "{\"args\": [\"--password\", \"{}\"]}",
            "{\"args\": [\"--password={}\"]}",
            "{\"key\":\"DB_PASSWORD\",\"value\":\"{}\"}",
            "{\"value\":\"{}\",\"key\":\"DB_PASSWORD\"}",
            "{\"Key\":\"DB_PASSWORD\",\"Value\":\"{}\"}",
            "{\"name\":\"DB_PASSWORD\",\"val\":\"{}\"}",
            "{\"variable\":\"DB_PASSWORD\",\"content\":\"{}\"}",
            "{\"k\":\"DB_PASSWORD\",\"v\":\"{}\"}",
            "{\"property\":\"db.password\",\"newValue\":\"{}\"}",
            "{\"OptionName\":\"DB_PASSWORD\",\"Value\":\"{}\"}",
            "{\"env_name\":\"DB_PASSWORD\",\"env_value\":\"{}\"}",
            "- name: DB_PASSWORD\n  value: {}\n",
            "- value: {}\n  name: DB_PASSWORD\n",
            "- key: DB_PASSWORD\n  value: \"{}\"\n",
            "Name: DB_PASSWORD\nValue: {}\n",
            "  name  = \"DB_PASSWORD\"\n  value = \"{}\"\n",
            "name=DB_PASSWORD value={}",
            "Name=DB_PASSWORD,Value={}",
            "<add key=\"DbPassword\" value=\"{}\" />",
            "<add value=\"{}\" key=\"DbPassword\" />",
            "<property name=\"password\" value=\"{}\"/>",
            "<property>\n  <name>javax.jdo.option.ConnectionPassword</name>\n  <value>{}</value>\n</property>",
            "set('DB_PASSWORD', '{}')",
            "setEnv(\"DB_PASSWORD\", \"{}\")",
            "System.setProperty(\"db.password\", \"{}\");",
            "env.put(\"DB_PASSWORD\", \"{}\");",
            "(\"DB_PASSWORD\", \"{}\")",
            "[\"DB_PASSWORD\", \"{}\"]",
        ],
    ),
    (
        "terraform state",
        &[
            "{\"instances\": [{\"attributes\": {\"password\": \"{}\", \"id\": \"db\"}, \"sensitive_attributes\": []}]}",
            "\"outputs\": {\"db\": {\"value\": \"{}\", \"type\": \"string\", \"sensitive\": true}}",
            "{\"db_password\": {\"sensitive\": true, \"type\": \"string\", \"value\": \"{}\"}}",
            "variable \"db_password\" {\n  type    = string\n  default = \"{}\"\n}\n",
            "output \"admin_password\" {\n  value = \"{}\"\n  sensitive = true\n}\n",
            "  + password = \"{}\"",
            "      ~ password             = \"{}\" -> \"other\"",
        ],
    ),
    (
        "strings over lines",
        &[
            "password = [[{}]]",
            "local password = [==[{}]==]",
            "password = [[\n{}\n]]\nport = 80",
            "password = \"\"\"\n{}\"\"\"\n",
            "password = '''{}'''\n",
            "password = '''\n{}\n'''\n",
            "password = \"\"\"\\\n  {}\"\"\"\n",
            "db.password=\\\n  {}\n",
            "db.password = \\\n    {}\nport = 80\n",
            "password =\n    {}\nport = 80\n",
            "password: >-\n  {}\n",
            "const password = `{}`",
            "password = <<~EOS\n  {}\nEOS\n",
            "password = %q({})",
            "my $password = q{{}};",
            "password := `{}`",
            "std::string password = R\"({})\";",
        ],
    ),
    (
        "cisco",
        &[
            "enable secret 5 {}",
            "enable password {}",
            "enable password 7 {}",
            "username bob password 7 {}",
            "username bob privilege 15 secret 5 {}",
            "username bob secret {}",
            "snmp-server community {} RO",
            "snmp-server host 10.0.0.1 version 2c {}",
            " key-string 7 {}",
            " tacacs-server key {}",
            " radius-server host 10.0.0.1 key 7 {}",
            "crypto isakmp key {} address 10.0.0.2",
            " neighbor 10.0.0.1 password {}",
            " ppp chap password 0 {}",
            " wpa-psk ascii 0 {}",
            "line vty 0 4\n password {}\n login\n",
            "set system root-authentication plain-text-password-value {}",
            " ip ospf message-digest-key 1 md5 {}",
        ],
    ),
    (
        "connection strings",
        &[
            "Server=db;User Id=sa;Password=\"{}\";Encrypt=true",
            "Server=db;User Id=sa;Password='{}';Encrypt=true",
            "\"Server=db;User Id=sa;Password='{}';\"",
            "\"Server=db;Password=\\\"{}\\\";Encrypt=true\"",
            "Driver={ODBC Driver 18};Server=db;UID=sa;PWD={{}};",
            "conn = \"host=db user=bob password='{}'\"",
            "jdbc:mysql://db/app?user=bob&password={}",
            "jdbc:oracle:thin:bob/{}@//db:1521/x",
            "jdbc:sqlserver://db;user=sa;password={{}};encrypt=true",
            "Provider=X;Data Source=db;Jet OLEDB:Database Password={};",
            "amqp://bob:{}@mq/vhost",
            "DSN=x;UID=bob;PWD={}",
        ],
    ),
    (
        "commands",
        &[
            "PGPASSWORD={} psql -h db",
            "PGPASSWORD='{}' psql -h db",
            "env PGPASSWORD={} psql",
            "curl -u bob:{} https://a.test",
            "curl -ubob:{} https://a.test",
            "curl --user bob:{} https://a.test",
            "curl --user=bob:{} https://a.test",
            "curl -su bob:{} https://a.test",
            "sshpass -p {} ssh bob@h",
            "sshpass -p{} ssh bob@h",
            "mysql -uroot -p{} app",
            "mysql --password={} app",
            "mysql -u root -p'{}'",
            "mysql -u root -p\"{}\" app",
            "docker login -u bob -p {}",
            "docker login --username bob --password {} r.test",
            "docker login -u bob -p={} r.test",
            "kubectl create secret generic x --from-literal=a={}",
            "kubectl create secret generic x --from-literal a={} --from-literal='b={}'",
            "kubectl create secret docker-registry x --docker-password={}",
            "helm upgrade x y --set db.password={}",
            "helm upgrade x y --set auth.user=bob,auth.password={}",
            "ansible-playbook x.yml -e 'db_password={}'",
            "terraform apply -var 'db_password={}'",
            "terraform apply -var=\"db_password={}\"",
            "docker run -e DB_PASSWORD={} x",
            "docker build --build-arg DB_PASSWORD={} .",
            "psql \"host=db user=bob password={}\"",
            "mysql -h db -u root --password '{}'",
            "$env:DB_PASSWORD = '{}'",
            "set DB_PASSWORD={}",
            "setx DB_PASSWORD {}",
            "export DB_PASSWORD={}",
            "read -s PASSWORD <<< {}",
            "smbclient //h/s -U bob%{}",
            "mount -t cifs //h/s /m -o username=bob,password={}",
            "xfreerdp /u:bob /p:{} /v:h",
            "wget --password={} https://a.test",
            "git clone https://bob:{}@a.test/r.git",
            "New-Object PSCredential('bob', (ConvertTo-SecureString '{}' -AsPlainText -Force))",
            "net user bob {} /add",
            "echo 'bob:{}' | chpasswd",
            "az sql server create -u bob -p {}",
            "aws rds create-db-instance --master-user-password {}",
        ],
    ),
    (
        "other files",
        &[
            "COPY users (id, password) FROM stdin;\n1\t{}\n\\.\n",
            "password: x;{}",
            "password: {};y9",
            "password=x;{}",
            "proxy=http://bob:{}@h:3128",
            "https://bob:{}@h/",
            "Authorization: Basic Ym9iOmh1bnRlcjI={}",
            "[default]\npassword = {}\n",
            "password {}\n",
            "  password \"{}\";\n",
            "requirepass {}\n",
            "user bob\npassword {}\n",
            "(setq smtp-password \"{}\")",
            "(def password \"{}\")",
            "{:user \"bob\" :password \"{}\"}",
            "{:password, \"{}\"}",
            "define('DB_PASSWORD', '{}');",
            "@password = '{}'",
            "#define PASSWORD \"{}\"",
            "let password = \"{}\"; // TODO",
            "password -> \"{}\"",
            "PASSWORD ?= {}",
            "password: \"{}\"  # rotate",
            "dn: cn=bob\nuserPassword: {}\n",
            "network={\n  ssid=\"x\"\n  psk=\"{}\"\n}\n",
            "<password>{}</password>",
            "<password><![CDATA[{}]]></password>",
            "<ns:Password Type=\"PasswordText\">{}</ns:Password>",
        ],
    ),
];

#[test]
fn a_password_is_found_in_every_format() {
    let redactor = Redactor::new();
    let mut missed = Vec::new();
    for (format, texts) in FORMATS {
        for (text, password) in texts.iter().flat_map(|text| PASSWORDS.iter().map(move |word| (text, word))) {
            let shown = text.replace("{}", password);
            for whole in [shown.clone(), format!("before\n{shown}\nbehind\n")] {
                let clean = redactor.text(&whole);
                assert_eq!(redactor.text(&clean), clean);
                if clean.contains(password) {
                    missed.push(format!("{format}: {clean:?}"));
                    break;
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}

/// The same in values of tools, whose fields say nothing about secrets.
fn values(password: &str) -> Vec<Value> {
    vec![
        json!({"args": ["--password", password]}),
        json!({"argv": ["tool", "-password", password]}),
        json!({"args": [format!("--password={password}")]}),
        json!({"key": "DB_PASSWORD", "value": password}),
        json!({"Key": "DB_PASSWORD", "Value": password}),
        json!({"name": "DB_PASSWORD", "val": password}),
        json!({"variable": "DB_PASSWORD", "value": password}),
        json!({"env_name": "DB_PASSWORD", "env_value": password}),
        json!({"k": "DB_PASSWORD", "v": password}),
        json!({"property": "db.password", "newValue": password}),
        json!({"setting": "admin password", "to": password}),
        json!({"name": "DB_PASSWORD", "value": {"stringValue": password}}),
        json!([["DB_PASSWORD", password]]),
        json!({"attributes": {"password": password, "id": "x"}}),
        json!({"db": {"value": password, "sensitive": true}}),
        json!({"columns": ["user", "password"], "rows": [["bob", password], ["al", password]]}),
        json!([["user", "password"], ["bob", password]]),
        json!({"header": ["user", "password"], "data": [["bob", password]]}),
        json!({"content": format!("user,password\nbob,{password}\n")}),
        json!({"stdout": format!("| user | password |\n|---|---|\n| bob | {password} |\n")}),
        json!({"command": format!("curl -u bob:{password} https://a.test")}),
        json!({"cookies": [{"name": "sid", "value": password}]}),
        json!({"name": "session", "value": password, "domain": "a.test", "path": "/", "httpOnly": true}),
    ]
}

#[test]
fn a_password_is_found_in_the_values_of_tools() {
    let redactor = Redactor::new();
    let mut missed = Vec::new();
    for password in PASSWORDS {
        for mut value in values(password) {
            redactor.value(&mut value);
            let once = value.clone();
            redactor.value(&mut value);
            assert_eq!(once, value);
            if value.to_string().contains(password) {
                missed.push(value.to_string());
            }
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}
