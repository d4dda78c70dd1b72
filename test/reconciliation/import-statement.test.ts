// Importing a statement (I64): it is stored whole if it adds up, else not at all. The same file is stored
// once, and so is a line that several files contain.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'
import {
  type CsvLine,
  gtbankCsv,
  IMPORTS,
  imported,
  manyLines,
  readStored,
  upload,
} from '../support/statement-files.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const bench = closeAfterTests(await startTestService())
let banks = 0
const BANKS = bench.config.banks.map(({ code }) => code)

// A bank that no other test uses. `take` imports a statement that must be accepted, `refuse` one that must be
// refused, and returns the error.
function nextBank() {
  const bankCode = BANKS[banks++] as string
  const query = `bankCode=${bankCode}&format=csv&profile=gtbank`
  return {
    bankCode,
    take: (body: string | Buffer) => imported(bench, body, { query }),
    async refuse(body: string | Buffer): Promise<{ field: string; message: string }> {
      const answer = await upload(bench, body, { query })
      assert.equal(answer.statusCode, 400, answer.body)
      assert.equal(answer.json().code, 'statement_refused')
      return answer.json().errors[0]
    },
    stored: () => readStored(bench, bankCode),
  }
}

const CREDIT: CsvLine = { kobo: 100_000n, reference: 'FT1', narration: 'one' }

test('a statement is stored with its balances, days and lines', async () => {
  const { take, stored } = nextBank()
  const odd = 'COMMISSION, "two"\\ \\N Ọlá'
  const lines = [CREDIT, { kobo: -2_500n, day: '2026-11-15', reference: 'FT2', narration: odd }]

  const answer = await take(gtbankCsv({ openingKobo: 50_000n, lines }))

  assert.equal(answer.isUnchanged, false)
  assert.deepEqual([answer.lines, answer.newLines], [2, 2])
  assert.deepEqual([answer.opening, answer.closing], [500, 1475])
  const { statements, lines: storedLines } = await stored()
  assert.equal(statements.length, 1)
  assert.deepEqual([statements[0].fromDay, statements[0].toDay], ['2026-11-14', '2026-11-15'])
  assert.equal(statements[0].accountNumber, '0123456789')
  assert.deepEqual(
    storedLines.map((line: { amountKobo: bigint }) => line.amountKobo),
    [100_000n, -2_500n],
  )
  assert.equal(storedLines[1].kind, 'fee')
  assert.equal(storedLines[1].narration, odd)
})

test('balances may be larger than 32 bits of kobo', async () => {
  const { take } = nextBank()

  const answer = await take(gtbankCsv({ openingKobo: 900_000_000_000n, lines: [CREDIT] }))

  assert.deepEqual([answer.opening, answer.closing], [9_000_000_000, 9_000_001_000])
})

test('the same file again changes nothing, packed or not, and names what it was taken as', async () => {
  const { take, stored } = nextBank()
  const file = gtbankCsv({ lines: manyLines(50) })
  const first = await take(file)
  const before = await stored()

  const again = await take(file)
  const packed = await take(gzipSync(file))

  for (const answer of [again, packed]) {
    assert.equal(answer.isUnchanged, true)
    assert.equal(answer.statementId, first.statementId)
    assert.equal(answer.newLines, 0)
    assert.notEqual(answer.importId, first.importId)
  }
  assert.deepEqual(await stored(), before)
})

test('only new lines of an overlapping file are taken', async () => {
  const { take, stored } = nextBank()
  const lines = manyLines(10)
  await take(gtbankCsv({ lines: lines.slice(0, 6) }))

  const answer = await take(gtbankCsv({ lines }))

  assert.deepEqual([answer.lines, answer.newLines], [10, 4])
  const { lines: storedLines } = await stored()
  assert.deepEqual(
    storedLines.map((line: { bankReference: string }) => line.bankReference),
    lines.map(({ reference }) => reference),
  )
})

test('lines that are equal in all are counted, also across files', async () => {
  const { take, stored } = nextBank()
  const twice = await take(gtbankCsv({ lines: [CREDIT, CREDIT] }))
  assert.equal(twice.newLines, 2)

  const fewer = await take(gtbankCsv({ lines: [CREDIT] }))
  const more = await take(gtbankCsv({ lines: [CREDIT, CREDIT, CREDIT] }))
  const nextDay = await take(gtbankCsv({ lines: [{ ...CREDIT, day: '2026-11-15' }] }))

  assert.equal(fewer.newLines, 0)
  assert.equal(more.newLines, 1)
  assert.equal(nextDay.newLines, 1)
  assert.equal((await stored()).lines.length, 4)
})

test('a file that does not add up is refused with its line and reason, and leaves nothing', async () => {
  const { refuse, stored, take, bankCode } = nextBank()
  const right = gtbankCsv({ lines: manyLines(20) })
  const wrong = right.replace('1000.05,6000.15', '1000.05,6000.16')
  assert.notEqual(wrong, right)

  const { field, message } = await refuse(wrong)

  assert.match(field, /^line [0-9]+$/)
  assert.match(message, /balance|add up/i)
  assert.deepEqual(await stored(), { statements: [], lines: [] })
  const answer = await bench.call({ url: `${IMPORTS}?bankCode=${bankCode}` })
  const [failed] = answer.json().data
  assert.equal(failed.state, 'failed')
  assert.equal(`line ${failed.error.line}`, field)
  assert.equal(failed.error.message, message)
  assert.equal((await take(right)).newLines, 20)
})

test('a line in the future, or of another age, is refused by its day', async () => {
  const { refuse, take } = nextBank()
  const of = (day: string) => gtbankCsv({ lines: [CREDIT, { ...CREDIT, day }] })

  assert.match((await refuse(of('2026-11-17'))).message, /future/)
  assert.match((await refuse(of('2016-11-01'))).message, /10 years/)
  const { field } = await refuse(of('2026-11-17'))
  assert.equal(field, 'line 4')
  assert.equal((await take(of('2026-11-16'))).newLines, 2)
})

test('a statement of another account is refused', async () => {
  const { refuse, take } = nextBank()
  await take(gtbankCsv({ lines: [CREDIT] }))

  const other = { kobo: 500n, reference: 'X' }
  const { message } = await refuse(gtbankCsv({ accountNumber: '9999999999', lines: [other] }))

  assert.match(message, /9999999999.*0123456789/)
  assert.equal((await take(gtbankCsv({ accountNumber: null, lines: [other] }))).newLines, 1)
})

test('nothing is taken of a first file with statements of two accounts', async () => {
  const { bankCode } = nextBank()
  const query = `bankCode=${bankCode}&format=mt940`
  const statement = (account: string, day: string, [opening, closing]: [string, string]) =>
    `:20:${day}\n:25:${account}\n:28C:1/1\n:60F:C${day}NGN${opening}\n` +
    `:61:${day}C10,00NTRFX//B${day}${account.length}\n:86:${account}\n:62F:C${day}NGN${closing}\n-\n`
  const first = statement('0123456789', '261114', ['0,00', '10,00'])
  const next = statement('01234-56789', '261115', ['10,00', '20,00'])
  const other = statement('9999999999', '261115', ['10,00', '20,00'])

  const refused = await upload(bench, first + other, { query })

  assert.equal(refused.statusCode, 400, refused.body)
  assert.match(refused.json().errors[0].message, /9999999999.*0123456789/)
  assert.deepEqual(await readStored(bench, bankCode), { statements: [], lines: [] })
  assert.equal((await imported(bench, first + next, { query })).newLines, 2)
})

// Imports files in a format without balances; returns the opening and closing balance of each, in naira.
async function takeWithoutBalances(...files: readonly string[][]): Promise<unknown[]> {
  using folder = createTempFolder()
  const profile = {
    name: 'plain',
    title: 'No balances',
    columns: { booked: 'Day', amount: 'Amount', narration: 'Text' },
    dateFormats: ['yyyy-MM-dd'],
    balances: 'none',
  }
  writeFileSync(join(folder.path, 'plain.json'), JSON.stringify(profile))
  await using service = await startTestService({ env: { MANILLA_STATEMENT_PROFILES: folder.path } })
  const query = 'bankCode=058&format=csv&profile=plain'
  const balances: unknown[] = []
  for (const lines of files) {
    const file = ['Day,Amount,Text', ...lines].join('\n')
    const { opening, closing } = await imported(service, file, { query })
    balances.push([opening, closing])
  }
  return balances
}

test('a file without balances follows one that began no later; else it is the sum of its lines', async () => {
  const middle = ['2026-11-10,100,A', '2026-11-12,200,B']
  const balances = await takeWithoutBalances(
    middle,
    ['2026-11-01,50,C', ...middle, '2026-11-15,100,D'],
    ['2026-11-15,100,D', '2026-11-16,1,E'],
  )

  assert.deepEqual(balances, [
    [0, 300],
    [0, 450],
    [450, 451],
  ])
})

test('a line that is dated back leaves the balances of files without any as they follow', async () => {
  const balances = await takeWithoutBalances(
    ['2026-11-10,100,A'],
    ['2026-11-11,50,B'],
    ['2026-11-12,70,C', '2026-11-10,5,D'],
    ['2026-11-13,1,E'],
    ['2026-11-14,2,F', '2026-11-03,4,G'],
    ['2026-11-14,2,F', '2026-11-15,8,H'],
  )

  assert.deepEqual(balances, [
    [0, 100],
    [100, 150],
    [150, 225],
    [225, 226],
    [226, 232],
    [232, 240],
  ])
})

test('an empty file, and one that is something else, is refused', async () => {
  const { refuse, stored } = nextBank()

  assert.match((await refuse(' ')).message, /./)
  assert.match((await refuse('%PDF-1.7 …')).message, /PDF/)
  assert.match((await refuse(gzipSync('a,b').subarray(0, 12))).message, /cut off|damaged/)
  assert.equal((await stored()).statements.length, 0)
})

test('two imports of one file at once store it once', async () => {
  const { take, stored } = nextBank()
  const file = gtbankCsv({ lines: manyLines(3_000) })

  const answers = await Promise.all([take(file), take(file)])

  assert.deepEqual(answers.map(({ isUnchanged }) => isUnchanged).sort(), [false, true])
  assert.equal((await stored()).lines.length, 3_000)
})

test('overlapping files at once store each line once', async () => {
  const { take, stored } = nextBank()
  const lines = manyLines(4_000)

  const answers = await Promise.all([
    take(gtbankCsv({ lines: lines.slice(0, 3_000) })),
    take(gtbankCsv({ lines })),
  ])

  assert.equal(answers[0].newLines + answers[1].newLines, 4_000)
  assert.equal((await stored()).lines.length, 4_000)
})

test('an import is in the audit log, with who brought it', async () => {
  const { take } = nextBank()
  const { statementId } = await take(gtbankCsv({ lines: [CREDIT] }))

  const { rows } = await bench.db.query(
    `select actor, detail from audit_log where action = 'statement.import' and subject = $1`,
    [`statement/${statementId}`],
  )

  assert.equal(rows.length, 1)
  assert.equal(rows[0].actor, 'client:MAN0000001')
  assert.equal(rows[0].detail.newLines, 1)
})
