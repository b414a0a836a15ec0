//! What common nouns of rules mean in files and commands.

/// Endings of files that hold program code.
pub(crate) const CODE_GLOBS: &[&str] = &[
    "*.{ts,tsx,js,jsx,mjs,cjs,mts,vue,svelte,astro}",
    "*.{go,rs,py,rb,java,kt,kts,swift,m,mm,c,h,cc,cpp,hpp,cs,fs,php,ex,exs,erl,hs,ml,scala,clj,lua,dart,zig,sol,r}",
    "*.{css,scss,sass,less,html}",
    "*.{sql,proto,graphql,prisma,tf,sh}",
];

/// Files that configure rather than compute.
pub(crate) const CONFIG_GLOBS: &[&str] = &["*.{yaml,yml,json,toml,tfvars,hcl}", "Dockerfile*", "Makefile"];

/// Where tests live.
pub(crate) const TEST_GLOBS: &[&str] = &[
    "*.{test,spec}.{ts,tsx,js,jsx,mjs,mts}",
    "*_test.{go,py,dart,rb,exs,cc,cpp}",
    "test_*.py",
    "*{Test,Tests,Spec,IT}.{java,kt,swift,cs,scala,php}",
    "tests/**",
    "test/**",
    "__tests__/**",
    "spec/**",
    "e2e/**",
    "*_spec.rb",
];

/// Where documents live.
pub(crate) const DOC_GLOBS: &[&str] = &["*.{md,mdx,rst,adoc}", "docs/**", "doc/**"];

/// Where the parts that people see live.
pub(crate) const UI_GLOBS: &[&str] = &[
    "*.{tsx,jsx,vue,svelte,astro,css,scss,sass,less,html}",
    "*{View,Screen,Activity,Fragment}.{swift,kt}",
    "*.{xaml,storyboard,xib,dart}",
];

/// A noun with the files that it stands for.
pub(crate) struct Concept {
    /// Words, any of which names it.
    pub(crate) names: &'static [&'static str],
    /// The files.
    pub(crate) globs: &'static [&'static str],
}

pub(crate) const CONCEPTS: &[Concept] = &[
    Concept { names: &["go", "golang"], globs: &["*.go"] },
    Concept { names: &["rust"], globs: &["*.rs"] },
    Concept { names: &["python"], globs: &["*.py"] },
    Concept { names: &["typescript", "ts"], globs: &["*.{ts,tsx,mts}"] },
    Concept { names: &["javascript", "js"], globs: &["*.{js,jsx,mjs,cjs}"] },
    Concept { names: &["kotlin"], globs: &["*.{kt,kts}"] },
    Concept { names: &["swift"], globs: &["*.swift"] },
    Concept { names: &["java"], globs: &["*.java"] },
    Concept { names: &["ruby"], globs: &["*.rb"] },
    Concept { names: &["php"], globs: &["*.php"] },
    Concept { names: &["dart", "flutter"], globs: &["*.dart"] },
    Concept { names: &["terraform", "hcl"], globs: &["*.{tf,tfvars,hcl}"] },
    Concept {
        names: &["css", "stylesheet", "style", "tailwind", "scss"],
        globs: &["*.{css,scss,sass,less}", "*.{tsx,jsx,vue,svelte,astro,html}"],
    },
    Concept { names: &["react", "jsx", "tsx"], globs: &["*.{tsx,jsx}"] },
    Concept { names: &["vue"], globs: &["*.vue"] },
    Concept { names: &["svelte"], globs: &["*.svelte"] },
    Concept {
        names: &["ui", "component", "frontend", "front-end", "user-facing", "screen", "page", "layout"],
        globs: UI_GLOBS,
    },
    Concept { names: &["test", "spec", "e2e"], globs: TEST_GLOBS },
    Concept { names: &["doc", "documentation", "markdown", "readme", "guide"], globs: DOC_GLOBS },
    Concept {
        names: &["migration"],
        globs: &["**/*migration*/**", "*migration*", "**/migrate/**", "**/alembic/versions/**"],
    },
    Concept { names: &["sql", "query"], globs: &["*.sql"] },
    Concept { names: &["proto", "protobuf", "grpc"], globs: &["*.proto"] },
    Concept { names: &["graphql"], globs: &["*.{graphql,gql}"] },
    Concept {
        names: &["workflow", "ci", "pipeline"],
        globs: &[".github/workflows/**", ".gitlab-ci.yml", ".circleci/**", "azure-pipelines.yml"],
    },
    Concept {
        names: &["dockerfile", "container", "image"],
        globs: &["Dockerfile*", "*.Dockerfile", "docker-compose*.y*ml", "compose.y*ml"],
    },
    Concept {
        names: &["dependency", "package", "library", "manifest"],
        globs: &[
            "package.json",
            "Cargo.toml",
            "go.mod",
            "pyproject.toml",
            "requirements*.txt",
            "Gemfile",
            "pom.xml",
            "build.gradle*",
            "pubspec.yaml",
            "composer.json",
            "mix.exs",
        ],
    },
    Concept { names: &["shell", "bash", "script"], globs: &["*.sh", "scripts/**", "bin/**"] },
    Concept { names: &["yaml"], globs: &["*.{yaml,yml}"] },
    Concept { names: &["json"], globs: &["*.json"] },
    Concept { names: &["notebook"], globs: &["*.ipynb"] },
    Concept { names: &["chart", "helm"], globs: &["charts/**", "**/templates/*.yaml"] },
];

/// Commands that run tests.
pub(crate) const TESTS: &str = r"(?:^|\s|/)(?:(?:npm|pnpm|yarn|bun|deno|cargo|go|mvn|gradle|gradlew|dotnet|swift|flutter|mix|make|just|task|mise|rake|bazel|zig|composer|tox|nox|rails|nx|turbo)\b.*\b(?:test|tests|check|nextest|spec)\b|pytest|vitest|jest|rspec|phpunit|ctest|xcodebuild\b.*\btest|playwright test|cypress run|unittest)";
/// Commands that lint.
pub(crate) const LINT: &str = r"\b(?:lint|eslint|oxlint|ruff|clippy|golangci-lint|flake8|pylint|biome|ktlint|swiftlint|rubocop|detekt|shellcheck|tflint|stylelint|vet|credo|phpstan|hadolint|sqlfluff|pre-commit)\b";
/// Commands that format.
pub(crate) const FORMAT: &str = r"\b(?:fmt|format|prettier|gofmt|goimports|gofumpt|black|rustfmt|isort|biome|swiftformat|ktlint|dprint|lint:fix|ruff)\b";
/// Commands that check types.
pub(crate) const TYPES: &str =
    r"\b(?:tsc|typecheck|type-check|check-types|mypy|pyright|vue-tsc|svelte-check|flow|dialyzer|sorbet)\b";
/// Commands that build.
pub(crate) const BUILD: &str =
    r"(?:\bbuild\b|\bcompile\b|\bcargo check\b|\bassemble\w*\b|\bxcodebuild\b|\bmake\s*$)";

/// The expression for a kind of command that is named in words.
pub(crate) fn command_pattern(masked: &str) -> Option<(&'static str, &'static str)> {
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| crate::line::contains_phrase(masked, phrase));
    if has(&["linter", "linters", "lint", "linting"]) {
        return Some(("a linter", LINT));
    }
    if has(&[
        "typecheck",
        "type check",
        "type-check",
        "type checker",
        "type checks",
        "typechecker",
        "type checking",
    ]) {
        return Some(("a type check", TYPES));
    }
    if has(&["formatter", "format", "formatting"]) {
        return Some(("a formatter", FORMAT));
    }
    if has(&["test", "tests", "test suite", "unit tests", "suite"]) {
        return Some(("the tests", TESTS));
    }
    if has(&["build"]) {
        return Some(("a build", BUILD));
    }
    None
}

/// Files in which types are checked.
pub(crate) const TYPED_FILES: &[&str] =
    &["*.{ts,tsx,mts,cts,vue,svelte}", "*.{py,pyi}", "*.{php,rb,ex,exs}", "*.{js,jsx,mjs}"];

/// The files that a command is about, seen through `uv run`, `npx` and their like.
pub(crate) fn files_of_command(command: &str) -> &'static [&'static str] {
    let words: Vec<&str> = command.split_whitespace().collect();
    let at = match words.as_slice() {
        ["uv" | "poetry" | "pdm" | "hatch" | "rye" | "pipenv", "run", ..] => 2,
        ["npx" | "bunx" | "uvx" | "pipx", ..] => 1,
        ["pnpm" | "yarn" | "bundle" | "npm", "exec" | "dlx", ..] => 2,
        ["python" | "python3", "-m", ..] => 2,
        _ => 0,
    };
    words.get(at).map_or(&[][..], |program| files_of_program(program.rsplit('/').next().unwrap_or(program)))
}

/// The files that a program is about; empty for programs that serve any language.
pub(crate) fn files_of_program(program: &str) -> &'static [&'static str] {
    match program.trim_start_matches("./") {
        "go" | "gofmt" | "goimports" | "golangci-lint" | "gofumpt" | "staticcheck" => &["*.go", "go.mod"],
        "cargo" | "rustfmt" | "clippy" => &["*.rs", "Cargo.toml"],
        "mypy" | "pyright" | "basedpyright" | "ty" | "ruff" | "black" | "isort" | "flake8" | "pylint"
        | "pytest" | "tox" | "nox" => &["*.py", "*.pyi"],
        "flutter" | "dart" => &["*.dart"],
        "terraform" | "tofu" | "tflint" | "terragrunt" => &["*.{tf,tfvars,hcl}"],
        "swift" | "swiftlint" | "swiftformat" | "xcodebuild" => &["*.swift"],
        "rubocop" | "rspec" | "rake" | "standardrb" => &["*.rb"],
        "mvn" | "gradle" | "gradlew" | "ktlint" | "detekt" => &["*.{java,kt,kts}"],
        "eslint" | "tsc" | "vitest" | "jest" | "biome" | "oxlint" => {
            &["*.{ts,tsx,js,jsx,mjs,cjs,mts,vue,svelte}"]
        }
        "prettier" => &["*.{ts,tsx,js,jsx,mjs,cjs,mts,vue,svelte,css,scss,less,html,json,md,mdx,yaml,yml}"],
        "phpunit" | "phpstan" | "composer" | "pint" | "pest" | "php-cs-fixer" => &["*.php"],
        "hadolint" => &["Dockerfile*", "*.Dockerfile"],
        "shellcheck" | "shfmt" => &["*.sh", "*.bash"],
        "stylelint" => &["*.{css,scss,sass,less}"],
        "zig" => &["*.zig"],
        "forge" | "solhint" => &["*.sol"],
        "buf" | "protoc" => &["*.proto"],
        "mix" => &["*.{ex,exs}"],
        "dotnet" => &["*.{cs,fs}"],
        "sqlfluff" | "dbt" => &["*.sql"],
        _ => &[],
    }
}
