// Screening: rules activated by two people, lists, and the workers' rounds on demand.

import assert from 'node:assert/strict'
import { screenCreditsRound, screenPayoutsRound } from '#screening/workers.ts'
import { dataOf } from './fixtures.ts'
import { payoutRounds } from './payouts.ts'
import { type Browser, makeUser, signIn } from './people.ts'
import { type Bench, startTestService } from './running-service.ts'

export const SCREENING = '/api/v1/operator/screening'
export const CREDIT_RULE = { subject: 'credit', outcome: 'hold' }
export const MINUTE_MS = 60_000

const REASON = { reason: 'As the policy says' }

export type Screening = Awaited<ReturnType<typeof startScreening>>

export async function startScreening() {
  const bench = await startTestService()
  const emails = [
    await makeUser(bench, { role: 'operator' }),
    await makeUser(bench, { role: 'operator' }),
  ] as const
  const payouts = await payoutRounds(bench)
  const { signal } = new AbortController()
  const rounds = [screenCreditsRound(payouts), screenPayoutsRound(payouts)]

  return Object.assign(bench, {
    // Signed in anew: time passes for sessions too.
    maker: () => signIn(bench, emails[0]),
    checker: () => signIn(bench, emails[1]),
    payouts,
    // Runs the rounds until there is no more work.
    async screen(): Promise<void> {
      for (const round of rounds) while ((await round(signal)).more);
    },
    async [Symbol.asyncDispose]() {
      await payouts[Symbol.asyncDispose]()
      await bench.service.close()
      await bench.database[Symbol.asyncDispose]()
    },
  })
}

export async function codeOf(answer: ReturnType<Browser['call']>): Promise<string> {
  const json = (await answer).json()
  return json.code ?? json.data.state ?? json.data.kind
}

export async function draft({ call }: Screening, body: object) {
  return dataOf(await call({ url: `${SCREENING}/rules`, body }), 'account')
}

export const testRule = ({ call, clock }: Screening, rule: string, days = 30) => {
  const to = new Date(clock().getTime() + 1)
  const from = new Date(to.getTime() - days * 1_440 * MINUTE_MS)
  const body = { rule, from: from.toISOString(), to: to.toISOString() }
  return call({ url: `${SCREENING}/rules/test`, body })
}

type Requested = { id: number }

export async function approve({ checker }: Screening, { id }: Requested): Promise<void> {
  const answer = await (await checker()).call({
    url: `${SCREENING}/requests/${id}/approve`,
    body: {},
  })
  assert.equal(answer.statusCode, 200, answer.body)
}

export async function request({ maker }: Screening, path: string, body: object = {}) {
  const answer = await (await maker()).call({
    url: `${SCREENING}${path}`,
    body: { ...REASON, ...body },
  })
  return dataOf(answer, 'account') as unknown as Requested
}

// Drafts, tests and activates a rule, and waits until it is in force.
export async function activate(desk: Screening, body: object) {
  const rule = await draft(desk, body)
  assert.equal((await testRule(desk, rule.reference as string)).statusCode, 200)
  await approve(desk, await request(desk, `/rules/${rule.reference}/activate`))
  desk.advance(MINUTE_MS)
  return rule
}

// A draft, until somebody activates it.
export function upload({ call }: Screening, name: string, csv: string) {
  const url = `${SCREENING}/lists?name=${name}&format=csv`
  return call({ url, body: csv, headers: { 'content-type': 'text/csv' } })
}

// Uploads a version of a list and activates it. It is in force a minute later.
export async function putList(desk: Screening, name: string, csv: string) {
  const list = dataOf(await upload(desk, name, csv), 'account') as unknown as { version: number }
  await approve(desk, await request(desk, `/lists/${list.version}/activate`))
  return list
}

export async function decisions(bench: Bench, filter = '') {
  const answer = await bench.call({ url: `${SCREENING}/decisions?limit=100${filter}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data as Record<string, string & { rule: string }[]>[]
}
