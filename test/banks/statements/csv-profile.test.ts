// CSV profiles describe a bank's CSV statements. Each fault of one is reported in a sentence, and an
// operator's folder adds to the shipped ones.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadProfiles, readProfile } from '#banks/statements/csv-profile.ts'

const RIGHT = {
  name: 'ours',
  title: 'Ours',
  columns: { booked: 'Date', amount: 'Amount' },
  dateFormats: ['dd/MM/yyyy'],
  balances: 'none',
}

// Returns the problems of a profile, none if it is valid.
function problems(profile: unknown): string[] {
  const read = readProfile(profile)
  return 'problems' in read ? read.problems : []
}

test('every problem of a profile is one sentence', () => {
  assert.deepEqual(problems(RIGHT), [])
  assert.deepEqual(problems('x').slice(0, 3), [
    'The profile must be a JSON object.',
    'name is missing.',
    'title is missing.',
  ])
  const wrong = {
    ...RIGHT,
    name: 'Ours!',
    delimiter: '#',
    encoding: 'ebcdic',
    skippedRows: -1,
    hasHeader: 'yes',
    columns: { booked: 0, date: 'x' },
    dateFormats: ['dd/MM', 'QQ'],
    thousandsMark: 'x',
    balances: 'sometimes',
    labels: { opening: '(' },
    narrationPatterns: ['(?<session>x)'],
    kinds: [{ kind: 'tax', pattern: 'x' }],
    colums: {},
  }
  assert.deepEqual(
    problems(wrong).map((problem) => problem.split(' ')[0]),
    [
      'name',
      'delimiter',
      'encoding',
      'skippedRows',
      'hasHeader',
      'columns.booked',
      'columns.date',
      'dateFormats',
      'dateFormats',
      'thousandsMark',
      'balances',
      'labels.opening',
      'narrationPatterns',
      'kinds',
      'colums',
    ],
  )
})

test('fields that contradict each other are refused', () => {
  const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ columns: { amount: 'a' } }, /columns\.booked is missing/],
    [{ columns: { booked: 'a', debit: 'b' } }, /either amount, or both debit and credit/],
    [{ columns: { booked: 'a', amount: 'b', credit: 'c' } }, /either amount, or both/],
    [{ hasHeader: false }, /Without a header, columns are numbers/],
    [{ balances: 'running' }, /need columns\.balance/],
    [{ balances: 'labelled' }, /need labels\.opening and labels\.closing/],
    [{ decimalMark: ',' }, /must not be the same/],
  ]
  for (const [fields, expected] of cases) {
    const found = problems({ ...RIGHT, ...fields })
    assert.equal(found.length, 1, JSON.stringify(found))
    assert.match(found[0] as string, expected)
  }
})

test('a folder adds profiles and replaces shipped ones; its faults name their file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'profiles-'))
  try {
    const write = (name: string, content: unknown) =>
      writeFileSync(
        join(folder, name),
        typeof content === 'string' ? content : JSON.stringify(content),
      )
    write('ours.json', RIGHT)
    write('gtbank.json', { ...RIGHT, name: 'gtbank' })
    write('other.json', RIGHT)
    write('broken.json', '{')
    write('huge.json', ' '.repeat(70_000))
    write('notes.txt', 'x')
    const { profiles, problems } = loadProfiles(folder)
    assert.deepEqual(problems, [
      'Statement profile broken.json: The file is not JSON.',
      'Statement profile huge.json: The file is larger than 65536 bytes.',
      'Statement profile other.json: name must be that of the file.',
    ])
    assert.deepEqual(
      [profiles.get('ours')?.isShipped, profiles.get('gtbank')?.isShipped],
      [false, false],
    )
    assert.equal(profiles.get('zenith')?.isShipped, true)
  } finally {
    rmSync(folder, { recursive: true })
  }
  assert.equal(loadProfiles(folder).problems.length, 1)
})
