// Payouts in files over HTTP: the operator's calls.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { SANDBOX_BANKS } from '#config/bank-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { clientOwner, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { formatKobo, kobo } from '#money.ts'
import { createPayouts } from '#payouts/request.ts'
import { Sealer } from '#seal.ts'
import { startWithBanks } from './bank-calls.ts'
import { assertRefused, createAccount } from './fixtures.ts'
import { reportCredit } from './rail.ts'
import type { Bench } from './running-service.ts'

export const PAYOUT_FILES = '/api/v1/operator/payout-files'
export const RESULTS = `${PAYOUT_FILES}/results`
export const FILE_BANK = '058'
export const XML = { 'content-type': 'application/xml' }
export const CSV = { 'content-type': 'text/csv' }

const DEBIT_ACCOUNT = { accountNumber: '0123456789', accountName: 'Manilla Operations' }

// Two of the sandbox's banks take files.
export function startFileService(): Promise<Bench> {
  return startWithBanks(
    SANDBOX_BANKS.map((bank) =>
      ['058', '044'].includes(bank.code) ? { ...bank, payoutFiles: DEBIT_ACCOUNT } : bank,
    ),
  )
}

type Queued = {
  amountsKobo?: readonly bigint[]
  bankCode?: string
  name?: string
  needsApproval?: boolean
}

// Queues payouts of the sandbox client, with their money in transit; returns their references.
export async function queuePayouts(bench: Bench, options: Queued = {}): Promise<string[]> {
  const { amountsKobo = [10_000n, 20_000n], bankCode = FILE_BANK } = options
  const { name: accountName = 'Ada Obi', needsApproval = false } = options
  const now = bench.clock()
  const { accountNumber } = await createAccount(bench)
  const amount = formatKobo(kobo(amountsKobo.reduce((sum, each) => sum + each, 0n)))
  await reportCredit(bench, { accountNumber, amount })
  const { rows } = await bench.db.query<{ id: AccountId; clientId: ClientId }>(
    'select id, client_id as "clientId" from collection_accounts where account_number = $1',
    [accountNumber],
  )
  const { id: from, clientId } = rows[0] as { id: AccountId; clientId: ClientId }
  const paying = { kind: 'paying', owner: clientOwner(clientId), currency: 'NGN' } as const
  const shared = new SharedAccounts(bench.db)
  await shared.open([paying])
  const sealer = new Sealer(bench.config.secrets.data, bench.config.secrets.hash)
  return withTransaction(bench.db, async (tx) => {
    const made = await createPayouts(
      tx,
      { sealer, now },
      amountsKobo.map((amountKobo) => ({
        clientId,
        purpose: 'payout',
        bankCode,
        amountKobo: kobo(amountKobo),
        currency: 'NGN',
        to: { bankCode: '033', accountNumber: '2093566866', accountName },
        narration: 'Weekly payout',
        requestedBy: 'client:MAN0000001',
        approversNeeded: needsApproval ? 1 : 0,
      })),
    )
    await postTransfers(
      tx,
      now,
      made.map(({ id }, at) => ({
        debitAccountId: from,
        creditAccountId: shared.id(paying),
        amountKobo: kobo(amountsKobo[at] as bigint),
        payoutId: id,
        reason: 'payout',
      })),
    )
    return made.map(({ reference }) => reference)
  })
}

// biome-ignore lint/suspicious/noExplicitAny: files and results, as JSON has them.
type Data = any

export async function createFile(
  bench: Bench,
  body: { bankCode?: string; format?: string } = {},
): Promise<Data> {
  const request = { bankCode: FILE_BANK, format: 'pain.001', ...body }
  const answer = await bench.call({ url: PAYOUT_FILES, body: request })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

export async function readFile(bench: Bench, id: string): Promise<Data> {
  const answer = await bench.call({ url: `${PAYOUT_FILES}/${id}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

export function download(bench: Bench, id: string) {
  return bench.call({ url: `${PAYOUT_FILES}/${id}/download` })
}

export async function upload(bench: Bench, body: string, headers: Record<string, string> = XML) {
  const answer = await bench.call({ url: RESULTS, body, headers })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data as Data
}

export function refused(answer: LightMyRequestResponse, status: number, code: string): void {
  assertRefused(answer, 'account', { status, code })
}

type Stored = { status: string; bankReference: string | null; failureReason: string | null }

export async function readPayouts({ db }: Bench, references: readonly string[]): Promise<Stored[]> {
  const { rows } = await db.query<Stored>(
    `select status, bank_reference as "bankReference", failure_reason as "failureReason"
       from payouts where reference = any($1::text[]) order by id`,
    [references],
  )
  return rows
}

export async function statusesOf(bench: Bench, references: readonly string[]): Promise<string[]> {
  return (await readPayouts(bench, references)).map(({ status }) => status)
}

export async function openAlerts({ db }: Bench): Promise<string[]> {
  const { rows } = await db.query<{ subject: string }>(
    `select subject from alerts where kind = 'payout_contradicted' order by id`,
  )
  return rows.map(({ subject }) => subject)
}
