// The levy on electronic transfers (stamp duty) is recognised under every name that banks give it, in each
// format. An unrecognised levy would look like a part of the credit that the bank takes back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { profileOf, readOne, shipped } from './reading.ts'

const SESSION_ID = '000014261102091205000000000001'
const WORDINGS = [
  'EMT LEVY',
  'FGN EMT LEVY',
  'STAMPDUTY',
  'STAMP DUTY CHARGE',
  'E-LEVY',
  'ELEVY',
  'EMTL',
  'EMTL_',
  'Electronic Money Transfer Levy',
]

const withSession = (words: string) => `${words}${words.endsWith('_') ? '' : '/'}${SESSION_ID}`

for (const words of WORDINGS) {
  test(`${words} is stamp duty in MT940, CSV and camt.053`, async () => {
    const narration = withSession(words)
    assert.equal(await mt940Kind({ narration }), 'stamp_duty')
    assert.equal(await camtKind({ details: narration }), 'stamp_duty')
    assert.equal(await camtKind({ details: narration, text: 'NIP DEBIT' }), 'stamp_duty')
    assert.equal(await camtKind({ text: narration }), 'stamp_duty')
    assert.equal(await csvKind(narration), 'stamp_duty')
    const kinds = [{ kind: 'fee', pattern: '^FEE' }]
    assert.equal(await csvKind(narration, { kinds }), 'stamp_duty')
  })
}

test('a shipped profile knows names of the levy that its bank does not use yet', () => {
  for (const name of ['access', 'gtbank', 'providus', 'wema', 'zenith']) {
    const [rule] = shipped(name).kinds.filter(({ pattern }) => pattern.test('FGN EMT LEVY'))
    assert.equal(rule?.kind, 'stamp_duty', name)
  }
})

test('codes of stamp duty and taxes decide if the narration does not', async () => {
  assert.equal(await mt940Kind({ narration: 'CHARGE CODE 7', type: 'NSTP' }), 'stamp_duty')
  assert.equal(await mt940Kind({ narration: 'X', type: 'NSTP' }), 'stamp_duty')
  const domain = (sub: string) =>
    `<Domn><Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn>`
  assert.equal(await camtKind({ text: 'X', code: domain('TAXE') }), 'stamp_duty')
  assert.equal(await camtKind({ text: 'VAT', code: domain('TAXE') }), 'vat')
  assert.equal(await camtKind({ text: 'X', code: domain('CHRG') }), 'fee')
  const proprietary = '<Prtry><Cd>EMTL</Cd></Prtry>'
  assert.equal(await camtKind({ text: 'X', code: proprietary }), 'stamp_duty')
})

test('a payer’s narration does not turn a transfer into a levy', async () => {
  assert.equal(await mt940Kind({ narration: 'TRF TO ADA stamp duty', mark: 'D' }), 'payout')
  assert.equal(await mt940Kind({ narration: 'EMT LEVY REFUND', mark: 'C' }), 'credit')
  assert.equal(await camtKind({ details: 'rent and stamp duty' }), 'other')
  assert.equal(await mt940Kind({ narration: 'GEMTLER LTD' }), 'other')
  assert.equal(await mt940Kind({ narration: 'RELEVY' }), 'other')
})

type Levy = { narration: string; type?: string; mark?: 'C' | 'D' }

// Reads an MT940 statement with one line, and returns how the line is classified. `mark` is D for a debit or
// C for a credit; `type` is the line's transaction type in MT940.
async function mt940Kind({ narration, type = 'NMSC', mark = 'D' }: Levy) {
  const closing = mark === 'D' ? '50,00' : '150,00'
  const bytes = [
    ':20:S',
    ':25:0123456789',
    ':28C:1',
    ':60F:C261101NGN100,00',
    `:61:2611021102${mark}50,00${type}NONREF//B1`,
    `:86:${narration}`,
    `:62F:C261102NGN${closing}`,
  ].join('\r\n')
  return (await readOne({ format: 'mt940', bytes })).lines[0]?.kind
}

// Reads a CSV statement with one line, and returns how the line is classified.
async function csvKind(narration: string, fields = {}) {
  const bytes = `date,amount,text\n2026-11-02,-50.00,${narration}\n`
  const { lines } = await readOne({ format: 'csv', profile: profileOf(fields), bytes })
  return lines[0]?.kind
}

// Reads a camt.053 statement with one entry, and returns how the entry is classified. With `details`, the
// entry names the transfer that the levy is charged for.
async function camtKind({ details = '', text = '', code = '' }) {
  const balance = (type: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="NGN">${amount}</Amt>` +
    '<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-02</Dt></Dt></Bal>'
  const named = details
    ? `<NtryDtls><TxDtls><Refs><EndToEndId>${SESSION_ID}</EndToEndId></Refs>` +
      `<RmtInf><Ustrd>${details}</Ustrd></RmtInf></TxDtls></NtryDtls>`
    : ''
  const bytes =
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>' +
    `<Acct><Id><Othr><Id>0123456789</Id></Othr></Id></Acct>${balance('OPBD', '100.00')}` +
    `${balance('CLBD', '50.00')}<Ntry><Amt Ccy="NGN">50.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>` +
    `<Sts>BOOK</Sts><BookgDt><Dt>2026-11-02</Dt></BookgDt><BkTxCd>${code}</BkTxCd>${named}` +
    `${text ? `<AddtlNtryInf>${text}</AddtlNtryInf>` : ''}</Ntry></Stmt></BkToCstmrStmt></Document>`
  return (await readOne({ format: 'camt053', bytes })).lines[0]?.kind
}
