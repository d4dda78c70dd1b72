// An operator uploads a payout file twice at the bank: the bank refuses the second as a duplicate, and pays
// the first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { pain002, rejection } from '../support/payment-files.ts'
import {
  CSV,
  createFile,
  openAlerts,
  queuePayouts,
  startFileService,
  statusesOf,
  upload,
} from '../support/payout-desk.ts'

const bench = closeAfterTests(await startFileService())

test('a file that the bank refused as a duplicate is unchanged, and operators get an alert', async () => {
  const references = await queuePayouts(bench, {
    amountsKobo: [10_000n, 20_000n, 30_000n, 40_000n],
  })
  const [first, second, third, fourth] = references
  const { id } = await createFile(bench)
  const problemsOf = ({ problems }: { problems: Record<string, unknown>[] }) =>
    problems.map(({ reference, problem }) => [reference, problem])

  const group = `<GrpSts>RJCT</GrpSts>${rejection('DU01', 'Duplicate message')}`
  const of = references.map((reference) => ({ reference, status: 'RJCT', more: rejection('MS03') }))
  const whole = await upload(bench, pain002({ file: id, group, of }))
  assert.deepEqual(problemsOf(whole), [[null, 'duplicate']])
  const lines = [
    'reference,status,reason',
    `${first},RJCT,AM05 Duplicate`,
    `${second},failed,DU05: seen`,
    `${third},failed,Transaction is a DUPLICATE`,
    `${fourth},failed,DU055`,
  ]
  const single = await upload(bench, lines.join('\n'), CSV)
  assert.deepEqual(problemsOf(single), [
    [first, 'duplicate'],
    [second, 'duplicate'],
    [third, 'duplicate'],
  ])

  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending', 'sending', 'failed'])
  const [file, ...raised] = await openAlerts(bench)
  assert.equal(file, `payout_file/${id}`)
  assert.deepEqual(raised.sort(), [first, second, third].map((each) => `payout/${each}`).sort())

  const paid = await upload(bench, pain002({ file: id, payment: '<PmtInfSts>ACSC</PmtInfSts>' }))
  assert.equal(paid.confirmed, 3)
})
