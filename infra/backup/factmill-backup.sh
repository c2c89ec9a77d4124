#!/bin/sh
# Backups of a database, each one a file that pg_restore reads. The variables PGHOST, PGUSER, PGDATABASE and so on say
# which database, and log in as the owner of its tables.
#   factmill-backup every                    makes one every BACKUP_INTERVAL_S seconds, until it is stopped
#   factmill-backup now                      makes one, and removes all but the BACKUP_KEEP newest
#   factmill-backup list                     names them, the oldest first
#   factmill-backup check                    ends with 1 when the newest is too old
#   factmill-backup restore NAME DATABASE    restores one, or `latest`, into a new database
set -eu
umask 077

folder=${BACKUP_DIR:-/backups}
keep=${BACKUP_KEEP:-7}
interval=${BACKUP_INTERVAL_S:-86400}
retry=60
child=

say() { echo "factmill-backup: $1" >&2; }
fail() {
  say "$1"
  exit 1
}

# Runs a command so that SIGTERM is heard at once.
run() {
  "$@" &
  child=$!
  wait "$child"
}

stop() {
  [ -z "$child" ] || kill "$child" 2> /dev/null || true
  wait
  rm -f "$folder"/*.part
  exit "$1"
}

list() { find "$folder" -maxdepth 1 -type f -name 'factmill-*.dump' -printf '%f\n' | sort; }
newest() { list | tail -n 1; }
age() { echo $(($(date +%s) - $(stat --format=%Y "$folder/$1"))); }

# Written under another name, read back and flushed, so that a file with the name of a backup is a whole one. Older ones
# leave only after that.
back_up() {
  exec 9> "$folder/.lock"
  flock 9
  rm -f "$folder"/*.part
  name=factmill-$(date --utc +%Y%m%dT%H%M%S.%3NZ).dump
  run pg_dump --no-password --format=custom --exclude-schema=factmill_queue --file="$folder/$name.part" || return 1
  pg_restore --list "$folder/$name.part" > /dev/null || return 1
  sync "$folder/$name.part" || return 1
  mv "$folder/$name.part" "$folder/$name" || return 1
  list | head -n "-$keep" | while read -r old; do rm "$folder/$old"; done
  exec 9>&-
  say "$name, $(stat --format=%s "$folder/$name") bytes"
}

# A restart makes none before its time: the good ones of before would leave.
every() {
  trap 'stop 0' TERM INT
  while true; do
    last=$(newest)
    pause=0
    [ -z "$last" ] || pause=$((interval - $(age "$last")))
    [ "$pause" -le 0 ] || run sleep "$pause"
    if ! back_up; then
      rm -f "$folder"/*.part
      say "failed; the next attempt is in $retry s"
      run sleep "$retry"
    fi
  done
}

check() {
  last=$(newest)
  [ -n "$last" ] || fail 'there is no backup yet'
  # Half an interval and ten minutes later than it is due.
  [ "$(age "$last")" -le $((interval + interval / 2 + 600)) ] || fail "the newest backup, $last, is too old"
}

restore() {
  [ $# = 2 ] || fail 'usage: factmill-backup restore NAME|latest DATABASE'
  name=$1
  database=$2
  [ "$name" != latest ] || name=$(newest)
  case $name in
    factmill-*.dump) [ -f "$folder/$name" ] || fail "there is no backup $name" ;;
    *) fail 'there is no such backup; factmill-backup list names them' ;;
  esac
  case $database in
    '' | [!a-z]* | *[!a-z0-9_]*) fail 'the name of a database has small letters, digits and underscores' ;;
  esac
  createdb --no-password --template=template0 "$database" || fail 'the new database could not be made; nothing was changed'
  if ! pg_restore --no-password --dbname="$database" --no-owner --no-privileges --no-comments --single-transaction \
    --exit-on-error "$folder/$name"; then
    dropdb --no-password "$database"
    fail "$name could not be restored; the database was removed again"
  fi
  vacuumdb --no-password --quiet --dbname="$database" --analyze
  say "$name is in the database $database"
}

for number in "$keep" "$interval"; do
  case $number in
    '' | 0* | *[!0-9]*) fail 'BACKUP_KEEP and BACKUP_INTERVAL_S are whole numbers above 0' ;;
  esac
done
command=${1:-}
[ $# = 0 ] || shift
trap 'stop 1' TERM INT
case $command in
  every) every ;;
  now)
    back_up || {
      rm -f "$folder"/*.part
      fail 'failed'
    }
    ;;
  list) list ;;
  check) check ;;
  restore) restore "$@" ;;
  *) fail 'usage: factmill-backup every|now|list|check|restore' ;;
esac
