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
import { exportProof, KEY, PYTHON, READERS, verifyInPython } from '../support/proving.ts'
import { startTestService } from '../support/running-service.ts'
import { closed } from '../support/settlements.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { ARCHIVE_TAMPERINGS } from './archive-tampering.ts'
import { assertFound } from './finding.ts'
import { addKobo, rechained, rewritten } from './tampering.ts'

const folder = closeAfterTests(createTempFolder())
const books = join(folder.path, 'books')
const archived = join(folder.path, MONTH.name)
await exportArchivedBooks()

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

test(`what is changed of what is archived is found, by ${READERS}`, (t) =>
  assertFound(t, { original: books, copies: folder.path }, ARCHIVE_TAMPERINGS))

test(`the folder of an archive is found right by ${READERS}, with all payers, some or none`, () => {
  assert.deepEqual(readProof(archived, KEY.publicKey), [])
  if (!PYTHON) return
  const [changed, withheld, erased] = ['changed', 'withheld', 'erased'].map((name) => {
    const copy = join(folder.path, `payers-${name}`)
    cpSync(archived, copy, { recursive: true })
    return copy
  }) as [string, string, string]
  const payers = readFileSync(join(changed, 'payers.ndjson'), 'utf8')
  writeFileSync(join(changed, 'payers.ndjson'), payers.replace('Ada Obi', 'Ada Odi'))
  rmSync(join(withheld, 'payers.ndjson'))
  const text = payers.replace(/^{"id":"2",.*(?="chain")/m, '{"id":"2","erased":"yes",')
  writeFileSync(join(erased, 'payers.ndjson'), text)

  const whole = verifyInPython(archived)
  const without = verifyInPython(withheld)
  const wrong = verifyInPython(changed)

  assert.equal(whole.code, 0, whole.out)
  assert.match(whole.out, /beside them, payers.ndjson has 9 lines/)
  assert.equal(without.code, 0, without.out)
  assert.match(without.out, /beside them, payers.ndjson is not here, and was not verified/)
  const partly = verifyInPython(erased)
  assert.equal(partly.code, 0, partly.out)
  assert.match(partly.out, /beside them, payers.ndjson has 9 lines, 1 of them erased/)
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
