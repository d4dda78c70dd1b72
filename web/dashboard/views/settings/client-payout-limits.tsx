// The payout limits, approval rule and minimum reserve of a chosen client.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { getData, type Schemas, send } from '../../api.ts'
import { ActionForm } from '../../parts/action.tsx'
import { ClientChoice } from '../../parts/client-choice.tsx'
import { InputField, SelectField } from '../../parts/forms.tsx'

type Found = { clientId: string; settings: Schemas['PayoutSettings'] }

const { payoutRules: strings } = settingsStrings
const PATH = '/api/v1/operator/clients/{clientId}/payout-settings'
const APPROVALS = ['none', 'above', 'all'] as const
const AMOUNTS = ['approvalAbove', 'perPayoutLimit', 'dailyLimit'] as const
const FLOORS = ['reserveFloorPercent', 'reserveFloorDays'] as const

export function ClientPayoutLimits() {
  const [found, setFound] = useState<Found | undefined>()
  return (
    <section class="card panel" aria-labelledby="client-limits">
      <h2 id="client-limits">{strings.clientLimits}</h2>
      <p class="muted">{strings.clientLimitsText}</p>
      <ActionForm
        action={strings.find}
        run={async (form) => {
          const clientId = form.text('clientId')
          setFound(undefined)
          setFound({ clientId, settings: await getData(PATH, { clientId }) })
        }}
      >
        <ClientChoice label={strings.client} />
      </ActionForm>
      {found && <LimitsForm key={found.clientId} {...found} />}
    </section>
  )
}

function LimitsForm({ clientId, settings }: Found) {
  return (
    <ActionForm
      action={appStrings.save}
      style="primary"
      label={clientId}
      run={(form) => {
        const amounts = AMOUNTS.map((name) => [name, form.amount(name) || null])
        const payoutApproval = form.choice('payoutApproval', APPROVALS)
        const floors = FLOORS.map((name) => [name, Number(form.text(name))])
        const body = { payoutApproval, ...Object.fromEntries([...amounts, ...floors]) }
        return send('PATCH', PATH, { params: { clientId }, body })
      }}
      message={appStrings.saved}
    >
      <SelectField
        label={strings.approval}
        name="payoutApproval"
        options={APPROVALS}
        names={strings.approvals}
        chosen={settings.payoutApproval}
      />
      {AMOUNTS.map((name) => (
        <InputField
          key={name}
          label={strings[name]}
          name={name}
          inputMode="decimal"
          placeholder={strings.noLimit}
          defaultValue={settings[name]?.toString() ?? ''}
        />
      ))}
      {FLOORS.map((name) => (
        <InputField
          key={name}
          label={strings[name]}
          hint={strings.reserveFloorHint}
          name={name}
          type="number"
          required
          min={0}
          max={name === 'reserveFloorPercent' ? 100 : 365}
          step={name === 'reserveFloorPercent' ? 0.01 : 1}
          defaultValue={settings[name].toString()}
        />
      ))}
    </ActionForm>
  )
}
