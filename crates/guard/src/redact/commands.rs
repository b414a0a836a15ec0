//! Programs, and the flags of theirs that carry a secret.

/// How a flag carries its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    /// `-psecret`
    Attached,
    /// `-p secret`
    Apart,
    /// `-u user:secret`
    BehindColon,
    /// `-U user%secret`
    BehindPercent,
    /// `-b name=secret`
    Cookie,
    /// `--from-literal=name=secret`
    Literal,
    /// `-b file user secret`: what stands last on the line.
    Last,
    /// `-u user,secret`
    BehindComma,
    /// `add_user user secret`, `passwd -6 secret`: what stands last behind at most two other arguments.
    Final,
    /// `secret /user:name`: what stands before.
    Before,
    /// `put path name=secret`
    Pairs,
    /// `/user:name secret`: what stands behind the next argument.
    Second,
}

/// A program, and the flags that carry a secret there.
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) flags: &'static [(&'static str, Carries)],
}

const fn command(name: &'static str, flags: &'static [(&'static str, Carries)]) -> Command {
    Command { name, flags }
}

use Carries::{
    Apart, Attached, Before, BehindColon, BehindComma, BehindPercent, Cookie, Final, Last, Literal, Pairs,
    Second,
};

pub(super) const COMMANDS: &[Command] = &[
    command("mysql", &[("-p", Attached)]),
    command("mysqldump", &[("-p", Attached)]),
    command("mysqladmin", &[("-p", Attached)]),
    command("mysqlimport", &[("-p", Attached)]),
    command("mariadb", &[("-p", Attached)]),
    command("mariadb-dump", &[("-p", Attached)]),
    command("sshpass", &[("-p", Apart), ("-p", Attached)]),
    command(
        "curl",
        &[
            ("-u", BehindColon),
            ("--user", BehindColon),
            ("-U", BehindColon),
            ("-b", Cookie),
            ("--proxy-user", BehindColon),
            ("-E", BehindColon),
            ("--cert", BehindColon),
            ("--pass", Apart),
        ],
    ),
    command("wget", &[("--user", BehindColon)]),
    command("http", &[("-a", BehindColon), ("--auth", BehindColon)]),
    command("https", &[("-a", BehindColon)]),
    command("xh", &[("-a", BehindColon), ("--auth", BehindColon)]),
    command("ssh-keygen", &[("-N", Apart), ("-P", Apart)]),
    command("docker", &[("-p", Apart)]),
    command("podman", &[("-p", Apart)]),
    command("buildah", &[("-p", Apart)]),
    command(
        "skopeo",
        &[("--creds", BehindColon), ("--src-creds", BehindColon), ("--dest-creds", BehindColon)],
    ),
    command("helm", &[("-p", Apart)]),
    command("oras", &[("-p", Apart)]),
    command("az", &[("-p", Apart)]),
    command("oc", &[("-p", Apart)]),
    command("redis-cli", &[("-a", Apart)]),
    command("mongosh", &[("-p", Apart)]),
    command("mongo", &[("-p", Apart)]),
    command("mongodump", &[("-p", Apart)]),
    command("mongorestore", &[("-p", Apart)]),
    command("ldapsearch", &[("-w", Apart)]),
    command("ldapmodify", &[("-w", Apart)]),
    command("ldapadd", &[("-w", Apart)]),
    command("ldappasswd", &[("-w", Apart), ("-s", Apart), ("-a", Apart)]),
    command("sqlcmd", &[("-P", Apart), ("-P", Attached)]),
    command("bcp", &[("-P", Apart)]),
    command("cqlsh", &[("-p", Apart)]),
    command("influx", &[("-p", Apart), ("-t", Apart)]),
    command("rabbitmqadmin", &[("-p", Apart)]),
    command("smbclient", &[("-U", BehindPercent)]),
    command("rpcclient", &[("-U", BehindPercent)]),
    command("zip", &[("-P", Apart)]),
    command("unzip", &[("-P", Apart)]),
    command("7z", &[("-p", Attached)]),
    command("7za", &[("-p", Attached)]),
    command("keytool", &[("-storepass", Apart), ("-keypass", Apart)]),
    command(
        "openssl",
        &[
            ("-passin", BehindColon),
            ("-passout", BehindColon),
            ("-pass", BehindColon),
            ("-k", Apart),
            ("-K", Apart),
            ("-hmac", Apart),
            ("-macopt", BehindColon),
            ("passwd", Final),
        ],
    ),
    command("apksigner", &[("--ks-pass", BehindColon), ("--key-pass", BehindColon)]),
    command("jarsigner", &[("-storepass", Apart), ("-keypass", Apart)]),
    command("plink", &[("-pw", Apart)]),
    command("pscp", &[("-pw", Apart)]),
    command("psftp", &[("-pw", Apart)]),
    command("lftp", &[("-u", BehindComma)]),
    command("ncftp", &[("-p", Apart)]),
    command("ncftpput", &[("-p", Apart)]),
    command("rdesktop", &[("-p", Apart)]),
    command("cypher-shell", &[("-p", Apart)]),
    command("p4", &[("-P", Apart)]),
    command("unrar", &[("-p", Attached)]),
    command("rar", &[("-p", Attached), ("-hp", Attached)]),
    command("etcdctl", &[("--user", BehindColon), ("user add", BehindColon)]),
    command("rabbitmqctl", &[("add_user", Final), ("change_password", Final)]),
    command("wpa_passphrase", &[("", Final)]),
    command(
        "net",
        &[
            ("/user:", Before),
            ("/USER:", Before),
            ("/user:", Second),
            ("/USER:", Second),
            ("user", Final),
            ("-U", BehindPercent),
        ],
    ),
    command("ipmitool", &[("-P", Apart)]),
    command("snmpwalk", SNMP),
    command("snmpget", SNMP),
    command("snmpset", SNMP),
    command("snmpbulkwalk", SNMP),
    command("db2", &[("using", Apart)]),
    command("mc alias set", &[("", Final)]),
    command("mc config host add", &[("", Final)]),
    command("wandb", &[("login", Final)]),
    command("twilio", &[("login", Final)]),
    command("doctl", &[("-t", Apart)]),
    command("codecov", &[("-t", Apart)]),
    command("gh secret set", &[("-b", Attached)]),
    command("ansible-vault", &[("encrypt_string", Apart)]),
    command("drush", &[("user:password", Final), ("upwd", Final)]),
    command("xfreerdp", &[("/p", BehindColon)]),
    command("twine", &[("-p", Apart)]),
    command("htpasswd", HTPASSWD),
    command("mosquitto_passwd", &[("-b", Last)]),
    command("mosquitto_pub", &[("-P", Apart)]),
    command("mosquitto_sub", &[("-P", Apart)]),
    command("SETUSER", &[(">", Attached)]),
    command("user default", &[(">", Attached)]),
    command("svn", &[("--password", Apart)]),
    command("gpg", &[("--passphrase", Apart)]),
    command("vault", &[("login", Apart), ("put", Pairs), ("unseal", Final)]),
    command("kubectl", &[("--from-literal", Literal)]),
    command("useradd", &[("-p", Apart), ("--password", Apart)]),
    command("usermod", &[("-p", Apart), ("--password", Apart)]),
    command("signtool", &[("/p", Apart)]),
    command("schtasks", &[("/rp", Apart)]),
    command("govc", &[("-u", BehindColon)]),
    command("bw", &[("unlock", Final), ("login", Final)]),
    command("cargo", &[("login", Final)]),
    command("dotnet", &[("-k", Apart), ("user-secrets", Final)]),
    command("dscl", &[("-passwd", Final)]),
    command("mega-login", &[("", Final)]),
    command("composer", &[("http-basic", Final)]),
    command("poetry", &[("http-basic", Final)]),
    command("snmp-server", &[("community", Apart), ("2c", Apart)]),
    command("message-digest-key", &[("md5", Apart)]),
    command("ConvertTo-SecureString", &[("", Final)]),
    command("security", &[("-w", Apart)]),
    command("security unlock-keychain", &[("-p", Apart)]),
    command("security create-keychain", &[("-p", Apart)]),
    command("security set-key-partition-list", &[("-k", Apart)]),
    command("security import", &[("-P", Apart)]),
];

/// The password of a user, the one of its privacy, and the name of a community.
const SNMP: &[(&str, Carries)] = &[("-A", Apart), ("-X", Apart), ("-c", Apart)];

/// `htpasswd` takes the password as its last argument if one of its flags says so, and flags may be joined.
const HTPASSWD: &[(&str, Carries)] = &[
    ("-b", Last),
    ("-c", Last),
    ("-B", Last),
    ("-n", Last),
    ("-i", Last),
    ("-m", Last),
    ("-d", Last),
    ("-s", Last),
    ("-p", Last),
    ("-5", Last),
    ("-2", Last),
];
