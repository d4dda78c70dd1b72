// A client's branding on the checkout page. The account name shown by banks is not affected.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { ClientId } from '#ids.ts'

export type Branding = {
  name: string | null // Null: the client's own name.
  colour: string | null // #rrggbb in lower case; null: ours.
}

export async function readBranding(db: Queryable, clientId: ClientId): Promise<Branding> {
  const { rows } = await db.query<Branding>({
    name: 'read-branding',
    text: 'select brand_name as name, brand_colour as colour from clients where id = $1',
    values: [clientId],
  })
  return rows[0] as Branding
}

type BrandingChange = { client: Client; actor: string; branding: Branding }

// A no-op writes nothing.
export async function setBranding(
  tx: Transaction,
  now: Date,
  { client, actor, branding: { name, colour } }: BrandingChange,
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'set-branding',
    text: `update clients set brand_name = $2, brand_colour = $3
            where id = $1 and (brand_name, brand_colour) is distinct from ($2, $3)`,
    values: [client.id, name, colour],
  })
  if (rowCount === 0) return
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'branding.set',
    subject: `client/${client.clientId}`,
    detail: { name, colour },
  })
}
