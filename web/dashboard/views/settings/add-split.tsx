// Adds a split of one to ten shares, each of an active subaccount.

import { useRef, useState } from 'preact/hooks'
import { splitsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { usePage } from '../../loading.ts'
import { ActionDialog, OpenButton } from '../../parts/action.tsx'
import { Button } from '../../parts/button.tsx'
import { AMOUNT, CheckBox, InputField, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { CODE_MAX } from './add-subaccount.tsx'

const { splits: strings } = splitsStrings
const NAME_MAX = 100
const PARTS_MAX = 10
const TYPES = ['percentage', 'flat'] as const
type Type = (typeof TYPES)[number]

export function AddSplit({ done }: { done: () => void }) {
  return (
    <OpenButton label={strings.add} style="primary">
      {(close) => <SplitForm close={close} done={done} />}
    </OpenButton>
  )
}

function SplitForm({ close, done }: { close: () => void; done: () => void }) {
  const [type, setType] = useState<Type>('percentage')
  const lastPart = useRef(1)
  const [parts, setParts] = useState<readonly number[]>([1])
  const addPart = () => {
    lastPart.current += 1
    setParts([...parts, lastPart.current])
  }
  return (
    <ActionDialog
      action={strings.add}
      text={strings.addText}
      run={(form, headers) => {
        const code = form.text('splitCode')
        const body = {
          ...(code === '' ? {} : { splitCode: code }),
          name: form.text('name'),
          type: form.choice('type', TYPES),
          parts: parts.map((part) => ({
            subaccountCode: form.text(`subaccount-${part}`),
            share: form.amount(`share-${part}`),
            bearsFee: form.has(`bears-${part}`),
          })),
        }
        return send('POST', '/api/v1/splits', { body, headers })
      }}
      message={({ splitCode }) => strings.added(splitCode)}
      done={done}
      close={close}
    >
      <InputField label={strings.name} name="name" required maxLength={NAME_MAX} />
      <InputField
        label={strings.code}
        hint={strings.codeHint}
        name="splitCode"
        maxLength={CODE_MAX}
      />
      <SelectField
        label={strings.type}
        name="type"
        value={type}
        onChange={(event) => setType(event.currentTarget.value as Type)}
        options={TYPES}
        names={strings.types}
      />
      <Parts
        parts={parts}
        type={type}
        remove={(part) => setParts(parts.filter((each) => each !== part))}
      />
      {parts.length < PARTS_MAX && (
        <Button style="add-part" onClick={addPart}>
          {strings.addPart}
        </Button>
      )}
    </ActionDialog>
  )
}

type PartsProps = { parts: readonly number[]; type: Type; remove: (part: number) => void }

function Parts({ parts, type, remove }: PartsProps) {
  const { data, problem, reload } = usePage('/api/v1/subaccounts', { limit: '100' })
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  const active = data.data.filter(({ isActive }) => isActive)
  if (active.length === 0) return <p class="notice">{strings.needsSubaccount}</p>
  return (
    <>
      {parts.map((part, at) => (
        <fieldset key={part} class="part">
          <legend>{strings.part(at + 1)}</legend>
          <PartFields part={part} type={type} subaccounts={active} />
          {parts.length > 1 && (
            <Button
              style="quiet"
              aria-label={strings.removePart(at + 1)}
              onClick={() => remove(part)}
            >
              {strings.remove}
            </Button>
          )}
        </fieldset>
      ))}
    </>
  )
}

type PartProps = { part: number; type: Type; subaccounts: readonly Schemas['Subaccount'][] }

function PartFields({ part, type, subaccounts }: PartProps) {
  return (
    <>
      <SelectField
        label={strings.subaccount}
        name={`subaccount-${part}`}
        required
        none={strings.chooseSubaccount}
        options={subaccounts.map(({ subaccountCode: code, name }) => [
          code,
          strings.subaccountOf(name, code),
        ])}
      />
      <InputField
        label={type === 'percentage' ? strings.percent : strings.amount}
        name={`share-${part}`}
        required
        {...AMOUNT}
      />
      <CheckBox name={`bears-${part}`} label={strings.bearsFee} />
    </>
  )
}
