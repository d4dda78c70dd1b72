// The bank without an API: it receives orders in files and answers with files of reports. Every report
// repeats the bank's decisions on earlier orders.

import type { Random } from './random.ts'
import type { Witness } from './witness.ts'

export const FILE_BANK_CODE = '232'
const RAIL_SECRET = `whsec_${Buffer.alloc(32, 'file-bank').toString('base64')}`

const VERDICTS = ['confirmed', 'confirmed', 'confirmed', 'pending', 'failed'] as const

type Order = { reference: string; amount: string; status: (typeof VERDICTS)[number] }

export type FileBank = ReturnType<typeof openFileBank>

// Simulates the bank without an API. `upload` and `report` are its portal: users of the operator upload
// payout files there, and download the bank's reports.
export function openFileBank(witness: Witness, random: Random) {
  const orders = new Map<string, Order>()
  const files = new Set<string>()
  const nextVerdict = random.deck(VERDICTS)

  // Sets the status of an order, and tells the witness about a final one.
  function recordDecision(order: Order, status: Order['status']): void {
    order.status = status
    const { reference, amount } = order
    const kind = status === 'confirmed' ? 'paid' : 'refused_by_bank'
    const amountKobo = `${BigInt(amount.replace('.', ''))}`
    if (status !== 'pending') witness.note({ kind, at: Date.now(), reference, amount: amountKobo })
  }

  return {
    code: FILE_BANK_CODE,
    railSecret: RAIL_SECRET,
    entry: {
      code: FILE_BANK_CODE,
      name: 'Sterling Bank',
      connector: 'manilla',
      railSecrets: [RAIL_SECRET],
      payoutFiles: { accountNumber: '0123456789', accountName: 'Manilla' },
      static: { from: 1_000_000, to: 49_999_999 },
      dynamic: { from: 50_000_000, to: 99_999_999 },
    },
    // Takes an uploaded payout file, as the bank's portal does. A file that was uploaded before is refused.
    upload(file: string, csv: string): void {
      if (files.has(file)) return
      files.add(file)
      const [, ...lines] = csv.trim().split(/\r?\n/)
      for (const line of lines) {
        const [reference = '', amount = ''] = line.split(',')
        witness.note({ kind: 'ordered', at: Date.now(), reference, amount })
        const order: Order = { reference, amount, status: 'pending' }
        if (orders.has(reference)) continue // A repeated order: the witness has recorded it.
        orders.set(reference, order)
        recordDecision(order, nextVerdict())
      }
    },
    // Returns the bank's report on all orders so far. The next report will say that orders pending in this
    // one are paid.
    report(): string | undefined {
      if (orders.size === 0) return undefined
      // A refused order has a reason, and a paid one the bank's own reference.
      const lines = [...orders.values()].map(({ reference, status }) => {
        const reason = status === 'failed' ? 'Closed account' : ''
        return [reference, status, status === 'confirmed' ? `SB-${reference}` : '', reason].join(
          ',',
        )
      })
      for (const order of orders.values()) {
        if (order.status === 'pending') recordDecision(order, 'confirmed')
      }
      return ['reference,status,bankReference,reason', ...lines].join('\n')
    },
  }
}
