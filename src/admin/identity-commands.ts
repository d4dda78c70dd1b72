// `manilla admin tiers` reports the accounts whose KYC tiers, and so limits, the rule in force would change.
// It changes them only if the operator asks for it (accounts/assign-tiers.ts).

import { findClient } from '#access/permissions.ts'
import {
  assignTiers,
  queueMissingChecks,
  reportTiers,
  type TierMove,
} from '#accounts/assign-tiers.ts'
import { AdminProblem, type Context } from './operator-command.ts'

type Options = { client?: string; apply?: boolean; queue?: boolean }

const COLUMNS = [
  'client',
  'limits now',
  'then',
  'accounts',
  'not checked',
  'over balance',
  'over day',
]

export async function tiers({ db, clock, actor }: Context, { client, apply, queue }: Options) {
  const now = clock()
  const found = client === undefined ? null : await findClient(db, client)
  if (client !== undefined && !found) throw new AdminProblem(`There is no client ${client}.`)
  const scope = { clientId: found?.id ?? null, now }
  const moves = await reportTiers(db, scope)
  const queued = queue ? await queueMissingChecks(db, scope) : 0
  const assigned = apply ? await assignTiers(db, scope, actor) : 0
  const data = { moves, queued, assigned }
  const rows = moves.map((move) => [
    ...[move.client, `tier ${move.from}`, `tier ${move.to}`, move.accounts, move.unchecked],
    ...[move.overBalance, move.overDay],
  ])
  const report = rows.length > 0 ? { columns: COLUMNS, rows } : 'Every account has its tier.'
  const outcome = [
    ...examples(moves),
    ...(queue ? [`${queued} accounts were queued for the identity service.`] : []),
    apply ? `${assigned} accounts were assigned their tier.` : 'Nothing was assigned: see --apply.',
  ]
  return { data, view: rows.length > 0 || queue ? [report, ...outcome] : report }
}

function examples(moves: readonly TierMove[]): string[] {
  const over = moves.filter((move) => move.examples.length > 0)
  return over.map(
    ({ client, to, examples: numbers }) =>
      `Over the limits of tier ${to}, ${client}: ${numbers.join(', ')}, …`,
  )
}
