// Replacing the data key while the service runs: all values are sealed again, no value is ever sealed with a
// key that a running process lacks, and an old key counts as unused only when no value is sealed with it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable } from '#db/pool.ts'
import { activateKey, KeyProblem, readKeys } from '#privacy/data-keys.ts'
import {
  countByKey,
  findSealedColumns,
  type Progress,
  resealPage,
  type SealedColumn,
} from '#privacy/key-rotation.ts'
import { Sealer } from '#seal.ts'
import { StartProblem } from '#wiring.ts'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import { createTestDatabase } from '../support/database.ts'
import { accountBody, createAccount, readAccount } from '../support/fixtures.ts'
import { newSessionId, reportCredit } from '../support/rail.ts'
import { type Bench, START, startTestService } from '../support/running-service.ts'
import { dataKey, leaveTrace, NEW, OLD, rotate, startHolder, startWithKeys } from './key-bench.ts'

const BVN = '22298765432'
const PAYER = { sourceAccountNumber: '0987654321', sourceAccountName: 'PAYER NAME' }

test('every sealed column of every table is sealed anew, and still opens to the same', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  const accounts = await makeThings(bench)
  const before = await countByKey(bench.db)

  const { resealed, cleared } = await rotate(bench, [NEW, OLD], {
    pause: bench.service.syncDataKeys,
  })

  assert.deepEqual([...before], [[OLD.id, resealed]])
  assert.deepEqual([...(await countByKey(bench.db))], [[NEW.id, resealed]])
  assert.deepEqual(cleared, [OLD.id])
  for (const number of accounts) assert.equal((await readAccount(bench, number)).bvn, BVN)
  await assertOpens(bench, new Sealer([NEW], Buffer.alloc(32)))
  await assertCleanBooks(bench)
})

test('a sealed column is found by its name, also in future tables', async () => {
  await using bench = await startTestService()
  const known = (await findSealedColumns(bench.db)).map(({ table, column }) => `${table}.${column}`)
  for (const name of ['collection_accounts.bvn_sealed', 'signing_secrets.secret_sealed']) {
    assert(known.includes(name), name)
  }
  const { rows } = await bench.db.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where data_type = 'bytea' and table_schema = 'public' and table_name !~ '_[0-9]{8}$|_default$'
        and column_name !~ '_(hash|sealed)$' order by 1`,
  )
  // All other bytea columns are sealed or hashed. These contain neither personal data nor secrets.
  assert.deepEqual(
    rows.map(({ name }) => name),
    [
      'client_logos.bytes',
      'data_keys.fingerprint',
      'message_suppressions.recipient', // Hashes.
      'messages.recipient',
      'number_ranges.key',
      'passkeys.credential_id',
      'passkeys.public_key',
      'screening_lists.content', // As their publishers wrote them.
      'screening_lists.sha256',
      'statement_lines.hash',
    ],
  )

  await bench.db.query('create table odd (a int, b int, x_sealed bytea, primary key (a, b))')
  await assert.rejects(findSealedColumns(bench.db), /odd has sealed values/)
})

test('a key seals only when every running process can open with it', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  const late = await startHolder(bench, [OLD])
  const seen: Progress[] = []
  let beats = 0

  await rotate(bench, [NEW, OLD], {
    onProgress: (progress) => seen.push(progress),
    pause: async () => {
      beats++
      await bench.service.syncDataKeys()
      if (beats === 3) late.give([NEW, OLD])
      await late.beat()
      // No process seals with the key while one of them lacks it.
      if (beats < 3) assert.deepEqual(await sealingKeys(bench), [OLD.id])
    },
  })

  const waited = seen.flatMap((each) => (each.step === 'waiting' ? [each.until] : []))
  assert.deepEqual([...new Set(waited)], ['opens', 'seals'])
  assert(waited.filter((until) => until === 'opens').length >= 3)
  assert.equal(late.sealer.sealingId, NEW.id)
})

test('a process without the new key stops a rotation before it has changed anything', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  await makeThings(bench)
  const without = await startHolder(bench, [OLD])
  const before = await countByKey(bench.db)

  const rotation = rotate(bench, [NEW, OLD], {
    pause: () => Promise.all([bench.service.syncDataKeys(), without.beat()]),
  })

  await assert.rejects(rotation, (error: Error) => {
    return (
      error instanceof KeyProblem && /^1 of the running .* Nothing was changed/.test(error.message)
    )
  })
  assert.deepEqual([...(await countByKey(bench.db))], [...before])
  assert.deepEqual(await sealingKeys(bench), [OLD.id])
})

test('a process that died is waited for until it cannot be running any more', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  await leaveTrace(bench, [OLD])
  const startedMs = bench.clock().getTime()

  await rotate(bench, [NEW, OLD], { pause: bench.service.syncDataKeys })

  assert(bench.clock().getTime() - startedMs >= 30_000)
})

test('a value sealed before a process changed its key is not missed, even if written late', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  await createAccount(bench)
  const slow = await bench.db.connect()
  await slow.query('begin')
  await slow.query('select pg_current_xact_id()')
  const late = new Sealer([OLD], Buffer.alloc(32)).seal(BVN)
  let pauses = 0
  // The transaction `slow`, which began before the rotation, writes the value `late`, which is sealed with
  // the old key, and commits.
  const write = async () => {
    await slow.query('update collection_accounts set bvn_sealed = $1', [late])
    await slow.query('commit')
  }

  const { cleared } = await rotate(bench, [NEW, OLD], {
    pause: async () => {
      await bench.service.syncDataKeys()
      if (++pauses === 8) await write()
    },
  }).finally(() => slow.release(true))

  assert.deepEqual(cleared, [OLD.id])
  assert.deepEqual([pauses >= 8, ...(await countByKey(bench.db)).keys()], [true, NEW.id])
})

test('cut off in the middle, a rotation is finished by running it again', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  await makeThings(bench)
  const cutOff = rotate(bench, [NEW, OLD], {
    pause: bench.service.syncDataKeys,
    onProgress: ({ step }) => assert.notEqual(step, 'sealing', 'killed'),
  })
  await assert.rejects(cutOff, /killed/)
  const half = await countByKey(bench.db)
  assert(half.has(OLD.id) && half.has(NEW.id), 'a part of it was sealed anew')
  assert.equal((await readKeys(bench.db)).find(({ id }) => id === OLD.id)?.isCleared, false)

  const { cleared } = await rotate(bench, [NEW, OLD], { pause: bench.service.syncDataKeys })

  assert.deepEqual(cleared, [OLD.id])
  assert.deepEqual([...(await countByKey(bench.db)).keys()], [NEW.id])
  const again = await rotate(bench, [NEW, OLD], { pause: bench.service.syncDataKeys })
  assert.deepEqual(again, { resealed: 0, cleared: [OLD.id] })
})

test('a value that is changed between reading and resealing keeps the change', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  const { accountNumber } = await createAccount(bench, { bvn: BVN })
  const sealer = new Sealer([NEW, OLD], Buffer.alloc(32))
  const columns = await findSealedColumns(bench.db)
  const column = columns.find(({ table }) => table === 'collection_accounts')
  const changed = sealer.seal('22211111111')
  const db = {
    query: async (text: string, values: unknown[]) => {
      const change = 'update collection_accounts set bvn_sealed = $1'
      if (text.startsWith('update')) await bench.db.query(change, [changed])
      return bench.db.query(text, values)
    },
  } as unknown as Queryable

  await resealPage(db, { sealer, source: column as SealedColumn, after: undefined })

  assert.equal(column?.table, 'collection_accounts')
  assert.equal((await readAccount(bench, accountNumber)).bvn, '22211111111')
})

test('accounts and credits are created and read during a rotation', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  await using twin = await startTwin(bench)
  const numbers = await makeThings(bench)
  const token = await bench.login()
  // Lets both processes learn the keys, and then creates and reads accounts and credits.
  const work = async () => {
    await Promise.all([bench.service.syncDataKeys(), twin.service.syncDataKeys()])
    const at = { accountNumber: numbers[0] as string, amount: '10', ...PAYER }
    const made = await twin.call({ url: '/api/v1/accounts/static', body: accountBody(), token })
    assert.equal(made.statusCode, 200, made.body)
    assert.equal((await reportCredit(bench, at)).responseCode, '00')
    numbers.push(made.json().data.accountNumber)
    for (const number of numbers) await readAccount(bench, number)
  }

  await rotate(bench, [NEW, OLD], { pause: work })
  await work()

  assert.deepEqual([...(await countByKey(bench.db)).keys()], [NEW.id])
  await assertCleanBooks(bench)
})

test('an old key that was dropped too early stops the start, in plain words', async () => {
  await using bench = await startWithKeys([OLD, NEW])
  await createAccount(bench)
  const withKeys = (keys: readonly { id: number; key: Uint8Array }[]) =>
    startTwin({
      ...bench,
      config: { ...bench.config, secrets: { ...bench.config.secrets, data: keys as never } },
    })

  await assert.rejects(withKeys([NEW]), (error: Error) => {
    return error instanceof StartProblem && /Data key 1 is missing/.test(error.message)
  })
  await assert.rejects(withKeys([dataKey(1, 'x'), NEW]), /not the one that this database knows/)

  await rotate(bench, [NEW, OLD], { pause: bench.service.syncDataKeys })
  await using twin = await withKeys([NEW])
  assert.equal((await twin.call({ method: 'GET', url: '/health' })).statusCode, 200)
})

test('the id of a key in use is never given to another key', async () => {
  await using bench = await startWithKeys([OLD])

  await assert.rejects(rotate(bench, [dataKey(1, 'x')]), /Another key goes by the id 1/)
})

test('a new process, restarted with the new key first, does not seal with it by itself', async () => {
  await using bench = await startWithKeys([OLD])
  const restarted = await startHolder(bench, [NEW, OLD])

  await restarted.beat()

  assert.equal(restarted.sealer.sealingId, OLD.id)
})

test('a process says that it seals with the new key only after a whole beat of doing so', async () => {
  await using database = await createTestDatabase()
  const db = database.pool
  const holder = await startHolder({ db, clock: () => START }, [OLD, NEW])
  const holders = async () => (await db.query('select seals from key_holders')).rows

  await activateKey(db, NEW.id)

  await holder.beat()
  assert.deepEqual([holder.sealer.sealingId, await holders()], [NEW.id, [{ seals: OLD.id }]])
  await holder.beat()
  assert.deepEqual(await holders(), [{ seals: NEW.id }])
  await holder.stop()
  assert.deepEqual(await holders(), [])
})

// Creates accounts, credits and a webhook secret, all of which have sealed columns; returns the account
// numbers.
async function makeThings(bench: Bench): Promise<string[]> {
  const accounts = await Promise.all(
    Array.from({ length: 12 }, () => createAccount(bench, { bvn: BVN })),
  )
  const numbers = accounts.map((account) => account.accountNumber as string)
  for (const accountNumber of numbers.slice(0, 3)) {
    await reportCredit(bench, { accountNumber, amount: '10', sessionId: newSessionId(), ...PAYER })
    await reportCredit(bench, { accountNumber, amount: '10', sessionId: newSessionId() })
  }
  const secret = await bench.call({ url: '/api/v1/webhook-secret' })
  assert.equal(secret.statusCode, 200, secret.body)
  return numbers
}

// The ids of the keys that processes seal with now.
async function sealingKeys({ db }: Bench): Promise<number[]> {
  return (await readKeys(db)).filter((key) => key.isSealing).map((key) => key.id)
}

// Asserts that this sealer can open each sealed value in the database.
async function assertOpens({ db }: Bench, sealer: Sealer): Promise<void> {
  for (const { table, column } of await findSealedColumns(db)) {
    const { rows } = await db.query(`select ${column} as sealed from ${table}
                                      where ${column} is not null`)
    for (const { sealed } of rows) assert(sealer.open(sealed).length > 0)
  }
}
