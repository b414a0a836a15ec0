#compdef subcortex
# Completions of subcortex for zsh; the program itself says what fits.
_subcortex() {
    local -a found
    local line value
    for line in "${(@f)$("${words[1]}" complete -- "${(@)words[1,CURRENT]}" 2>/dev/null)}"; do
        value="${line%%$'\t'*}"
        case "$value" in
            :files) _files; return ;;
            :dirs) _files -/; return ;;
            ?*) found+=("${value//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    _describe 'subcortex' found
}
if [ "$funcstack[1]" = "_subcortex" ]; then
    _subcortex "$@"
else
    compdef _subcortex subcortex
fi
