// One's own passkeys: add, rename, remove.

import { useState } from 'preact/hooks'
import { passkeyStrings as strings } from '../../../copy.ts'
import { type Page, type Schemas, send } from '../../api.ts'
import { deviceName } from '../../device-names.ts'
import type { Loaded } from '../../loading.ts'
import { DialogForm, ShowOnce } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Time } from '../../parts/values.tsx'
import { hasPasskeys, makePasskey } from '../../passkeys.ts'
import { ConfirmFields, type Factors, proofFrom } from './confirm-identity.tsx'

export const PASSKEYS = '/dashboard/api/passkeys'
const NAME_LENGTH_MAX = 100

type Passkey = Schemas['Passkey']
type Step =
  | { at: 'rest' }
  | { at: 'add' }
  | { at: 'codes'; codes: string[] }
  | { at: 'rename' | 'remove'; passkey: Passkey }

type Props = { loaded: Loaded<Page<Passkey>>; factors: Factors; removed: () => void }

export function Passkeys({ loaded: { data, problem, reload }, factors, removed }: Props) {
  const [step, setStep] = useState<Step>({ at: 'rest' })
  const rest = () => setStep({ at: 'rest' })
  const changed = (next: Step = { at: 'rest' }) => {
    setStep(next)
    reload()
  }
  return (
    <section class="card panel" aria-labelledby="passkeys">
      <h2 id="passkeys">{strings.title}</h2>
      <p class="muted">
        {strings.text} {strings.alone}
      </p>
      {problem && <Failed problem={problem} retry={reload} />}
      {!problem && !data && <Skeleton kind="rows" lines={2} />}
      {data?.data.length === 0 && <p class="muted">{strings.none}</p>}
      <ul class="attempts">
        {data?.data.map((passkey) => (
          <OnePasskey key={passkey.id} passkey={passkey} choose={setStep} />
        ))}
      </ul>
      {hasPasskeys() ? (
        <div class="actions">
          <button type="button" class="button" onClick={() => setStep({ at: 'add' })}>
            {strings.add}
          </button>
        </div>
      ) : (
        <p class="muted small">{strings.unsupported}</p>
      )}
      {step.at === 'add' && (
        <Adding
          factors={factors}
          close={rest}
          done={(codes) => changed(codes.length > 0 ? { at: 'codes', codes } : undefined)}
        />
      )}
      {step.at === 'codes' && (
        <ShowOnce
          title={strings.codes}
          text={strings.codesText}
          secrets={step.codes}
          close={rest}
        />
      )}
      {step.at === 'rename' && <Renaming passkey={step.passkey} close={rest} done={changed} />}
      {step.at === 'remove' && (
        <Removing
          passkey={step.passkey}
          factors={factors}
          close={rest}
          done={() => {
            changed()
            removed()
          }}
        />
      )}
    </section>
  )
}

function OnePasskey({ passkey, choose }: { passkey: Passkey; choose: (step: Step) => void }) {
  const { name, createdAt, usedAt } = passkey
  return (
    <li>
      <div class="session">
        <p>{name}</p>
        <p class="muted small">
          {strings.created} <Time at={createdAt} /> ·{' '}
          {usedAt ? (
            <>
              {strings.used} <Time at={usedAt} />
            </>
          ) : (
            strings.never
          )}
        </p>
      </div>
      <div class="actions">
        <button
          type="button"
          class="button"
          aria-label={strings.renameOne(name)}
          onClick={() => choose({ at: 'rename', passkey })}
        >
          {strings.rename}
        </button>
        <button
          type="button"
          class="button danger-text"
          aria-label={strings.removeOne(name)}
          onClick={() => choose({ at: 'remove', passkey })}
        >
          {strings.remove}
        </button>
      </div>
    </li>
  )
}

type Closing = { close: () => void }

function Adding({
  factors,
  close,
  done,
}: Closing & { factors: Factors; done: (codes: string[]) => void }) {
  const sending = useSending(async (given) => {
    const options = await send('POST', PASSKEYS, { body: await proofFrom(given) })
    const credential = await makePasskey(options)
    const body = { name: textOf(given, 'name'), credential }
    const { recoveryCodes } = await send('POST', `${PASSKEYS}/confirm`, { body })
    toast(strings.added)
    done(recoveryCodes)
  })
  return (
    <DialogForm title={strings.add} action={strings.add} sending={sending} close={close}>
      <NameField name={deviceName(navigator.userAgent)} />
      <ConfirmFields {...factors} />
      <p class="muted small">{strings.wait}</p>
    </DialogForm>
  )
}

function Renaming({ passkey, close, done }: Closing & { passkey: Passkey; done: () => void }) {
  const sending = useSending(async (given) => {
    const body = { name: textOf(given, 'name') }
    await send('PATCH', `${PASSKEYS}/{id}`, { params: { id: passkey.id }, body })
    toast(strings.renamed)
    done()
  })
  return (
    <DialogForm title={strings.rename} action={strings.save} sending={sending} close={close}>
      <NameField name={passkey.name} />
    </DialogForm>
  )
}

function Removing({
  passkey,
  factors,
  close,
  done,
}: Closing & { passkey: Passkey; factors: Factors; done: () => void }) {
  const sending = useSending(async (given) => {
    const params = { id: passkey.id }
    await send('POST', `${PASSKEYS}/{id}/remove`, { params, body: await proofFrom(given) })
    toast(strings.removed)
    done()
  })
  return (
    <DialogForm
      title={strings.removeOne(passkey.name)}
      action={strings.remove}
      sending={sending}
      close={close}
      isDangerous
    >
      <p class="muted">{strings.removeText(passkey.name)}</p>
      <ConfirmFields {...factors} />
    </DialogForm>
  )
}

const NameField = ({ name }: { name: string }) => (
  <Field label={strings.name} hint={strings.nameHint}>
    {(id) => <input id={id} name="name" defaultValue={name} maxLength={NAME_LENGTH_MAX} required />}
  </Field>
)
