// Sends rows of a file to the bulk endpoint in batches, to check or to create. The key of a batch is a hash
// of its rows, so a retry or reload creates nothing twice.

import { type FieldFault, type Schemas, send } from '../../api.ts'
import { newKey } from '../../parts/forms.tsx'
import type { Row } from './account-csv.ts'

const PATH = '/api/v1/accounts/static/bulk'
const BATCH = 100

export type Outcome = { row: Row; accountNumber: string | null; faults: readonly FieldFault[] }
export type Progress = { done: number; all: number }

type Sending = {
  rows: readonly Row[]
  validateOnly: boolean
  known: readonly Outcome[] // The outcomes of earlier batches.
  report: (outcomes: readonly Outcome[]) => void
}

export async function sendRows({ rows, validateOnly, known, report }: Sending) {
  let outcomes = known
  while (outcomes.length < rows.length) {
    const batch = rows.slice(outcomes.length, outcomes.length + BATCH)
    const accounts = batch.map(({ account }) => account)
    const { results } = await send('POST', PATH, {
      body: { accounts, ...(validateOnly ? { validateOnly } : {}) },
      headers: validateOnly ? {} : { 'idempotency-key': await keyOf(accounts) },
    })
    outcomes = [...outcomes, ...batch.map((row, at) => outcomeOf(row, results[at]))]
    report(outcomes)
  }
  return outcomes
}

function outcomeOf(row: Row, result: Schemas['BulkResult'] | undefined): Outcome {
  if (!result) throw new Error('a row without a result')
  const { isSuccessful, data, errors, message } = result
  const messages = errors.length > 0 ? errors : [{ field: '', message }]
  const faults = [...row.faults, ...(isSuccessful ? [] : messages)]
  return { row, accountNumber: data?.accountNumber ?? null, faults }
}

// Browsers hash only over TLS. Without it, a reload is another upload.
async function keyOf(accounts: readonly unknown[]): Promise<string> {
  if (!crypto.subtle) return randomKeyOf(accounts)
  const bytes = new TextEncoder().encode(JSON.stringify(accounts))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const randomKeys = new Map<string, string>()

function randomKeyOf(accounts: readonly unknown[]): string {
  const text = JSON.stringify(accounts)
  const key = randomKeys.get(text) ?? newKey()
  randomKeys.set(text, key)
  return key
}
