#!/bin/sh
# Says which files and folders the documents name although they are not there. Reads the repository it is started in.
#
# Looked at: what links lead to, and what stands in backticks and begins with a folder of this repository. What holds a
# placeholder (<name>, *, {a,b}, …) names nothing in particular.
set -u

found=$(mktemp) || exit 1
for document in README.md ARCHITECTURE.md CONTRIBUTING.md docs/*.md; do
    test -f "$document" || continue
    folder=$(dirname "$document")
    {
        # Links start at the document, code at the repository.
        grep -noE '\]\([^)# ]+' "$document" | sed -E 's/^([0-9]+):\]\(/\1 link /'
        grep -noE '`[^` ]+`' "$document" | sed -E 's/^([0-9]+):`([^`]*)`$/\1 code \2/'
    } | while read -r line kind name; do
        case $name in
        *[\<\>\*\{\}…\$\"\\]* | *://* | mailto:*) continue ;;
        esac
        path=${name%%:*}
        case $kind:$path in
        link:*) path=$folder/$path ;;
        code:crates/* | code:docs/* | code:tests/* | code:bootstrap/* | code:xtask/*) ;;
        # A crate's file may be named without the folder of all crates.
        code:*/src/* | code:*/tests/* | code:*/data/*) path=crates/$path ;;
        *) continue ;;
        esac
        test -e "$path" || printf '%s:%s names %s, which is not there\n' "$document" "$line" "$name"
    done
done | sort -u > "$found"

if test -s "$found"; then
    items=$(sed 's/.*/"[P1] &"/' "$found" | paste -sd, -)
    count=$(grep -c . "$found")
    printf '{"status": "UPDATED", "action": "report", "item": "%s statements do not hold", "priority": [%s]}\n' "$count" "$items"
else
    echo '{"status": "NO-OP", "priority": [], "watch": [], "noise": []}'
fi
