// Writes a message from its facts, in the look of its sender. Payers see the merchant's branding; users see
// Manilla's.

import type { Queryable } from '#db/pool.ts'
import type { ClientId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { MESSAGE_KINDS, type MessageFacts, type MessageKind } from './kinds.ts'
import type { Brand, Copy } from './letter.ts'
import { render, writeLetter } from './render.ts'

const MANILLA: Brand = {
  name: 'Manilla',
  colour: null,
  logo: null,
  supportEmail: null,
  supportPhone: null,
  supportUrl: null,
}

type Asking = { clientId: ClientId; publicUrl: string; audience: string }

export async function findBrand(
  db: Queryable,
  { clientId, publicUrl, audience }: Asking,
): Promise<Brand> {
  if (audience !== 'payer') return MANILLA
  const { rows } = await db.query<Omit<Brand, 'logo'> & { logoSha256: string | null }>({
    name: 'brand-of-message',
    text: `select coalesce(c.brand_name, c.name) as name, c.brand_colour as colour,
                  c.brand_support_email as support_email, c.brand_support_phone as support_phone,
                  c.brand_support_url as support_url,
                  (select sha256 from client_logos l where l.client_id = c.id) as logo_sha256
             from clients c where c.id = $1`,
    values: [clientId],
  })
  const [row] = rows
  if (!row) return MANILLA
  const { logoSha256, ...brand } = row
  return { ...brand, logo: logoSha256 && `${publicUrl}/pay/logos/${logoSha256}` }
}

type Sealed = { kind: MessageKind; factsSealed: Buffer; clientId: ClientId }

type Rendering = { db: Queryable; sealer: Sealer; publicUrl: string; messageCopy: Copy }

export async function renderMessage(
  { db, sealer, publicUrl, messageCopy: copy }: Rendering,
  { kind, factsSealed, clientId }: Sealed,
) {
  const facts = JSON.parse(sealer.open(factsSealed)) as MessageFacts[typeof kind]
  const { audience } = MESSAGE_KINDS[kind]
  const brand = await findBrand(db, { clientId, publicUrl, audience })
  return { rendered: render(copy, writeLetter(copy, kind, facts), brand), brand }
}

type Unsealed<Kind extends MessageKind> = {
  kind: Kind
  facts: MessageFacts[Kind]
  brandOf: Asking
  copy: Copy
}

// Renders a message without sending it, for previews.
export async function renderFacts<Kind extends MessageKind>(
  db: Queryable,
  { kind, facts, brandOf, copy }: Unsealed<Kind>,
) {
  return render(copy, writeLetter(copy, kind, facts), await findBrand(db, brandOf))
}
