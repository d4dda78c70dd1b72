// Runs the worker's round that queues notices, and reads the messages that the sandbox caught instead of
// sending.

import { bankNames } from '#banks/directory.ts'
import { withTransaction } from '#db/transaction.ts'
import { createLogger } from '#log.ts'
import { catchMessages } from '#messages/send.ts'
import { followEventsRound, type NoticesDeps } from '#notices/workers.ts'
import { newBrowser } from './people.ts'
import type { Bench } from './running-service.ts'
import { sealingOf } from './sealing.ts'

// The dependencies of the worker that queues notices.
export function noticingOf(bench: Bench): NoticesDeps {
  const { mode, banks, policy } = bench.config
  const rendering = { mode, nameBank: bankNames(banks), nameStyle: policy.accountName }
  const { sealer } = sealingOf(bench)
  const log = createLogger({ level: 'silent' })
  return {
    db: bench.db,
    clock: bench.clock,
    log,
    sealer,
    rendering,
    publicUrl: 'https://pay.example',
  }
}

// Runs the worker until it has queued the notices of all events.
export async function follow(bench: Bench): Promise<void> {
  const round = followEventsRound(noticingOf(bench))
  while ((await round(new AbortController().signal)).more);
}

export type Caught = {
  kind: string
  channel: string
  subject: string
  text: string
  short: string
  html: string
}

// The messages that the sandbox caught, oldest first; `filter` is the end of the query, for example
// "&kind=…".
export async function caught(bench: Bench, filter = ''): Promise<Caught[]> {
  await withTransaction(bench.db, (tx) => catchMessages(tx, bench.clock()))
  const { data } = (await bench.call({ url: `/api/v1/messages?limit=100${filter}` })).json()
  const messages: Caught[] = []
  for (const { reference, kind, channel } of data.reverse()) {
    const answer = await bench.call({ url: `/api/v1/messages/${reference}/content` })
    messages.push({ kind, channel, ...answer.json().data })
  }
  return messages
}

// Sets the client's notice settings; by default payers get all messages, staff none.
export async function setNotices(bench: Bench, changes: object = {}) {
  return bench.call({
    method: 'PUT',
    url: '/api/v1/notice-settings',
    body: {
      payerChannels: ['email', 'sms'],
      payerKinds: [
        'payer.instructions',
        'payer.part_payment',
        'payer.receipt',
        'payer.refund_sent',
      ],
      staffKinds: [],
      ...changes,
    },
  })
}

export { newBrowser }
