// For tests of erasure: a customer and a payer, the calls that erase their data, and the texts that must not
// remain anywhere.

import assert from 'node:assert/strict'
import { ANSWERS_WAIT_MS } from '#privacy/erasure.ts'
import { completeErasuresRound } from '#privacy/workers.ts'
import { ACCOUNTS } from './fixtures.ts'
import type { Bench } from './running-service.ts'
import { sealingOf } from './sealing.ts'

export const reason = 'Ticket 4711'

export const PERSON = {
  accountName: 'Ngozi Adichie',
  bvn: '22298765432',
  email: 'ngozi.adichie@example.com',
  phoneNumber: '+2348098765432',
}

export const PAYER = {
  sourceAccountNumber: '0987654321',
  sourceAccountName: 'CHUKWUMA OKAFOR',
  sourceBankCode: '044',
  narration: 'rent of Ngozi',
}

// Texts that tables may hold unsealed until the erasure.
export const PLAIN_TRACES = ['Ngozi', 'Adichie', 'ngozi.adichie', '8098765432', 'CHUKWUMA']
// All texts that no table may hold after the erasure.
export const TRACES = [...PLAIN_TRACES, PERSON.bvn, PAYER.sourceAccountNumber]

export function erase(bench: Bench, accountNumber: string, body: object = { reason }) {
  return bench.call({ url: `${ACCOUNTS}/${accountNumber}/erase`, body })
}

export function eraseAdvice(bench: Bench, reference: string) {
  return bench.call({ url: `/api/v1/advices/${reference}/erase`, body: { reason } })
}

// Moves the clock past the time that an erasure leaves for webhook deliveries in flight, then runs the
// worker until all erasures are complete.
export async function finishErasures(bench: Bench): Promise<void> {
  bench.advance(ANSWERS_WAIT_MS)
  const round = completeErasuresRound({ ...bench, ...sealingOf(bench) })
  while ((await round(new AbortController().signal)).more);
}

// The rows of the books (transfers, credits, ledger accounts) as text, to show that an erasure changes none.
export async function moneyRows({ db }: Pick<Bench, 'db'>): Promise<string> {
  const { rows } = await db.query<{ text: string }>(
    `select string_agg(t, E'\\n' order by t) as text from (
       select t::text as t from transfers t union all
       select concat_ws('/', id, amount_kobo, suspended_kobo, outcome, session_id) from credits
       union all select l::text from ledger_accounts l) as all_of_it`,
  )
  return rows[0]?.text ?? ''
}

// Asserts that a dump contains the text neither in the clear nor in hexadecimal, as bytea columns print it.
export function assertGone(text: string, trace: string): void {
  const line = text.split('\n').find((dumpLine) => dumpLine.includes(trace)) ?? ''
  assert(!line, `${trace}: ${line.slice(0, 300)}`)
  assert(!text.includes(Buffer.from(trace).toString('hex')), `${trace} in bytes`)
}
