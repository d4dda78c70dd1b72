// The devices of a user. The browser holds a random token in a long-lived cookie; we store its hash. A
// sign-in on a device that the user has not used is mailed to the user, except the very first one.

import { createHash, randomBytes } from 'node:crypto'
import { timestamp } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Sealer } from '#seal.ts'
import { mailUser } from './user-mail.ts'
import type { User } from './users.ts'

export const DEVICE_MS = 400 * 86_400_000 // The longest life that browsers give a cookie.

type Visit = {
  user: Pick<User, 'id' | 'clientId' | 'email'>
  token: string | undefined // The browser's cookie.
  address: string
  userAgent: string | undefined
  mail: { sealer: Sealer } | undefined
}

// Returns the token for the browser's cookie.
export async function meetDevice(
  tx: Transaction,
  now: Date,
  { user, token = newToken(), address, userAgent = '', mail }: Visit,
): Promise<string> {
  const { rows } = await tx.query<{ isNew: boolean; hasOthers: boolean }>({
    name: 'meet-device',
    text: `with met as (
             insert into known_devices (user_id, client_id, token_hash, first_seen_at, seen_at)
             values ($1, $2, $3, $4, $4)
             on conflict (user_id, token_hash) do update set seen_at = excluded.seen_at
             returning first_seen_at = $4 as is_new)
           select is_new,
                  exists (select from known_devices where user_id = $1 and token_hash <> $3) as has_others
             from met`,
    values: [user.id, user.clientId, hashToken(token), now],
  })
  const [met] = rows
  if (mail && met?.isNew && met.hasOthers) {
    const facts = { at: timestamp(now), address, device: deviceName(userAgent) }
    await mailUser(tx, { now, sealer: mail.sealer }, { user, kind: 'user.new_device', facts })
  }
  return token
}

export async function deleteOldDevices(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-devices',
    text: 'delete from known_devices where seen_at <= $1',
    values: [new Date(now.getTime() - DEVICE_MS)],
  })
}

// The first match wins: browsers claim to be each other. The result contains only names from these lists,
// because a client can send any user agent.
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPiOS)\b/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

function deviceName(userAgent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (names) => names.find(([pattern]) => pattern.test(userAgent))?.[1],
  )
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown'
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
