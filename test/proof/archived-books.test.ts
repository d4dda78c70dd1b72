// I70, of books that are partly archived: what is kept of the credits still adds up, and whatever is
// changed in it is found.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { signManifest } from '#domain/proof/write-proof.ts'
import { archive, MONTH, YEAR_MS } from '../support/archiving.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { chargesOf, takeIncoming } from '../support/incoming-credits.ts'
import { keepBooks } from '../support/proof-books.ts'
import { readProof } from '../support/proof-reader.ts'
import {
  exportProof,
  KEY,
  PYTHON,
  READERS,
  verifyAllInPython,
  verifyInPython,
} from '../support/proving.ts'
import { startTestService } from '../support/running-service.ts'
import { closed } from '../support/settlements.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { addKobo, rechained, rewritten } from './tampering.ts'

const folder = closeAfterTests(createTempFolder())
const books = join(folder.path, 'books')
const archived = join(folder.path, MONTH.name)
await exportArchivedBooks()

const change = (field: string, value: string) => (line: string) =>
  line.replace(new RegExp(`"${field}":"[^"]*"`), `"${field}":"${value}"`)

// Between the two banks of the archive, with the sums of both files as they were.
const swapBanks = rechained('credits.ndjson', (lines) => {
  const at = ['035', '058'].map((bank) =>
    lines.findIndex((line) => line.includes(`"bank":"${bank}"`) && line.includes('"archive":"1"')),
  )
  for (const [index, bank] of [[at[0], '058'] as const, [at[1], '035'] as const]) {
    lines[index as number] = change('bank', bank)(lines[index as number] as string)
  }
})

const carried = '"reason":"credit","cause":"archive"'

// A kobo more in one transfer, and in both accounts that it joins: only the archive knows better.
function carryMore(copy: string): void {
  rewritten('transfers.ndjson', carried, (line) => addKobo(line, 'amount'))(copy)
  const transfers = readFileSync(join(copy, 'transfers.ndjson'), 'utf8').split('\n')
  const line = transfers.find((each) => each.includes(carried)) as string
  const { debit, credit } = JSON.parse(line)
  for (const [account, side] of [[debit, 'debits'] as const, [credit, 'credits'] as const]) {
    rewritten('balances.ndjson', `{"account":"${account}"`, (row) => addKobo(row, side))(copy)
  }
}

const CHANGES = [
  {
    what: 'a transfer that stands for others, with balances that agree',
    tamper: carryMore,
    python: [
      /archives.ndjson line 1 \(id 1\): its transfers from bank \d+, in NGN: expected \d+, found/,
      /archives.ndjson line 1 \(id 1\): what is left of it at bank \d+, in NGN: expected/,
      /^LOOK AT transfers.ndjson line \d+ .*, archive 1$/m,
    ],
    typescript: [/^archives.ndjson:1 1 brought/, /^archives.ndjson:1 1 left/],
    doesNotSee: /balances.ndjson line \d+ \(id/,
  },
  {
    what: 'an archived credit that is gone',
    tamper: rewritten('credits.ndjson', '"archive":"1"', () => null),
    python: [
      /archives.ndjson line 1 \(id 1\): its credits: expected 9, found 8/,
      /archives.ndjson line 1 \(id 1\): amount of its credits: expected/,
      /archives.ndjson line 1 \(id 1\): its transfers from bank \d+, in NGN: expected/,
    ],
    typescript: [/^archives.ndjson:1 1 credits 9 8/, /^archives.ndjson:1 1 amount/],
  },
  {
    what: 'an archived credit of one kobo more',
    tamper: rewritten('credits.ndjson', '"archive":"1"', (line) => addKobo(line, 'amount')),
    python: [/archives.ndjson line 1 \(id 1\): amount of its credits: expected (\d+), found/],
    typescript: [/^archives.ndjson:1 1 amount/],
  },
  {
    what: 'an archived credit of which the bank withheld more',
    tamper: rewritten('credits.ndjson', '"archive":"1"', (line) => addKobo(line, 'charges')),
    python: [
      /archives.ndjson line 1 \(id 1\): charges of its credits: expected/,
      /what is left of it at bank/,
    ],
    typescript: [/^archives.ndjson:1 1 charges/],
  },
  {
    what: 'archived credits that changed banks',
    tamper: swapBanks,
    python: [
      /its transfers from bank 035, in NGN: expected/,
      /its transfers from bank 058, in NGN: expected/,
    ],
    typescript: [/^credits.ndjson last chain/],
    doesNotSee: /sum of|of its credits/,
  },
  {
    what: 'credits and transfers of an archive that there is not',
    tamper: (copy: string) => {
      rewritten('credits.ndjson', '"archive":"1"', change('archive', '7'))(copy)
      rewritten('transfers.ndjson', '"cause":"archive"', change('causeId', '7'))(copy)
    },
    python: [
      /credits.ndjson line \d+ \(id \d+\): its archive: expected archive 7, found none/,
      /transfers.ndjson line \d+ \(id \d+\): its cause: expected one that exists, found archive 7/,
    ],
    typescript: [/^transfers.ndjson:\d+ \d+ cause/, /^archives.ndjson:1 1 credits/],
  },
  {
    what: 'an archive that is gone',
    tamper: (copy: string) => writeFileSync(join(copy, 'archives.ndjson'), ''),
    python: [/its archive: expected archive 1, found none/, /its cause: .* found archive 1/],
    typescript: [/^archives.ndjson lines 1 0/, /^transfers.ndjson:\d+ \d+ cause/],
  },
  {
    what: 'an archived credit that has a transfer of its own',
    tamper: (copy: string) => {
      const lines = readFileSync(join(copy, 'credits.ndjson'), 'utf8').split('\n')
      const { id } = JSON.parse(lines.find((line) => line.includes('"archive":"1"')) as string)
      rewritten('transfers.ndjson', carried, (line) =>
        change('causeId', id)(change('cause', 'credit')(line)),
      )(copy)
    },
    python: [/credits.ndjson line \d+ \(id \d+\): its transfers from the bank: expected 0, found/],
    typescript: [/^credits.ndjson:\d+ \d+ moved 0/, /^archives.ndjson:1 1 brought/],
  },
  {
    what: 'an archived credit, and a transfer that stands for others, after the end of the archive',
    tamper: (copy: string) => {
      const late = '2027-01-01T00:00:00.000000Z'
      rewritten('credits.ndjson', '"archive":"1"', change('receivedAt', late))(copy)
      rewritten('transfers.ndjson', '"cause":"archive"', change('postedAt', late))(copy)
    },
    python: [
      /credits.ndjson line \d+ \(id \d+\): is archived: expected a time before 2026-\S+, found 2027/,
      /transfers.ndjson line \d+ \(id \d+\): is archived: expected a time before/,
    ],
    typescript: [/^credits.ndjson last chain/],
  },
  ...['credits', 'amount', 'charges'].map((field) => ({
    what: `an archive that says one more of ${field}`,
    tamper: rewritten('archives.ndjson', '"id":"1"', (line) => addKobo(line, field)),
    python: [new RegExp(`archives.ndjson line 1 \\(id 1\\): .*${field}.*: expected \\d+, found`)],
    typescript: [new RegExp(`^archives.ndjson:1 1 ${field}`)],
  })),
]

test(`books that are partly archived are found right by ${READERS}`, () => {
  assert.deepEqual(readProof(books, KEY.publicKey), [])
  const text = readFileSync(join(books, 'archives.ndjson'), 'utf8')
  const { chain: _, ...told } = JSON.parse(text)
  const manifest = createHash('sha256').update(readFileSync(join(archived, 'manifest.json')))

  assert.deepEqual(told, {
    id: '1',
    month: MONTH.name,
    credits: '9',
    amount: '1350600',
    charges: `${1_075 + 4 * 1_375}`,
    endsAt: MONTH.to.toISOString().replace('Z', '000Z'),
    manifest: manifest.digest('hex'),
  })
  if (!PYTHON) return
  const { code, out, err } = verifyInPython(books)
  assert.equal(code, 0, `${out}${err}`)
  assert.match(out, /1 archives, /)
})

test(`what is changed of what is archived is found, by ${READERS}`, async (t) => {
  const changed = CHANGES.map(({ tamper }, at) => {
    const copy = join(folder.path, `changed-${at}`)
    cpSync(books, copy, { recursive: true })
    tamper(copy)
    return copy
  })

  const verdicts = PYTHON ? verifyAllInPython(changed) : []

  for (const [at, { what, python, typescript, ...more }] of CHANGES.entries()) {
    await t.test(what, () => {
      const faults = readProof(changed[at] as string, KEY.publicKey)
      for (const seen of typescript) {
        assert(
          faults.some((fault) => seen.test(fault)),
          `${faults}`,
        )
      }
      const verdict = verdicts[at]
      if (!verdict) return
      assert.deepEqual([verdict.code, verdict.err], [1, ''], verdict.out)
      for (const seen of python) assert.match(verdict.out, seen)
      if ('doesNotSee' in more) assert.doesNotMatch(verdict.out, more.doesNotSee as RegExp)
    })
  }
})

test(`the folder of an archive is found right by ${READERS}, with its payers or without`, () => {
  assert.deepEqual(readProof(archived, KEY.publicKey), [])
  if (!PYTHON) return
  const [changed, withheld] = ['payers-changed', 'payers-withheld'].map((name) => {
    const copy = join(folder.path, name)
    cpSync(archived, copy, { recursive: true })
    return copy
  }) as [string, string]
  const payers = readFileSync(join(changed, 'payers.ndjson'), 'utf8')
  writeFileSync(join(changed, 'payers.ndjson'), payers.replace('Ada Obi', 'Ada Odi'))
  rmSync(join(withheld, 'payers.ndjson'))

  const whole = verifyInPython(archived)
  const without = verifyInPython(withheld)
  const wrong = verifyInPython(changed)

  assert.equal(whole.code, 0, whole.out)
  assert.match(whole.out, /beside them, payers.ndjson has 9 lines/)
  assert.equal(without.code, 0, without.out)
  assert.match(without.out, /beside them, payers.ndjson is not here, and was not verified/)
  assert.equal(wrong.code, 1)
  assert.match(wrong.out, /FAULT payers.ndjson line \d+ \(id \d+\): the chain breaks/)
})

test(`an export of the first format is verified, of an unknown one refused, by ${READERS}`, async () => {
  if (!PYTHON) return
  await using bench = await startTestService()
  await keepBooks(bench)
  const first = join(folder.path, 'first')
  await exportProof(bench.db, first)

  asFirstFormat(first)
  const right = verifyInPython(first)
  rewritten('credits.ndjson', '"id":', (line) => addKobo(line, 'amount'))(first)
  const wrong = verifyInPython(first)
  const mixed = join(folder.path, 'mixed')
  cpSync(books, mixed, { recursive: true })
  resign(mixed, (manifest) => ({ ...manifest, format: 'manilla-proof/1' }))
  const later = join(folder.path, 'later')
  cpSync(books, later, { recursive: true })
  resign(later, (manifest) => ({ ...manifest, format: 'manilla-proof/3' }))

  assert.equal(right.code, 0, `${right.out}${right.err}`)
  assert.match(wrong.out, /FAULT credits.ndjson line 1 \(id \d+\): its transfers from the bank/)
  assert.match(verifyInPython(mixed).err, /does not name the files of this format/)
  assert.match(verifyInPython(later).err, /is of the format manilla-proof\/3; this verifies/)
})

type Manifest = { files: { name: string; chain: string }[] } & Record<string, unknown>

function resign(path: string, edit: (manifest: Manifest) => Manifest): void {
  const file = join(path, 'manifest.json')
  const { signature: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, signManifest(edit(manifest), KEY))
}

// As releases before archives wrote it.
function asFirstFormat(path: string): void {
  rmSync(join(path, 'archives.ndjson'))
  rechained('credits.ndjson', (lines) => {
    lines.forEach((line, at) => {
      lines[at] = line.replace('"archive":null,', '')
    })
  })(path)
  const chain = readFileSync(join(path, 'credits.ndjson'), 'utf8').slice(-67, -3)
  resign(path, (manifest) => {
    const files = manifest.files
      .filter(({ name }) => name !== 'archives.ndjson')
      .map((file) => (file.name === 'credits.ndjson' ? { ...file, chain } : file))
    return { ...manifest, format: 'manilla-proof/1', files }
  })
}

// Six credits at two banks, half of them with charges, and the finished ones of keepBooks.
async function exportArchivedBooks(): Promise<void> {
  await using bench = await startTestService()
  await keepBooks(bench)
  const { accounts } = await createAccount(bench, { banks: ['035', '058'] })
  for (const { accountNumber } of accounts) {
    for (let at = 0; at < 3; at++) {
      bench.advance(60_000)
      const charges = at % 2 === 0 ? { charges: chargesOf(10, 0.75, 3) } : {}
      await takeIncoming(bench, { accountNumber, amount: 1_000 + at, ...charges })
    }
  }
  bench.advance(YEAR_MS)
  await closed(bench)
  await simulate(bench, (await createAccount(bench)).accountNumber, '700.00')
  await archive(bench, folder.path)
  await exportProof(bench.db, books)
}
