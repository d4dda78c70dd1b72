// The identity API: the small HTTP contract of a service that an operator puts in front of its verification
// provider (docs/kyc.md). Providers publish no interface to us, so we implement none of theirs.
//
//   POST {MANILLA_IDENTITY_URL}/verifications   {reference, identifier, number, name}
//   200  {reference, status: "found", name}     the name that belongs to the number
//        {reference, status: "not_found"}       the number belongs to no person
//
// Both sides sign by Standard Webhooks with MANILLA_IDENTITY_SECRET; the id is the reference. Another status,
// another reference, a wrong signature or silence is treated as no answer, which neither verifies nor refutes
// anything. No text of the service is stored or logged, because it may repeat the number.

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

// Never throws. Resolves at the latest when the signal aborts.
export type IdentityService = (
  question: IdentityQuestion,
  signal: AbortSignal,
) => Promise<IdentityAnswer>

const NAME_MAX = 200

type Settings = { url: string; secret: string; timeoutMs: number; clock: Clock }

export function httpIdentityService({ url, secret, timeoutMs, clock }: Settings): IdentityService {
  const http = bankHttp({ baseUrl: url, timeoutMs })
  const secrets = [loadSecret(secret)]
  return async (question, signal) => {
    const { reference: id } = question
    const at = clock()
    const timestampSeconds = toUnixSeconds(at)
    const body = JSON.stringify(question)
    const signature = sign({ secrets, id, timestampSeconds, body })
    const headers = signatureHeaders(id, at, signature)
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

function readAnswer({ status, name }: Record<string, unknown>): IdentityAnswer {
  if (status === 'not_found') return { status }
  const isName = typeof name === 'string' && name.trim() !== '' && name.length <= NAME_MAX
  if (status === 'found' && isName) return { status, name }
  return noAnswer('the answer is not one of the contract')
}

function noAnswer(reason: string): IdentityAnswer {
  return { status: 'no_answer', reason }
}
