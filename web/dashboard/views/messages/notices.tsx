// Settings of notices: the messages to payers and their channels, and the messages to the client's users.

import { appStrings, messagesStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { ActionForm } from '../../parts/action.tsx'
import { CheckBox, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import type { Session, ViewProps } from '../../session.ts'

const { notices: strings, kinds, channels } = messagesStrings

type Settings = Schemas['NoticeSettings']

const PATH = '/api/v1/notice-settings'
const CHANNELS = ['email', 'sms', 'whatsapp'] as const
const SEVERITIES = ['notice', 'warning', 'critical'] as const
const kindsMatching = (pattern: RegExp) => Object.keys(kinds).filter((kind) => pattern.test(kind))
const PAYER_KINDS = kindsMatching(/^payer\./)
const STAFF_KINDS = kindsMatching(/^merchant\.|^user\.approval_waiting$/)
const OPERATOR_KINDS = kindsMatching(/^operator\./)

export function Notices({ session }: ViewProps) {
  const loaded = useData(PATH, {})
  return (
    <section class="card panel">
      <Pending {...loaded} kind="page" lines={10} />
      {loaded.data && (
        <NoticesForm settings={loaded.data} session={session} onDone={loaded.reload} />
      )}
    </section>
  )
}

function NoticesForm(props: { settings: Settings; session: Session; onDone: () => void }) {
  const { settings, session, onDone } = props
  const mayWrite = session.scopes.includes('webhooks:write')
  const isOperator = session.scopes.includes('operator')
  const staffKinds = isOperator ? [...STAFF_KINDS, ...OPERATOR_KINDS] : STAFF_KINDS
  // The form has no boxes for kinds that only operators see, but sending it must not switch them off.
  const hiddenKinds = isOperator
    ? []
    : settings.staffKinds.filter((kind) => /^operator\./.test(kind))
  return (
    <ActionForm
      action={appStrings.save}
      style="primary"
      run={(form) => {
        const tickedValues = (name: string) => form.getAll(name).map(String)
        const body = {
          payerChannels: tickedValues('payerChannels'),
          payerKinds: tickedValues('payerKinds'),
          staffKinds: [...tickedValues('staffKinds'), ...hiddenKinds],
          alertSeverity: isOperator
            ? form.choice('alertSeverity', SEVERITIES)
            : settings.alertSeverity,
        } as Settings
        return send('PUT', PATH, { body })
      }}
      message={appStrings.saved}
      onDone={onDone}
    >
      {!mayWrite && <p class="muted">{strings.mayNot}</p>}
      <Choices
        title={strings.payers}
        text={strings.payersText}
        name="payerChannels"
        values={CHANNELS}
        names={channels}
        chosen={settings.payerChannels}
      />
      <Choices
        title={strings.payerKinds}
        name="payerKinds"
        values={PAYER_KINDS}
        names={kinds}
        chosen={settings.payerKinds}
      />
      <Choices
        title={strings.staff}
        text={strings.staffText}
        name="staffKinds"
        values={staffKinds}
        names={kinds}
        chosen={settings.staffKinds}
      />
      {isOperator && (
        <SelectField
          label={strings.severity}
          name="alertSeverity"
          options={SEVERITIES}
          names={strings.severities}
          chosen={settings.alertSeverity}
        />
      )}
    </ActionForm>
  )
}

type ChoicesProps = {
  title: string
  text?: string
  name: string
  values: readonly string[]
  names: Readonly<Record<string, string>>
  chosen: readonly string[]
}

// A group of checkboxes with the same name, one for each value; `chosen` has the values that are ticked at
// first.
function Choices({ title, text, name, values, names, chosen }: ChoicesProps) {
  return (
    <fieldset class="picker">
      <legend>{title}</legend>
      {text && <p class="muted">{text}</p>}
      {values.map((value) => (
        <CheckBox
          key={value}
          label={names[value]}
          name={name}
          value={value}
          defaultChecked={chosen.includes(value)}
        />
      ))}
    </fieldset>
  )
}
