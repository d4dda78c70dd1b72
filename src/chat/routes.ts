// /api/v1/operator/chat: an operator sets, tests or removes the incoming webhook of the operators' chat
// (Slack, Mattermost, Rocket.Chat, …).

import { Type } from '@fastify/type-provider-typebox'
import { invalidField, Refusal } from '#errors.ts'
import { accepted } from '#http/envelopes.ts'
import { type Call, resource } from '#http/resource.ts'
import { Deleted, named, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { SEVERITIES, type Severity } from '#records/alerts.ts'
import { checkTargetUrl, createGuardedAgent } from '#ssrf-guard.ts'
import { attemptDelivery } from '#webhooks/send.ts'
import { type Chat, findChat, findChatUrl, removeChat, setChat } from './posts.ts'

const TEST_TEXT = 'Manilla posts alerts and waiting approvals here.'

const AlertSeverity = Type.Unsafe<Severity>({
  type: 'string',
  enum: [...SEVERITIES],
  description: 'The least severe alerts that are posted.',
  'x-says': `Must be one of ${SEVERITIES.join(', ')}.`,
})

const ChatView = view('OperatorChat', (f: Fields<Chat>) => ({
  host: f.text('host', 'Of the webhook. Its address is a secret and never shown.'),
  alertSeverity: f.as(AlertSeverity, 'alertSeverity'),
  setBy: f.text('setBy'),
  setAt: f.time('setAt', 'Nothing older is posted.'),
  waiting: f.integer('waiting', 'Posts that are tried again.'),
  postedAt: f.timeOrNull('postedAt', 'The latest post.'),
  problem: f.textOrNull('problem', 'Why the latest attempt failed.'),
}))

export const operatorChat = resource('/api/v1/operator/chat', {
  tag: 'Operator',
  noun: 'chat',
  view: ChatView,
  scopes: { read: 'operator', write: 'operator' },
})
  .get('getChat', {
    path: '',
    summary: 'Retrieve the operators’ chat',
    description: 'Where alerts and waiting approvals are posted, and whether that works.',
    errors: ['chat_not_found'],
    run: (db) => requireChat(db),
  })
  .replace('setChat', {
    path: '',
    summary: 'Set the operators’ chat',
    description:
      'The address of an incoming webhook that takes {"text": …}, as Slack’s do. Stored encrypted.',
    body: strictObject({
      url: text(2_048, 'The address of the webhook.'),
      alertSeverity: Type.Optional(AlertSeverity),
    }),
    message: 'Chat set successfully',
    parse: ({ body, mode }) => {
      const message = checkTargetUrl(body.url, { mode })
      if (message) throw invalidField('url', message)
    },
    run: async (tx, call) => {
      const { url, alertSeverity = 'notice' } = call.body
      await setChat(tx, call, { url, alertSeverity })
      return requireChat(tx)
    },
  })
  .remove('removeChat', {
    path: '',
    summary: 'Remove the operators’ chat',
    description: 'What waits to be posted is dropped.',
    view: Deleted,
    errors: ['chat_not_found'],
    message: 'Chat removed successfully',
    run: async (tx, call) => {
      await removeChat(tx, call)
      return { id: 'operators' }
    },
  })
  .route('POST', 'testChat', {
    path: '/test',
    summary: 'Post a test to the operators’ chat',
    description: 'Posts one line now, without a retry.',
    view: named('ChatTest', {
      ok: Type.Boolean(),
      problem: Type.Union([Type.String(), Type.Null()]),
    }),
    errors: ['chat_not_found'],
    handle: async (call) => accepted('Test posted', await postTest(call)),
  })

async function requireChat(db: Parameters<typeof findChat>[0]): Promise<Chat> {
  const chat = await findChat(db)
  if (!chat) throw new Refusal('chat_not_found')
  return chat
}

// Posts one test line at once and returns the result.
async function postTest({ db, sealer, mode }: Pick<Call, 'db' | 'sealer' | 'mode'>) {
  const url = await findChatUrl(db, sealer)
  if (url === undefined) throw new Refusal('chat_not_found')
  const agent = createGuardedAgent({ mode })
  try {
    const body = JSON.stringify({ text: TEST_TEXT })
    const { ok, error } = await attemptDelivery(agent, { url, headers: {}, body })
    return { ok, problem: error }
  } finally {
    await agent.destroy()
  }
}
