// Wema sends a name enquiry for one of our numbers, and gets the answer in its own format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../../support/fixtures.ts'
import { BANK_CODE, signed, startConnected } from '../connector-bench.ts'
import type { ConnectorCase } from '../connector-case.ts'
import { WEMA } from './conformance-case.ts'

const [BASIC] = WEMA as [ConnectorCase]

test('a name enquiry is answered with the account name, or 07', async () => {
  await using bench = await startConnected(BASIC)
  const { accountNumber } = await createAccount(bench)
  // Enquires a name as Wema, with this secret.
  const ask = (accountnumber: string, secret = BASIC.secret) => {
    const body = Buffer.from(JSON.stringify({ accountnumber }))
    const headers = signed({ ...BASIC, secret }, body)
    const url = `/rails/${BANK_CODE}/name-enquiry`
    return bench.call({ method: 'POST', url, body, headers, token: null })
  }

  const found = await ask(accountNumber)
  const unknown = await ask('9999999999')
  const forged = await ask(accountNumber, 'guess')

  assert.deepEqual(found.json().status, '00')
  assert.match(found.json().accountname, /Ada Obi/i)
  assert.deepEqual(unknown.json(), {
    accountname: '',
    status: '07',
    status_desc: 'account number not found',
  })
  assert.equal(forged.statusCode, 401)
})
