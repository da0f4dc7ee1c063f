#!/bin/sh
# Backs up the ledger and the embedded warehouse of DATA_DIR while the service runs, restores the copy into a temporary
# folder to see that it can be restored, and deletes all but the newest backups. The last line names the new backup.
#   BACKUP_DIR   folder of the backups; it needs space for one backup more, and for one restored
#   BACKUP_KEEP  how many backups are kept; default 7
#   HEADWATER    the command; default headwater
set -eu
keep=${BACKUP_KEEP:-7}
new=$BACKUP_DIR/.new
trial=$BACKUP_DIR/.trial
rm -rf "$new" "$trial"
trap 'rm -rf "$new" "$trial"' EXIT

${HEADWATER:-headwater} backup --to "$new"
DATA_DIR=$trial ${HEADWATER:-headwater} restore --from "$new"
# opens the restored ledger
DATA_DIR=$trial ${HEADWATER:-headwater} source list > "$trial/sources"

name=$(date -u +%Y-%m-%dT%H-%M-%SZ)-$$
mv "$new" "$BACKUP_DIR/$name"
find "$BACKUP_DIR" -mindepth 1 -maxdepth 1 -type d -name '20*Z-*' | sort -r | tail -n "+$((keep + 1))" |
  while read -r old; do rm -rf "$old"; done
echo "$BACKUP_DIR/$name"
