// Client calls on an existing collection account.

import type { LightMyRequestResponse } from 'fastify'
import { ACCOUNTS, dataOf } from './fixtures.ts'
import type { Bench, Call } from './running-service.ts'

// Headers and token that replace those of the sandbox's client.
type More = Pick<Call, 'headers' | 'token'>

// The last part of the route that activates or deactivates an account, or makes it the default.
export type Switch = 'activate' | 'deactivate' | 'default'

export function patchAccount(bench: Bench, accountNumber: string, body: unknown, more: More = {}) {
  return bench.call({ method: 'PATCH', url: `${ACCOUNTS}/${accountNumber}`, body, ...more })
}

export function switchAccount(bench: Bench, accountNumber: string, to: Switch, more: More = {}) {
  return bench.call({ url: `${ACCOUNTS}/${accountNumber}/${to}`, body: {}, ...more })
}

export function listAccounts(bench: Bench, query = '', more: More = {}) {
  return bench.call({ url: `${ACCOUNTS}${query}`, ...more })
}

export async function setLimits(bench: Bench, accountNumber: string, limits: object | null) {
  return dataOf(await patchAccount(bench, accountNumber, { limits }))
}

// The names of the fields that a refusal (`invalid_request`) reports, sorted.
export function fieldsOf(answer: LightMyRequestResponse): string[] {
  return answer
    .json()
    .errors.map(({ field }: { field: string }) => field)
    .sort()
}

// The client's events for the account, oldest first.
export async function eventsOf(bench: Bench, accountNumber: string) {
  const url = `/api/v1/events?accountNumber=${accountNumber}&limit=100`
  const { data } = (await bench.call({ url })).json()
  return data.reverse()
}

// The account's entries in the audit log, oldest first.
export async function actionsOf(bench: Bench, accountNumber: string) {
  const { rows } = await bench.db.query(
    'select actor, action, detail from audit_log where subject = $1 order by id',
    [`account/${accountNumber}`],
  )
  return rows
}
