// Actions of clients for tests of events and webhooks. Each test creates its own client, whose events are
// numbered from 1.

import assert from 'node:assert/strict'
import { ADVICE, adviceBody, dataOf, INITIATE, SIMULATE } from './fixtures.ts'
import type { Bench } from './running-service.ts'

export const EVENTS = '/api/v1/events'
export const ENDPOINTS = '/api/v1/webhook-endpoints'

// Returns the actions. The ids of the clients that they create begin with `prefix`.
export function webhookJourneys(bench: Bench, prefix: string) {
  let clients = 0

  async function list(token: string, query = '') {
    const answer = await bench.call({ url: `${EVENTS}${query}`, token })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json()
  }

  return {
    list,
    async newClient(): Promise<string> {
      clients += 1
      return bench.newClient(`${prefix}${String(clients).padStart(4, '0')}`)
    },
    async typesOf(token: string, query: string): Promise<string[]> {
      const { data } = await list(token, query)
      return data.map(({ type }: { type: string }) => type)
    },
    // Creates an advice, leases its number and transfers the amount to it; transfers nothing if the amount is
    // '0'.
    async pay(token: string, changes: Record<string, unknown> = {}, amount = '6000') {
      const advice = await bench.call({ url: ADVICE, body: adviceBody(changes), token })
      const { adviceReference } = dataOf(advice, 'payment')
      const start = { url: `${INITIATE}/${adviceReference}`, body: { bankCode: '035' }, token }
      const payment = dataOf(await bench.call(start), 'payment')
      const transfer = { virtualAccountNumber: payment.bankAccount, amount }
      if (amount !== '0') await bench.call({ url: SIMULATE, body: transfer, token })
      return payment
    },
    async register(token: string, url: string, eventTypes?: string[]) {
      const body = eventTypes ? { url, eventTypes } : { url }
      return dataOf(await bench.call({ url: ENDPOINTS, body, token }))
    },
  }
}
