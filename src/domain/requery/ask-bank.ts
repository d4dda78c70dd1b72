// Puts one claimed question to its bank: one call, and no transaction open meanwhile. It never
// throws: a bank that cannot be asked (any more) gives no answer, nor does one that is still at it
// when the time is up.

import type { BankCalls, CallOptions, NoAnswer, Reservations } from '#banks/connector.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import type { Claim } from './claim-questions.ts'
import type { AnswerKind } from './repeat-schedule.ts'

type Page = { items: readonly ParsedItem[]; nextCursor: string | null }

export type BankAnswer = Page & { answer: AnswerKind; error: string | null; isUp?: boolean }

const ERROR_CHARACTERS_MAX = 200
const CURSOR = /^[^\p{Cc}\p{Cs}]{1,1000}$/u
const NOT_SUPPORTED = 'the bank has no such call'

// `takeTurn`: as a call asks for each further request (connector.ts).
type TakeTurn = (signal: AbortSignal) => Promise<boolean>
type Until = {
  signal: AbortSignal
  mostMs: number
  takeTurn?: TakeTurn
  reservations?: Reservations
}

export function askBank(
  calls: BankCalls,
  claim: Claim,
  { signal, mostMs, takeTurn = async () => true, reservations }: Until,
): Promise<BankAnswer> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(mostMs)])
  const silence = new Promise<BankAnswer>((resolve) => {
    const stop = () => resolve(noAnswer(`no answer within ${mostMs} ms`))
    if (end.aborted) stop()
    else end.addEventListener('abort', stop, { once: true })
  })
  const options = {
    signal: end,
    takeTurn: () => takeTurn(end),
    ...(reservations && { reservations }),
  }
  return Promise.race([ask(calls, claim, options), silence])
}

async function ask(calls: BankCalls, claim: Claim, options: CallOptions): Promise<BankAnswer> {
  const { identifierKind, identifier, accountNumber, fromAt, toAt, cursor } = claim
  if (identifierKind !== null && identifier !== null) {
    const asked = { kind: identifierKind, value: identifier }
    const answer = await calls.findTransfer?.(asked, options)
    if (!answer) return noAnswer(NOT_SUPPORTED)
    if (answer.status === 'no_answer') return silent(answer)
    const items = answer.status === 'found' ? answer.items : []
    // An answer that names no money did not find the transfer.
    const isMoney = items.some((item) => item.ok || item.money !== null)
    const kind = answer.status === 'found' && !isMoney ? 'not_found' : answer.status
    return { answer: kind, items, nextCursor: null, error: null }
  }
  const window = { accountNumber, from: fromAt as Date, to: toAt as Date, cursor }
  const answer = await calls.listTransfers?.(window, options)
  if (!answer) return noAnswer(NOT_SUPPORTED)
  if (answer.status === 'no_answer') return silent(answer)
  return readPage(cursor, answer)
}

// The same cursor again, or an empty one, would be the same page for ever: the list ends there. One
// that cannot be kept leaves the rest unread, but not what the page has.
function readPage(cursor: string | null, { items, nextCursor }: Page): BankAnswer {
  const isEnd = nextCursor === null || nextCursor === '' || nextCursor === cursor
  if (isEnd) return { answer: 'listed', items, nextCursor: null, error: null }
  if (!CURSOR.test(nextCursor)) return { ...noAnswer('the cursor cannot be used'), items }
  return { answer: 'listed', items, nextCursor, error: null }
}

function silent({ reason, isUp }: NoAnswer): BankAnswer {
  return { ...noAnswer(reason), isUp: isUp === true }
}

function noAnswer(reason: string): BankAnswer {
  const error = reason.slice(0, ERROR_CHARACTERS_MAX)
  return { answer: 'no_answer', items: [], nextCursor: null, error }
}
