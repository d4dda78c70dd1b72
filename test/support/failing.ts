// Marks payouts as failed over HTTP. This takes two people of the operator: one requests it with evidence,
// and another approves.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { type Browser, newBrowser } from './people.ts'
import type { Bench } from './running-service.ts'

export const FAILURES = '/api/v1/operator/payout-failures'
export const EVIDENCE = 'Desk officer, by telephone, ticket 4711'

type Answer = LightMyRequestResponse

// A user, or the service, for which a new user of the operator asks.
type Asker = Browser | Bench

const personOf = async (by: Asker) => ('csrfToken' in by ? by : newBrowser(by, 'operator'))

// Asks to mark one payout as failed.
export const requestFailure = async (by: Asker, reference: string, body: object = {}) =>
  (await personOf(by)).call({
    url: `/api/v1/operator/payouts/${reference}/fail`,
    body: { reason: 'The bank said no.', evidence: EVIDENCE, ...body },
  })

// Asks to mark all payouts of a file as failed, because the bank did not receive the file.
export const requestFileFailure = async (by: Asker, id: string, body: object = {}) =>
  (await personOf(by)).call({
    url: `/api/v1/operator/payout-files/${id}/not-delivered`,
    body: { bankConfirmation: 'Branch manager, by letter of 16 November', ...body },
  })

export const referenceOf = (answer: Answer): string => answer.json().data.failureRequest.reference

// Approves a request to mark payouts as failed, as a new user of the operator.
export async function approveFailure(bench: Bench, reference: string): Promise<Answer> {
  const checker = await newBrowser(bench, 'operator')
  return checker.call({ url: `${FAILURES}/${reference}/approve`, body: {} })
}

// Requests and approves the failure. Returns the response with the payout, or the first refusal.
export async function failPayout(bench: Bench, reference: string, body: object = {}) {
  const requested = await requestFailure(bench, reference, body)
  if (requested.statusCode !== 200) return requested
  const approved = await approveFailure(bench, referenceOf(requested))
  if (approved.statusCode !== 200) return approved
  return bench.call({ url: `/api/v1/operator/payouts/${reference}` })
}

// Requests and approves that all payouts of a file failed, because the bank did not receive the file. Returns
// the response with the file, or the first refusal.
export async function markNotDelivered(bench: Bench, id: string, body: object = {}) {
  const requested = await requestFileFailure(bench, id, body)
  if (requested.statusCode !== 200) return requested
  const approved = await approveFailure(bench, referenceOf(requested))
  if (approved.statusCode !== 200) return approved
  return bench.call({ url: `/api/v1/operator/payout-files/${id}` })
}

// Approves every open failure request, for tests that made the requests on a page.
export async function approveOpenFailures(bench: Bench): Promise<void> {
  const { data } = (await bench.call({ url: `${FAILURES}?state=open` })).json()
  for (const { reference } of data) {
    const approved = await approveFailure(bench, reference)
    assert.equal(approved.statusCode, 200, approved.body)
  }
}
