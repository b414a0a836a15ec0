#!/bin/sh
# A supervisor: plans, promotes dead pages, answers directives, hands on what stays unverified, and ends with a synthesis.
# Who it is and on which thread it may speak, its run's token says; what is legal, the blackboard says.
set -eu
thread=research
say() { subcortex blackboard append "$thread" "$1" >/dev/null; }
plan() { # entities, assigned, more fields
  say "{\"kind\":\"STRATEGY\",\"goal\":\"who leads them\",\"entities\":[$1],\"tool_chain\":[\"look\"],\"assigned\":{$2}${3:-}}"
}
entities='"Acme","Globex","Initech"'
assigned='"Acme":"worker-1","Globex":"worker-2","Initech":"worker-3"'
plan "$entities" "$assigned"
while :; do
  board=$(subcortex blackboard read "$thread")
  open=$(echo "$board" | sed -n '/^before a SYNTHESIS:/,$p')
  case "$board" in *"everything is settled"*) break ;; esac
  dead=$(echo "$open" | sed -n 's/^  - \(http[^ ]*\) is a FAILED_URL.*/\1/p' | head -n 1)
  if [ -n "$dead" ]; then
    say "{\"kind\":\"TOMBSTONE\",\"url\":\"$dead\",\"failure_reason\":\"reported by a worker\",\"turn\":1}"
  elif echo "$open" | grep -q 'USER_DIRECTIVE'; then
    entities="$entities,\"Hooli\""
    assigned="$assigned,\"Hooli\":\"worker-2\""
    plan "$entities" "$assigned"
  elif echo "$open" | grep -q 'is UNVERIFIED'; then
    assigned=$(echo "$assigned" | sed 's/"Initech":"worker-3"/"Initech":"worker-1"/')
    if [ ! -e handed-on ]; then
      plan "$entities" "$assigned" ',"query":"Initech annual report"'
      touch handed-on
    fi
  fi
  sleep 0.2
done
urls=$(echo "$board" | sed -n 's/.* VERIFIED .*(\(http[^,)]*\).*/"\1"/p' | sort -u | paste -sd, -)
say "{\"kind\":\"SYNTHESIS\",\"text\":\"All of them have somebody who leads them.\",\"citations\":[$urls]}"
echo "UPDATED: done"
