// Ways to tamper with a written export, each with the messages by which the verifier in Python and the one in
// TypeScript report it.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { proofKey } from '#proof/files.ts'
import { signManifest } from '#proof/write.ts'
import { Sealer } from '#seal.ts'

export type Tampering = {
  what: string
  tamper: (folder: string) => void
  python: readonly RegExp[]
  typescript: readonly RegExp[]
  doesNotSee?: RegExp
}

const OTHER = proofKey(new Sealer([{ id: 1, key: Buffer.alloc(32) }], Buffer.alloc(32, 'o')))
const TRANSFERS = 'transfers.ndjson'
// The line to change, counted from 1. In books that only postManyCredits filled, it is also the id of the
// line's credit or transfer.
const LINE = 617

function linesOf(folder: string, name: string): string[] {
  return readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
}

function write(folder: string, name: string, lines: readonly string[]): void {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
}

// Changes the lines of a file, and nothing else.
function change(name: string, edit: (lines: string[]) => void) {
  return (folder: string) => {
    const lines = linesOf(folder, name)
    edit(lines)
    write(folder, name, lines)
  }
}

export const addKobo = (line: string, field: string) =>
  line.replace(
    new RegExp(`"${field}":"(-?\\d+)"`),
    (_, kobo) => `"${field}":"${BigInt(kobo) + 1n}"`,
  )

const edited =
  (field: string, at = LINE) =>
  (lines: string[]) =>
    void lines.splice(at - 1, 1, addKobo(lines[at - 1] as string, field))

// Changes the lines of a file and computes all chain values again, as an attacker could who knows the format.
export function rechained(name: string, edit: (lines: string[]) => void) {
  return change(name, (lines) => {
    edit(lines)
    let chain = createHash('sha256').update(name).digest('hex')
    lines.forEach((line, index) => {
      const body = `${line.slice(0, -',"chain":""}'.length - 64)}}` // A chain value has 64 digits.
      chain = createHash('sha256').update(`${chain}${body}`).digest('hex')
      lines[index] = `${body.slice(0, -1)},"chain":"${chain}"}`
    })
  })
}

// Replaces or removes the first line that contains the text.
export function rewritten(name: string, having: string, edit: (line: string) => string | null) {
  return rechained(name, (lines) => {
    const index = lines.findIndex((line) => line.includes(having))
    const line = edit(lines[index] as string)
    lines.splice(index, 1, ...(line === null ? [] : [line]))
  })
}

// Changes the lines of a file, and makes the manifest describe the changed file. Its signature is still the
// old one.
function remade(name: string, edit: (lines: string[]) => void) {
  return (folder: string) => {
    rechained(name, edit)(folder)
    const lines = linesOf(folder, name)
    const kobo = lines.reduce(
      (sum, line) => sum + BigInt(/"amount":"(\d+)"/.exec(line)?.[1] ?? 0),
      0n,
    )
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const file = manifest.files.find((entry: { name: string }) => entry.name === name)
    Object.assign(file, { lines: lines.length, chain: lines.at(-1)?.slice(-66, -2) })
    file.sums.amount = `${kobo}`
    writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  }
}

const broken = new RegExp(`FAULT ${TRANSFERS} line ${LINE} \\(id \\d+\\): the chain breaks`)
const brokenHere = new RegExp(`^${TRANSFERS}:${LINE} \\d+ chain`)
const suspect = new RegExp(`^LOOK AT ${TRANSFERS} line ${LINE} \\(id ${LINE}\\)`, 'm')
const wrongCredit = [
  new RegExp(
    `FAULT credits.ndjson line ${LINE} \\(id ${LINE}\\): its transfers from the bank: exp`,
  ),
]

export const TAMPERINGS: readonly Tampering[] = [
  {
    what: 'one kobo more in one transfer',
    tamper: change(TRANSFERS, edited('amount')),
    python: [
      broken,
      suspect,
      ...wrongCredit,
      /FAULT transfers.ndjson: sum of amount: expected \d+/,
    ],
    typescript: [brokenHere, /^transfers.ndjson sum amount/, /^balances.ndjson:\d+ \d+ debits/],
  },
  {
    what: 'one kobo more, with every chain value computed again',
    tamper: rechained(TRANSFERS, edited('amount')),
    python: [
      suspect,
      ...wrongCredit,
      /FAULT balances.ndjson line \d+ \(id \d+\): debits of the bank account/,
      /FAULT balances.ndjson line \d+ \(id \d+\): credits of the collection account/,
      /the last chain value: expected/,
    ],
    typescript: [
      new RegExp(`^credits.ndjson:${LINE} ${LINE} brought`),
      /^balances.ndjson:\d+ \d+ debits/,
      /^transfers.ndjson last chain/,
    ],
    doesNotSee: /the chain breaks/,
  },
  {
    what: 'one kobo more, with chain and manifest made again',
    tamper: remade(TRANSFERS, edited('amount')),
    python: [/FAULT manifest.json: the signature is wrong/, suspect, ...wrongCredit],
    typescript: [/^manifest.json signature/, /^balances.ndjson:\d+ \d+ credits/],
    doesNotSee: /the chain breaks|last chain value|sum of/,
  },
  {
    what: 'a line that is gone',
    tamper: change(TRANSFERS, (lines) => void lines.splice(LINE - 1, 1)),
    python: [broken, /FAULT transfers.ndjson: number of lines: expected 1000, found 999/],
    typescript: [brokenHere, /^transfers.ndjson lines 1000 999/],
  },
  {
    what: 'the last line that is gone',
    tamper: change(TRANSFERS, (lines) => void lines.pop()),
    python: [
      /number of lines: expected 1000, found 999/,
      /line 999: the last chain value: expected/,
    ],
    typescript: [/^transfers.ndjson lines 1000 999/, /^transfers.ndjson last chain/],
  },
  {
    what: 'two lines that changed places',
    tamper: change(TRANSFERS, (lines) => {
      const [line] = lines.splice(LINE - 1, 1)
      lines.splice(LINE, 0, line as string)
    }),
    python: [broken, new RegExp(`FAULT ${TRANSFERS} line ${LINE + 1} .*ids must ascend`)],
    typescript: [brokenHere, new RegExp(`^${TRANSFERS}:${LINE + 1} ${LINE} order`)],
  },
  {
    what: 'a line that stands twice',
    tamper: change(TRANSFERS, (lines) => void lines.splice(LINE, 0, lines[LINE - 1] as string)),
    python: [
      new RegExp(`FAULT ${TRANSFERS} line ${LINE + 1} \\(id ${LINE}\\): the chain breaks`),
      new RegExp(`FAULT ${TRANSFERS} line ${LINE + 1} \\(id ${LINE}\\): ids must ascend`),
      /number of lines: expected 1000, found 1001/,
    ],
    typescript: [new RegExp(`^${TRANSFERS}:${LINE + 1} ${LINE} chain`), /lines 1000 1001/],
  },
  {
    what: 'a transfer that names no account, nor credit, that there is',
    tamper: rechained(TRANSFERS, (lines) => {
      const line = lines[LINE - 1] as string
      lines[LINE - 1] = line.replace(/"credit":"\d+"/, '"credit":"999999999"')
      lines[LINE] = (lines[LINE] as string).replace(/"causeId":"\d+"/, '"causeId":"999999999"')
    }),
    python: [
      new RegExp(`line ${LINE} \\(id ${LINE}\\): its accounts: expected two that exist`),
      new RegExp(`line ${LINE + 1} .*its cause: expected one that exists, found credit 999999999`),
    ],
    typescript: [
      new RegExp(`^${TRANSFERS}:${LINE} ${LINE} accounts`),
      new RegExp(`^${TRANSFERS}:${LINE + 1} ${LINE + 1} cause`),
    ],
  },
  {
    what: 'an amount that is no number, or not more than nothing, or too large',
    tamper: rechained(TRANSFERS, (lines) => {
      const amounts = ['1e3', '0', `9${'0'.repeat(40)}`]
      amounts.forEach((amount, at) => {
        const line = lines[LINE - 1 + at] as string
        lines[LINE - 1 + at] = line.replace(/"amount":"\d+"/, `"amount":"${amount}"`)
      })
    }),
    python: [
      new RegExp(`FAULT ${TRANSFERS} line ${LINE}: does not have the fields`),
      new RegExp(`FAULT ${TRANSFERS} line ${LINE + 1} .*amount: expected more than 0, found 0`),
      new RegExp(`FAULT ${TRANSFERS} line ${LINE + 2}: does not have the fields`),
    ],
    typescript: [
      new RegExp(`^${TRANSFERS}:${LINE} ${LINE} fields`),
      new RegExp(`^${TRANSFERS}:\\d+ ${LINE + 1} amount`),
      new RegExp(`^${TRANSFERS}:${LINE + 2} ${LINE + 2} fields`),
    ],
  },
  {
    what: 'a file that was cut off',
    tamper: (folder) => {
      const whole = readFileSync(join(folder, TRANSFERS))
      writeFileSync(join(folder, TRANSFERS), whole.subarray(0, whole.length - 100))
    },
    python: [/FAULT transfers.ndjson line 1000: is cut off/, /the last chain value/],
    typescript: [/^transfers.ndjson:1000 cut off/],
  },
  {
    what: 'one kobo more in one credit',
    tamper: rechained('credits.ndjson', edited('amount')),
    python: [...wrongCredit, /FAULT credits.ndjson: sum of amount/, suspect],
    typescript: [
      new RegExp(`^credits.ndjson:${LINE} ${LINE} brought`),
      /^credits.ndjson last chain/,
    ],
  },
  {
    what: 'one kobo more in one balance',
    tamper: rechained('balances.ndjson', edited('credits', 7)),
    python: [
      /FAULT balances.ndjson line 7 \(id \d+\): credits of the collection account, .*: expected/,
      /all balances in NGN sum to: expected 0, found -1/,
    ],
    typescript: [/^balances.ndjson:7 \d+ credits/, /^NGN not zero/],
  },
  {
    what: 'a manifest that tells of another time',
    tamper: (folder) => {
      const path = join(folder, 'manifest.json')
      writeFileSync(path, readFileSync(path, 'utf8').replace('"2026-', '"2025-'))
    },
    python: [/FAULT manifest.json: the signature is wrong/],
    typescript: [/^manifest.json signature/],
  },
  {
    what: 'the key of somebody else',
    tamper: (folder) => {
      const path = join(folder, 'manifest.json')
      const { signature: _, ...content } = JSON.parse(readFileSync(path, 'utf8'))
      writeFileSync(path, signManifest({ ...content, publicKey: OTHER.publicKey }, OTHER))
    },
    python: [
      /FAULT manifest.json: signed with another key: expected [0-9a-f]{64}, found [0-9a-f]{64}/,
    ],
    typescript: [/^manifest.json key/],
    doesNotSee: /signature is wrong/,
  },
]
