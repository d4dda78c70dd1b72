// The workers for messages: send queued messages, end those that no server accepted in time, and delete old
// ones. In a sandbox nothing is sent: a worker catches the messages for the inbox (I151).

import { HOUR_MS } from '#clock.ts'
import type { MessageSettings, QuietHours } from '#config/message-settings.ts'
import { isUnavailable, withTransaction } from '#db/transaction.ts'
import type { Sealer } from '#seal.ts'
import type { Deps, Round, Worker } from '#workers/loop.ts'
import { type Copy, MESSAGE_KINDS, oneLine } from './kinds.ts'
import { parseEmailAddress } from './recipients.ts'
import { renderMessage } from './render.ts'
import {
  beginSending,
  CLAIM_MS,
  type Claimed,
  cancelUnwanted,
  catchMessages,
  claimMessages,
  endOverdue,
  HAS_DUE_MESSAGES,
  HAS_QUEUED_MESSAGES,
  purgeMessages,
  recordResult,
  releaseMessages,
} from './send.ts'
import { type SendResult, sendMail, sendShort, type TransportName } from './transports.ts'

export type MessagesDeps = Deps & {
  sealer: Sealer
  mode: 'sandbox' | 'live'
  publicUrl: string
  messages: MessageSettings
  messageCopy: Copy
  attemptMaxMs?: number
}

const PAUSE_MS = 1_000
const SENDER_LENGTH_MAX = 120
const LANES = 4 // Concurrent connections of a process to one server.
const ATTEMPT_MAX_MS = 120_000
const LAGOS_MS = HOUR_MS // Lagos is an hour ahead of UTC, all year.
const DAY_MINUTES = 1_440

// Returns the workers that this process needs: in a sandbox, one that catches messages; otherwise one for
// each configured server.
export function messageWorkers(deps: MessagesDeps): Worker[] {
  const { mode, messages } = deps
  const purging = { name: 'purge-messages', pauseMs: HOUR_MS, round: purgeMessagesRound(deps) }
  if (mode === 'sandbox') {
    const round = catchMessagesRound(deps)
    return [{ name: 'catch-messages', pauseMs: PAUSE_MS, due: HAS_QUEUED_MESSAGES, round }, purging]
  }
  const transports: TransportName[] = [
    ...(messages.smtp && messages.from ? ['smtp' as const] : []),
    ...(messages.gateway ? ['gateway' as const] : []),
  ]
  return [
    { name: 'end-messages', pauseMs: 10 * PAUSE_MS, round: endMessagesRound(deps) },
    purging,
    ...transports.map((transport) => ({
      name: `send-messages ${transport}`,
      pauseMs: PAUSE_MS,
      due: HAS_DUE_MESSAGES,
      round: sendMessagesRound(deps, transport),
    })),
  ]
}

// Catches the queued messages of a sandbox for its inbox.
function catchMessagesRound({ db, clock }: MessagesDeps): Round {
  return async () => {
    // First cancels messages to erased people and former users, so that the inbox does not show them.
    const caught = await withTransaction(db, async (tx) => {
      await cancelUnwanted(tx, clock())
      return catchMessages(tx, clock())
    })
    return { more: caught > 0 }
  }
}

function endMessagesRound({ db, clock }: MessagesDeps): Round {
  return async () => ({ more: (await withTransaction(db, (tx) => endOverdue(tx, clock()))) > 0 })
}

// Deletes messages that ended 90 days ago.
function purgeMessagesRound({ db, clock }: MessagesDeps): Round {
  return async () => ({
    more: (await withTransaction(db, (tx) => purgeMessages(tx, clock()))) > 0,
  })
}

// Claims due messages and sends them over several connections at once. A connection stops at an outage of the
// server, and all stop when the process ends or the claims could end. Unsent messages are released. `more`
// asks for another round at once.
function sendMessagesRound(deps: MessagesDeps, transport: TransportName): Round {
  const { db, clock, messages } = deps
  return async (signal) => {
    const now = clock()
    const isQuiet = isWithin(messages.quietHours, now)
    const claims = await withTransaction(db, (tx) => claimMessages(tx, now, { transport, isQuiet }))
    const unsent = [...claims]
    const startedMs = performance.now()
    // False if the claims could end before another attempt is over.
    const hasTime = () => performance.now() - startedMs < CLAIM_MS - 2 * ATTEMPT_MAX_MS
    // Sends messages over one connection until none is left, time is up, or the server has an outage.
    const sendOneByOne = async () => {
      for (;;) {
        const claim = signal.aborted || !hasTime() ? undefined : unsent.shift()
        if (!claim) return
        const result = await attemptToSend(deps, claim)
        await withTransaction(db, (tx) => recordResult(tx, clock(), { claim, result, transport }))
        if (result.outcome === 'deferred' && result.isOutage) break
      }
    }
    // One result per connection. If a connection fails, the others go on, and its error is thrown at the end.
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, sendOneByOne))
    if (unsent.length > 0) await withTransaction(db, (tx) => releaseMessages(tx, unsent))
    const failed = lanes.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    return { more: claims.length > 0 && unsent.length === 0 }
  }
}

// Whether the time of day in Lagos is within the quiet hours, which may span midnight. `from` and `to` are
// minutes since midnight. If they are equal, there are no quiet hours.
export function isWithin({ from, to }: QuietHours, now: Date): boolean {
  const minutes = Math.floor((now.getTime() + LAGOS_MS) / 60_000) % DAY_MINUTES
  return from <= to ? minutes >= from && minutes < to : minutes >= from || minutes < to
}

// Renders one message and sends it. A message that cannot be rendered is refused, so that it does not block
// the others.
async function attemptToSend(deps: MessagesDeps, claim: Claimed): Promise<SendResult> {
  const { db, clock, messages, messageCopy: copy, attemptMaxMs = ATTEMPT_MAX_MS } = deps
  const begin = () => beginSending(db, clock(), claim)
  const signal = AbortSignal.timeout(attemptMaxMs)
  const { channel, reference, kind } = claim
  const to = deps.sealer.open(claim.addressSealed)
  // Undefined if the message cannot be rendered. An unavailable database is no fault of the message.
  const written = await renderMessage(deps, claim).catch((error) => {
    if (isUnavailable(error)) throw error
    deps.log.error({ err: error, reference }, 'a message could not be written')
  })
  if (!written) return { outcome: 'refused', problem: 'it could not be written', isBounce: false }
  const { rendered, brand } = written
  const { smtp, from, gateway } = messages
  if (channel === 'email' && smtp && from) {
    const { subject, text, html } = rendered
    const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
    const isOfClient = MESSAGE_KINDS[kind].audience === 'payer'
    // oneLine() removes direction marks, with which a brand's name could disguise the sender's address.
    const senderName = isOfClient ? copy.via(brand.name, from.name) : from.name
    const mail = {
      from: { ...from, name: oneLine(senderName, SENDER_LENGTH_MAX) },
      replyTo: (isOfClient && parseEmailAddress(brand.supportEmail ?? '')) || null,
      to,
      subject,
      text,
      html,
      messageId: `${reference}@${domain}`,
      date: claim.createdAt,
      attachments: rendered.attachments,
    }
    return sendMail(smtp, mail, { begin, signal })
  }
  if (channel === 'email' || !gateway) throw new Error(`nothing sends ${channel}`)
  const message = { reference, channel, to, kind, language: copy.language, text: rendered.short }
  return sendShort(gateway, message, { begin, signal, signedAt: clock() })
}
