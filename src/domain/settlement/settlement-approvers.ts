// Decides who may approve a settlement (I53). Approving enforces the rule, and reading a settlement shows
// it to the viewer.
//
// Obstacles, in the order of the checks:
//   people_only, other_person_needed, approver_too_new, approver_not_independent, maker_counts_as_you,
//   second_approver_needed      if a second person is needed
//   the obstacle of a payee's account; an unconfirmed name is one unless the approver sends the
//                                accounts and their names
//   settlement_accounts_changed  the payees or their names are different now
//   people_only …                if only an unconfirmed account requires a second person
//   approver_chose_account       the second person chose the account

import type { Queryable } from '#db/pool.ts'
import { type Candidate, findUnfitnessForEither } from '#domain/access/approvers.ts'
import { isAccountChooser } from '#domain/payouts/account-choosers.ts'
import { isCredential, readPayoutSettings } from '#domain/payouts/payout-settings.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { arePayeesSeen, findObstacle, type Payee, type SeenPayees } from './settlement-payees.ts'
import type { Settlement } from './settlements.ts'

// By the client's current rules.
export async function needsSecondPerson(
  db: Queryable,
  clientId: ClientId,
  netKobo: Kobo,
): Promise<boolean> {
  const { rows } = await db.query<{ needsPerson: boolean }>({
    name: 'settlement-needs-approval',
    text: `select c.has_four_eyes or coalesce(
                    (select $2 > s.approval_above_kobo from payout_settings s
                      where s.client_id = c.id), false) as "needsPerson"
             from clients c where c.id = $1`,
    values: [clientId, netKobo],
  })
  return rows[0]?.needsPerson === true
}

type Closing = { clientId: ClientId; actor: string; netKobo: Kobo }

// Takes no lock: closing holds the client's rules (needsApproval in approve-settlement.ts).
export async function takesTwoApprovers(
  db: Queryable,
  { clientId, actor, netKobo }: Closing,
): Promise<boolean> {
  if (!isCredential(actor)) return false
  const { twoApproversAboveKobo } = await readPayoutSettings(db, clientId)
  return twoApproversAboveKobo !== null && netKobo > twoApproversAboveKobo
}

// Judges the viewer as if they sent the accounts and names that they see. Null: they may approve.
export async function findObstacleToViewer(
  db: Queryable,
  by: Candidate,
  { settlement, payees }: Pick<ApprovalCase, 'settlement' | 'payees'>,
): Promise<RefusalCode | null> {
  const { clientId, netKobo, needsApproval } = settlement
  const needsPerson = needsApproval || (await needsSecondPerson(db, clientId, netKobo))
  const view = {
    bankAccounts: payees.map(({ bankAccount }) => bankAccount ?? ''),
    accountNames: payees.map(({ accountName }) => accountName ?? ''),
  }
  return findApprovalObstacle(db, by, { settlement, payees, needsPerson, view })
}

type ApprovalCase = {
  settlement: Settlement
  payees: readonly Payee[]
  needsPerson: boolean // By the client's rules, whatever the accounts are.
  view: SeenPayees
}

export async function findApprovalObstacle(
  db: Queryable,
  by: Candidate,
  { settlement, payees, needsPerson, view }: ApprovalCase,
): Promise<RefusalCode | null> {
  const { closedBy: actor, closedByUser, makerPeople, firstApprover } = settlement
  const checked = { maker: { actor, userId: closedByUser, people: makerPeople }, firstApprover }
  const unfitness = needsPerson && (await findUnfitnessForEither(db, by, checked))
  if (unfitness) return unfitness
  const obstacle = findObstacle(payees)
  const isReviewed =
    obstacle === 'bank_account_unconfirmed' && !!view.bankAccounts && !!view.accountNames
  if (obstacle && !isReviewed) return obstacle
  if (!arePayeesSeen(payees, view)) return 'settlement_accounts_changed'
  if (!needsPerson && !isReviewed) return null
  const { userId } = by
  if (userId === null) return 'people_only'
  const unfit = needsPerson ? undefined : await findUnfitnessForEither(db, by, checked)
  if (unfit) return unfit
  const isChooser = await isAccountChooser(db, { userId, ...idsOf(payees) })
  return isChooser ? 'approver_chose_account' : null
}

function idsOf(payees: readonly Payee[]) {
  return {
    bankAccountIds: payees.flatMap(({ bankAccountId }) => bankAccountId ?? []),
    subaccountIds: payees.flatMap(({ subaccountId }) => subaccountId ?? []),
  }
}
