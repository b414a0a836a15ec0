#!/bin/sh
# A worker: for each entity of its task it claims a field, looks, and says what it found, or that it found nothing.
# Its pages are lines of files below $SUBCORTEX_HOME/pages: an address and what stands there, or nothing when it is dead.
set -eu
thread=research
me=$SUBCORTEX_PARTITION
pages=$SUBCORTEX_HOME/pages
say() { subcortex blackboard append "$thread" "$1"; }
look() { # entity, file
  while read -r url value; do
    if [ -z "$value" ]; then
      say "{\"kind\":\"FAILED_URL\",\"url\":\"$url\",\"failure_reason\":\"404\",\"tried_by\":\"$me\"}" || true
    else
      say "{\"kind\":\"VERIFIED\",\"entity\":\"$1\",\"field\":\"ceo\",\"value\":\"$value\",\"source_url\":\"$url\",\"retrieved_by\":\"$me\"}"
      return
    fi
  done <"$2"
  say "{\"kind\":\"UNVERIFIED\",\"entity\":\"$1\",\"field\":\"ceo\",\"claimed_value\":null,\"reason\":\"no page\"}"
}
task=$(cat)
file=
case "$task" in *"query: "*) file=.report ;; esac
for entity in $(echo "$task" | sed -n 's/^entities: //p' | tr -d ,); do
  # Somebody else may be quicker: then there is nothing to do.
  say "{\"kind\":\"PENDING\",\"entity\":\"$entity\",\"field\":\"ceo\",\"assigned_to\":\"$me\",\"turn\":1}" || continue
  source=$pages/$entity
  if [ -n "$file" ] && [ "$entity" = Initech ]; then
    source=$source$file
    while [ ! -e "$source" ]; do sleep 0.1; done # a slow source
  fi
  look "$entity" "$source"
done
echo "NO-OP: said on the blackboard"
