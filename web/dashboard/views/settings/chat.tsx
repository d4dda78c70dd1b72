// The settings of the operators' chat: its webhook, the lowest severity of alerts posted to it, and whether
// posting works.

import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Action, ActionForm } from '../../parts/action.tsx'
import { factList } from '../../parts/drawer.tsx'
import { InputField, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Time } from '../../parts/values.tsx'

const { chat: strings } = settingsStrings

const PATH = '/api/v1/operator/chat'
const SEVERITIES = ['notice', 'warning', 'critical'] as const
const ADDRESS_MAX = 2_048

// Without a chat, only the form that sets one. The API answers with an error in that case.
export function Chat() {
  const { data, problem, reload } = useData(PATH, {})
  const isUnset = problem?.code === 'chat_not_found'
  if (isUnset) return <ChatForm key="unset" onDone={reload} />
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="page" lines={6} />
  return (
    <>
      <ChatState chat={data} onDone={reload} />
      <ChatForm key={data.setAt} chat={data} onDone={reload} />
    </>
  )
}

type Props = { chat: Schemas['OperatorChat']; onDone: () => void }

function ChatState({ chat, onDone }: Props) {
  const { host, alertSeverity, waiting, postedAt, problem } = chat
  return (
    <section class="card panel" aria-label={strings.title}>
      <h2>{strings.title}</h2>
      {problem && <p class="notice">{strings.problem(problem)}</p>}
      {factList([
        [strings.host, <code key="host">{host}</code>],
        [strings.severity, strings.severities[alertSeverity]],
        [strings.posted, postedAt ? <Time key="posted" at={postedAt} /> : strings.never],
        [strings.waiting, String(waiting)],
        [strings.setBy, chat.setBy],
      ])}
      <div class="buttons">
        <Action
          action={strings.test}
          text={strings.testText}
          run={() => send('POST', `${PATH}/test`, {})}
          onDone={(result) => {
            toast(result.ok ? strings.tested : (result.problem ?? ''), result.ok ? 'calm' : 'bad')
            onDone()
          }}
        />
        <Action
          title={strings.removeTitle}
          action={strings.remove}
          isDangerous
          text={strings.removeText}
          run={() => send('DELETE', PATH, {})}
          message={strings.removed}
          onDone={onDone}
        />
      </div>
    </section>
  )
}

// Sets the address of a chat, or replaces the current chat. The field for the address is empty at first.
function ChatForm({ chat, onDone }: Partial<Props> & { onDone: () => void }) {
  return (
    <section class="card panel" aria-label={chat ? strings.replace : strings.set}>
      <h2>{chat ? strings.replace : strings.set}</h2>
      <p class="muted">{strings.text}</p>
      <ActionForm
        action={appStrings.save}
        style="primary"
        run={(form) => {
          const alertSeverity = form.choice('alertSeverity', SEVERITIES)
          return send('PUT', PATH, { body: { url: form.text('url'), alertSeverity } })
        }}
        message={appStrings.saved}
        onDone={onDone}
      >
        <InputField
          label={strings.url}
          hint={strings.urlHint}
          name="url"
          type="url"
          required
          maxLength={ADDRESS_MAX}
        />
        <SelectField
          label={strings.severity}
          name="alertSeverity"
          options={SEVERITIES}
          names={strings.severities}
          chosen={chat?.alertSeverity ?? 'notice'}
        />
      </ActionForm>
    </section>
  )
}
