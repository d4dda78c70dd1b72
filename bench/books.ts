// The databases that the rows run on: filled through the service's own writers, counted and audited
// after every row. A fast wrong answer is no answer.

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { systemClock } from '#clock.ts'
import type { Config } from '#config/config.ts'
import { createBatchPool, createPool, type Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import { createAccounts } from '#domain/accounts/collection-accounts.ts'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { createAdvices } from '#domain/payments/advices.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { createLogger } from '#log.ts'
import { kobo } from '#money.ts'
import { Sealer } from '#seal.ts'
import { prepareDatabase } from '#wiring.ts'
import { NOBODY_URL } from './request-bytes.ts'

const BATCH = 1_000
const WAIT_MAX_MS = 10_000
const LOOK_MS = 50

export type Counted = 'credits' | 'collection_accounts' | 'payments' | 'paid_payments'

const COUNTS: Record<Counted, string> = {
  credits: 'select count(*) as count from credits',
  collection_accounts: 'select count(*) as count from collection_accounts',
  payments: 'select count(*) as count from payments',
  paid_payments: `select count(*) as count from payments where status = 'Successful'`,
}

export class Books implements AsyncDisposable {
  readonly connectionString: string
  readonly db: Pool
  readonly #config: Config

  constructor(connectionString: string, config: Config) {
    this.connectionString = connectionString
    this.#config = config
    this.db = createPool({ connectionString, max: 1, onIdleError: () => {} })
  }

  // Migrated, with the banks' ranges and the sandbox's client, as the service's own start does it.
  async prepare(): Promise<void> {
    const { connectionString } = this
    const log = createLogger({ level: 'silent' })
    await prepareDatabase({ config: this.#config, connectionString, clock: systemClock, log })
  }

  // Answers the numbers of the accounts it made. As a rule nobody is told of what happens to them.
  async openAccounts(count: number, urlOf = (_at: number) => ''): Promise<string[]> {
    const { banks, collectionBankCode, secrets } = this.#config
    const sealer = new Sealer(secrets.data, secrets.hash)
    const bank = banks.find(({ code }) => code === collectionBankCode)
    if (!bank) throw new Error('the sandbox has a bank for collection accounts')
    const clientId = await this.#clientId()
    const made = await this.#readBatches(count, (tx, from, size) => {
      const requests = Array.from({ length: size }, (_, at) => ({
        clientId,
        payerRules: null,
        fields: {
          accountName: `Customer ${from + at}`,
          bvn: String(22_200_000_000 + from + at),
          email: `customer${from + at}@example.com`,
          merchantId: 'M-0001',
          merchantCode: 'Nai0000319',
          notificationUrl: urlOf(from + at),
          phoneNumber: `+23480${String(from + at).padStart(8, '0')}`,
          channel: 'API',
        },
      }))
      return createAccounts(
        tx,
        { sealer, bank, limits: { perCreditKobo: null, perDayKobo: null }, now: systemClock() },
        requests,
      )
    })
    return made.map((account) => account.accountNumber)
  }

  // Answers the references of the advices it made.
  async openAdvices(count: number): Promise<string[]> {
    const { secrets } = this.#config
    const sealer = new Sealer(secrets.data, secrets.hash)
    const clientId = await this.#clientId()
    const made = await this.#readBatches(count, (tx, _from, size) => {
      const requests = Array.from({ length: size }, () => ({ clientId, ...ADVICE }))
      return createAdvices(tx, { sealer, now: systemClock() }, requests)
    })
    return made.map((advice) => advice.id)
  }

  async count(what: Counted): Promise<number> {
    const { rows } = await this.db.query<{ count: bigint }>(COUNTS[what])
    return Number(rows[0]?.count)
  }

  // Every table with its indexes.
  async bytes(): Promise<number> {
    const { rows } = await this.db.query<{ bytes: bigint }>(
      `select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    return Number(rows[0]?.bytes)
  }

  async walBytes(): Promise<number> {
    const { rows } = await this.db.query<{ bytes: bigint }>(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as bytes`,
    )
    return Number(rows[0]?.bytes)
  }

  // So that no row pays for what another one wrote: what autovacuum would do later is done now, in
  // every database, and what it is doing is waited for.
  async settle(): Promise<void> {
    const { rows } = await this.db.query<{ tables: string | null }>(
      `select string_agg(quote_ident(relname), ', ') as tables from pg_stat_user_tables
        where n_mod_since_analyze > 0 or n_ins_since_vacuum > 0 or n_dead_tup > 0`,
    )
    if (rows[0]?.tables) await this.db.query(`vacuum (analyze) ${rows[0].tables}`)
    await this.#waitUntilZero(
      `select count(*) as count from pg_stat_activity where backend_type = 'autovacuum worker'`,
    )
    await this.db.query('checkpoint')
  }

  // Sentences; none when every kobo is where it should be.
  async audit(): Promise<string[]> {
    const findings = await checkIntegrity(this.db)
    return findings.map(
      ({ check, subject, expected, found }) =>
        `audit: ${check}: ${subject}: expected ${expected}, found ${found}`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.end()
  }

  async #waitUntilZero(sql: string): Promise<void> {
    const giveUpAtMs = performance.now() + WAIT_MAX_MS
    while (performance.now() < giveUpAtMs) {
      const { rows } = await this.db.query<{ count: bigint }>(sql)
      if (rows[0]?.count === 0n) return
      await sleep(LOOK_MS)
    }
  }

  async #clientId(): Promise<ClientId> {
    const { rows } = await this.db.query<{ id: ClientId }>(
      'select id from clients where client_id = $1',
      [SANDBOX_CLIENT.clientId],
    )
    return rows[0]?.id as ClientId
  }

  async #readBatches<T>(
    count: number,
    make: (
      tx: Parameters<Parameters<typeof withTransaction>[1]>[0],
      from: number,
      size: number,
    ) => Promise<readonly ({ value: T } | Refusal)[]>,
  ): Promise<T[]> {
    const { connectionString } = this
    const pool = createBatchPool({ connectionString, max: 1, onIdleError: () => {} })
    const all: T[] = []
    try {
      for (let from = 0; from < count; from += BATCH) {
        const size = Math.min(BATCH, count - from)
        const made = await withTransaction(pool, (tx) => make(tx, from, size))
        for (const each of made) {
          if (each instanceof Refusal) throw each
          all.push(each.value)
        }
      }
    } finally {
      await pool.end()
    }
    return all
  }
}

const ADVICE = {
  merchantName: SANDBOX_CLIENT.name,
  terms: {
    merchantRef: null,
    amountKobo: kobo(600_000n),
    currency: 'NGN',
    narration: 'A pair of shoes',
    callBackUrl: NOBODY_URL,
    notificationUrl: null,
    customer: {
      customerId: 'C-1',
      firstName: 'Ada',
      lastName: 'Obi',
      email: 'ada@example.com',
      phoneNumber: '08012345678',
    },
    customerName: 'Ada Obi',
    amountPolicy: 'allow_under',
    expiresInSeconds: 1800,
    graceSeconds: 300,
    payerRules: null,
  },
} as const

export async function vacuum(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
}

// From the database that every cluster has.
export async function createDatabase(adminUrl: string, name: string, template?: string) {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    await admin.query(`create database ${name}${template ? ` template ${template}` : ''}`)
  } finally {
    await admin.end()
  }
}
