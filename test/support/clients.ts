// The operator's calls on the register of clients.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import type { Bench } from './running-service.ts'

export const CLIENTS = '/api/v1/operator/clients'

export type ClientShown = {
  clientId: string
  secret: string
  scopes: string[]
  secrets: Record<string, unknown>[]
} & Record<string, unknown>

// The client in a successful response.
export function clientOf(answer: LightMyRequestResponse) {
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// Calls of the operator on clients. `act` posts to one of a client's routes, for example `suspend`;
// `balances` is the status that a token gets when it reads its balances.
export function registerOf(bench: Bench) {
  return {
    async make(body: object = {}): Promise<ClientShown> {
      const answer = await bench.call({ url: CLIENTS, body: { name: 'Ada’s Shop', ...body } })
      return clientOf(answer)
    },
    async act(clientId: string, verb: string, body: object = {}) {
      return clientOf(await bench.call({ url: `${CLIENTS}/${clientId}/${verb}`, body }))
    },
    async read(clientId: string) {
      return clientOf(await bench.call({ url: `${CLIENTS}/${clientId}` }))
    },
    async canLogIn(clientId: string, secret: string): Promise<boolean> {
      const answer = await bench.tryLogin(clientId, secret)
      return answer.statusCode === 200
    },
    async balances(token: string): Promise<number> {
      return (await bench.call({ url: '/api/v1/balances', token })).statusCode
    },
  }
}
