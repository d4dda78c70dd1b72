// The requests of a row, one after another, and whether each was answered as it must be. What is
// sent is real: valid bodies, real signatures, tokens of a real login.

import { type Feed, feedCredit } from './bank-feed.ts'
import { JourneyWork } from './journey-work.ts'
import type { WorkOrder } from './load.ts'
import { getText, NOBODY_URL, postText, RequestStore, signedPostText } from './request-bytes.ts'

export type Work = {
  // The next request of this connection; undefined when there is none left.
  next(place: number): Uint8Array | undefined
  // How many items the answer acknowledges. 0: more requests of this item follow on the same
  // connection. Undefined: not the answer it should have been.
  take(place: number, status: number, body: Buffer): number | undefined
}

const TAKEN = '"responseCode":"00"'
const NUMBERS_AHEAD = 250_000 // More account bodies than any row sends.

export function makeWork(order: WorkOrder): Work {
  switch (order.kind) {
    case 'credits':
      return creditWork(order)
    case 'accounts':
      return accountWork(order.token)
    case 'initiations':
      return initiationWork(order.adviceIds)
    case 'get-accounts':
      return getWork(order)
    case 'journeys':
      return new JourneyWork(order)
    case 'empty':
      return repeated(getText('/'), (status) => status === 200)
  }
}

function creditWork(order: Extract<WorkOrder, { kind: 'credits' }>): Work {
  const startMs = Date.now()
  const feed: Feed = { ...order.feed, startMs }
  const path = `/rails/${order.bankCode}/credits`
  const store = new RequestStore()
  for (let request = 0; request < order.requests; request++) {
    const id = `msg_${order.feed.tag}_${request}`
    const first = request * order.perRequest
    const credits = Array.from({ length: order.perRequest }, (_, at) =>
      feedCredit(feed, first + at),
    )
    const body = JSON.stringify(order.perRequest === 1 ? credits[0] : credits)
    store.add(signedPostText(path, id, body, startMs))
  }
  return {
    next: () => store.next(),
    take: (_place, status, body) => {
      if (status !== 200) return undefined
      return countOf(body, TAKEN) === order.perRequest ? order.perRequest : undefined
    },
  }
}

function accountWork(token: string): Work {
  const store = new RequestStore()
  for (let index = 0; index < NUMBERS_AHEAD; index++) {
    const body = JSON.stringify({
      accountName: `Customer ${index}`,
      bvn: String(22_200_000_000 + index),
      email: `customer${index}@example.com`,
      merchantId: 'M-0001',
      merchantCode: 'Nai0000319',
      notificationUrl: NOBODY_URL,
      phoneNumber: `+23480${String(index).padStart(8, '0')}`,
      channel: 'API',
    })
    store.add(postText('/api/v1/accounts/static', body, token))
  }
  return answeredWith(() => store.next(), '"isSuccessful":true')
}

function initiationWork(adviceIds: readonly string[]): Work {
  let at = 0
  const next = () => {
    const id = adviceIds[at++]
    if (id === undefined) return undefined
    const path = `/Payment/process/banktransfer/${id}`
    return Buffer.from(postText(path, '{"bankCode":"035"}'), 'latin1')
  }
  return answeredWith(next, '"responseCode":"00"')
}

function getWork({ token, numbers }: Extract<WorkOrder, { kind: 'get-accounts' }>): Work {
  const requests = numbers.map((number) =>
    Buffer.from(getText(`/api/v1/accounts/static/${number}`, token), 'latin1'),
  )
  let at = 0
  const next = () => {
    at = (at + 70_001) % requests.length
    return requests[at]
  }
  return answeredWith(next, '"accountBalance":')
}

function answeredWith(next: () => Uint8Array | undefined, mark: string): Work {
  const take = (_place: number, status: number, body: Buffer) =>
    status === 200 && body.includes(mark) ? 1 : undefined
  return { next, take }
}

function repeated(text: string, isRight: (status: number) => boolean): Work {
  const request = Buffer.from(text, 'latin1')
  return { next: () => request, take: (_place, status) => (isRight(status) ? 1 : undefined) }
}

function countOf(body: Buffer, mark: string): number {
  let count = 0
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) count++
  return count
}
