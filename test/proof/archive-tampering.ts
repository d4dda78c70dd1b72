// Ways to change what an export has of archives, and what each is seen by. Of books whose first archive
// has nine credits, at two banks.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addKobo, rechained, rewritten, type Tampering } from './tampering.ts'

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

export const ARCHIVE_TAMPERINGS: readonly Tampering[] = [
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
