-- A secret that nobody of its client made counts as everybody there who may manage secrets (I231). The
-- function people_behind() of db/functions/ says so, also for the previous release.
--
-- works beside: 0023

select 1;
