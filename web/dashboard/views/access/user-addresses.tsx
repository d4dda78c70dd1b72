// The addresses from which the users of the client may sign in.

import { userAddressesStrings as strings } from '../../../copy.ts'
import { getPage, send } from '../../api.ts'
import { useData, useLoaded } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { type Form, TextAreaField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import type { ViewProps } from '../../view-props.ts'
import { ConfirmFields, proofFrom } from './confirm-identity.tsx'
import { PASSKEYS } from './passkeys.tsx'

const PATH = '/dashboard/api/client/user-addresses'

// The network addresses from which the client’s users may sign in, and the form that changes them.
export function UserAddresses({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  const passkeys = useLoaded(PASSKEYS, (signal) => getPage(PASSKEYS, {}, { signal }))
  const hasPasskey = (passkeys.data?.data.length ?? 0) > 0
  const factors = { hasTotp: session.user.hasTotp, hasPasskey, session }
  return (
    <section class="card panel" aria-labelledby="user-addresses">
      <h2 id="user-addresses">{strings.heading}</h2>
      <p class="muted">{strings.text}</p>
      <Pending {...{ data, problem, reload }} kind="rows" lines={1} />
      {data && <p>{data.addresses?.join(', ') ?? strings.any}</p>}
      {data && passkeys.data && (
        <div class="actions">
          <Action
            action={strings.change}
            title={strings.heading}
            run={async (form) => {
              const body = { addresses: addressesFrom(form), ...(await proofFrom(form)) }
              return send('PUT', PATH, { body })
            }}
            message={strings.saved}
            onDone={reload}
          >
            <TextAreaField
              label={strings.addresses}
              hint={strings.hint}
              name="addresses"
              errorField="addresses"
              rows={4}
              defaultValue={data.addresses?.join('\n') ?? ''}
            />
            <ConfirmFields {...factors} />
          </Action>
        </div>
      )}
    </section>
  )
}

// Without any address, users may sign in from everywhere (null).
function addressesFrom(form: Form): string[] | null {
  const lines = form.text('addresses').split(/\s+/).filter(Boolean)
  return lines.length > 0 ? lines : null
}
