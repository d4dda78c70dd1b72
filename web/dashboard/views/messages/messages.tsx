// Messages: the log, which is the inbox in a sandbox, because a sandbox sends none; previews of each kind;
// the settings of notices; and the addresses to which the service sends nothing.

import { useRef, useState } from 'preact/hooks'
import { messagesStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData, useRefreshKey } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { tabbedView } from '../../parts/controls.tsx'
import { factList } from '../../parts/drawer.tsx'
import { DATES, type Filter } from '../../parts/filters.tsx'
import { InputField, SelectField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../session.ts'
import { Notices } from './notices.tsx'

const STYLE = 'data-style'

// Shows a mail in a frame without scripts. The content security policy forbids inline styles, so they are
// taken out of the HTML and applied when the frame has loaded.
function MailFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  return (
    <iframe
      ref={frame}
      class="mail-frame"
      title={title}
      sandbox="allow-same-origin"
      srcdoc={withoutStyles(html)}
      onLoad={() => frame.current && applyStyles(frame.current)}
    />
  )
}

// Renames the style attributes in the text, because parsing them would report violations of the policy.
// Attribute values in our mails contain no quotation marks, so a plain replacement is safe.
function withoutStyles(html: string): string {
  return html.replace(/<style>[\s\S]*?<\/style>/g, '').replaceAll(' style="', ` ${STYLE}="`)
}

// Gives the elements their styles back, and the frame the height of the mail.
function applyStyles(frame: HTMLIFrameElement): void {
  const page = frame.contentDocument
  if (!page) return
  for (const element of page.querySelectorAll<HTMLElement>(`[${STYLE}]`)) {
    element.style.cssText = element.getAttribute(STYLE) ?? ''
  }
  frame.style.height = `${page.documentElement.scrollHeight}px`
}

const { log: strings, kinds, channels } = messagesStrings

type Message = Schemas['Message']

const PATH = '/api/v1/messages'

const TONES: Partial<Record<Message['state'], 'good' | 'warn' | 'bad'>> = {
  sent: 'good',
  caught: 'good',
  failed: 'bad',
  unknown: 'warn',
}

const FILTERS: readonly Filter[] = [
  { name: 'state', label: strings.state, choices: strings.states },
  { name: 'kind', label: strings.kind, choices: kinds },
  { name: 'channel', label: strings.channel, choices: channels },
  { name: 'recipient', label: strings.recipient },
  ...DATES,
]

const COLUMNS: readonly Column<Message>[] = [
  { name: strings.kind, place: 'lead', show: ({ kind }) => kinds[kind] ?? kind },
  { name: strings.state, place: 'state', show: (message) => <State {...message} /> },
  {
    name: strings.recipient,
    place: 'second',
    show: ({ recipient, channel }) => strings.by(recipient ?? strings.erased, channels[channel]),
  },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

// The messages to people. Queued messages (`isPending`) make the list reload more often than every ten
// seconds (`isPolled`).
function MessageLog(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="messages"
      icon="attempt"
      path={PATH}
      caption={strings.caption}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isPending={({ state }) => state === 'queued' || state === 'sending'}
      isPolled
      emptyState={{ title: strings.none, text: strings.noneText }}
      drawer={{
        title: strings.one,
        path: `${PATH}/{reference}`,
        show: (message) => <MessageFacts {...message} />,
      }}
    />
  )
}

function State({ state }: Pick<Message, 'state'>) {
  return <Badge state={strings.states[state]} tone={TONES[state] ?? 'calm'} />
}

// The details of a message. Only a `caught` message shows its text: a sandbox keeps it instead of sending it.
function MessageFacts(message: Message) {
  return (
    <>
      <h3>{kinds[message.kind] ?? message.kind}</h3>
      <State {...message} />
      {factList([
        [strings.recipient, message.recipient ?? strings.erased],
        [strings.channel, channels[message.channel]],
        [strings.problem, message.problem],
        [strings.attempts, message.attempts],
        [strings.next, message.nextAttemptAt && <Time at={message.nextAttemptAt} />],
        [strings.created, <Time key="created" at={message.createdAt} />],
        [strings.ended, message.endedAt && <Time at={message.endedAt} />],
        [strings.reference, <code key="reference">{message.reference}</code>],
      ])}
      {message.state === 'caught' ? (
        <MessageContent reference={message.reference} channel={message.channel} />
      ) : (
        <p class="muted">{strings.withoutText}</p>
      )}
    </>
  )
}

// The message as its recipient would see it: a mail in a frame, any other as text.
function MessageContent({ reference, channel }: Pick<Message, 'reference' | 'channel'>) {
  const loaded = useData(`${PATH}/{reference}/content`, { reference })
  if (!loaded.data) return <Pending {...loaded} kind="page" lines={6} />
  const { subject, html, text, short } = loaded.data
  if (channel !== 'email') return <pre class="mail-text">{short}</pre>
  return (
    <>
      <h4>{subject}</h4>
      <MailFrame html={html} title={subject} />
      <details>
        <summary>{strings.asText}</summary>
        <pre class="mail-text">{text}</pre>
      </details>
    </>
  )
}

const { previews: previewsStrings, kinds: previewKinds } = messagesStrings
const KINDS = Object.keys(previewKinds)

// Shows the chosen kind of notice as a mail and as a short message.
function Previews() {
  const [kind, setKind] = useState('payer.receipt')
  const loaded = useData('/api/v1/notice-previews/{kind}', { kind })
  return (
    <section class="card panel" aria-labelledby="previews">
      <h2 id="previews">{previewsStrings.title}</h2>
      <p class="muted">{previewsStrings.text}</p>
      <SelectField
        label={previewsStrings.kind}
        name="kind"
        options={KINDS}
        names={previewKinds}
        chosen={kind}
        onChange={({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
          setKind(currentTarget.value)
        }
      />
      <Pending {...loaded} kind="page" lines={8} />
      {loaded.data && (
        <>
          <h3>{loaded.data.subject}</h3>
          <MailFrame html={loaded.data.html} title={loaded.data.subject} />
          <h3>{previewsStrings.short}</h3>
          <pre class="mail-text">{loaded.data.short}</pre>
        </>
      )}
    </section>
  )
}

const { suppressions: suppressionsStrings } = messagesStrings

type Suppression = Schemas['MessageSuppression']

const SUPPRESSIONS_PATH = '/api/v1/message-suppressions'

function Suppressions(props: ViewProps) {
  const [refreshKey, refresh] = useRefreshKey()
  const mayWrite = props.session.scopes.includes('webhooks:write')
  const columns: readonly Column<Suppression>[] = [
    { name: suppressionsStrings.recipient, place: 'lead', show: ({ recipient }) => recipient },
    {
      name: suppressionsStrings.reason,
      place: 'state',
      show: ({ reason }) => <Badge state={suppressionsStrings.reasons[reason]} tone="calm" />,
    },
    { name: suppressionsStrings.detail, place: 'second', show: ({ detail }) => detail },
    {
      name: suppressionsStrings.created,
      place: 'time',
      show: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      name: suppressionsStrings.remove,
      show: (suppression) => mayWrite && <RemoveSuppression {...suppression} onDone={refresh} />,
    },
  ]
  return (
    <ListView
      {...props}
      view="messages"
      icon="attempt"
      path={SUPPRESSIONS_PATH}
      caption={suppressionsStrings.caption}
      columns={columns}
      keyOf={({ id }) => `${id}`}
      refreshKey={refreshKey}
      emptyState={{ title: suppressionsStrings.none, text: suppressionsStrings.noneText }}
      add={(changed) => mayWrite && <AddSuppression onDone={changed} />}
    />
  )
}

function AddSuppression({ onDone }: { onDone: () => void }) {
  return (
    <Action
      action={suppressionsStrings.add}
      style="primary"
      run={(form, headers) => {
        const detail = form.text('detail')
        const body = { address: form.text('address'), ...(detail ? { detail } : {}) }
        return send('POST', SUPPRESSIONS_PATH, { body, headers })
      }}
      message={suppressionsStrings.added}
      onDone={onDone}
    >
      <InputField label={suppressionsStrings.address} name="address" required maxLength={254} />
      <InputField label={suppressionsStrings.note} name="detail" maxLength={200} />
    </Action>
  )
}

function RemoveSuppression({ id, recipient, onDone }: Suppression & { onDone: () => void }) {
  return (
    <Action
      action={suppressionsStrings.remove}
      style="small"
      name={`${suppressionsStrings.remove}: ${recipient}`}
      title={suppressionsStrings.removeTitle}
      text={suppressionsStrings.removeText}
      run={() => send('DELETE', `${SUPPRESSIONS_PATH}/{id}`, { params: { id } })}
      message={suppressionsStrings.removed}
      onDone={onDone}
    />
  )
}

export default tabbedView({
  view: 'messages',
  words: messagesStrings,
  tabs: { log: MessageLog, previews: Previews, notices: Notices, suppressions: Suppressions },
})
