// The ceilings on collection accounts, by KYC tier. Operators set them for each client; a client reads its
// own.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { getData, type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { ActionForm } from '../../parts/action.tsx'
import { ClientChoice } from '../../parts/client-choice.tsx'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { InputField } from '../../parts/forms.tsx'

type Ceiling = Schemas['CollectionCeiling']

const { ceilings: strings, limitProfiles } = settingsStrings
const PATH = '/api/v1/operator/clients/{clientId}/collection-ceilings'
const LIMITS = ['perCredit', 'perDay', 'balanceMax'] as const

// Renders nothing for a client without ceilings. Most clients have none.
export function OwnCeilings() {
  const { data } = useData('/api/v1/collection-ceilings', {})
  const facts = (data?.tiers ?? []).flatMap((ceiling) =>
    LIMITS.flatMap((limit): Fact[] => {
      const amount = ceiling[limit]
      return amount === null
        ? []
        : [[strings.of(ceiling.tier, limitProfiles[limit]), money(amount)]]
    }),
  )
  if (facts.length === 0) return null
  return (
    <section class="card panel" aria-labelledby="own-ceilings">
      <h2 id="own-ceilings">{strings.own}</h2>
      <p class="muted">{strings.ownText}</p>
      <Facts facts={facts} />
    </section>
  )
}

// Lets an operator look up a client and change the ceilings on its accounts of each KYC tier.
export function ClientCeilings() {
  const [clientCeilings, setClientCeilings] = useState<
    { clientId: string; tiers: Ceiling[] } | undefined
  >()
  return (
    <section class="card panel" aria-labelledby="client-ceilings">
      <h2 id="client-ceilings">{strings.ofClient}</h2>
      <p class="muted">{strings.text}</p>
      <ActionForm
        action={settingsStrings.payoutRules.find}
        run={async (form) => {
          const clientId = form.text('clientId')
          // Removes the form of the previous client, in case the new client cannot be loaded.
          setClientCeilings(undefined)
          setClientCeilings({ clientId, ...(await getData(PATH, { clientId })) })
        }}
      >
        <ClientChoice label={settingsStrings.payoutRules.client} />
      </ActionForm>
      {clientCeilings && <CeilingsForm key={clientCeilings.clientId} {...clientCeilings} />}
    </section>
  )
}

// A blank field means no ceiling.
function CeilingsForm({ clientId, tiers }: { clientId: string; tiers: Ceiling[] }) {
  return (
    <ActionForm
      action={appStrings.save}
      style="primary"
      label={clientId}
      run={(form) => {
        // A blank amount removes the ceiling.
        const ceilings = tiers.map(({ tier }) => {
          const limits = LIMITS.map((limit) => [limit, form.amount(fieldName(tier, limit)) || null])
          return { tier: tier as 1 | 2 | 3, ...Object.fromEntries(limits) }
        })
        return send('PUT', PATH, { params: { clientId }, body: { tiers: ceilings } })
      }}
      message={appStrings.saved}
    >
      {tiers.flatMap((ceiling) =>
        LIMITS.map((limit) => (
          <InputField
            key={fieldName(ceiling.tier, limit)}
            label={strings.of(ceiling.tier, limitProfiles[limit])}
            name={fieldName(ceiling.tier, limit)}
            inputMode="decimal"
            placeholder={strings.none}
            defaultValue={ceiling[limit]?.toString() ?? ''}
          />
        )),
      )}
    </ActionForm>
  )
}

const fieldName = (tier: number, limit: string) => `${limit}${tier}`
