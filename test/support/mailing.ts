// Queues messages and sends them with the workers' own rounds, to a mail server or SMS gateway on loopback.

import { readMessageSettings } from '#config/message-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { createLogger } from '#log.ts'
import { en } from '#messages/copy/en.ts'
import type { MessageKind } from '#messages/kinds.ts'
import { type NewMessage, queueMessage } from '#messages/message.ts'
import { type MessagesDeps, messageWorkers } from '#messages/workers.ts'
import { patience } from './patience.ts'
import type { Bench } from './running-service.ts'
import { sealingOf } from './sealing.ts'

const QUIET = createLogger({ level: 'silent' })

type Transports = { smtpPort?: number; gateway?: MessagesDeps['messages']['gateway'] }

type Service = Pick<Bench, 'db' | 'clock' | 'config'>

// The dependencies of the workers that send messages.
export function mailingOf(bench: Service, { smtpPort, gateway }: Transports = {}): MessagesDeps {
  const smtp = smtpPort === undefined ? undefined : smtpOn(smtpPort)
  const from = { name: 'Manilla', address: 'no-reply@pay.example' }
  const messages = { ...readMessageSettings({}), smtp, from, gateway }
  const { db, clock } = bench
  const { sealer } = sealingOf(bench)
  const publicUrl = 'https://pay.example'
  const sending = { mode: 'live', publicUrl, messages, messageCopy: en } as const
  return { db, clock, log: QUIET, sealer, ...sending, attemptMaxMs: patience(5_000) }
}

const smtpOn = (port: number) => ({
  host: '127.0.0.1',
  port,
  isImplicitTls: false,
  needsTls: false,
  user: 'mailer',
  password: 'hunter2hunter2',
})

export async function clientIdOf({ db }: Pick<Bench, 'db'>, name = 'MAN0000001') {
  const { rows } = await db.query<{ id: ClientId }>('select id from clients where client_id = $1', [
    name,
  ])
  return rows[0]?.id as ClientId
}

let lastKey = 0

// Queues a message to this address; by default a password reset.
export async function queue(bench: Bench, message: Partial<NewMessage> & { to: string }) {
  const clientId = await clientIdOf(bench)
  const kind: MessageKind = 'user.password_reset'
  const facts = {
    clientName: 'Obi',
    link: 'https://pay.example/reset#t0ken',
    expiresAt: '2026-11-18T12:00:00Z',
  }
  const key = `test/${++lastKey}`
  const now = bench.clock()
  const { sealer } = sealingOf(bench)
  return withTransaction(bench.db, (tx) =>
    queueMessage(tx, { now, sealer }, { clientId, kind, facts, key, ...message } as NewMessage),
  )
}

// Runs one round of each worker that sends messages.
export async function work(deps: MessagesDeps): Promise<void> {
  for (const { round } of messageWorkers(deps)) await round(new AbortController().signal)
}

export type LoggedMessage = {
  state: string
  problem: string | null
  attempts: number
  nextAttemptAt: Date
  hasFacts: boolean
  hasAddress: boolean
}

// The stored state of a message.
export async function logged({ db }: Pick<Bench, 'db'>, reference: string | undefined) {
  const { rows } = await db.query<LoggedMessage>(
    `select state, problem, attempts, next_attempt_at, facts_sealed is not null as has_facts,
            address_sealed is not null as has_address
       from messages where reference = $1`,
    [reference],
  )
  return rows[0] as LoggedMessage
}
