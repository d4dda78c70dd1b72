// Adds a split of one to ten shares, each of an active subaccount.

import { useRef, useState } from 'preact/hooks'
import { splitsStrings } from '../../../copy.ts'
import { getPage, type Schemas, send } from '../../api.ts'
import { useLoaded } from '../../loading.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { CODE_MAX } from './add-subaccount.tsx'

type Subaccount = Schemas['Subaccount']

const { splits: strings } = splitsStrings
const NAME_MAX = 100
const PARTS_MAX = 10
const TYPES = ['percentage', 'flat'] as const
type Type = (typeof TYPES)[number]

export function AddSplit({ done }: { done: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        {strings.add}
      </button>
      {isOpen && <SplitForm close={close} done={done} />}
    </>
  )
}

const amountOf = (given: FormData, name: string) => textOf(given, name).replaceAll(',', '')

function SplitForm({ close, done }: { close: () => void; done: () => void }) {
  const [type, setType] = useState<Type>('percentage')
  const made = useRef(1)
  const [parts, setParts] = useState<readonly number[]>([1])
  const sending = useSending(async (given, headers) => {
    const code = textOf(given, 'splitCode')
    const body = {
      ...(code === '' ? {} : { splitCode: code }),
      name: textOf(given, 'name'),
      type: choiceOf(given, 'type', TYPES),
      parts: parts.map((part) => ({
        subaccountCode: textOf(given, `subaccount-${part}`),
        share: amountOf(given, `share-${part}`),
        bearsFee: given.has(`bears-${part}`),
      })),
    }
    const { splitCode } = await send('POST', '/api/v1/splits', { body, headers })
    toast(strings.added(splitCode))
    close()
    done()
  })
  const addPart = () => {
    made.current += 1
    setParts([...parts, made.current])
  }
  return (
    <DialogForm title={strings.add} action={strings.add} sending={sending} close={close}>
      <p class="muted">{strings.addText}</p>
      <Field label={strings.name}>
        {(id) => <input id={id} name="name" required maxLength={NAME_MAX} autocomplete="off" />}
      </Field>
      <Field label={strings.code} hint={strings.codeHint}>
        {(id) => <input id={id} name="splitCode" maxLength={CODE_MAX} autocomplete="off" />}
      </Field>
      <Field label={strings.type}>
        {(id) => (
          <select
            id={id}
            name="type"
            value={type}
            onChange={(event) => setType(event.currentTarget.value as Type)}
          >
            {TYPES.map((each) => (
              <option key={each} value={each}>
                {strings.types[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Parts
        parts={parts}
        type={type}
        remove={(part) => setParts(parts.filter((each) => each !== part))}
      />
      {parts.length < PARTS_MAX && (
        <button type="button" class="button add-part" onClick={addPart}>
          {strings.addPart}
        </button>
      )}
    </DialogForm>
  )
}

type PartsProps = { parts: readonly number[]; type: Type; remove: (part: number) => void }

function Parts({ parts, type, remove }: PartsProps) {
  const { data, problem, reload } = useLoaded('subaccounts', (signal) =>
    getPage('/api/v1/subaccounts', {}, { query: { limit: '100' }, signal }),
  )
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const active = data.data.filter(({ isActive }) => isActive)
  if (active.length === 0) return <p class="notice">{strings.needsSubaccount}</p>
  return (
    <>
      {parts.map((part, at) => (
        <fieldset key={part} class="part">
          <legend>{strings.part(at + 1)}</legend>
          <PartFields part={part} type={type} subaccounts={active} />
          {parts.length > 1 && (
            <button
              type="button"
              class="button quiet"
              aria-label={strings.removePart(at + 1)}
              onClick={() => remove(part)}
            >
              {strings.remove}
            </button>
          )}
        </fieldset>
      ))}
    </>
  )
}

type PartProps = { part: number; type: Type; subaccounts: readonly Subaccount[] }

function PartFields({ part, type, subaccounts }: PartProps) {
  return (
    <>
      <Field label={strings.subaccount}>
        {(id) => (
          <select id={id} name={`subaccount-${part}`} required>
            <option value="">{strings.chooseSubaccount}</option>
            {subaccounts.map(({ subaccountCode: code, name }) => (
              <option key={code} value={code}>
                {strings.subaccountOf(name, code)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={type === 'percentage' ? strings.percent : strings.amount}>
        {(id) => (
          <input
            id={id}
            name={`share-${part}`}
            required
            inputMode="decimal"
            pattern="[0-9,]+(\.[0-9]{1,2})?"
            autocomplete="off"
          />
        )}
      </Field>
      <label class="option">
        <input type="checkbox" name={`bears-${part}`} />
        {strings.bearsFee}
      </label>
    </>
  )
}
