// A person who is to be erased, and the traces that must not remain.

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

// Traces that a table may hold in the clear before the erasure, and all traces.
export const PLAIN_TRACES = ['Ngozi', 'Adichie', 'ngozi.adichie', '8098765432', 'CHUKWUMA']
export const TRACES = [...PLAIN_TRACES, PERSON.bvn, PAYER.sourceAccountNumber]

export function erase(bench: Bench, accountNumber: string, body: object = { reason }) {
  return bench.call({ url: `${ACCOUNTS}/${accountNumber}/erase`, body })
}

export function eraseAdvice(bench: Bench, reference: string) {
  return bench.call({ url: `/api/v1/advices/${reference}/erase`, body: { reason } })
}

// Runs the worker until all erasures are complete.
export async function finishErasures(bench: Bench): Promise<void> {
  bench.advance(ANSWERS_WAIT_MS)
  const round = completeErasuresRound({ ...bench, ...sealingOf(bench) })
  while ((await round(new AbortController().signal)).more);
}

// All rows of the books, as text.
export async function moneyRows({ db }: Pick<Bench, 'db'>): Promise<string> {
  const { rows } = await db.query<{ text: string }>(
    `select string_agg(t, E'\\n' order by t) as text from (
       select t::text as t from transfers t union all
       select concat_ws('/', id, amount_kobo, suspended_kobo, outcome, session_id) from credits
       union all select l::text from ledger_accounts l) as all_of_it`,
  )
  return rows[0]?.text ?? ''
}

export function assertGone(text: string, trace: string): void {
  const line = text.split('\n').find((each) => each.includes(trace)) ?? ''
  assert(!line, `${trace}: ${line.slice(0, 300)}`)
  assert(!text.includes(Buffer.from(trace).toString('hex')), `${trace} in bytes`)
}
