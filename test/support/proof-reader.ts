// Verifies a proof export as docs/proof.md describes it. It shares no code with the writer or with the
// verifier in Python, so that neither can hide the other's mistake. Each fault is a text `file:line id
// problem`.

import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// The fields of each file's lines, in this order.
const FIELDS: Record<string, string> = {
  'accounts.ndjson': 'id kind owner currency openedAt',
  'credits.ndjson': 'id bank currency amount charges reversed returned outcome receivedAt',
  'payouts.ndjson':
    'id reference purpose status bank currency amount fee cost settlement requestedAt',
  'settlements.ndjson':
    'id reference client currency status lines gross fees vat reversed refunds paidOut recovered ' +
    'reserved released carried net closedAt',
  'settlement-lines.ndjson':
    'id settlement kind credit payout adjustment gross fee vat split reversed other net',
  'adjustments.ndjson': 'id reference kind subject bank currency amount state requestedAt',
  'holds.ndjson': 'id reference target currency held forfeited state placedAt',
  'differences.ndjson': 'id bank currency kind openedAt',
  'transfers.ndjson': 'id debit credit amount reason cause causeId postedAt',
  'balances.ndjson': 'account debits credits',
}
export const PROOF_NAMES = Object.keys(FIELDS)

// Ledger accounts whose balance is debits less credits.
const DEBIT_KINDS = [
  'shortfall',
  'bank_cost',
  'stamp_duty',
  'input_vat',
  'receivable',
  'write_off',
  'wht_receivable',
  'wht_credit',
  'doubtful_debt',
]
// The file that has the cause of a transfer, by the kind of the cause.
const CAUSES: Record<string, string> = {
  credit: 'credits.ndjson',
  payout: 'payouts.ndjson',
  settlement: 'settlements.ndjson',
  adjustment: 'adjustments.ndjson',
  hold: 'holds.ndjson',
  difference: 'differences.ndjson',
}
const SUMMED_LINE_FIELDS = ['gross', 'fee', 'vat', 'reversed', 'net']
// How `net` is computed from the other fields of a line.
const NETS = {
  'settlements.ndjson':
    '+gross -fees -vat -reversed -refunds -paidOut -recovered -reserved +released +carried',
  'settlement-lines.ndjson': '+gross -fee -vat -split -reversed +other',
}
const AMOUNTS = ['amount', 'debits', 'credits', 'gross', 'net', 'fee', 'cost', 'charges']
const NUMBER = /^(?:0|-?[1-9]\d{0,17})$/
const SPKI_PREFIX = '302a300506032b6570032100'
const SIGNATURE_TAIL = /,\n {2}"signature": "([0-9a-f]{128})"\n}\n$/

export type Row = Record<string, string>
type Manifest = {
  format: string
  publicKey: string
  files: { name: string; lines: number; sums: Record<string, string>; chain: string }[]
}

// Verifies all files of an export; returns the faults. `pinnedKey` is the public key that the reader trusts.
export function readProof(folder: string, pinnedKey: string): string[] {
  const faults: string[] = []
  const { manifest, problems } = readManifest(folder, pinnedKey)
  faults.push(...problems)
  const rows = new Map<string, Row[]>()
  for (const entry of manifest.files) {
    const text = readFileSync(join(folder, entry.name), 'utf8')
    rows.set(entry.name, readLines(text, entry, faults))
  }
  faults.push(...checkBooks((name) => rows.get(name) ?? []))
  return faults
}

// Reads the manifest and checks its key and signature, which covers the text without the signature itself.
export function readManifest(folder: string, pinnedKey: string) {
  const problems: string[] = []
  const text = readFileSync(join(folder, 'manifest.json'), 'utf8')
  const signature = SIGNATURE_TAIL.exec(text)?.[1] ?? ''
  const signed = text.replace(SIGNATURE_TAIL, '\n}\n')
  const manifest: Manifest = JSON.parse(signed)
  const der = Buffer.from(`${SPKI_PREFIX}${manifest.publicKey}`, 'hex')
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  if (manifest.format !== 'manilla-proof/1') problems.push('manifest.json format')
  if (manifest.publicKey !== pinnedKey) problems.push('manifest.json key')
  if (!verify(null, Buffer.from(signed), key, Buffer.from(signature, 'hex'))) {
    problems.push('manifest.json signature')
  }
  return { manifest, problems }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

// Reads a file and checks it against its entry in the manifest: fields, hash chain, number of lines, sums.
// Returns the lines that can be read.
function readLines(text: string, entry: Manifest['files'][number], faults: string[]): Row[] {
  const { name } = entry
  let chain = sha256(name)
  const lines = text.split('\n')
  if (lines.pop() !== '') faults.push(`${name}:${lines.length + 1} cut off`)
  const rows = lines.flatMap((line, index) => {
    const [, body = '', stated = ''] = /^(.*),"chain":"([0-9a-f]{64})"}$/.exec(line) ?? []
    const row: Row = body ? JSON.parse(`${body}}`) : {}
    // The first field of each line is its id.
    const [id] = Object.values(row)
    if (sha256(`${chain}${body}}`) !== stated) faults.push(`${name}:${index + 1} ${id} chain`)
    chain = stated
    const isComplete = Object.keys(row).join(' ') === FIELDS[name]
    const amounts = Object.keys(row).filter((field) => AMOUNTS.includes(field))
    if (isComplete && amounts.every((field) => NUMBER.test(`${row[field]}`))) return [row]
    faults.push(`${name}:${index + 1} ${id} fields`)
    return []
  })
  if (rows.length !== entry.lines) faults.push(`${name} lines ${entry.lines} ${rows.length}`)
  for (const [field, total] of Object.entries(entry.sums)) {
    const sum = rows.reduce((kobo, row) => kobo + BigInt(row[field] as string), 0n)
    if (`${sum}` !== total) faults.push(`${name} sum ${field} ${total} ${sum}`)
  }
  if (chain !== entry.chain) faults.push(`${name} last chain`)
  return rows
}

type Files = (name: string) => readonly Row[]

// Checks the books as a whole: the order of ids, each transfer, and the sums of the transfers.
function checkBooks(files: Files): string[] {
  const faults: string[] = []
  for (const name of Object.keys(FIELDS)) {
    let lastId = 0n
    files(name).forEach((row, index) => {
      const id = BigInt(Object.values(row)[0] as string)
      if (id <= lastId) faults.push(`${name}:${index + 1} ${id} order`)
      lastId = id
    })
  }
  const accounts = new Map(files('accounts.ndjson').map((row) => [row.id as string, row]))
  const sums = new Map([...accounts.keys()].map((id) => [id, { debits: 0n, credits: 0n }]))
  const ids = new Map(
    Object.values(CAUSES).map((name) => [name, new Map(files(name).map((row) => [row.id, row]))]),
  )
  files('transfers.ndjson').forEach((row, index) => {
    const place = `transfers.ndjson:${index + 1} ${row.id}`
    const [debit, credit] = [accounts.get(row.debit ?? ''), accounts.get(row.credit ?? '')]
    const cause = ids.get(CAUSES[row.cause ?? ''] ?? '')?.get(row.causeId)
    const amount = BigInt(row.amount ?? '')
    if (amount <= 0n) faults.push(`${place} amount`)
    if (!debit || !credit || debit === credit) faults.push(`${place} accounts`)
    if (!cause) faults.push(`${place} cause`)
    if (new Set([debit?.currency, credit?.currency, cause?.currency]).size !== 1) {
      faults.push(`${place} currency`)
    }
    const [from, to] = [sums.get(row.debit ?? ''), sums.get(row.credit ?? '')]
    if (from) from.debits += amount
    if (to) to.credits += amount
  })
  faults.push(...balanceFaults(files, accounts, sums), ...causeFaults(files, accounts))
  return faults
}

type Sums = ReadonlyMap<string, { debits: bigint; credits: bigint }>
type Accounts = ReadonlyMap<string, Row>

// Compares each account's balance with the sums of its transfers, and checks that all balances of a currency
// add up to zero.
function balanceFaults(files: Files, accounts: Accounts, sums: Sums): string[] {
  const currencies = new Map<string, bigint>()
  const faults = files('balances.ndjson').flatMap((row, index) => {
    const [id, debits, credits] = [
      row.account ?? '',
      BigInt(row.debits ?? 0),
      BigInt(row.credits ?? 0),
    ]
    const place = `balances.ndjson:${index + 1} ${id}`
    const { kind = '', currency = '' } = accounts.get(id) ?? {}
    const sum = sums.get(id)
    const balance = DEBIT_KINDS.includes(kind) ? debits - credits : credits - debits
    currencies.set(currency, (currencies.get(currency) ?? 0n) + debits - credits)
    return [
      ...(sum?.debits === debits ? [] : [`${place} debits ${sum?.debits} ${debits}`]),
      ...(sum?.credits === credits ? [] : [`${place} credits ${sum?.credits} ${credits}`]),
      ...(kind === 'bank' || balance >= 0n ? [] : [`${place} below zero`]),
    ]
  })
  if (files('balances.ndjson').length !== accounts.size) faults.push('balances.ndjson accounts')
  for (const [currency, kobo] of currencies) if (kobo !== 0n) faults.push(`${currency} not zero`)
  return faults
}

// Compares the amounts of each credit, payout, settlement, adjustment and hold with the sums of the transfers
// that it caused.
function causeFaults(files: Files, accounts: Accounts): string[] {
  const sums = new Map<string, bigint>()
  const add = (key: string, kobo: bigint) => sums.set(key, (sums.get(key) ?? 0n) + kobo)
  for (const row of files('transfers.ndjson')) {
    const key = `${row.cause} ${row.causeId}`
    const amount = BigInt(row.amount as string)
    if (row.reason === 'credit') add(`${key} brought`, amount)
    add(`${key} moved`, amount)
    for (const [id, kobo] of [[row.debit, -amount] as const, [row.credit, amount] as const]) {
      add(`${key} ${accounts.get(id as string)?.kind}`, kobo)
    }
  }
  for (const row of files('settlement-lines.ndjson')) {
    const key = `settlement ${row.settlement}`
    add(`${key} lines`, 1n)
    for (const field of SUMMED_LINE_FIELDS) add(`${key} ${field}`, BigInt(row[field] as string))
  }
  const faults = sumFaults(files)
  for (const [cause, name] of Object.entries(CAUSES)) {
    files(name).forEach((row, index) => {
      const sumOf = (what: string) => sums.get(`${cause} ${row.id} ${what}`) ?? 0n
      for (const [what, expected, actual] of expectations(cause, row, sumOf)) {
        if (expected === actual) continue
        faults.push(`${name}:${index + 1} ${row.id} ${what} ${expected} ${actual}`)
      }
    })
  }
  return faults
}

// Checks the lines whose net is the sum of their other fields.
function sumFaults(files: Files): string[] {
  return Object.entries(NETS).flatMap(([name, terms]) =>
    files(name).flatMap((row, index) => {
      const net = terms.split(' ').reduce((sum, term) => {
        const kobo = BigInt(row[term.slice(1)] as string)
        return term.startsWith('+') ? sum + kobo : sum - kobo
      }, 0n)
      return `${net}` === row.net ? [] : [`${name}:${index + 1} ${row.id} net ${net} ${row.net}`]
    }),
  )
}

type Expectation = readonly [what: string, expected: bigint, actual: bigint]

// Returns the amounts that a line of the export claims, each with the sum of the line's transfers that must
// equal it. `sumOf` adds the transfers up: those on one kind of ledger account, or for `brought` the
// transfers that book a credit, or for `moved` all transfers.
function expectations(cause: string, row: Row, sumOf: (what: string) => bigint): Expectation[] {
  const kobo = (field: string) => BigInt(row[field] ?? 0)
  if (cause === 'credit') {
    const leftAtBank = kobo('amount') - kobo('charges') - kobo('reversed') - kobo('returned')
    return [
      ['brought', kobo('amount'), sumOf('brought')],
      ['left', leftAtBank, -sumOf('bank')],
    ]
  }
  if (cause === 'payout') {
    const [status, own] = [row.status ?? '', row.purpose === 'return' ? 0n : kobo('amount')]
    const isOpen = ['queued', 'sending', 'unknown'].includes(status)
    const isCharged = !['failed', 'cancelled'].includes(status)
    return [
      ['paid', status === 'confirmed' ? own + kobo('cost') : 0n, sumOf('bank')],
      ['under way', isOpen ? own : 0n, sumOf('paying') + sumOf('refunding')],
      ['fee', isCharged ? kobo('fee') : 0n, sumOf('fee_income') + sumOf('vat_payable')],
    ]
  }
  if (cause === 'settlement') {
    const isKept = row.status !== 'cancelled'
    return [
      ['settling', isKept ? kobo('net') : 0n, sumOf('settling')],
      ['lines', isKept ? kobo('lines') : 0n, sumOf('lines')],
      ['gross', isKept ? kobo('gross') : 0n, sumOf('gross')],
      ['fees', isKept ? kobo('fees') : 0n, sumOf('fee')],
      ['VAT', isKept ? kobo('vat') : 0n, sumOf('vat')],
      ['reversed', isKept ? kobo('reversed') : 0n, sumOf('reversed')],
      ['net', isKept ? kobo('net') : 0n, sumOf('net')],
    ]
  }
  if (cause === 'hold') {
    return [
      ['held', kobo('held'), sumOf('held')],
      ['forfeited', kobo('forfeited'), sumOf('forfeited')],
    ]
  }
  if (cause !== 'adjustment') return []
  return [['moved', row.state === 'approved' ? kobo('amount') : 0n, sumOf('moved')]]
}
