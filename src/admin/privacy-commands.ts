// `manilla admin rotate-keys` rotates the data key while the service runs (privacy/key-rotation.ts). If the
// keys are in secrets.json, the command generates the new key there. If they are in the environment, the
// operator first adds the new key at the start of MANILLA_DATA_KEYS of every process.
//
// `manilla admin … erase` erases personal data on behalf of any client.

import { setTimeout as wait } from 'node:timers/promises'
import { type Client, findClient } from '#access/permissions.ts'
import { accountWithNumber } from '#accounts/account.ts'
import { loadConfig } from '#config/config.ts'
import { addDataKey, readDataKeys } from '#config/secrets-file.ts'
import type { Pool } from '#db/pool.ts'
import { type Transaction, withHeldLock, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { alertRefusal } from '#privacy/bars.ts'
import { KeyProblem, readKeys, syncKeys } from '#privacy/data-keys.ts'
import { eraseAccounts, eraseAdvice, eraseNextPage } from '#privacy/erasure.ts'
import { countByKey, type Progress, rotateKeys } from '#privacy/key-rotation.ts'
import { type DataKey, Sealer } from '#seal.ts'
import { AdminProblem, type Context } from './operator-command.ts'

const LOOK_MS = 500
const LOCK = `hashtext('rotate-keys')`

// `manilla admin rotate-keys`: encrypts all data again, with the first data key. If secrets.json has the data
// keys (`areDataKeysStored`), adds the new key there; else the operator has added it to MANILLA_DATA_KEYS.
// With --check, only counts the values of each key.
export async function rotate(context: Context, { check }: { check?: boolean }) {
  if (check) return countKeys(context)
  const { db, env, clock } = context
  return withRotationLock(db, async () => {
    const config = loadConfig(env, 'serve')
    const { areDataKeysStored, hash } = config.secrets
    const keys = areDataKeysStored ? await targetKeys(db, config.dataDir) : config.secrets.data
    const [targetKey] = keys as [DataKey]
    const { resealed, cleared } = await rotateKeys(
      {
        pool: db,
        sealer: new Sealer(keys, hash),
        clock,
        pause: () => wait(LOOK_MS),
        onProgress: progressTo(process.stderr),
      },
      targetKey.id,
    )
    const summary = `All data is encrypted with data key ${targetKey.id} (${resealed} values re-encrypted).`
    const view = cleared.length === 0 ? summary : [summary, removalHint(cleared)]
    return { data: { sealingKey: targetKey.id, resealed, mayBeDropped: cleared }, view }
  })
}

// Says which keys encrypt nothing any more.
function removalHint(cleared: readonly number[]): string {
  const [keys, them] = cleared.length === 1 ? ['Key', 'it'] : ['Keys', 'them']
  return (
    `${keys} ${cleared.join(', ')} can be removed from MANILLA_DATA_KEYS. ` +
    `Older backups and archives still need ${them}.`
  )
}

// Returns the data keys, the target of the rotation first. Generates a new key unless an interrupted rotation
// must be finished first: it is finished once every key either encrypts new values (`isSealing`) or encrypts
// nothing any more (`isCleared`).
async function targetKeys(db: Pool, dataDir: string): Promise<readonly DataKey[]> {
  const keys = readDataKeys(dataDir)
  const stored = await readKeys(db)
  const newestKey = stored.find(({ id }) => id === keys[0]?.id)
  const isFinished = newestKey?.isSealing && stored.every((key) => key.isSealing || key.isCleared)
  return isFinished ? addDataKey(dataDir) : keys
}

// Runs one rotation at a time: concurrent rotations would deadlock.
async function withRotationLock<T>(db: Pool, work: () => Promise<T>): Promise<T> {
  try {
    const result = await withHeldLock(db, { lock: LOCK }, async () => ({ answer: await work() }))
    // `result` is undefined if another process holds the lock.
    if (!result) throw new AdminProblem('A key rotation is already in progress.')
    return result.answer
  } catch (error) {
    throw error instanceof KeyProblem ? new AdminProblem(error.message) : error
  }
}

// Counts how many values each key encrypts. `isSealing` marks the key that encrypts new values.
async function countKeys({ db }: Context) {
  const stored = await readKeys(db)
  const counts = await countByKey(db)
  const ids = [...new Set([...stored.map(({ id }) => id), ...counts.keys()])].sort((a, b) => a - b)
  const keys = ids.map((id) => {
    const isSealing = stored.some((key) => key.id === id && key.isSealing)
    return { id, isSealing, values: counts.get(id) ?? 0 }
  })
  const rows = keys.map(({ id, isSealing, values }) => [id, values, isSealing ? 'current' : ''])
  return { data: { keys }, view: { columns: ['key', 'values', 'state'], rows } }
}

// Writes one line for each finished column and for each kind of wait.
function progressTo(stream: NodeJS.WritableStream): (progress: Progress) => void {
  let lastLine = ''
  return (progress) => {
    const line = formatProgress(progress)
    if (line !== lastLine) stream.write(`${line}\n`)
    lastLine = line
  }
}

function formatProgress(progress: Progress): string {
  if (progress.step === 'sealing') {
    const { table, column, seen, resealed } = progress
    return `${table}.${column}: ${seen} scanned, ${resealed} re-encrypted`
  }
  const { processes, until } = progress
  const action = until === 'opens' ? 'load the new key' : 'encrypt with the new key'
  return `waiting for ${processes} running ${processes === 1 ? 'process' : 'processes'} to ${action}`
}

type Erasure = { reason: string; sameBvn?: boolean }

// `manilla admin account erase`: erases the personal data of an account's customer. With --same-bvn, also
// erases the client's other accounts with the same BVN.
export async function eraseAccount(context: Context, options: Erasure, accountNumber: string) {
  const { rows } = await context.db.query<{ clientId: string }>(
    `select c.client_id
       from collection_accounts a join clients c on c.id = a.client_id
      where a.id = ${accountWithNumber('$1')}`,
    [accountNumber],
  )
  if (!rows[0]) throw new Refusal('account_not_found')
  const deps = await prepareErasure(context, options.reason, rows[0].clientId)
  const accounts = await eraseOrAlert(context, (tx) =>
    eraseAccounts(tx, deps, { accountNumber, sameBvn: options.sameBvn === true }),
  )
  await erasePages(context, deps)
  const lines = accounts.map(({ accountNumber, erasedAt }) => [
    accountNumber,
    erasedAt.toISOString(),
  ])
  return { data: { accounts }, view: { columns: ['account', 'erased'], rows: lines } }
}

// `manilla admin advice erase`: erases the personal data of an advice.
export async function eraseOneAdvice(context: Context, { reason }: Erasure, reference: string) {
  const id = parseReference<AdviceId>(reference)
  const { rows } = await context.db.query<{ clientId: string }>(
    `select c.client_id from advices a join clients c on c.id = a.client_id
      where a.id = $1`,
    [id ?? null],
  )
  if (!rows[0] || !id) throw new Refusal('advice_not_found')
  const deps = await prepareErasure(context, reason, rows[0].clientId)
  const erased = await eraseOrAlert(context, (tx) => eraseAdvice(tx, deps, id))
  await erasePages(context, deps)
  const lines = [[id, erased.erasedAt.toISOString()]]
  const view = { columns: ['advice', 'erased'], rows: lines }
  return { data: { adviceReference: id, ...erased }, view }
}

// Runs an erasure. Alerts the operators if a hold or a case bars it.
function eraseOrAlert<T>(context: Context, erase: (tx: Transaction) => Promise<T>): Promise<T> {
  return withTransaction(context.db, erase).catch(async (refusal) => {
    await alertRefusal(context, refusal)
    throw refusal
  })
}

// Returns the dependencies of an erasure. It acts for the client, without the client's restriction to
// merchantCodes.
async function prepareErasure(context: Context, reason: string, clientId: string) {
  const { db, env, clock, actor } = context
  const { secrets } = loadConfig(env, 'serve')
  const sealer = new Sealer(secrets.data, secrets.hash)
  await syncKeys(db, clock(), sealer)
  const client = (await findClient(db, clientId)) as Client
  return { sealer, now: clock(), by: { ...client, merchantCodes: null }, actor, reason }
}

// Erases until nothing is left to do at once. The workers erase stored webhook responses later, because
// deliveries may be in flight.
async function erasePages({ db, clock }: Context, { sealer }: { sealer: Sealer }): Promise<void> {
  while (await withTransaction(db, (tx) => eraseNextPage(tx, { sealer, now: clock() })));
}
