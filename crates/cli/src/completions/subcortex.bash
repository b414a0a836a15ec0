# Completions of subcortex for bash; the program itself says what fits.
_subcortex() {
    local value _rest
    COMPREPLY=()
    while IFS=$'\t' read -r value _rest; do
        case "$value" in
            :files) compopt -o default 2>/dev/null ;;
            :dirs) compopt -o dirnames 2>/dev/null ;;
            ?*) COMPREPLY+=("$value") ;;
        esac
    done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
}
complete -F _subcortex subcortex
