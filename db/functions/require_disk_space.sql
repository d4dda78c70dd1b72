-- Fails as any write does when the volume of the data is full (53100). It sorts more than it may keep in
-- memory, so that a temporary file of about a hundred kilobytes is written there and removed again;
-- nothing of it is in the log or the catalogue.
create or replace function require_disk_space() returns void language plpgsql
  set work_mem = '64kB' set temp_tablespaces = '' as $$
begin
  perform n from generate_series(1, 8000) as n order by n desc offset 7999;
end $$;
