// Reads a statement as a bank exports it with each CSV profile that Manilla ships.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadProfiles } from '#banks/statements/csv-profile.ts'
import { readOne, sample, shipped, summary } from './reading.ts'

// The expected content of a sample: the profile, the account, the opening and closing balance, and each
// line as `summary` writes it.
type Expected = readonly [
  name: string,
  account: string,
  opening: bigint,
  closing: bigint,
  lines: readonly string[],
]

const EXPECTED: readonly Expected[] = [
  [
    'access',
    '0690123456',
    0n,
    9594625n,
    [
      '5 2026-11-03 -500000 payout - FT26307XK1 PYT000000000000002 -',
      '6 2026-11-03 -375 fee - FT26307XK1 - -',
      '7 2026-11-02 90000 credit 000014261102120001000000000301 FT26306AA9 - 9922334455',
      '8 2026-11-02 -5000 stamp_duty 000014261101120001000000000300 FT26306AA8 - -',
      '9 2026-11-01 10010000 credit 000014261101120001000000000300 FT26305AA7 - 9922334456',
    ],
  ],
  [
    'gtbank',
    '0123456789',
    125000000n,
    129691938n,
    [
      '10 2026-11-01 7500000 credit 000014261101091205000000000001 S48213377 - 9912345678',
      '11 2026-11-01 -5000 stamp_duty - S48213377 - -',
      '12 2026-11-02 -2800000 payout 000013261102081530000000000009 S48230115 PYT000000000000001 -',
      '13 2026-11-02 -2688 fee 000013261102081530000000000009 S48230115 - -',
      '14 2026-11-02 -374 vat 000013261102081530000000000009 S48230115 - -',
      '15 2026-11-03 150000 credit 000015261103101112000000000002 - - 9912345679',
      '16 2026-11-03 -150000 other reversal 000015261103101112000000000002 - - -',
    ],
  ],
  [
    'providus',
    '5401234567',
    200000n,
    1194625n,
    [
      '4 2026-11-02 1000000 credit 000004261102091240000000000012 AA-0091 - 9977000001',
      '5 2026-11-02 -5000 fee 000004261102091240000000000012 AA-0091 - -',
      '6 2026-11-02 -375 vat 000004261102091240000000000012 AA-0091 - -',
      '7 2026-11-03 -2000000 payout - AA-0107 PYT000000000000003 -',
      '8 2026-11-03 2000000 return - AA-0108 PYT000000000000003 -',
    ],
  ],
  [
    'wema',
    '0241234567',
    1500000n,
    1745010n,
    [
      '7 2026-11-02 250010 credit 000013261102080555000000000501 M1123 - 7711223344',
      '8 2026-11-02 -5000 stamp_duty 000013261102080555000000000501 M1124 - -',
      '9 2026-11-03 10050 credit 000013261103120000000000000502 M1130 - 7711223345',
      '10 2026-11-03 -10050 other reversal 000013261103120000000000000502 M1131 - 7711223345',
    ],
  ],
  [
    'zenith',
    '1012345678',
    50000000n,
    2836825n,
    [
      '7 2026-11-02 12000000 credit 000013261102101010000000000077 - - 9900000017',
      '8 2026-11-02 845050 credit 000016261102111213000000000078 - - 9900000025',
      '10 2026-11-02 -5000 stamp_duty - - - -',
      '12 2026-11-03 -60000000 sweep - - - -',
      '13 2026-11-03 -3000 fee - - - -',
      '14 2026-11-03 -225 vat - - - -',
    ],
  ],
]

for (const [name, account, opening, closing, lines] of EXPECTED) {
  test(`a statement of ${name} is read to the last line, and adds up`, async () => {
    const {
      head,
      lines: found,
      end,
    } = await readOne({
      format: 'csv',
      profile: shipped(name),
      bytes: sample(`${name}.csv`),
    })
    assert.deepEqual(found.map(summary), lines)
    assert.deepEqual(
      [head.accountNumber, head.openingKobo ?? end.openingKobo, end.closingKobo, head.currency],
      [account, opening, closing, 'NGN'],
    )
    assert.equal(end.toDay, '2026-11-03')
  })
}

test('the shipped profiles are the tested ones, and have no problem', () => {
  const { profiles, problems } = loadProfiles()
  assert.deepEqual(problems, [])
  assert.deepEqual(
    [...profiles.keys()],
    EXPECTED.map(([name]) => name),
  )
  assert([...profiles.values()].every(({ isShipped }) => isShipped))
})
