// What the routes work with.

import type { Logger } from 'pino'
import type { BankSettings } from '#bank-settings.ts'
import type { Clock } from '#clock.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import type { AccountLookups } from '#domain/account-lookups.ts'
import type { Writers } from '#domain/writers.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Policy } from '#policy-settings.ts'
import type { Rates } from '#rate-settings.ts'
import type { Sealer } from '#seal.ts'
import type { Authentication } from './authentication.ts'
import type { Tokens } from './tokens.ts'
import type { Visits } from './visits.ts'

export type Deps = {
  mode: 'sandbox' | 'live'
  publicUrl: string // As configured: show `publicAddress`.
  trustedProxies: readonly string[]
  rates: Rates
  policy: Policy
  banks: readonly BankSettings[]
  clock: Clock
  log: Logger
  db: Pool
  reads: Queryable // For single look-ups that are asked often.
  accountLookups: AccountLookups
  batchPool: Pool
  sharedAccounts: SharedAccounts
  // Tells banks of the returns that were asked for; the workers do the same by and by.
  sendReturns: () => Promise<void>
  eraseTraces: () => Promise<void> // The same with what is to be erased.
  sealer: Sealer
  writers: Writers
  tokens: Tokens
  authentication: Authentication
  visits: Visits
  isReady: () => Promise<boolean>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isPublished?: boolean // Of the published contract: answers 200 or 400 (envelopes.ts).
  }
}
