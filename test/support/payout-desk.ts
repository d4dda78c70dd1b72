// The operator's calls on payout files: queued payouts are written to a file, and the bank's report is
// uploaded.

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

// Starts a service in which two of the sandbox's banks are paid by file.
export function startFileService(): Promise<Bench> {
  return startWithBanks(
    SANDBOX_BANKS.map((bank) =>
      ['058', '044'].includes(bank.code) ? { ...bank, payoutFiles: DEBIT_ACCOUNT } : bank,
    ),
  )
}

type PayoutOptions = {
  amountsKobo?: readonly bigint[]
  bankCode?: string
  name?: string
  needsApproval?: boolean
}

// Queues payouts of the sandbox's client without the API, which would let its bank answer at once. Their
// money is in transit. Returns their references.
export async function queuePayouts(bench: Bench, options: PayoutOptions = {}): Promise<string[]> {
  const { amountsKobo = [10_000n, 20_000n], bankCode = FILE_BANK } = options
  const { name: accountName = 'Ada Obi', needsApproval = false } = options
  const now = bench.clock()
  const { accountNumber } = await createAccount(bench)
  const amount = formatKobo(kobo(amountsKobo.reduce((sum, payoutKobo) => sum + payoutKobo, 0n)))
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
    const payouts = await createPayouts(
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
        requestedByUser: null,
        approversNeeded: needsApproval ? 1 : 0,
      })),
    )
    await postTransfers(
      tx,
      now,
      payouts.map(({ id }, index) => ({
        debitAccountId: from,
        creditAccountId: shared.id(paying),
        amountKobo: kobo(amountsKobo[index] as bigint),
        payoutId: id,
        reason: 'payout',
      })),
    )
    return payouts.map(({ reference }) => reference)
  })
}

// biome-ignore lint/suspicious/noExplicitAny: files and results as parsed JSON.
type Data = any

// Creates a payout file of the queued payouts, which must succeed; returns the file.
export async function createFile(
  bench: Bench,
  body: { bankCode?: string; format?: string } = {},
): Promise<Data> {
  const request = { bankCode: FILE_BANK, format: 'pain.001', ...body }
  const answer = await bench.call({ url: PAYOUT_FILES, body: request })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// Reads a payout file, which must exist.
export async function readFile(bench: Bench, id: string): Promise<Data> {
  const answer = await bench.call({ url: `${PAYOUT_FILES}/${id}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

export function download(bench: Bench, id: string) {
  return bench.call({ url: `${PAYOUT_FILES}/${id}/download` })
}

// Uploads a bank's report about a file; returns the summary of its results.
export async function upload(bench: Bench, body: string, headers: Record<string, string> = XML) {
  const answer = await bench.call({ url: RESULTS, body, headers })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data as Data
}

export function refused(answer: LightMyRequestResponse, status: number, code: string): void {
  assertRefused(answer, { status, code })
}

type Stored = { status: string; bankReference: string | null; failureReason: string | null }

// The stored results of these payouts, oldest first.
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

// The payouts for which a bank's reports contradict each other, by their alerts.
export async function openAlerts({ db }: Bench): Promise<string[]> {
  const { rows } = await db.query<{ subject: string }>(
    `select subject from alerts where kind = 'payout_contradicted' order by id`,
  )
  return rows.map(({ subject }) => subject)
}
