// Who may approve a settlement (I53): the rule that approving holds to, and that whoever looks is told.
//
// In the order they are checked:
//   people_only, other_person_needed, approver_too_new, approver_not_independent, maker_counts_as_you,
//   second_approver_needed      where a second person is wanted
//   what is wrong with an account that it is paid to; that no bank has confirmed its name, only of who
//                                does not give the accounts and their names
//   settlement_accounts_changed  others are paid now, or have other names
//   people_only …                where only an account without a confirmed name wants a second person
//   approver_chose_account       of a second person

import type { Queryable } from '#db/pool.ts'
import { type Candidate, findUnfitnessForEither } from '#domain/access/approvers.ts'
import { isAccountChooser } from '#domain/payouts/account-choosers.ts'
import { isCredential, readPayoutSettings } from '#domain/payouts/payout-settings.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { arePayeesSeen, findObstacle, type Payee, type SeenPayees } from './settlement-payees.ts'
import type { Settlement } from './settlements.ts'

// By the client's rules as they are now.
export async function wantsSecondPerson(
  db: Queryable,
  clientId: ClientId,
  netKobo: Kobo,
): Promise<boolean> {
  const { rows } = await db.query<{ isWanted: boolean }>({
    name: 'settlement-needs-approval',
    text: `select c.has_four_eyes or coalesce(
                    (select $2 > s.approval_above_kobo from payout_settings s
                      where s.client_id = c.id), false) as "isWanted"
             from clients c where c.id = $1`,
    values: [clientId, netKobo],
  })
  return rows[0]?.isWanted === true
}

type Closing = { clientId: ClientId; actor: string; netKobo: Kobo }

// Not locked: closing holds the client's rules (needsApproval of approve-settlement.ts).
export async function takesTwoApprovers(
  db: Queryable,
  { clientId, actor, netKobo }: Closing,
): Promise<boolean> {
  if (!isCredential(actor)) return false
  const { twoApproversAboveKobo } = await readPayoutSettings(db, clientId)
  return twoApproversAboveKobo !== null && netKobo > twoApproversAboveKobo
}

// To an approval by who looks, and gives the accounts and names that are shown. Null: there is none.
export async function findObstacleToViewer(
  db: Queryable,
  by: Candidate,
  { settlement, payees }: Pick<Judged, 'settlement' | 'payees'>,
): Promise<RefusalCode | null> {
  const { clientId, netKobo, needsApproval } = settlement
  const isWanted = needsApproval || (await wantsSecondPerson(db, clientId, netKobo))
  const seen = {
    bankAccounts: payees.map(({ bankAccount }) => bankAccount ?? ''),
    accountNames: payees.map(({ accountName }) => accountName ?? ''),
  }
  return findApprovalObstacle(db, by, { settlement, payees, isWanted, seen })
}

type Judged = {
  settlement: Settlement
  payees: readonly Payee[]
  isWanted: boolean // A second person, whatever the accounts are.
  seen: SeenPayees
}

export async function findApprovalObstacle(
  db: Queryable,
  by: Candidate,
  { settlement, payees, isWanted, seen }: Judged,
): Promise<RefusalCode | null> {
  const { closedBy: actor, closedByUser, makerPeople, firstApprover } = settlement
  const checked = { maker: { actor, userId: closedByUser, people: makerPeople }, firstApprover }
  const unfitness = isWanted && (await findUnfitnessForEither(db, by, checked))
  if (unfitness) return unfitness
  const obstacle = findObstacle(payees)
  const isKnowing =
    obstacle === 'bank_account_unconfirmed' && !!seen.bankAccounts && !!seen.accountNames
  if (obstacle && !isKnowing) return obstacle
  if (!arePayeesSeen(payees, seen)) return 'settlement_accounts_changed'
  if (!isWanted && !isKnowing) return null
  const { userId } = by
  if (userId === null) return 'people_only'
  const unfit = isWanted ? undefined : await findUnfitnessForEither(db, by, checked)
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
