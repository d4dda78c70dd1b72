// A transfer becomes one credit, in every ISO 20022 message and with any of its references. Two transfers
// become two credits, even if their payers wrote the same reference.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { iso20022Format } from '#banks/iso20022/connector.ts'
import {
  identifiersOf,
  learnIdentifiers,
  recognise,
  withOwnIdentifiers,
} from '#credits/identifiers.ts'
import type { IncomingCredit } from '#credits/judge.ts'
import type { CreditId } from '#ids.ts'
import { kobo } from '#money.ts'
import { camt } from '../banks/renderings.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const BANK = '035'

type Refs = { [name in (typeof NAMES)[number]]?: string | undefined }

// The kinds of references, in the order of the camt.054 and pacs.008 schemas.
const NAMES = ['AcctSvcrRef', 'InstrId', 'EndToEndId', 'TxId', 'UETR', 'ClrSysRef'] as const
const CHOSEN_BY_BANKS = ['AcctSvcrRef', 'TxId', 'UETR', 'ClrSysRef'] as const

const uetr = (end: string) => `8a562c67-ca16-48ba-b074-${end.padStart(12, '0')}`

// Takes the credits of the messages, one after another, and returns the status of each.
async function takeAll(...messages: string[]): Promise<string[]> {
  const statuses: string[] = []
  for (const message of messages) {
    for (const credit of read(message)) {
      statuses.push((await bench.service.writers.credits.submit(credit)).status)
    }
  }
  return statuses
}

// Messages in which a bank may report one transfer, each with some of its references.
const ROUTES = {
  pacs: (to: string, { TxId, UETR, EndToEndId }: Refs) => pacs(to, { TxId, UETR, EndToEndId }),
  pacsWithClearing: (to: string, { TxId, ClrSysRef }: Refs) => pacs(to, { TxId, ClrSysRef }),
  camt: (to: string, { ClrSysRef: _, ...refs }: Refs) => camtOf(to, refs),
  camtWithTxId: (to: string, { TxId }: Refs) => camtOf(to, { TxId }),
  camtWithUetr: (to: string, { AcctSvcrRef, UETR, ClrSysRef }: Refs) =>
    camtOf(to, { AcctSvcrRef, UETR, ClrSysRef }),
  camtWithClearing: (to: string, { AcctSvcrRef, ClrSysRef }: Refs) =>
    camtOf(to, { AcctSvcrRef, ClrSysRef }),
}

const ORDERS: readonly (readonly [first: keyof typeof ROUTES, second: keyof typeof ROUTES])[] = [
  ['pacs', 'camt'],
  ['camt', 'pacs'],
  ['camtWithTxId', 'camt'],
  ['camt', 'camtWithTxId'],
  ['camtWithUetr', 'pacs'],
  ['pacs', 'camtWithUetr'],
  ['pacsWithClearing', 'camtWithClearing'],
  ['camtWithClearing', 'pacsWithClearing'],
]

for (const [first, second] of ORDERS) {
  test(`a transfer by ${first}, then by ${second}, is booked once`, async () => {
    const { accountNumber } = await createAccount(bench)
    const refs = newRefs()
    const messages = [ROUTES[first], ROUTES[second]].map((write) => write(accountNumber, refs))

    const statuses = await takeAll(...messages, ...messages)

    assert.deepEqual(statuses, ['taken', 'duplicate', 'duplicate', 'duplicate'])
    assert.equal(await balanceOf(bench, accountNumber), 5)
  })
}

test('a reversal names its credit by a reference that was not the one it is shown with', async () => {
  const { accountNumber } = await createAccount(bench)
  for (const name of ['UETR', 'TxId', 'ClrSysRef'] as const) {
    const refs = newRefs()
    await takeAll(camtOf(accountNumber, refs))
    const balance = await balanceOf(bench, accountNumber)
    const back = camtOf(accountNumber, { AcctSvcrRef: `R-${refs.AcctSvcrRef}`, [name]: refs[name] })
      .replace('CRDT', 'DBIT')
      .replace('<Sts>', '<RvslInd>true</RvslInd><Sts>')

    const answer = await postRail(bench, `${BANK}/credits`, back, { contentType: 'text/xml' })

    assert.deepEqual(answer.json().map(wordsOf), ['00 reversed'], name)
    assert.equal(balance - (await balanceOf(bench, accountNumber)), 5)
  }
  await assertCleanBooks(bench)
})

const asReversal = (message: string) =>
  message.replace('CRDT', 'DBIT').replace('<Sts>', '<RvslInd>true</RvslInd><Sts>')
const reportToRail = async (message: string) =>
  (await postRail(bench, `${BANK}/credits`, message, { contentType: 'text/xml' }))
    .json()
    .map(wordsOf)
const withHalfAmount = (message: string) => message.replaceAll('5.00', '2.50')

test('two equal partial reversals of one credit are two, by the bank’s id of each booking', async () => {
  const { accountNumber } = await createAccount(bench)
  const session = newSessionId()
  await takeAll(camtOf(accountNumber, { TxId: session }))
  const [one, other] = ['R-1', 'R-2'].map((AcctSvcrRef) =>
    withHalfAmount(asReversal(camtOf(accountNumber, { AcctSvcrRef, TxId: session }))),
  ) as [string, string]

  assert.deepEqual(await reportToRail(one), ['00 reversed'])
  assert.deepEqual(await reportToRail(one), ['01 duplicate'])
  assert.deepEqual(await reportToRail(other), ['00 reversed'])
  assert.equal(await balanceOf(bench, accountNumber), 0)
  await assertCleanBooks(bench)
})

test('a second partial reversal with the credit’s own id waits for an operator', async () => {
  const { accountNumber } = await createAccount(bench)
  const TxId = newSessionId()
  await takeAll(camtOf(accountNumber, { TxId }))
  const half = withHalfAmount(asReversal(camtOf(accountNumber, { TxId })))
  const elsewhere = half.replace(/<MsgId>[^<]*/, '<MsgId>ANOTHER')
  assert.notEqual(elsewhere, half)

  assert.deepEqual(await reportToRail(half), ['00 reversed'])
  assert.deepEqual(await reportToRail(half), ['01 duplicate'])
  assert.deepEqual(await reportToRail(elsewhere), ['02 rejected session_reused'])

  assert.equal(await balanceOf(bench, accountNumber), 2.5)
  const { rows } = await bench.db.query(
    `select reason from rail_items where call = 'reversals' and session_id = $1`,
    [TxId],
  )
  assert.deepEqual(rows, [{ reason: 'session_reused' }])
})

test('transfers that share only their payer’s reference are each booked', async () => {
  const { accountNumber: to } = await createAccount(bench)
  const EndToEndId = newSessionId()
  const { UETR } = newRefs()
  const shared = [
    [{ EndToEndId: 'NOTPROVIDED' }, { EndToEndId: 'NOTPROVIDED' }],
    [{ EndToEndId: 'RENT' }, { EndToEndId: 'RENT' }],
    [
      { EndToEndId: 'RENT', InstrId: 'RENT' },
      { EndToEndId: 'RENT', InstrId: 'RENT' },
    ],
    [
      { EndToEndId, TxId: `T1-${to}` },
      { EndToEndId, TxId: `T2-${to}` },
    ],
    [
      { EndToEndId, UETR, TxId: `T3-${to}` },
      { EndToEndId, UETR, TxId: `T4-${to}` },
    ],
  ] as const

  for (const pair of shared) {
    const messages = pair.map((refs, at) =>
      pacs(to, refs, `${EndToEndId}-${at}-${shared.indexOf(pair)}`),
    )
    const statuses = await takeAll(...messages, ...messages)
    const expected = ['taken', 'taken', 'duplicate', 'duplicate']
    assert.deepEqual(statuses, expected, JSON.stringify(pair))
  }
  assert.equal(await balanceOf(bench, to), shared.length * 2 * 5)
  await assertCleanBooks(bench)
})

test('a report whose every reference is of another transfer is refused, however often it comes', async () => {
  const { accountNumber } = await createAccount(bench)
  const [one, two] = [newRefs(), newRefs()]
  const mixed = pacs(accountNumber, { TxId: one.TxId, UETR: two.UETR })
  const apart = [one, two].map(({ TxId, UETR }) => pacs(accountNumber, { TxId, UETR }))

  const statuses = await takeAll(...apart, mixed, mixed)

  assert.deepEqual(statuses, ['taken', 'taken', 'session_reused', 'session_reused'])
  assert.equal(await balanceOf(bench, accountNumber), 10)
  await assertCleanBooks(bench)
})

// For each kind of reference and each of two transfers: the transfer lacks it, shares it with the other, or
// has its own.
const side = fc.constantFrom('none', 'shared', 'own')
const pair = fc.record({
  refs: fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.tuple(side, side)]))),
  formats: fc.tuple(fc.boolean(), fc.boolean()),
})

test('two transfers of which banks say that they differ are two, and the same ones are found again', () => {
  fc.assert(
    fc.property(pair, ({ refs, formats }) => {
      // Writes a message for each transfer. A shared reference ends in 0, an own reference in 1 or 2;
      // pacs.008 has no AcctSvcrRef.
      const messages = formats.map((isPacs, at) => {
        const ownRefs = Object.fromEntries(
          Object.entries(refs).flatMap(([name, sides]) => {
            const chosen = sides[at as 0 | 1]
            if (chosen === 'none' || (isPacs && name === 'AcctSvcrRef')) return []
            const end = chosen === 'shared' ? '0' : `${at + 1}`
            return [[name, name === 'UETR' ? uetr(end) : `${name}-${end}`]]
          }),
        ) as Refs
        const write = isPacs ? pacs : camtOf
        return { ownRefs, text: write('9930000737', ownRefs, `M${at}`) }
      })
      const [one, other] = messages.map(({ ownRefs }) => ownRefs) as [Refs, Refs]
      const hasDifference = CHOSEN_BY_BANKS.some(
        (name) => one[name] && other[name] && one[name] !== other[name],
      )
      const sharesReference = CHOSEN_BY_BANKS.some((name) => one[name] && one[name] === other[name])
      const sharesBankReference =
        one.AcctSvcrRef !== undefined && one.AcctSvcrRef === other.AcctSvcrRef
      const credits = [...messages, ...messages].flatMap(({ text }) => read(text))

      const statuses = recogniseAll(credits)

      // A bank never repeats its own reference, AcctSvcrRef. So that reference alone decides whether two
      // messages report the same transfer.
      const isSame = sharesBankReference || (sharesReference && !hasDifference)
      assert.deepEqual(statuses.slice(2), ['duplicate', 'duplicate'])
      if (isSame) assert.deepEqual(statuses.slice(0, 2), ['taken', 'duplicate'])
      if (hasDifference && !sharesBankReference)
        assert.deepEqual(statuses.slice(0, 2), ['taken', 'taken'])
    }),
    { numRuns: 2_000 },
  )
})

// Recognises the credits of one batch in memory, as decideCredits() does, and returns the status of each.
function recogniseAll(credits: readonly IncomingCredit[]): string[] {
  const knownIdentifiers: Parameters<typeof learnIdentifiers>[0] = new Map()
  return credits.map((credit, at) => {
    const identifiers = identifiersOf(credit)
    const knownCredit = recognise(knownIdentifiers, credit, identifiers)
    if (knownCredit?.status === 'session_reused') return knownCredit.status
    const newCredit = knownCredit
      ? credit
      : withOwnIdentifiers(knownIdentifiers, credit, identifiers)
    const answer = knownCredit ?? {
      status: 'taken' as const,
      creditId: BigInt(at) as CreditId,
      outcome: 'booked' as const,
      reason: null,
      suspendedKobo: kobo(0n),
    }
    learnIdentifiers(knownIdentifiers, {
      credit: newCredit,
      identifiers: identifiersOf(newCredit),
      answer,
    })
    return answer.status
  })
}

// Parses a message into credits of our bank.
function read(message: string): IncomingCredit[] {
  const parsed = iso20022Format(bench.clock()).parse(Buffer.from(message))
  assert('items' in parsed, 'malformed' in parsed ? parsed.malformed : '')
  return parsed.items.map((item) => {
    assert(item.ok, item.ok ? '' : item.code)
    return { ...item.credit, bankCode: BANK }
  })
}

// Returns references for a new transfer, of which only the end-to-end id is not unique.
function newRefs() {
  const id = newSessionId()
  return {
    AcctSvcrRef: `FT${id}`,
    InstrId: `I${id}`,
    EndToEndId: 'RENT',
    TxId: `T${id}`,
    UETR: uetr(id.slice(-12)),
    ClrSysRef: `C${id}`,
  }
}

// Writes each reference that is present as an XML element, in the order of the schema.
function tags(refs: Refs): string {
  return NAMES.flatMap((name) => (refs[name] ? `<${name}>${refs[name]}</${name}>` : [])).join('')
}

// Writes a camt.054 message with one credit that has these references.
function camtOf(accountNumber: string, refs: Refs, messageId = 'M1'): string {
  const amount = '<Amt Ccy="NGN">5.00</Amt>'
  const details = `<NtryDtls><TxDtls><Refs>${tags(refs)}</Refs>${amount}</TxDtls></NtryDtls>`
  const entry = `<Ntry>${amount}<CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>${details}</Ntry>`
  return camt(entry, { version: '08', account: accountNumber }).replace('>M1<', `>${messageId}<`)
}

// Writes a pacs.008 message with one transfer that has these references.
function pacs(accountNumber: string, refs: Refs, messageId = newSessionId()): string {
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.08"><FIToFICstmrCdtTrf>
    <GrpHdr><MsgId>${messageId}</MsgId></GrpHdr><CdtTrfTxInf><PmtId>${tags(refs)}</PmtId>
    <IntrBkSttlmAmt Ccy="NGN">5.00</IntrBkSttlmAmt>
    <CdtrAcct><Id><Othr><Id>${accountNumber}</Id></Othr></Id></CdtrAcct>
    </CdtTrfTxInf></FIToFICstmrCdtTrf></Document>`
}
