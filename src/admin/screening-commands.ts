// `manilla admin screening replay` makes the decisions of a past period again, and compares them with the
// stored decisions (screening/replay.ts).

import { loadConfig } from '#config/config.ts'
import { replay } from '#screening/replay.ts'
import { Sealer } from '#seal.ts'
import { AdminProblem, type Context, UsageProblem } from './operator-command.ts'

const STATEMENT_MAX_MS = 600_000
const SHOWN_MAX = 20

export async function replayScreening(
  { db, env }: Context,
  { from, to }: { from: Date; to: Date },
) {
  if (to <= from) throw new UsageProblem('--to must be after --from.')
  const { secrets } = loadConfig(env, 'serve')
  const sealer = new Sealer(secrets.data, secrets.hash)
  const { differences, ...counts } = await replay(db, { sealer, period: { from, to } })
  const { credits, decisions, payouts, cleared, erased } = counts
  if (differences.length > 0) {
    const subjects = differences.slice(0, SHOWN_MAX).map(({ subject }) => subject)
    throw new AdminProblem(`${differences.length} decisions differ: ${subjects.join(', ')}`)
  }
  const view =
    `${credits} credits were screened again. ${decisions} decisions on credits and ${payouts} on payouts ` +
    `are identical, and ${cleared} payouts pass as they did` +
    `${erased > 0 ? `; ${erased} cannot be compared, their payers were erased` : ''}.`
  return { data: counts, view }
}
replayScreening.statementMaxMs = STATEMENT_MAX_MS
