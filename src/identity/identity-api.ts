// The client of the identity API: a small HTTP contract that we define (docs/kyc.md). An operator runs a
// service with this API in front of its verification provider, because providers do not publish their
// interfaces.
//
//   POST {MANILLA_IDENTITY_URL}/verifications   {reference, identifier, number, name}
//   200  {reference, status: "found", name}     the name that belongs to the number
//        {reference, status: "not_found"}       the number belongs to no person
//
// Both sides sign by Standard Webhooks with MANILLA_IDENTITY_SECRET; the id is the reference. Any other
// status or reference, a wrong signature, and a timeout count as `no_answer`, which neither verifies nor
// refutes anything. No text from the service is stored or logged, because it may repeat the BVN or NIN.

import { bankHttp, jsonObject } from '#banks/bank-http.ts'
import type { Clock } from '#clock.ts'
import { loadSecret, sign, signatureHeaders, toUnixSeconds, verify } from '#standard-webhooks.ts'
import type { Identifier } from './tiers.ts'

export type IdentityQuestion = {
  reference: string // The same for every attempt.
  identifier: Identifier
  number: string
  name: string // The name of the account: some providers compare names themselves.
}

export type IdentityAnswer =
  | { status: 'found'; name: string }
  | { status: 'not_found' }
  | { status: 'no_answer'; reason: string }

// Asks the identity service one question. Never throws, and resolves when the signal aborts, or earlier.
export type IdentityService = (
  question: IdentityQuestion,
  signal: AbortSignal,
) => Promise<IdentityAnswer>

const NAME_MAX = 200

type Settings = { url: string; secret: string; timeoutMs: number; clock: Clock }

// Returns an IdentityService that calls the API over HTTP.
export function httpIdentityService({ url, secret, timeoutMs, clock }: Settings): IdentityService {
  const http = bankHttp({ baseUrl: url, timeoutMs })
  const secrets = [loadSecret(secret)]
  return async (question, signal) => {
    const { reference: id } = question
    const signedAt = clock()
    const timestampSeconds = toUnixSeconds(signedAt)
    const body = JSON.stringify(question)
    const signature = sign({ secrets, id, timestampSeconds, body })
    const headers = signatureHeaders(id, signedAt, signature)
    const request = { method: 'POST', path: '/verifications', headers, body: question } as const
    const response = await http(request, { signal })
    if (response.status === 'no_answer') return noAnswer(response.reason)
    if (response.httpStatus !== 200) return noAnswer(`HTTP ${response.httpStatus}`)
    const verdict = verify({
      secrets,
      headers: {
        id: response.headers['webhook-id'],
        timestamp: response.headers['webhook-timestamp'],
        signature: response.headers['webhook-signature'],
      },
      body: response.rawBody,
      nowMs: clock().getTime(),
    })
    if (verdict !== 'ok') return noAnswer(`the signature of the answer is ${verdict}`)
    const answer: Record<string, unknown> = jsonObject(response)
    const isOurs = response.headers['webhook-id'] === id && answer.reference === id
    return isOurs ? readAnswer(answer) : noAnswer('the answer is to another question')
  }
}

// Converts the body of a response. A body that the contract does not allow counts as no answer.
function readAnswer({ status, name }: Record<string, unknown>): IdentityAnswer {
  if (status === 'not_found') return { status }
  const isName = typeof name === 'string' && name.trim() !== '' && name.length <= NAME_MAX
  if (status === 'found' && isName) return { status, name }
  return noAnswer('the answer is not one of the contract')
}

function noAnswer(reason: string): IdentityAnswer {
  return { status: 'no_answer', reason }
}
