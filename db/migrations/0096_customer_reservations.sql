-- Numbers that a bank reserves for a customer whom it must identify. The reservation belongs to the
-- request it was made for, known by a keyed hash, until an account takes the number. Null: of a pool,
-- or used.
--
-- works beside: 0060

alter table reserved_numbers add column request_hash bytea;
