// The setting for the age at which money in suspense raises an alert.

import { appStrings, accountingStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { ActionForm } from '../../parts/action.tsx'
import { InputField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'

const PATH = '/api/v1/operator/suspense-escalation'
const DAYS_MAX = 3650

// The number of days after which suspense raises an alert. A blank field turns the alert off.
export function SuspenseEscalation() {
  const { data, problem, reload } = useData(PATH, {})
  return (
    <section class="card panel after-facts" aria-labelledby="escalation">
      <h2 id="escalation">{strings.escalation}</h2>
      <Pending {...{ data, problem, reload }} kind="text" lines={2} />
      {data && (
        <ActionForm
          key={data.days}
          action={appStrings.save}
          run={async (form) => {
            const days = form.text('days')
            await send('PUT', PATH, { body: { days: days ? Number(days) : null } })
            toast(appStrings.saved)
            reload()
          }}
        >
          <InputField
            label={strings.escalationDays}
            hint={strings.escalationHint}
            name="days"
            type="number"
            min={1}
            max={DAYS_MAX}
            step={1}
            defaultValue={data.days === null ? '' : `${data.days}`}
          />
        </ActionForm>
      )}
    </section>
  )
}
