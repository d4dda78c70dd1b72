-- Fails like any write when the volume of the data is full (53100). It sorts more than fits into
-- work_mem, so that the server writes a temporary file of about a hundred kilobytes there and
-- removes it. Nothing of it reaches the log or the catalogue.
create or replace function require_disk_space() returns void language plpgsql
  set work_mem = '64kB' set temp_tablespaces = '' as $$
begin
  perform n from generate_series(1, 8000) as n order by n desc offset 7999;
end $$;
