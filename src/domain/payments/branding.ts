// A client's branding: what payers see of it on the checkout page, and its name in account names,
// which their banks show too. In live mode the operator reviews that name first (I102).

import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { ClientId } from '#ids.ts'
import { alertReviewers } from './account-name-reviews.ts'
import { type Logo, SHOWN_LOGO, type ShownLogo, setLogo } from './logos.ts'

export type Branding = {
  name: string | null // Null: the client's own name.
  colour: string | null // #rrggbb in lower case; null: ours.
  accountName: string | null // The merchant in account names. Null: the client's own name.
  pendingAccountName: string | null // Waits for the operator's review.
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
  logo: ShownLogo | null
}

const SELECT_BRANDING = `
  select c.brand_name as name, c.brand_colour as colour, c.brand_account_name as "accountName",
         c.pending_account_name as "pendingAccountName",
         c.brand_support_email as "supportEmail", c.brand_support_phone as "supportPhone",
         c.brand_support_url as "supportUrl", ${SHOWN_LOGO} as logo
    from clients c where c.id = $1`

export async function readBranding(db: Queryable, clientId: ClientId): Promise<Branding> {
  const { rows } = await db.query<Branding>({
    name: 'read-branding',
    text: SELECT_BRANDING,
    values: [clientId],
  })
  return rows[0] as Branding
}

// Fields that are left out stay as they are; null takes a choice back.
export type BrandingFields = Partial<Omit<Branding, 'logo' | 'pendingAccountName'>>
type BrandingChange = {
  client: Client
  actor: string
  fields: BrandingFields
  logo: Logo | null | undefined
  mode: 'sandbox' | 'live'
}

// A no-op writes nothing. The client is locked, so that two changes at once both count.
export async function setBranding(
  tx: Transaction,
  now: Date,
  { client, actor, fields, logo, mode }: BrandingChange,
): Promise<Branding> {
  const { rows } = await tx.query<Branding>({
    name: 'lock-branding',
    text: `${SELECT_BRANDING} for no key update of c`,
    values: [client.id],
  })
  const before = rows[0] as Branding
  const after = {
    ...before,
    ...fields,
    ...(mode === 'live' ? reviewed(before, fields.accountName) : {}),
    logo: logo === undefined ? before.logo : logo && shown(logo),
  }
  if (isDeepStrictEqual(after, before)) return after
  await update(tx, client.id, after)
  if (logo !== undefined) await setLogo(tx, now, { clientId: client.id, logo })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'branding.set',
    subject: `client/${client.clientId}`,
    detail: { ...fields, ...(logo === undefined ? {} : { logoSha256: logo?.sha256 ?? null }) },
  })
  if (after.pendingAccountName !== before.pendingAccountName) {
    await alertReviewers(tx, now, { client, accountName: after.pendingAccountName })
  }
  return after
}

// A name of the client's own choice waits. The reviewed name, and the client's name, which the operator
// gave it, need no review: to set one of them withdraws the name that waits.
function reviewed(
  { accountName, pendingAccountName }: Branding,
  name: string | null | undefined,
): Pick<Branding, 'accountName' | 'pendingAccountName'> {
  if (name === undefined) return { accountName, pendingAccountName }
  if (name === null || name === accountName) return { accountName: name, pendingAccountName: null }
  return { accountName, pendingAccountName: name }
}

function shown({ sha256, width, height }: Logo): ShownLogo {
  return { sha256, width, height }
}

async function update(tx: Transaction, clientId: ClientId, branding: Branding): Promise<void> {
  const { name, colour, accountName, pendingAccountName } = branding
  const { supportEmail, supportPhone, supportUrl } = branding
  await tx.query({
    name: 'set-branding',
    text: `update clients
              set brand_name = $2, brand_colour = $3, brand_account_name = $4,
                  brand_support_email = $5, brand_support_phone = $6, brand_support_url = $7,
                  pending_account_name = $8
            where id = $1`,
    values: [
      clientId,
      name,
      colour,
      accountName,
      supportEmail,
      supportPhone,
      supportUrl,
      pendingAccountName,
    ],
  })
}
