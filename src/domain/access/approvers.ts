// Who may approve what another person asked for (maker-checker): somebody else, whose access was not
// changed too recently, and was not given by the maker (access-grants.ts). The maker is the person who
// controls the credential (I93, take-over.ts): the database keeps the people behind a maker with each
// request (keep_maker_people), and one function judges an approver (approver_unfitness). A user who was
// removed and is one again under the same address is the same person.
//
// In the order they are checked: people_only, other_person_needed, maker_counts_as_you where they are the
// person behind the maker, approver_too_new, approver_not_independent, maker_counts_as_you where the same
// person is behind both.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { UserId } from '#ids.ts'
import type { Client } from './clients.ts'
import { grantedScopes, type Role } from './roles.ts'
import type { Scope } from './scopes.ts'

export type Approver = {
  client: Client
  actor: string
  userId: UserId
  scopes: ReadonlySet<Scope> // With which they came.
  newSince: Date // Whose access was changed later than this approves nothing yet.
}

// Who approves, or looks at what they might approve. Client credentials are not a person.
export type Candidate = Pick<Approver, 'actor' | 'newSince'> & { userId: UserId | null }

// Client credentials are a maker too, without a user. `people`: behind the maker, when the request was made.
export type Maker = { actor: string; userId: UserId | null; people: readonly UserId[] | null }

// Of two: who has approved already, and the people behind them.
export type FirstApprover = { actor: string; userId: UserId; people: readonly UserId[] }

// Of payouts and settlements.
export const APPROVER_COLUMNS = `maker_people as "makerPeople", approvers_needed as "approversNeeded",
  case when first_approved_by_user is not null then jsonb_build_object(
    'actor', first_approved_by, 'userId', first_approved_by_user,
    'people', people_of(first_approved_by_user, 'infinity')) end as "firstApprover"`

// Concurrent changes of the approver's access wait until the transaction ends, and earlier ones are seen
// here. Lock before what is approved.
export async function lockApprover(
  tx: Transaction,
  { client, userId, scopes }: Approver,
): Promise<void> {
  const { rows } = await tx.query<{ role: Role }>({
    name: 'lock-approver',
    text: 'select role from users where id = $1 and is_active for share',
    values: [userId],
  })
  if (!rows[0]) throw new Refusal('session_needed')
  const granted = grantedScopes(rows[0].role, client)
  if (![...scopes].every((scope) => granted.includes(scope))) throw new Refusal('role_not_allowed')
}

export function refuseMaker(approver: Approver, maker: Pick<Maker, 'actor' | 'userId'>): void {
  if (hasMade(approver, maker)) throw new Refusal('other_person_needed')
}

// For lists: why the user `viewer` may not approve it, of a request whose maker and people are in these
// columns.
export const unfitnessOf = (request: {
  maker: string
  people: string
  viewer: string
  newSince: string
}) => {
  const { maker, people, viewer, newSince } = request
  return `approver_unfitness(${maker}, ${people}, ${viewer}, ${newSince})`
}

function hasMade({ actor, userId }: Candidate, maker: Pick<Maker, 'actor' | 'userId'>): boolean {
  return maker.actor === actor || maker.userId === userId
}

// Why they may not approve what the maker asked for; undefined: they may.
export async function findUnfitness(
  db: Queryable,
  { actor, userId, newSince }: Candidate,
  maker: Maker,
): Promise<RefusalCode | undefined> {
  if (userId === null) return 'people_only'
  if (hasMade({ actor, userId, newSince }, maker)) return 'other_person_needed'
  const { rows } = await db.query<{ unfitness: RefusalCode | null }>({
    name: 'judge-approver',
    text: 'select approver_unfitness($1::uuid, $2::uuid[], $3::uuid, $4) as unfitness',
    values: [maker.userId, maker.people, userId, newSince],
  })
  return rows[0]?.unfitness ?? undefined
}

type TwoChecked = { maker: Maker; firstApprover: FirstApprover | null }

// Where it takes two, the second is independent of the first as of the maker.
export async function findUnfitnessForEither(
  db: Queryable,
  by: Candidate,
  { maker, firstApprover }: TwoChecked,
): Promise<RefusalCode | undefined> {
  const unfitness = await findUnfitness(db, by, maker)
  if (unfitness || !firstApprover) return unfitness
  if (firstApprover.userId === by.userId) return 'second_approver_needed'
  return findUnfitness(db, by, firstApprover)
}

// The approver must be locked.
export async function refuseUnfitApprover(
  tx: Transaction,
  approver: Approver,
  maker: Maker,
): Promise<void> {
  const unfitness = await findUnfitness(tx, approver, maker)
  if (unfitness) throw new Refusal(unfitness)
}
