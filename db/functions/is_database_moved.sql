-- Returns whether this server is another than the one last noted: a standby was promoted, or a backup or dump
-- was restored. Until settle_moved_database() has run, the database may lack anything.
create or replace function is_database_moved() returns boolean stable language plpgsql as $$
begin
  return exists (select from known_database where identity <> current_database_identity());
end $$;
