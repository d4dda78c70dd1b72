// Creates a payout file for a bank.

import { payoutFilesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { goTo, hrefOf } from '../../routing.ts'

const FORMATS = ['pain.001', 'csv'] as const

export function CreateFile({ done }: { done: () => void }) {
  return (
    <Action
      title={strings.createTitle}
      action={strings.create}
      style="primary"
      text={strings.createText}
      run={(form, headers) => {
        const format = form.choice('format', FORMATS)
        const body = { bankCode: form.text('bankCode'), format }
        return send('POST', '/api/v1/operator/payout-files', { body, headers })
      }}
      message={({ id }) => strings.made(id)}
      done={({ id }) => {
        done()
        goTo(hrefOf('payouts', id, { tab: 'files' }))
      }}
    >
      <OurBanks />
      <SelectField
        label={strings.format}
        name="format"
        options={FORMATS}
        names={strings.formatChoices}
      />
    </Action>
  )
}

function OurBanks() {
  const { data, problem, reload } = useData('/api/v1/operator/banks', {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  return (
    <SelectField
      label={strings.bank}
      name="bankCode"
      required
      none={strings.chooseBank}
      options={data.map(({ code, name }) => [code, name])}
    />
  )
}
