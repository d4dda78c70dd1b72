-- Verifies the constraints of 0070 on existing requests.
--
-- works beside: 0023

alter table screening_requests validate constraint screening_requests_list_id_fkey;
alter table screening_requests validate constraint screening_requests_subject;
