//! Words that rules know. Which list a word is in decides what is found, so each list says what it is for.

use super::words::WordList;

/// Last words that only say where or how.
pub(super) const NEUTRAL: WordList = WordList(
    "value val str string plain plaintext raw clear cleartext b64 base64 encoded prod production dev \
     development data staging stage stg test testing qa uat live sandbox local main backup default old new \
     current primary secondary base v1 v2 v3",
);

/// Last words that are a password.
pub(super) const PASSWORD_WORDS: WordList = WordList(
    "password passwords passwd passcode pwd psk requirepass masterauth passwort kennwort contraseña contrasena \
     rootpw bindpw authtok passe пароль Пароль 密码 密碼 パスワード 비밀번호 암호 senha hasło haslo heslo wachtwoord lösenord passord parola şifre \
     Şifre sifre adgangskode salasana jelszó khẩu sandi κωδικός סיסמה סיסמא المرور السر عبور पासवर्ड รหัสผ่าน",
);

/// What a name ends with that is a password, written in one word: `PGPASSWORD`.
pub(super) const PASSWORD_ENDINGS: WordList = WordList("password passwd pwd");

/// Before `password`: the name is a flag, an action or a stored hash.
pub(super) const NO_PASSWORD_AFTER: WordList = WordList(
    "forgot reset change show hide toggle invalid wrong incorrect no without has is require required \
     requires need needs enable disable allow validate verify check hash hashed encrypted min max \
     generate prompt ask missing empty bad weak",
);

/// Before `pass` and `pw`, which are also verbs and abbreviations.
pub(super) const OWNERS_OF_PASS: WordList = WordList(
    "db database mysql smtp user root admin ftp sftp redis mail email imap pg postgres ssh sudo become login \
     auth proxy rabbitmq amqp mongo http basic wifi ldap api keystore truststore store key sql bind my vault",
);

/// Before `key`: certainly a secret.
pub(super) const STRONG_KEYS: WordList = WordList(
    "api secret private priv access encryption encrypt decryption signing sign master auth authentication \
     account shared subscription admin hmac aes cipher ssh deploy webhook jwt consumer service role rsa \
     wallet write ingest license credential preshared",
);

/// Before `key`: certainly none.
pub(super) const HARMLESS_KEYS: WordList = WordList(
    "public pub primary foreign sort partition hash cache index map dict object row column group lookup \
     shortcut hot cursor site join range routing dedup idempotency unique composite translation i18n label \
     config registry state query param attr prop event order bucket session thread message item node tree \
     path file field json meta metadata feature flag local issue project react sha commit \
     artifact content cached conversation entity line option setting dep host known verification \
     verifying rule sqs s3 redis etag tag id trace span request",
);

/// Before `token`: certainly a secret.
pub(super) const STRONG_TOKENS: WordList = WordList(
    "access auth authentication refresh bearer api bot personal deploy oauth security service account \
     secret private admin app webhook registration root session id job push upload publish login user \
     runner bootstrap signing jwt identity client device management sudo write read integration",
);

/// Before `token`: a piece of text, a position in a list, or a counter.
pub(super) const HARMLESS_TOKENS: WordList = WordList(
    "next prev previous page pagination continuation current last first end start eos bos eof pad unk \
     mask sep cls stop special max min num total input output prompt completion cancellation cancel parse \
     syn punct ident lex raw text string word operator delimiter match per resume cached sync change \
     snapshot fencing cursor line expected unexpected found peek peeked by no invalid has design color",
);

/// Before `secret`: certainly one.
pub(super) const STRONG_SECRETS: WordList = WordList(
    "client app application api shared signing jwt webhook consumer oauth session cookie auth access \
     token user account key bot encryption hmac master totp otp service nextauth better",
);

/// Before `secret`: the one that an application has.
pub(super) const CLIENTS: WordList = WordList("client app application consumer oauth");

/// Before `phrase`: words that stand for a key.
pub(super) const PHRASES: WordList = WordList("seed recovery backup secret mnemonic wallet");

/// Words that are never somebody's secret, alone or joined with each other.
pub(super) const VOCABULARY: &[WordList] = &[
    // Values of other types, and the absence of one.
    WordList(
        "true false null none nil undefined nan yes no on off ok default empty unset unknown missing \
         required optional enabled disabled auto any all seconds minutes hours days",
    ),
    // Type names.
    WordList(
        "string str text number num int integer bool boolean float double object array list map dict \
         bytes byte char buffer uuid date datetime file path url uri json yaml xml varchar secretstr \
         cstring vec option box arc self type var let const func function fn return async await new this",
    ),
    // What one calls secrets.
    WordList(
        "password passwords passwd pass pwd pw passphrase passcode secret secrets token tokens key keys \
         apikey api auth authorization authentication oauth credential credentials creds access refresh \
         bearer basic digest private public client session cookie cookies csrf xsrf id user username \
         login signin admin email mail account name value data field input hash salt header headers param \
         env config confirm confirmation current old repeat again reset forgot change update show hide \
         invalid incorrect wrong weak strong plain plaintext hashed encrypted manual prompt",
    ),
    // Gaps to be filled in.
    WordList(
        "your my the some a an here example examples sample placeholder dummy fake mock foo bar baz \
         foobar todo fixme tbd changeme changethis replace replaceme with insert enter fill set put \
         please redacted hidden masked removed omitted censored xxx goes me it in to from of for and or \
         not is that generated random actual real own provided get at by github gitlab google aws azure \
         openai anthropic stripe slack service server app application db database host label hint title \
         message error description help info form button page view model schema props state",
    ),
];

/// Words that a name for a secret has, and a secret has not.
pub(super) const SECRET_WORDS: WordList =
    WordList("password passwd passphrase secret token key credential credentials cookie auth login");

/// Words beside which `pass` is a password.
pub(super) const USER_WORDS: WordList = WordList("user login email account");

/// What a column is called that says whose password stands beside it.
pub(super) const USERS: WordList = WordList("user username login email mail account usr owner");

/// Beginnings of references to a place where the secret really is.
pub(super) const REFERENCES: WordList = WordList(
    "http:// https:// file: env: env. vault: op:// ref+ secret:// secretref: ssm: arn:aws keyring: gcp: \
     awssm: pass: enc[ enc( process. import. os. secrets. vars. var. local. data. module. settings. \
     config. self. this. data: sha1- sha256- sha384- sha512- sha256: sha512: md5: !ref !sub !getatt fn:: \
     /etc/ /home/ /run/ /var/ /usr/ /opt/ /tmp/ /root/ /users/ /app/ /path/ /dev/ /mnt/ ./ ../ ~/ c:\\",
);

/// Last words of fields that say what something is called, and of those that say what it is.
pub(super) const NAME_FIELDS: WordList =
    WordList("name key variable var property setting option parameter param k env attribute header");
pub(super) const VALUE_FIELDS: WordList = WordList("value val v default content current to");
/// Fields that say for people what something is.
pub(super) const LABEL_FIELDS: WordList = WordList("label name field placeholder id");

/// Words in the names of cookies that hold a session.
pub(super) const SESSION_WORDS: WordList =
    WordList("sess sid auth token jwt csrf xsrf remember login ticket secret key uid");

/// What a `Set-Cookie` says about the cookie.
pub(super) const ATTRIBUTES: WordList =
    WordList("path domain expires max-age samesite version priority comment charset");

/// What types and methods that end in digits begin with: `u32`, `utf8`, `sha256`.
pub(super) const TECHNICAL: WordList = WordList(
    "u i f int uint float utf sha md base aes hs rs es ps ed x v rsa ecdsa curve bcrypt scrypt argon \
     pbkdf sha3 blake ipv http oauth p secp arg str s t a b k",
);

/// Words before `password` that say whose it is.
pub(super) const OWNERS: WordList = WordList(
    "the its my our your their his her a db database admin root user login smtp ftp ssh wifi vpn sudo new \
     current master main default initial temporary",
);

/// First words of the lines in which network devices keep secrets.
pub(super) const DEVICE_WORDS: WordList = WordList(
    "enable username user snmp-server tacacs-server radius-server tacacs radius crypto neighbor ppp \
     key-string wpa-psk standby ntp ldap-server isakmp pre-shared-key server-key set d-i mysql-server nmcli setenv \
     fastcgi_param",
);

/// How a device says in which form the secret behind it is.
pub(super) const DEVICE_FORMS: WordList = WordList(
    "0 4 5 6 7 8 9 ascii ascii-text hex clear cleartext encrypted plain plaintext --plaintext md5 sha256 sha512 scrypt enc reg_sz",
);

/// What may follow a secret on such a line.
pub(super) const DEVICE_TAILS: WordList =
    WordList("address hostname encrypted auth-port acct-port timeout role privilege level ro rw");

/// What links a name in a sentence with its value.
pub(super) const LINKS: WordList =
    WordList("is was are equals ist lautet es est è é jest är adalah là είναι है = := value -> => : → - – —");

/// What may stand between the link and the value.
pub(super) const FILLERS: WordList =
    WordList("now currently set to just the following still always simply actually this");

/// Functions that read a setting, and take a second text if there is none: `os.environ.get`, `config`.
pub(super) const SETTING_READERS: WordList =
    WordList("config fetch getproperty getordefault setdefault lookup");

/// What such functions have in their names: `getenv`, `env::var`, `Environment.GetEnvironmentVariable`.
pub(super) const SETTING_READER_PARTS: WordList = WordList("env");

/// How words end that are no names of things: none of ten letters and more is somebody's password.
pub(super) const WORD_ENDINGS: WordList = WordList(
    "tion tions sion sions ment ments ness able ible ably ing ings ed ally ully ity ities ence ance ency ary ory ical ful less \
     ters ties utes ials where thing ized ised ively ature",
);

/// Words that hold a sentence together, or say what a password has to be: a phrase of words that were drawn has none of them.
pub(super) const SENTENCE_WORDS: WordList = WordList(
    "must should shall can cannot could will would may might need needs when where while if then else this these those be been are was \
     were has have had do does did only no as on up so but than too very also used use uses using you we they it its their our \
     which who what how why see via per each every there must more less least most than after before without within until \
     characters character letters letter digits digit symbols length long short longer shorter minimum maximum eight match \
     matches contain contains choose type typed same different leave left blank stored store",
);

/// Functions that only wrap a text: `String::from("…")`.
pub(super) const WRAPPERS: WordList = WordList(
    "from new of some ok s w str string text literal raw value secret password from_str from_static into \
     to_string b64decode fromhex unhexlify buffer bytes quote concat base64decode sensitive",
);

/// Schemes of databases and queues; their passwords are often not percent-encoded.
pub(super) const DATABASES: WordList = WordList(
    "postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps mssql sqlserver \
     clickhouse cockroachdb oracle mysql2 mysqlx jdbc valkey nats kafka ldap ldaps ftp sftp smtp smtps libsql \
     snowflake",
);
