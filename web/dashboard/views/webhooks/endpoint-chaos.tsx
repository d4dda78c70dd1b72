// The chaos settings of an endpoint, which disturb its deliveries in the sandbox so that a developer can
// test the receiver.

import { webhooksStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { InputField, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'

const { chaos: strings } = webhooksStrings
const PATH = '/sandbox/webhook-endpoints/{id}/chaos'
const COUNTS = ['delayMs', 'duplicate', 'dropNext'] as const

// The form of the chaos settings, and the button that clears them.
export function EndpointChaos({ id }: { id: string }) {
  const { data, problem, reload } = useData(PATH, { id })
  const params = { id }
  // Saves the settings.
  const sending = useSending(async (form) => {
    const [delayMs = 0, duplicate = 0, dropNext = 0] = COUNTS.map((name) => Number(form.text(name)))
    const reorder = form.has('reorder')
    await send('PUT', PATH, { params, body: { delayMs, duplicate, reorder, dropNext } })
    toast(strings.done)
    reload()
  })
  // Removes the settings, so that deliveries are normal again.
  const clear = useSending(async () => {
    await send('DELETE', PATH, { params })
    toast(strings.cleared)
    reload()
  })
  if (!data) return problem ? <Failed problem={problem} /> : <Skeleton kind="page" lines={2} />
  const failedChange = sending.problem ?? clear.problem
  return (
    <section aria-labelledby="chaos">
      <h3 id="chaos">{strings.title}</h3>
      <p class="muted small">{strings.text}</p>
      <form key={JSON.stringify(data)} class="desk-form" onSubmit={sending.submit}>
        {COUNTS.map((name) => (
          <InputField
            key={name}
            label={strings[name]}
            name={name}
            type="number"
            inputMode="numeric"
            min="0"
            defaultValue={`${data[name]}`}
          />
        ))}
        <label class="option">
          <input type="checkbox" name="reorder" defaultChecked={data.reorder} />
          {strings.reorder}
        </label>
        {failedChange && <Failed problem={failedChange} />}
        <button type="submit" class="button primary" disabled={sending.isBusy}>
          {strings.set}
        </button>
      </form>
      <form onSubmit={clear.submit}>
        <button type="submit" class="button" disabled={clear.isBusy}>
          {strings.clear}
        </button>
      </form>
    </section>
  )
}
