// Failing payouts over HTTP takes two: the operator's system requests it with evidence, and a user
// approves.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { newBrowser } from './people.ts'
import type { Bench } from './running-service.ts'

export const FAILURES = '/api/v1/operator/payout-failures'
export const EVIDENCE = 'Desk officer, by telephone, ticket 4711'

type Answer = LightMyRequestResponse

export const requestFailure = (bench: Pick<Bench, 'call'>, reference: string, body: object = {}) =>
  bench.call({
    url: `/api/v1/operator/payouts/${reference}/fail`,
    body: { reason: 'The bank said no.', evidence: EVIDENCE, ...body },
  })

export const requestFileFailure = (bench: Pick<Bench, 'call'>, id: string, body: object = {}) =>
  bench.call({
    url: `/api/v1/operator/payout-files/${id}/not-delivered`,
    body: { bankConfirmation: 'Branch manager, by letter of 16 November', ...body },
  })

export const referenceOf = (answer: Answer): string => answer.json().data.failureRequest.reference

export async function approveFailure(bench: Bench, reference: string): Promise<Answer> {
  const checker = await newBrowser(bench, 'operator')
  return checker.call({ url: `${FAILURES}/${reference}/approve`, body: {} })
}

// Returns the first refusal, or the payout.
export async function failPayout(bench: Bench, reference: string, body: object = {}) {
  const requested = await requestFailure(bench, reference, body)
  if (requested.statusCode !== 200) return requested
  const approved = await approveFailure(bench, referenceOf(requested))
  if (approved.statusCode !== 200) return approved
  return bench.call({ url: `/api/v1/operator/payouts/${reference}` })
}

// The same for a file.
export async function markNotDelivered(bench: Bench, id: string, body: object = {}) {
  const requested = await requestFileFailure(bench, id, body)
  if (requested.statusCode !== 200) return requested
  const approved = await approveFailure(bench, referenceOf(requested))
  if (approved.statusCode !== 200) return approved
  return bench.call({ url: `/api/v1/operator/payout-files/${id}` })
}

export async function approveOpenFailures(bench: Bench): Promise<void> {
  const { data } = (await bench.call({ url: `${FAILURES}?state=open` })).json()
  for (const { reference } of data) {
    const approved = await approveFailure(bench, reference)
    assert.equal(approved.statusCode, 200, approved.body)
  }
}
