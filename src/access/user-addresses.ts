// The addresses from which the users of a client may sign in (I171). Checked at every way in and at every
// look-up of a session. The setter cannot exclude their own address; the operator's command line removes the
// list.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { addressMatcher, parseAddressRange } from '#ip-allowlist.ts'
import { writeAuditLog } from '#records/audit-log.ts'

export type UserAddresses = { addresses: readonly string[] | null }

export function admits(ranges: readonly string[] | null, address: string): boolean {
  return ranges === null || addressMatcher(ranges)(address)
}

export async function findUserAddresses(db: Queryable, clientId: ClientId): Promise<UserAddresses> {
  const { rows } = await db.query<UserAddresses>({
    name: 'find-user-addresses',
    text: 'select user_addresses as addresses from clients where id = $1',
    values: [clientId],
  })
  return { addresses: rows[0]?.addresses ?? null }
}

export async function maySignInFrom(
  db: Queryable,
  clientId: ClientId,
  address: string,
): Promise<boolean> {
  return admits((await findUserAddresses(db, clientId)).addresses, address)
}

type Setting = {
  clientId: ClientId
  clientCode: string
  addresses: readonly string[] | null // Null or none: any address.
  by: { actor: string; address: string | null } // Null: the command line.
}

export async function setUserAddresses(
  tx: Transaction,
  now: Date,
  { clientId, clientCode, addresses, by }: Setting,
): Promise<UserAddresses> {
  const ranges = parse(addresses ?? [])
  const own = by.address
  if (own !== null && !admits(ranges, own)) {
    const message = `Must include your own address, ${own}.`
    throw new Refusal('invalid_request', [{ field: 'addresses', message }])
  }
  await tx.query({
    name: 'set-user-addresses',
    text: 'update clients set user_addresses = $2 where id = $1',
    values: [clientId, ranges],
  })
  await writeAuditLog(tx, now, {
    ...{ clientId, actor: by.actor, action: 'client.set_user_addresses' },
    ...{ subject: `client/${clientCode}`, detail: { addresses: ranges } },
  })
  return { addresses: ranges }
}

function parse(addresses: readonly string[]): string[] | null {
  const problems: { field: string; message: string }[] = []
  const ranges = addresses.map((text, at) => {
    const range = parseAddressRange(text.trim())
    const message = 'Must be an IP address, or a range by its first: 10.0.0.0/8.'
    if (!range) problems.push({ field: `addresses.${at}`, message })
    return range ?? text
  })
  if (problems.length > 0) throw new Refusal('invalid_request', problems)
  return ranges.length > 0 ? [...new Set(ranges)] : null
}
