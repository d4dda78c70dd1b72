// Stores signed items that could not be booked as rail items, before acknowledging. If that fails,
// the bank is told to retry.

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Acknowledgement, ParsedItem } from '#banks/notifications.ts'
import { withTransaction } from '#db/transaction.ts'
import { type NewRailItem, storeRailItems } from '#domain/credits/rail-items.ts'
import { railItemOf } from '#domain/credits/unbookable-items.ts'
import type { Deps } from '#http/deps.ts'

export const SYSTEM_FAILURE = {
  responseCode: '03',
  responseMessage: 'System failure: safe to retry',
  outcome: 'retry',
} as const

type Report = { bankCode: string; rawBody: Buffer }

// Final acknowledgements: a stored item is 00, a previously stored one 01; others are unchanged.
export async function keepRejected(
  deps: Deps,
  report: Report,
  { items, answers }: { items: readonly ParsedItem[]; answers: readonly Acknowledgement[] },
): Promise<readonly Acknowledgement[]> {
  let digest: string | undefined
  const placeOf = (at: number) => {
    digest ??= createHash('sha256').update(report.rawBody).digest('hex')
    return `${at} of ${digest}`
  }
  const found = items.flatMap((item, at) => {
    const { code, outcome } = answers[at] as Acknowledgement
    if (outcome !== 'rejected') return []
    const kept = railItemOf({ bankCode: report.bankCode, item, code, placeOf: () => placeOf(at) })
    return kept ? [{ at, kept }] : []
  })
  if (found.length === 0) return answers
  const areNew = await keep(
    deps,
    found.map(({ kept }) => kept),
  ).catch((error) => {
    deps.log.error({ err: error }, 'failed to store rejected rail items')
    return undefined
  })
  const given = [...answers]
  for (const [place, { at, kept }] of found.entries()) {
    const answer = answers[at] as Acknowledgement
    if (!areNew) given[at] = { sessionId: answer.sessionId, ...SYSTEM_FAILURE }
    else if (kept.responseCode === '00') given[at] = keptAnswer(answer, areNew[place] === true)
  }
  return given
}

function keep({ batchPool, sealer, clock }: Deps, items: readonly NewRailItem[]) {
  return withTransaction(batchPool, (tx) => storeRailItems(tx, { sealer, now: clock() }, items))
}

function keptAnswer({ sessionId, responseMessage, code }: Acknowledgement, isNew: boolean) {
  const because = code === undefined ? {} : { code }
  return isNew
    ? {
        sessionId,
        responseCode: '00' as const,
        responseMessage: `Accepted for manual review. ${responseMessage}`,
        outcome: 'kept',
        ...because,
      }
    : {
        sessionId,
        responseCode: '01' as const,
        responseMessage: 'Duplicate: already accepted for manual review',
        outcome: 'duplicate',
        ...because,
      }
}

// A reversal that was rejected.
export function rejectedReversal(
  bankCode: string,
  { body, originals }: KeptReversal,
  reason: string,
) {
  const { sessionId, amount } = body
  const text = JSON.stringify(body)
  const about = { bankCode, call: 'reversals', outcome: 'rejected', reason } as const
  const item: NewRailItem = {
    ...about,
    responseCode: '02',
    sessionId,
    amount: String(amount),
    body: text,
    identity: text,
    originals,
  }
  return item
}

type KeptReversal = {
  body: Pick<ReversalBody, 'sessionId' | 'amount'>
  originals: readonly string[]
}

export type ReversalBody = { sessionId: string; originalSessionId: string; amount: number | string }

// An unparsable body that mentions an amount. Throws if it cannot be stored, so that the bank
// retries.
export async function keepUnreadable(
  deps: Deps,
  about: Pick<NewRailItem, 'bankCode' | 'call' | 'reason'>,
  rawBody: Buffer,
): Promise<void> {
  if (!speaksOfAmount(rawBody)) return
  const body = decodeBody(rawBody)
  const rest = { outcome: 'unreadable', responseCode: '02', sessionId: null, amount: null } as const
  await keep(deps, [{ ...about, ...rest, body, identity: body }])
}

// In JSON or XML, in any encoding that leaves letters as they are, UTF-16 included.
function speaksOfAmount(rawBody: Buffer): boolean {
  return /amount|[<:]Amt\b/i.test(rawBody.toString('latin1').replaceAll('\0', ''))
}

function decodeBody(rawBody: Buffer): string {
  return isUtf8(rawBody) ? rawBody.toString('utf8') : `base64,${rawBody.toString('base64')}`
}
