// Reading a notification never throws, even on nonsense. The credits of an entry sum up to the whole booked
// amount, or to the part of it that could be read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { camt054Format } from '#banks/iso20022/camt054.ts'
import { type BankCharges, CREDITS_MAX, type ParsedItem } from '#banks/notifications.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { camt } from '../renderings.ts'

const RUNS = { numRuns: 400 }
const kobo = fc.bigInt({ min: 1n, max: 50_000n })
const nonsense = fc.constantFrom('', '-1', '1e3', '1.005', '1<b>5</b>0', '0', 'x')
const rarely = fc.nat(7).map((at) => at === 7)
const shape = fc.record({ zeros: fc.nat(3), trailing: fc.nat(3), isSilent: rarely })
const part = fc.record({
  kobo,
  shape,
  wrong: fc.nat(9).chain((at) => (at === 9 ? nonsense : fc.constant(null))),
  indicator: fc.constantFrom(null, null, null, null, 'CRDT', 'DBIT', 'X'),
  charges: rarely,
  reference: fc.constantFrom('A', 'B', 'C', 'NOTPROVIDED', ''),
})
const entry = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  extraKobo: fc.constantFrom(0n, 0n, 0n, 1n, -1n, 50n),
  count: fc.constantFrom(null, null, null, 0, 1, 3),
  indicator: fc.constantFrom('CRDT', 'CRDT', 'CRDT', 'DBIT', ''),
  mark: fc.constantFrom('', '', '', 'true', 'false', 'perhaps'),
  status: fc.constantFrom('BOOK', 'BOOK', 'BOOK', 'PDNG', '<Cd>BOOK</Cd>'),
})

test('from no entry is more taken than the bank booked, and all of it when every part is', () => {
  fc.assert(
    fc.property(entry, (generated) => {
      const { text, bookedKobo } = writeEntry(generated)
      const items = parseItems(camt(text))
      assert.equal(items.length, Math.max(1, generated.parts.length))
      const credits = items.flatMap((item) => (item.ok ? [item.credit] : []))
      const reversals = items.flatMap((item) => (item.ok ? [] : (item.reversal ?? [])))
      const gross = [...credits, ...reversals].reduce((all, { amountKobo }) => all + amountKobo, 0n)
      const sum = gross - credits.reduce((all, { charges }) => all + chargesKoboOf(charges), 0n)
      assert(sum <= bookedKobo, `${sum} of ${bookedKobo}`)
      if (credits.length === items.length) assert.equal(sum, bookedKobo)
      if (generated.indicator !== 'CRDT') assert.equal(credits.length, 0)
      if (generated.indicator !== 'DBIT' || generated.mark !== 'true')
        assert.equal(reversals.length, 0)
      const named = credits.map(({ sessionId }) => sessionId)
      assert.equal(new Set(named).size, named.length)
    }),
    RUNS,
  )
})

test('the parts that make up an entry are all taken, however their amounts are written', () => {
  const plain = fc.array(fc.record({ kobo, shape }), { minLength: 2, maxLength: 5 })
  fc.assert(
    fc.property(plain, (parts) => {
      const whole = parts.map((each) => ({
        ...each,
        shape: { ...each.shape, isSilent: false },
        wrong: null,
        indicator: null,
        charges: false,
        reference: '',
      }))
      const generated = { parts: whole, extraKobo: 0n, count: null, indicator: 'CRDT', mark: '' }
      const items = parseItems(camt(writeEntry({ ...generated, status: 'BOOK' }).text))
      assert.deepEqual(
        items.map((item) => item.ok && item.credit.amountKobo),
        parts.map((each) => each.kobo),
      )
    }),
    RUNS,
  )
})

test('no document made of its own elements makes the reader throw', () => {
  const names = ['Ntry', 'NtryDtls', 'TxDtls', 'Refs', 'Amt', 'AmtDtls', 'TxAmt', 'Btch', 'NbOfTxs']
  const more = ['AcctSvcrRef', 'CdtDbtInd', 'RvslInd', 'Sts', 'BookgDt', 'Dt', 'RmtInf', 'Strd']
  const leaf = fc.constantFrom('', '5.00', 'CRDT', 'BOOK', 'true', '2026-11-15', '3', 'x')
  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      leaf,
      fc
        .tuple(fc.constantFrom(...names, ...more), fc.array(tie('node'), { maxLength: 5 }))
        .map(([name, inner]) => `<${name} Ccy="NGN">${inner.join('')}</${name}>`),
    ),
  }))
  fc.assert(
    fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
      const parsed = camt054Format.parse(Buffer.from(camt(nodes.join(''))))
      assert('items' in parsed && parsed.items.length <= CREDITS_MAX)
    }),
    RUNS,
  )
})

test('no bytes in any encoding make the reader throw', () => {
  const start = fc.constantFrom('', '\xff\xfe', '\xfe\xff', '<\0?\0', '\0<', '\xef\xbb\xbf')
  const declared = fc.constantFrom('UTF-8', 'UTF-16', 'ISO-8859-1', 'EBCDIC', '')
  const rest = fc.uint8Array({ maxLength: 200 })
  fc.assert(
    fc.property(start, declared, rest, (mark, encoding, bytes) => {
      const head = Buffer.from(`${mark}<?xml version="1.0" encoding="${encoding}"?><a>`, 'latin1')
      const parsed = camt054Format.parse(Buffer.concat([head, bytes]))
      assert('malformed' in parsed && parsed.malformed.length > 10)
    }),
    RUNS,
  )
})

// An entry that the tests generate, often with faults. `parts` are its transactions.
type GeneratedEntry = {
  parts: {
    kobo: bigint
    shape: { zeros: number; trailing: number; isSilent: boolean } // How the amount is written, if at all.
    wrong: string | null // A text instead of the amount.
    indicator: string | null // The part's own CRDT or DBIT.
    charges: boolean
    reference: string
  }[]
  extraKobo: bigint // By how much the entry's amount differs from the sum of its parts.
  count: number | null // The number of transactions that the entry claims to have.
  indicator: string // CRDT or DBIT of the entry.
  mark: string // Whether the entry is marked as a reversal.
  status: string
}

// Writes a generated entry as camt.054. Returns the text and the amount that the bank booked: the sum of the
// parts and `extraKobo`, but one kobo if that is not positive.
function writeEntry(generated: GeneratedEntry) {
  const sumKobo = generated.parts.reduce((sum, each) => sum + each.kobo, 0n)
  const bookedKobo = sumKobo + generated.extraKobo > 0n ? sumKobo + generated.extraKobo : 1n
  // Writes each part as a transaction of the entry, with its generated faults.
  const details = generated.parts.map((each) => {
    const { zeros, trailing, isSilent } = each.shape
    const amount = `${'0'.repeat(zeros)}${formatKobo(each.kobo as Kobo)}${'0'.repeat(trailing)}`
    return `<TxDtls><Refs><TxId>${each.reference}</TxId></Refs>
      ${isSilent ? '' : `<Amt Ccy="NGN">${each.wrong ?? amount}</Amt>`}
      ${each.indicator === null ? '' : `<CdtDbtInd>${each.indicator}</CdtDbtInd>`}
      ${each.charges ? '<Chrgs><Amt Ccy="NGN">0.50</Amt></Chrgs>' : ''}</TxDtls>`
  })
  const text = `<Ntry><Amt Ccy="NGN">${formatKobo(bookedKobo as Kobo)}</Amt>
    ${generated.indicator && `<CdtDbtInd>${generated.indicator}</CdtDbtInd>`}
    ${generated.mark && `<RvslInd>${generated.mark}</RvslInd>`}<Sts>${generated.status}</Sts>
    <NtryDtls>${generated.count === null ? '' : `<Btch><NbOfTxs>${generated.count}</NbOfTxs></Btch>`}
    ${details.join('')}</NtryDtls></Ntry>`
  return { text, bookedKobo }
}

function chargesKoboOf(charges: BankCharges | undefined): bigint {
  return charges ? charges.feeKobo + charges.vatKobo + charges.dutyKobo : 0n
}

// Parses a notification into its items.
function parseItems(text: string): ParsedItem[] {
  const parsed = camt054Format.parse(Buffer.from(text))
  assert('items' in parsed, 'malformed' in parsed ? parsed.malformed : '')
  return parsed.items
}
