// What a client may pay out, which of it a second user must approve, and the least reserve of its
// settlements: the client is chosen, then that is changed.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { getData, type Schemas, send } from '../../api.ts'
import { ClientChoice } from '../../parts/client-choice.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'

type Settings = Schemas['PayoutSettings']
type Found = { clientId: string; settings: Settings }

const { payoutRules: strings } = settingsStrings
const PATH = '/api/v1/operator/clients/{clientId}/payout-settings'
const APPROVALS = ['none', 'above', 'all'] as const
const AMOUNTS = ['approvalAbove', 'perPayoutLimit', 'dailyLimit'] as const
const FLOORS = ['reserveFloorPercent', 'reserveFloorDays'] as const

export function ClientPayoutLimits() {
  const [found, setFound] = useState<Found | undefined>()
  const { problem, isBusy, submit } = useSending(async (given) => {
    const clientId = textOf(given, 'clientId')
    setFound(undefined)
    setFound({ clientId, settings: await getData(PATH, { clientId }) })
  })
  return (
    <section class="card panel" aria-labelledby="client-limits">
      <h2 id="client-limits">{strings.clientLimits}</h2>
      <p class="muted">{strings.clientLimitsText}</p>
      <form class="form" onSubmit={submit} aria-busy={isBusy}>
        <ClientChoice label={strings.client} />
        {problem && <Failed problem={problem} />}
        <div class="form-end start">
          <button type="submit" class="button" disabled={isBusy}>
            {strings.find}
          </button>
        </div>
      </form>
      {found && <LimitsForm key={found.clientId} {...found} />}
    </section>
  )
}

function LimitsForm({ clientId, settings }: Found) {
  const { problem, isBusy, submit } = useSending(async (given) => {
    const amounts = AMOUNTS.map((name) => [name, textOf(given, name).replaceAll(',', '') || null])
    const payoutApproval = choiceOf(given, 'payoutApproval', APPROVALS)
    const floors = FLOORS.map((name) => [name, Number(textOf(given, name))])
    const body = { payoutApproval, ...Object.fromEntries([...amounts, ...floors]) }
    await send('PATCH', PATH, { params: { clientId }, body })
    toast(appStrings.saved)
  })
  return (
    <form class="form" onSubmit={submit} aria-busy={isBusy} aria-label={clientId}>
      <Field label={strings.approval}>
        {(id) => (
          <select id={id} name="payoutApproval">
            {APPROVALS.map((each) => (
              <option key={each} value={each} selected={each === settings.payoutApproval}>
                {strings.approvals[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {AMOUNTS.map((name) => (
        <Field key={name} label={strings[name]}>
          {(id) => (
            <input
              id={id}
              name={name}
              inputMode="decimal"
              autocomplete="off"
              placeholder={strings.noLimit}
              defaultValue={settings[name]?.toString() ?? ''}
            />
          )}
        </Field>
      ))}
      {FLOORS.map((name) => (
        <Field key={name} label={strings[name]} hint={strings.reserveFloorHint}>
          {(id) => (
            <input
              id={id}
              name={name}
              type="number"
              required
              min={0}
              max={name === 'reserveFloorPercent' ? 100 : 365}
              step={name === 'reserveFloorPercent' ? 0.01 : 1}
              autocomplete="off"
              defaultValue={settings[name].toString()}
            />
          )}
        </Field>
      ))}
      {problem && <Failed problem={problem} />}
      <div class="actions">
        <button type="submit" class="button primary" disabled={isBusy}>
          {appStrings.save}
        </button>
      </div>
    </form>
  )
}
