// How many account numbers of each bank a client may hold, which operators set.

import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { count } from '../../format.ts'
import { ActionForm } from '../../parts/action.tsx'
import { InputField } from '../../parts/forms.tsx'

const { numberCeilings: strings } = settingsStrings
export const NUMBER_CEILINGS_PATH = '/api/v1/operator/clients/{clientId}/number-ceilings'

type Bank = Schemas['NumberCeilingsOfBank']

const KINDS = [
  { kind: 'accounts', held: 'accountsHeld', standard: 'defaultAccounts' },
  { kind: 'leases', held: 'leasesHeld', standard: 'defaultLeases' },
] as const

// A blank field means the default share.
export function NumberCeilingsForm({
  clientId,
  banks,
}: {
  clientId: string
  banks: readonly Bank[]
}) {
  return (
    <ActionForm
      action={strings.save}
      style="primary"
      label={clientId}
      run={(form) => {
        const read = (name: string) => {
          const text = form.text(name).replaceAll(',', '')
          return text === '' ? null : Number(text)
        }
        const changed = banks.map(({ bankCode }) => ({
          bankCode,
          accounts: read(`accounts${bankCode}`),
          leases: read(`leases${bankCode}`),
        }))
        return send('PUT', NUMBER_CEILINGS_PATH, {
          params: { clientId },
          body: { banks: changed },
        })
      }}
      message={appStrings.saved}
    >
      <p class="muted">{strings.text}</p>
      {banks.flatMap((bank) =>
        KINDS.map(({ kind, held, standard }) => (
          <InputField
            key={`${kind}${bank.bankCode}`}
            label={strings.of(bank.bankCode, strings[kind], count(bank[held]))}
            name={`${kind}${bank.bankCode}`}
            inputMode="numeric"
            placeholder={
              bank[standard] === null ? strings.none : strings.standard(count(bank[standard]))
            }
            defaultValue={bank[kind]?.toString() ?? ''}
          />
        )),
      )}
    </ActionForm>
  )
}
