// Rules for approvers (maker-checker). An approver must be a different person from the maker. The approver's
// access must not have changed too recently, and must not come from the maker (access/users.ts). The maker is
// the person who controls the credential (I93, access/invitations.ts). The database stores the people behind
// a maker with each request (keep_maker_people) and judges approvers in one function (approver_unfitness). A
// user who is removed and added again under the same address is the same person, and a removed user keeps the
// people that they had (people_of, I220).
//
// Refusals, in the order of the checks: people_only, other_person_needed, maker_counts_as_you (the approver
// is behind the maker), approver_too_new, approver_not_independent, maker_counts_as_you (the same person is
// behind both), approver_gave_access (only where the approver's client is strict).

import { type Client, grantedScopes, type Role, type Scope } from '#access/permissions.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { UserId } from '#ids.ts'

export type Approver = {
  client: Client
  actor: string
  userId: UserId
  scopes: ReadonlySet<Scope> // The scopes of the session or token.
  newSince: Date // A user whose access changed later than this cannot approve yet.
}

// An approver, or a viewer of an approvable request. Client credentials have no userId.
export type Candidate = Pick<Approver, 'actor' | 'newSince'> & { userId: UserId | null }

// Client credentials can be a maker too; then `userId` is null. `people` are the people behind the maker when
// the request was made.
export type Maker = { actor: string; userId: UserId | null; people: readonly UserId[] | null }

export type FirstApprover = { actor: string; userId: UserId; people: readonly UserId[] }

// The people behind the first approver are kept with the approval (I221); only older approvals have none.
export const APPROVER_COLUMNS = `maker_people, approvers_needed,
  case when first_approved_by_user is not null then jsonb_build_object(
    'actor', first_approved_by, 'userId', first_approved_by_user,
    'people', coalesce(first_approver_people,
                       people_of(first_approved_by_user, 'infinity'))) end as first_approver`

type TwoApprovals = { approversNeeded: number; firstApprover: FirstApprover | null }

// Whether the request needs two approvals and has none yet.
export const isFirstOfTwo = ({ approversNeeded, firstApprover }: TwoApprovals) =>
  approversNeeded > 1 && !firstApprover

// Records the first of two approvals; a trigger keeps the people behind the approver. Nothing is paid before
// the second approval.
export async function writeFirstApproval(
  tx: Transaction,
  { actor, userId, now }: { actor: string; userId: UserId | null; now: Date },
  { table, id }: { table: 'payouts' | 'settlements'; id: bigint },
): Promise<void> {
  await tx.query({
    name: `approve-first-${table}`,
    text: `update ${table} set first_approved_by = $2, first_approved_by_user = $3,
                  first_approved_at = $4
            where id = $1`,
    values: [id, actor, userId, now],
  })
}

// Locks the approver, so that changes of their access wait until the transaction ends. Refuses an approver
// whose present role lacks a scope of their session. Lock the approver before the request being approved.
// Returns the approver's role.
export async function lockApprover(
  tx: Transaction,
  { client, userId, scopes }: Approver,
): Promise<Role> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'lock-approver',
    text: 'select role from users where id = $1 and is_active for share',
    values: [userId],
  })
  if (!rows[0]) throw new Refusal('session_needed')
  const granted = grantedScopes(rows[0].role, client)
  if (![...scopes].every((scope) => granted.includes(scope))) throw new Refusal('role_not_allowed')
  return rows[0].role
}

// Refuses the maker of a request as its approver: nobody decides on their own request.
export function refuseMaker(
  approver: Pick<Candidate, 'actor' | 'userId'>,
  maker: Pick<Maker, 'actor' | 'userId'>,
): void {
  if (hasMade(approver, maker)) throw new Refusal('other_person_needed')
}

// SQL scalar: the code of the reason why `viewer` may not approve a request; null if `viewer` may.
export const unfitnessOf = (request: {
  maker: string
  people: string
  viewer: string
  newSince: string
}) => {
  const { maker, people, viewer, newSince } = request
  return `approver_unfitness(${maker}, ${people}, ${viewer}, ${newSince})`
}

// Whether this person made the request. Also compares the actor: a user who was removed and added again under
// the same address is still the maker.
export function hasMade(
  { actor, userId }: Pick<Candidate, 'actor' | 'userId'>,
  maker: Pick<Maker, 'actor' | 'userId'>,
): boolean {
  return maker.actor === actor || (userId !== null && maker.userId === userId)
}

// Returns the reason why this person may not approve the maker's request, or undefined. A user whose access
// changed after `newSince` cannot approve yet.
async function findUnfitness(
  db: Queryable,
  { actor, userId, newSince }: Candidate,
  maker: Maker,
): Promise<RefusalCode | undefined> {
  if (userId === null) return 'people_only'
  if (hasMade({ actor, userId }, maker)) return 'other_person_needed'
  const { rows } = await db.query<{ unfitness: RefusalCode | null }>({
    name: 'judge-approver',
    text: 'select approver_unfitness($1::uuid, $2::uuid[], $3::uuid, $4) as unfitness',
    values: [maker.userId, maker.people, userId, newSince],
  })
  return rows[0]?.unfitness ?? undefined
}

// Returns the reason why this person may not approve the request, or undefined. A second approver must be
// independent of the first approver as well as of the maker.
export async function findUnfitnessForEither(
  db: Queryable,
  by: Candidate,
  { maker, firstApprover }: { maker: Maker; firstApprover: FirstApprover | null },
): Promise<RefusalCode | undefined> {
  const unfitness = await findUnfitness(db, by, maker)
  if (unfitness || !firstApprover) return unfitness
  if (firstApprover.userId === by.userId) return 'second_approver_needed'
  return findUnfitness(db, by, firstApprover)
}

// Call after lockApprover, so that the approver's access cannot change before the commit.
export async function refuseUnfitApprover(
  tx: Transaction,
  approver: Approver,
  maker: Maker,
): Promise<void> {
  const unfitness = await findUnfitness(tx, approver, maker)
  if (unfitness) throw new Refusal(unfitness)
}
