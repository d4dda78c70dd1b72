// Banks that receive payouts in files: the workers send them no payout through the API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBanks } from '#banks/connectors.ts'
import { bankConfigurations, sendByFile } from '#config/bank-settings.ts'
import { kobo } from '#money.ts'
import { chooseSendingBank } from '#payouts/sending-bank.ts'
import { withSandboxBank } from '#sandbox/bank.ts'
import { Sealer } from '#seal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { queuePayouts, startFileService, statusesOf } from '../support/payout-desk.ts'

const bench = closeAfterTests(await startFileService())

test('a bank with payoutFiles has no call that sends money, and keeps all others', () => {
  const { config, db, clock } = bench
  const connected = connectBanks(bankConfigurations(config))
  const sealer = new Sealer(config.secrets.data, config.secrets.hash)
  const before = withSandboxBank({ db, sealer, clock, banks: config.banks }, connected)
  const after = sendByFile(before, config.banks)

  const sending = [...after].flatMap(([code, { calls }]) => (calls.sendMoney ? [code] : []))
  const all = config.banks.map(({ code }) => code)
  assert.deepEqual(
    sending,
    all.filter((code) => code !== '058' && code !== '044'),
  )
  assert.equal(after.get('058')?.calls.enquireName, before.get('058')?.calls.enquireName)
})

test('a bank that takes files pays if others can send in no way', async () => {
  const { config, db, clock } = bench
  // The connections of all banks, without any calls: no bank can send payouts by its API.
  const unable = [...connectBanks(bankConfigurations(config))].map(
    ([code, connection]) => [code, { ...connection, calls: {} }] as const,
  )
  // The bank that would send a payout if no bank had an API and these banks took payouts in files.
  const choose = async (banks: typeof config.banks) => {
    const bankConnections = sendByFile(new Map(unable), banks)
    const sending = { bankConnections, currency: 'NGN', amountKobo: kobo(1n), now: clock() }
    return (await chooseSendingBank(db, sending)).bankCode
  }

  const files = config.banks.filter(({ code }) => code === '044')
  assert.equal(await choose(files), '044')
  assert.notEqual(await choose([]), '044')
})

test('the workers send payouts of other banks, and leave those for files queued', async () => {
  const inFiles = await queuePayouts(bench, { bankCode: '058' })
  const byCall = await queuePayouts(bench, { bankCode: '033' })

  bench.service.startWorkers()
  // The workers try the banks in the order of the settings, in which 058 comes first.
  while ((await statusesOf(bench, byCall)).some((status) => status !== 'confirmed'));

  assert.deepEqual(await statusesOf(bench, inFiles), ['queued', 'queued'])
})
