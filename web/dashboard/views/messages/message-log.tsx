// The log of messages. A sandbox sends no messages, so its log also shows their text.

import { messagesStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Facts } from '../../parts/drawer.tsx'
import { DATES, type Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../view-props.ts'
import { MailFrame } from './mail-frame.tsx'

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
export function MessageLog(props: ViewProps) {
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
      <Facts
        facts={[
          [strings.recipient, message.recipient ?? strings.erased],
          [strings.channel, channels[message.channel]],
          [strings.problem, message.problem],
          [strings.attempts, message.attempts],
          [strings.next, message.nextAttemptAt && <Time at={message.nextAttemptAt} />],
          [strings.created, <Time key="created" at={message.createdAt} />],
          [strings.ended, message.endedAt && <Time at={message.endedAt} />],
          [strings.reference, <code key="reference">{message.reference}</code>],
        ]}
      />
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
