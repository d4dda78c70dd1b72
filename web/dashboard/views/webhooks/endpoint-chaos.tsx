// The chaos settings of an endpoint, in the sandbox.

import { webhooksStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { InputField, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'

const { chaos: strings } = webhooksStrings
const PATH = '/sandbox/webhook-endpoints/{id}/chaos'
const COUNTS = ['delayMs', 'duplicate', 'dropNext'] as const

export function EndpointChaos({ id }: { id: string }) {
  const { data, problem, reload } = useData(PATH, { id })
  const params = { id }
  const sending = useSending(async (form) => {
    const [delayMs = 0, duplicate = 0, dropNext = 0] = COUNTS.map((n) => Number(form.text(n)))
    const reorder = form.has('reorder')
    await send('PUT', PATH, { params, body: { delayMs, duplicate, reorder, dropNext } })
    toast(strings.done)
    reload()
  })
  const clear = useSending(async () => {
    await send('DELETE', PATH, { params })
    toast(strings.cleared)
    reload()
  })
  if (!data) return problem ? <Failed problem={problem} /> : <Skeleton kind="page" lines={2} />
  const failed = sending.problem ?? clear.problem
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
        {failed && <Failed problem={failed} />}
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
