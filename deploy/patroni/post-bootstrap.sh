#!/bin/sh
# Called by Patroni once, with the address of the new cluster, before it accepts other connections.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$STEWARD_PASSWORD" "$1" <<'SQL'
create role steward login password :'password';
create database steward owner steward;
SQL
