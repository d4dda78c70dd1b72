// A user's passkeys. The device holds the private key. The service stores the public key and a
// counter, which detects a copied device if the device counts.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type PasskeyId, timeOrderedId, type UserId } from '#ids.ts'

const PASSKEYS_MAX = 20

export type Passkey = {
  id: PasskeyId
  userId: UserId
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  name: string
  createdAt: Date
  usedAt: Date | null
}

const PASSKEY_COLUMNS = `
  id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey",
  counter::float8 as counter, transports, name, created_at as "createdAt", used_at as "usedAt"`

export async function listPasskeys(db: Queryable, userId: UserId): Promise<Passkey[]> {
  const { rows } = await db.query<Passkey>({
    name: 'list-passkeys',
    text: `select ${PASSKEY_COLUMNS} from passkeys where user_id = $1 order by id desc`,
    values: [userId],
  })
  return rows
}

export async function findPasskey(
  db: Queryable,
  credentialId: Buffer,
): Promise<Passkey | undefined> {
  const { rows } = await db.query<Passkey>({
    name: 'find-passkey',
    text: `select ${PASSKEY_COLUMNS} from passkeys where credential_id = $1`,
    values: [credentialId],
  })
  return rows[0]
}

type NewPasskey = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'name'
> & {
  user: { id: UserId; clientId: ClientId }
}

// The caller must lock the user, or two concurrent calls could exceed the limit.
export async function addPasskey(
  tx: Transaction,
  now: Date,
  passkey: NewPasskey,
): Promise<Passkey> {
  const { user, credentialId, publicKey, counter, transports, name } = passkey
  const { length } = await listPasskeys(tx, user.id)
  if (length >= PASSKEYS_MAX) throw new Refusal('too_many_passkeys')
  const { rows } = await tx.query<Passkey>({
    name: 'add-passkey',
    text: `insert into passkeys (id, client_id, user_id, credential_id, public_key, counter,
                                 transports, name, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (credential_id) do nothing
           returning ${PASSKEY_COLUMNS}`,
    values: [
      timeOrderedId(now),
      user.clientId,
      user.id,
      credentialId,
      publicKey,
      counter,
      transports,
      name,
      now,
    ],
  })
  if (!rows[0]) throw new Refusal('passkey_exists')
  return rows[0]
}

type Use = { id: PasskeyId; userId: UserId; counter: number }

// The database decides between concurrent uses. Returns false if the passkey is gone, belongs to
// another user, or its counter has not advanced, as for a copied device.
export async function usePasskey(tx: Transaction, now: Date, use: Use): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'use-passkey',
    text: `update passkeys set counter = $3, used_at = $4
            where id = $1 and user_id = $2 and (counter < $3 or (counter = 0 and $3 = 0))`,
    values: [use.id, use.userId, use.counter, now],
  })
  return rowCount === 1
}

export async function renamePasskey(
  tx: Transaction,
  userId: UserId,
  { id, name }: { id: PasskeyId; name: string },
): Promise<{ passkey: Passkey; oldName: string }> {
  const passkey = (await listPasskeys(tx, userId)).find((each) => each.id === id)
  if (!passkey) throw new Refusal('passkey_not_found')
  await tx.query({
    name: 'rename-passkey',
    text: 'update passkeys set name = $3 where id = $1 and user_id = $2',
    values: [id, userId, name],
  })
  return { passkey: { ...passkey, name }, oldName: passkey.name }
}

export async function removePasskey(
  tx: Transaction,
  userId: UserId,
  id: PasskeyId,
): Promise<string> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'remove-passkey',
    text: 'delete from passkeys where id = $1 and user_id = $2 returning name',
    values: [id, userId],
  })
  if (!rows[0]) throw new Refusal('passkey_not_found')
  return rows[0].name
}

export async function removePasskeys(tx: Transaction, userId: UserId): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'remove-passkeys-of-user',
    text: 'delete from passkeys where user_id = $1',
    values: [userId],
  })
  return rowCount ?? 0
}
