// Balances by merchant at an earlier moment list only merchants that existed then.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const MERCHANTS = '/api/v1/balances/merchants'

test('at a moment, a merchant that came later is not listed, and leaves no gap in the pages', async () => {
  await using own = await startTestService()
  await createAccount(own, { merchantId: 'A', merchantCode: 'x' })
  own.advance(1_000)
  await createAccount(own, { merchantId: 'B', merchantCode: 'x' })
  const at = own.clock().toISOString()
  await createAccount(own, { merchantId: 'AA', merchantCode: 'x' })
  own.advance(1_000)
  await createAccount(own, { merchantId: 'C', merchantCode: 'x' })

  // The merchants on all pages of the list.
  const listed = async (query: string) => {
    const ids: string[] = []
    let cursor = ''
    do {
      const url = `${MERCHANTS}?limit=1${query}${cursor && `&cursor=${cursor}`}`
      const page = (await own.call({ url })).json()
      ids.push(...page.data.map(({ merchantId }: { merchantId: string }) => merchantId))
      cursor = page.nextCursor ?? ''
    } while (cursor !== '' && ids.length < 10)
    return ids
  }

  assert.deepEqual(await listed(`&at=${at}`), ['A'])
  assert.deepEqual(await listed(''), ['A', 'AA', 'B', 'C'])
})
