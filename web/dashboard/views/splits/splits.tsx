// Splits: each defines how subaccounts share the receipts of an account or payment.

import { useRef, useState } from 'preact/hooks'
import { settingsStrings, splitsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { usePage } from '../../loading.ts'
import { Action, ActionDialog, OpenButton } from '../../parts/action.tsx'
import { Button, Link } from '../../parts/controls.tsx'
import { type Fact, factList } from '../../parts/drawer.tsx'
import { AMOUNT, CheckBox, InputField, SelectField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { CODE_MAX } from './subaccounts.tsx'

type Split = Schemas['Split']

const { splits: strings } = splitsStrings
const PATH = '/api/v1/splits'

const stateOf = ({ isActive }: Split) => (isActive ? 'active' : 'inactive')

const shareText = (type: string, share: number) =>
  type === 'percentage' ? strings.percentOf(share) : money(share)

const partsText = ({ type, parts }: Split) =>
  parts.map(({ subaccountCode, share }) => `${subaccountCode} ${shareText(type, share)}`).join(', ')

const COLUMNS: readonly Column<Split>[] = [
  { name: strings.name, place: 'lead', show: ({ name }) => name },
  { name: strings.code, show: ({ splitCode }) => <code>{splitCode}</code> },
  { name: strings.parts, place: 'second', show: partsText },
  { name: strings.state, place: 'state', show: (split) => <Badge state={stateOf(split)} /> },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function Splits(props: ViewProps) {
  const mayWrite = props.session.scopes.includes('payouts:write')
  return (
    <ListView
      {...props}
      view="settings"
      icon="transfer"
      path={PATH}
      caption={settingsStrings.tabs.splits}
      columns={COLUMNS}
      keyOf={({ splitCode }) => splitCode}
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={mayWrite && ((changed) => <AddSplit onDone={changed} />)}
      drawer={{
        title: strings.one,
        path: `${PATH}/{splitCode}`,
        show: (split, { changed }) => (
          <>
            <SplitFacts split={split} />
            {mayWrite && split.isActive && <DeactivateSplit split={split} onDone={changed} />}
          </>
        ),
      }}
    />
  )
}

function SplitFacts({ split }: { split: Split }) {
  return (
    <>
      <TextHeadline text={split.name} badge={<Badge state={stateOf(split)} />} />
      {factList([
        [strings.code, <Copyable key="code" text={split.splitCode} />],
        [strings.type, strings.types[split.type]],
        ...split.parts.map(
          ({ subaccountCode: code, share, bearsFee }): Fact => [
            code,
            <>
              <Link href={hrefOf('settings', code, { tab: 'subaccounts' })}>
                {shareText(split.type, share)}
              </Link>
              {bearsFee && `, ${strings.bears}`}
            </>,
          ],
        ),
        [strings.created, <Time key="created" at={split.createdAt} />],
      ])}
    </>
  )
}

function DeactivateSplit(props: { split: Split; onDone: () => void }) {
  const { split, onDone } = props
  const { splitCode, name } = split
  const path = `${PATH}/{splitCode}/deactivate` as const
  return (
    <div class="buttons">
      <Action
        title={strings.deactivateTitle(name)}
        action={strings.deactivate}
        isDangerous
        text={strings.deactivateText}
        run={(_, headers) => send('POST', path, { params: { splitCode }, body: {}, headers })}
        message={strings.deactivated}
        onDone={onDone}
      />
    </div>
  )
}

const NAME_MAX = 100
const PARTS_MAX = 10
const TYPES = ['percentage', 'flat'] as const
type Type = (typeof TYPES)[number]

function AddSplit({ onDone }: { onDone: () => void }) {
  return (
    <OpenButton label={strings.add} style="primary">
      {(close) => <SplitForm close={close} onDone={onDone} />}
    </OpenButton>
  )
}

// The parts of the split have numbered fields, so that removing one leaves the values of the others.
function SplitForm({ close, onDone }: { close: () => void; onDone: () => void }) {
  const [type, setType] = useState<Type>('percentage')
  const lastPart = useRef(1)
  const [parts, setParts] = useState<readonly number[]>([1]) // The numbers of the parts' fields.
  // The new part gets a number that no part had before.
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
      onDone={onDone}
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
      <PartsFields
        parts={parts}
        type={type}
        remove={(part) => setParts(parts.filter((other) => other !== part))}
      />
      {parts.length < PARTS_MAX && (
        <Button style="add-part" onClick={addPart}>
          {strings.addPart}
        </Button>
      )}
    </ActionDialog>
  )
}

type PartsFieldsProps = { parts: readonly number[]; type: Type; remove: (part: number) => void }

// The fields of all parts. `part` is the number in the names of the fields; the legend counts from 1.
function PartsFields({ parts, type, remove }: PartsFieldsProps) {
  const { data, problem, reload } = usePage('/api/v1/subaccounts', { limit: '100' })
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  const active = data.data.filter(({ isActive }) => isActive)
  if (active.length === 0) return <p class="notice">{strings.needsSubaccount}</p>
  return (
    <>
      {parts.map((part, index) => (
        <fieldset key={part} class="part">
          <legend>{strings.part(index + 1)}</legend>
          <PartFields part={part} type={type} subaccounts={active} />
          {parts.length > 1 && (
            <Button
              style="quiet"
              aria-label={strings.removePart(index + 1)}
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
        emptyOption={strings.chooseSubaccount}
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
