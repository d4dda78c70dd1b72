// Nobody approves what they have not read (I230): in every workflow, an approval names the revision that was
// read, and is refused if the request was swapped in between. A workflow that is new fails here until it has
// a case.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { addLineDifference, RECONCILIATION, resolve } from '../support/differences.ts'
import { FAILURES, referenceOf, requestFailure } from '../support/failing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { HOLDS, placeHold } from '../support/holding.ts'
import { requestResolution, setMakerChecker } from '../support/maker-checker-desk.ts'
import { credit } from '../support/movements.ts'
import { createFile, queuePayouts, startFileService } from '../support/payout-desk.ts'
import { createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { CREDIT_RULE, draft, SCREENING, testRule } from '../support/screening.ts'
import { closeSettlement, owe, SETTLEMENTS, setBankAccount } from '../support/settlements.ts'
import { NOBODYS_NUMBER, SUSPENSE, suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startFileService())
const maker = await newBrowser(bench, 'operator')
const checker = await newBrowser(bench, 'operator')
await fund(bench, '1000')
await setBankAccount(bench)
dataOf(await setMakerChecker(maker, true))
const rules = { payoutApproval: 'all' }
dataOf(await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body: rules }))

const REASON = { reason: 'As read' }
const DEBIT = { kind: 'unexplained_debit', line: { amount: -5, kind: 'fee' } } as const
const OPERATOR = '/api/v1/operator'

type Revised = { revision: string }
// The path of the approval, the revision as read, and what happens before it is sent: SQL that swaps a part
// of the request which the approver reads.
type Asked = Revised & { url: string; swap: string }

// Each operation that approves, and how its request comes about.
const CASES: Record<string, () => Promise<Asked>> = {
  approvePayout: async () => {
    const { reference } = await createPayout(maker, { amount: 1 })
    const { revision } = dataOf(await checker.call({ url: `${PAYOUTS}/${reference}` }))
    const swap = `update payouts set narration = 'Swapped' where reference = '${reference}'`
    return { url: `${PAYOUTS}/${reference}/approve`, revision, swap }
  },
  approveSettlement: async () => {
    const { accountNumber } = await createAccount(bench)
    await credit(bench, accountNumber as string, '100')
    const { reference } = await closeSettlement(maker)
    const { revision } = dataOf(await checker.call({ url: `${SETTLEMENTS}/${reference}` }))
    const swap = `update bank_accounts set account_name = 'Swapped' where is_default`
    return { url: `${SETTLEMENTS}/${reference}/approve`, revision, swap }
  },
  approveResolution: async () => {
    const { id } = await addLineDifference(bench, DEBIT)
    const { revision } = dataOf(await resolve(maker, id, 'note'))
    const swap = `update differences set action = 'book' where id = ${id}`
    return { url: `${RECONCILIATION}/${id}/approve`, revision, swap }
  },
  approveAdjustingEntry: async () => {
    const { id } = await addLineDifference(bench, DEBIT)
    const url = `${RECONCILIATION}/adjusting-entries`
    const body = { differenceId: id, account: 'bank_cost', amount: -5, ...REASON }
    const { reference, revision } = dataOf(await maker.call({ url, body }))
    const swap = swapReason('adjusting_entries', `reference = '${reference}'`)
    return { url: `${url}/${reference}/approve`, revision, swap }
  },
  approveAdjustment: async () => {
    await owe(bench, '5')
    const url = `${OPERATOR}/adjustments`
    const owed = { kind: 'write_off', of: 'receivable', clientId: 'MAN0000001', amount: '1' }
    const { reference, revision } = dataOf(await maker.call({ url, body: { ...owed, ...REASON } }))
    const swap = swapReason('adjustments', `reference = '${reference}'`)
    return { url: `${url}/${reference}/approve`, revision, swap }
  },
  approveHoldRequest: async () => {
    const { reference } = await placeHold({ maker }, { target: 'client', amount: '1' })
    const url = `${HOLDS}/${reference}`
    const { id, revision } = dataOf(await maker.call({ url: `${url}/release`, body: REASON }))
    const swap = `update hold_requests set kind = 'forfeiture' where id = ${id}`
    return { url: `${url}/approve`, revision, swap }
  },
  approveScreeningRequest: async () => {
    const { clock } = bench
    const desk = { call: maker.call, clock } as never
    const rule = { ...CREDIT_RULE, name: 'Large', kind: 'new_payer', amount: '5000', days: 5 }
    const { reference } = await draft(desk, rule)
    dataOf(await testRule(desk, String(reference)))
    const url = `${SCREENING}/rules/${reference}/activate`
    const { id, revision } = dataOf(await maker.call({ url, body: REASON }))
    const swap = swapReason('screening_requests', `id = ${id}`)
    return { url: `${SCREENING}/requests/${id}/approve`, revision, swap }
  },
  approveSuspenseRequest: async () => {
    const { id: itemId } = await suspend(bench, NOBODYS_NUMBER, '40')
    const id = await requestResolution(maker, itemId)
    const { data: list } = (await checker.call({ url: `${SUSPENSE}/requests` })).json()
    const swap = swapReason('suspense_requests', `state = 'open'`)
    return { url: `${SUSPENSE}/requests/${id}/approve`, revision: list[0].revision, swap }
  },
  approvePayoutFailure: async () => {
    const [payout = ''] = await queuePayouts(bench, { amountsKobo: [100n] })
    await createFile(bench)
    const reference = referenceOf(await requestFailure(maker, payout))
    const { data: list } = (await checker.call({ url: FAILURES })).json()
    const swap = `update payout_failures set evidence = 'None' where reference = '${reference}'`
    return { url: `${FAILURES}/${reference}/approve`, revision: list[0].revision, swap }
  },
  approveMonthReopening: async () => {
    const month = '2026-10'
    const url = `${OPERATOR}/months/${month}`
    await bench.db.query(
      `insert into closed_months (month, version, ends_at, checklist, reason, manifest, closed_by, closed_at)
       values ('2026-10-01', 1, '2026-11-01T00:00:00+01:00', '[]', 'None', '{}', 'test', $1)`,
      [bench.clock()],
    )
    const { reopenings } = dataOf(await maker.call({ url: `${url}/reopen`, body: REASON }))
    const [{ id, revision }] = reopenings
    const swap = swapReason('month_reopenings', `id = ${id}`)
    return { url: `${url}/reopen/${id}/approve`, revision, swap }
  },
}

const swapReason = (table: string, condition: string) =>
  `update ${table} set reason = 'Swapped' where ${condition}`

// Names the name itself, which is refused once it has changed (test/payments/account-name-reviews.test.ts).
const NAMES_ALL = 'approveAccountName'

type Operation = {
  operationId: string
  requestBody?: { content: Record<string, { schema: Body }> }
}
type Body = { required?: string[]; $ref?: string }

test('every operation that approves requires the revision, and has a case here', async () => {
  const { paths } = (await bench.call({ url: '/openapi.json' })).json()
  const approvals = Object.entries<Record<string, Operation>>(paths)
    .filter(([path]) => path.endsWith('/approve'))
    .flatMap(([, methods]) => Object.values(methods))

  const required = approvals
    .filter(({ operationId }) => operationId !== NAMES_ALL)
    .map(({ operationId, requestBody }) => {
      const { schema } = requestBody?.content['application/json'] ?? {}
      return [operationId, schema?.required]
    })
  assert.deepEqual(
    Object.fromEntries(required),
    Object.fromEntries(Object.keys(CASES).map((operation) => [operation, ['revision']])),
  )
})

for (const [operation, ask] of Object.entries(CASES)) {
  test(`${operation} is refused once the request was swapped, and without a revision`, async () => {
    const { url, revision, swap } = await ask()
    const approve = (body: object) => checker.call({ url, body: { revision: undefined, ...body } })
    assertRefused(await approve({}), { status: 400, code: 'invalid_request' })

    // No user can swap most of this: it is refused all the same.
    await bench.db.query(`begin; set local session_replication_role = replica; ${swap}; commit`)

    const changed = { status: 409, code: 'request_changed' }
    assertRefused(await approve({ revision }), changed)
    assertRefused(await approve({ revision: 'x' }), changed)
  })
}

test('a maker who withdraws what the approver reads, and asks for more, is not approved', async () => {
  const { id } = await addLineDifference(bench, DEBIT)
  const { revision } = dataOf(await resolve(maker, id, 'note'))
  const url = `${RECONCILIATION}/${id}`
  dataOf(await maker.call({ url: `${url}/withdraw`, body: {} }))
  const swapped = dataOf(await resolve(maker, id, 'book'))

  const stale = await checker.call({ url: `${url}/approve`, body: { revision } })
  assertRefused(stale, { status: 409, code: 'request_changed' })
  const { state } = dataOf(await checker.call({ url }))
  assert.equal(state, 'asked')
  const body = { revision: swapped.revision }
  assert.equal(dataOf(await checker.call({ url: `${url}/approve`, body })).state, 'cleared')
  // A repetition of the approval is no other approval.
  assert.equal(dataOf(await checker.call({ url: `${url}/approve`, body })).state, 'cleared')
})
