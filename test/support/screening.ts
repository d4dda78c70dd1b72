// For tests of screening: the operator's calls on rules and lists, which two users activate, and the workers'
// rounds on demand.

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

// Starts a service with two operators and the screening workers.
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
    // Each call signs in again, because the session of an earlier call may have expired by the test's clock.
    maker: () => signIn(bench, emails[0]),
    checker: () => signIn(bench, emails[1]),
    payouts,
    // Runs the workers until everything is screened.
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

// The result of a call: the code of its refusal, or else the state or kind of the object.
export async function codeOf(answer: ReturnType<Browser['call']>): Promise<string> {
  const json = (await answer).json()
  return json.code ?? json.data.state ?? json.data.kind
}

// Creates a rule, which screens nothing until it is activated.
export async function draft({ call }: Screening, body: object) {
  return dataOf(await call({ url: `${SCREENING}/rules`, body }))
}

// Tests a rule on the last days, which must happen before it can be activated.
export const testRule = ({ call, clock }: Screening, rule: string, days = 30) => {
  const to = new Date(clock().getTime() + 1)
  const from = new Date(to.getTime() - days * 1_440 * MINUTE_MS)
  const body = { rule, from: from.toISOString(), to: to.toISOString() }
  return call({ url: `${SCREENING}/rules/test`, body })
}

type Requested = { id: number }

// The second operator approves a request.
export async function approve({ checker }: Screening, { id }: Requested): Promise<void> {
  const answer = await (await checker()).call({
    url: `${SCREENING}/requests/${id}/approve`,
    body: {},
  })
  assert.equal(answer.statusCode, 200, answer.body)
}

// The first operator requests something, for example to activate a rule.
export async function request({ maker }: Screening, path: string, body: object = {}) {
  const answer = await (await maker()).call({
    url: `${SCREENING}${path}`,
    body: { ...REASON, ...body },
  })
  return dataOf(answer) as unknown as Requested
}

// Creates, tests and activates a rule, and moves the clock until it is in force.
export async function activate(desk: Screening, body: object) {
  const rule = await draft(desk, body)
  assert.equal((await testRule(desk, rule.reference as string)).statusCode, 200)
  await approve(desk, await request(desk, `/rules/${rule.reference}/activate`))
  desk.advance(MINUTE_MS)
  return rule
}

// Uploads a version of a list, which is not used until it is activated.
export function upload({ call }: Screening, name: string, csv: string) {
  const url = `${SCREENING}/lists?name=${name}&format=csv`
  return call({ url, body: csv, headers: { 'content-type': 'text/csv' } })
}

// Uploads a version of a list and activates it. The version is in force a minute later.
export async function putList(desk: Screening, name: string, csv: string) {
  const list = dataOf(await upload(desk, name, csv)) as unknown as { version: number }
  await approve(desk, await request(desk, `/lists/${list.version}/activate`))
  return list
}

// The screening decisions, newest first. `filter` is the end of the query, for example "&outcome=hold".
export async function decisions(bench: Bench, filter = '') {
  const answer = await bench.call({ url: `${SCREENING}/decisions?limit=100${filter}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data as Record<string, string & { rule: string }[]>[]
}
