// `manilla admin payouts …`: holds all payouts, and releases them (domain/payouts/hold-payouts.ts).

import { withTransaction } from '#db/transaction.ts'
import { holdPayouts, listHolds, releasePayouts } from '#domain/payouts/hold-payouts.ts'
import type { AdminCommand } from './admin-command.ts'
import { columns, UsageProblem } from './command-line.ts'

const REASON_MAX = 200
const PLAIN_TEXT = /^(?=[\s\S]*\S)[^\p{Cc}\p{Cs}]*$/u

export const payoutCommands: readonly AdminCommand[] = [
  {
    name: 'payouts hold',
    summary: 'Send no payouts until they are released.',
    options: [{ name: 'reason', value: 'text', about: 'Why. Required.' }],
    async run({ db, clock, actor: by }, args) {
      const reason = args.text('reason') ?? ''
      if (reason.length > REASON_MAX || !PLAIN_TEXT.test(reason)) {
        throw new UsageProblem(`--reason is required: 1 to ${REASON_MAX} characters.`)
      }
      await withTransaction(db, (tx) => holdPayouts(tx, clock(), { reason, by }))
      return { data: { held: true }, text: 'Payouts are held.' }
    },
  },
  {
    name: 'payouts release',
    summary: 'Send payouts again, after a hold or a restore.',
    options: [],
    async run({ db, clock, actor: by }) {
      const released = await withTransaction(db, (tx) => releasePayouts(tx, clock(), by))
      const text = released > 0 ? 'Payouts are sent again.' : 'Payouts were not held.'
      return { data: { held: false, released }, text }
    },
  },
  {
    name: 'payouts status',
    summary: 'Show whether payouts are held, and why.',
    options: [],
    async run({ db }) {
      const holds = await listHolds(db)
      const lines = holds.map(({ heldAt, heldBy, reason, restoredTo }) => {
        const to = restoredTo ? ` (to ${restoredTo.toISOString()})` : ''
        return [heldAt.toISOString(), `${heldBy}: ${reason}${to}`] as const
      })
      const text = holds.length > 0 ? columns(lines).join('\n') : 'Payouts are not held.'
      return { data: { held: holds.length > 0, holds }, text }
    },
  },
]
