// The naive pattern: the rail without group commit. Same HTTP server, signature, parsing, rows and
// constraints, but each request is a transaction of its own on a pooled connection, written with
// plain prepared single-row statements.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { jsonFormat } from '#banks/formats/json.ts'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { loadSecret, verify } from '#domain/webhooks/signature.ts'
import { timeOrderedId } from '#ids.ts'
import { bankOwner, SharedAccounts } from '#ledger/accounts.ts'
import { toNaira } from '#money.ts'
import { type DataKey, Sealer } from '#seal.ts'

type Settings = {
  connectionString: string
  max: number
  dataKeys: readonly DataKey[]
  hashKey: Uint8Array
}
type Deps = { db: Pool; sealer: Sealer; sharedAccounts: SharedAccounts }
type Account = { id: bigint; clientId: bigint; balanceKobo: bigint }

const ACCOUNT = `
  select a.id, a.client_id as "clientId", l.credits_kobo - l.debits_kobo as "balanceKobo"
    from numbers n
    join collection_accounts a on a.id = n.collection_account_id
    join ledger_accounts l on l.id = a.id
   where n.account_number = $1 for no key update of l`
const CREDIT = `
  insert into credits (bank_code, session_id, account_number, client_id, collection_account_id,
                       amount_kobo, currency, outcome, source_account_sealed, source_account_name,
                       source_bank_code, narration, transacted_at, received_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'booked', $8, $9, $10, $11, $12, $13) returning id`
const TRANSFER = `
  insert into transfers (debit_account_id, credit_account_id, amount_kobo, credit_id, reason,
                         posted_at) values ($1, $2, $3, $4, 'credit', $5)`
const EVENT = `
  with numbered as (
    update event_counters set sequence = sequence + 1 where client_id = $2 returning sequence
  )
  insert into events (id, client_id, sequence, type, collection_account_id, credit_id, facts,
                      created_at)
  select $1, $2, sequence, 'collection.received', $3, $4, $5, $6 from numbered`

process.on('message', async ({ connectionString, max, dataKeys, hashKey }: Settings) => {
  const db = createPool({ connectionString, max, onIdleError: () => {} })
  const sealer = new Sealer(dataKeys, hashKey)
  const deps = { db, sealer, sharedAccounts: new SharedAccounts(db) }
  const secrets = [loadSecret(SANDBOX_RAIL_SECRET)]
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post<{ Params: { bankCode: string } }>('/rails/:bankCode/credits', async (request, reply) => {
    const body = request.body as Buffer
    const header = (name: string) => request.headers[`webhook-${name}`] as string
    const headers = {
      id: header('id'),
      timestamp: header('timestamp'),
      signature: header('signature'),
    }
    if (verify({ secrets, headers, body, nowMs: Date.now() }) !== 'ok')
      return reply.code(401).send()
    const parsed = jsonFormat.parse(body)
    const item = 'items' in parsed ? parsed.items[0] : undefined
    if (!item?.ok) return reply.code(400).send()
    const { sessionId } = item.credit
    await bookCredit(deps, { ...item.credit, bankCode: request.params.bankCode })
    const outcome = { responseCode: '00', responseMessage: 'Taken', outcome: 'booked' } as const
    const { contentType, body: text } = jsonFormat.acknowledge([{ sessionId, ...outcome }], false)
    return reply.type(contentType).send(text)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ port: (app.server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))

async function bookCredit({ db, sealer, sharedAccounts }: Deps, credit: IncomingCredit) {
  const { bankCode, sessionId, accountNumber, amountKobo, currency } = credit
  const { sourceAccountNumber: source, sourceAccountName, sourceBankCode, narration } = credit
  const bank = { kind: 'bank', owner: bankOwner(bankCode), currency: 'NGN' } as const
  await sharedAccounts.open([bank])
  await withTransaction(db, async (tx) => {
    const now = new Date()
    const run = async <Row>(name: string, text: string, values: unknown[]): Promise<Row> =>
      (await tx.query({ name, text, values })).rows[0] as Row
    const { id, clientId, balanceKobo } = await run<Account>('account', ACCOUNT, [accountNumber])
    const credited = await run<{ id: bigint }>('credit', CREDIT, [
      ...[bankCode, sessionId, accountNumber, clientId, id, amountKobo, currency],
      ...[source === null ? null : sealer.seal(source), sourceAccountName, sourceBankCode],
      ...[narration, credit.transactionTime, now],
    ])
    const sides = [sharedAccounts.id(bank), id]
    await run('transfer', TRANSFER, [...sides, amountKobo, credited.id, now])
    const facts = JSON.stringify({ accountBalance: toNaira(balanceKobo + amountKobo) })
    await run('event', EVENT, [timeOrderedId(now), clientId, id, credited.id, facts, now])
  })
}
