// Routes of clients: a client's own secret, in the dashboard, and the administration of clients by operators.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { flag, parseFlag, wholeQuery } from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import { digits, namedBody, SOME_CHANGE, strictObject, text, trueOrFalse } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { decideAccountName } from '#payments/branding.ts'
import { type DailyUsage, readUsage, USAGE_DAYS_MAX } from '#reports/hourly-totals.ts'
import {
  type ClientDetail,
  type ClientEntry,
  changeClient,
  getClient,
  listClients,
  registerClient,
  resumeClient,
  rotateClientSecret,
  suspendClient,
} from './clients.ts'
import { mayManageSecrets, type Role, SCOPES, type Scope } from './permissions.ts'
import { makeSecret, OVERLAP_SECONDS_DEFAULT, OVERLAP_SECONDS_MAX } from './secrets.ts'
import { lockUserOf, type SignedInSession } from './sessions.ts'

export const CLIENTS = '/api/v1/operator/clients'
const ENTRIES_MAX = 100

// Schema of a list of distinct entries, or null for no restriction.
const listOf = <T>(items: object, says: string, description: string) =>
  Type.Unsafe<T[] | null>({
    type: ['array', 'null'],
    minItems: 1,
    maxItems: ENTRIES_MAX,
    uniqueItems: true,
    items,
    description,
    'x-says': says,
  })

// The fields of a client that an operator sets when creating or changing it.
const ClientFields = {
  scopes: Type.Optional(
    Type.Unsafe<Scope[]>({
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: {
        type: 'string',
        enum: [...SCOPES],
        'x-says': `Must be one of ${SCOPES.join(', ')}.`,
      },
      description:
        'Permissions. returns:read, returns:write, accounting:read, accounting:write and operator, ' +
        'which includes accounting, are for operators. Default: all others; all for an operator.',
      'x-says': 'Must be a non-empty list of distinct scopes.',
    }),
  ),
  merchantCodes: Type.Optional(
    listOf<string>(
      text(64, 'A merchantCode.'),
      `Must be null or a list of 1 to ${ENTRIES_MAX} distinct merchant codes.`,
      'Restricts the client to accounts with these merchantCodes. Null: no restriction.',
    ),
  ),
  allowedAddresses: Type.Optional(
    listOf<string>(
      text(64, 'An IP address or CIDR range, e.g. 10.0.0.0/8.'),
      `Must be null or a list of 1 to ${ENTRIES_MAX} distinct IP addresses or CIDR ranges.`,
      'IP allowlist. Null: any address.',
    ),
  ),
  isOperator: Type.Optional(
    trueOrFalse('Whether it operates the service: manages clients and unidentified money.'),
  ),
}

const RotationBody = namedBody('SecretRotationRequest', {
  overlapSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OVERLAP_SECONDS_MAX,
      default: OVERLAP_SECONDS_DEFAULT,
      'x-says': `Must be a whole number from 0 to ${OVERLAP_SECONDS_MAX}.`,
    }),
  ),
})

const ClientName = text(100, 'Merchant name shown to payers.')

const ClientId = digits(
  '^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$',
  'Login ID. Generated when omitted.',
  'Must be 3 to 40 letters, digits, - or _.',
)

const TextList = Type.Unsafe<readonly string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string' },
})

const ClientView = view('RegisteredClient', (f: Fields<ClientEntry>) => ({
  clientId: f.text('clientId'),
  name: f.text('name'),
  isActive: f.flag('isActive', 'False: suspended.'),
  suspendedAt: f.timeOrNull('suspendedAt', 'Null: it is not suspended, or not recorded.'),
  suspensionReason: f.textOrNull('suspensionReason', 'Why it is suspended, if a reason was given.'),
  accountName: f.text('accountName', 'Its name in account names, as banks show it.'),
  pendingAccountName: f.textOrNull(
    'pendingAccountName',
    'The name in account names that the client chose and that waits for your review.',
  ),
  isOperator: f.flag('isOperator'),
  scopes: f.as<readonly string[]>(Type.Array(Type.String()), 'scopes'),
  merchantCodes: f.as<readonly string[] | null>(TextList, 'merchantCodes'),
  allowedAddresses: f.as<readonly string[] | null>(TextList, 'allowedAddresses'),
  createdAt: f.time('createdAt'),
}))

const SecretView = view('ClientSecret', (f: Fields<ClientDetail['secrets'][number]>) => ({
  keyId: f.text('keyId', 'Prefix of the secret; empty for legacy secrets.'),
  createdAt: f.time('createdAt'),
  retiresAt: f.timeOrNull('retiresAt', 'Null for the current secret.'),
  usedAt: f.timeOrNull('usedAt', 'Last login with this secret, to the hour.'),
}))

const ClientDetailView = view('ClientDetail', (f: Fields<ClientDetail>) => ({
  ...ClientView.fields,
  secrets: f.list(SecretView, 'secrets', 'Active secrets, current one first.'),
}))

const ClientWithSecretView = view(
  'ClientWithSecret',
  (f: Fields<ClientDetail & { secret: string }>) => ({
    ...ClientDetailView.fields,
    secret: f.text('secret', 'Shown only once.'),
  }),
)

const DayView = view('ClientUsageDay', (f: Fields<DailyUsage>) => ({
  from: f.time('from', 'Start of the day (West Africa Time).'),
  accounts: f.integer('accounts', 'Collection accounts created.'),
  advices: f.integer('advices', 'Advices created.'),
  payments: f.integer('payments', 'Payments initiated.'),
  credits: f.integer('credits', 'Credits booked or assigned.'),
  gross: f.naira('grossKobo', 'Gross amount of these credits.'),
  webhooks: f.integer('webhooks', 'Webhooks delivered for events of that day.'),
}))

type Usage = { clientId: string; days: DailyUsage[] }

const UsageView = view('ClientUsage', (f: Fields<Usage>) => ({
  clientId: f.text('clientId'),
  days: f.list(DayView, 'days', 'Today last.'),
}))

// Parses the clientId of a path. Refuses text that PostgreSQL cannot store: null characters and lone
// surrogates.
export function requireClientId(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw new Refusal('client_not_found')
  return text
}

// /dashboard/api/client: API credentials, for the client’s users. Not for the client itself: a
// stolen token must not yield a secret.

export const ownClient = resource('/dashboard/api/client', {
  tag: 'Dashboard',
  noun: 'client',
  view: ClientDetailView,
  scopes: 'session',
})
  .get('getOwnClient', {
    path: '',
    summary: 'Retrieve your client',
    description:
      'For owners and developers; in an operator client, for operators. Secrets are not ' +
      'included.',
    run: (db, { request: { session }, now }) => {
      const { clientId } = requireClient(session, session.user.role)
      return getClient(db, now, clientId)
    },
  })
  .act('rotateOwnSecret', {
    path: '/rotate-secret',
    summary: 'Rotate your client secret',
    description:
      'For owners and developers; in an operator client, for operators. The old secret stays ' +
      'valid during the overlap. An overlap of 0 revokes it immediately, with all tokens of ' +
      'the client.',
    body: RotationBody,
    view: ClientWithSecretView,
    message: 'Secret rotated successfully',
    parse: ({ request: { session } }) => requireClient(session, session.user.role),
    prepare: makeSecret,
    run: async (tx, call) => {
      const { now, actor, body, input, prepared: secret } = call
      const { session } = call.request
      requireClient(session, await lockUserOf(tx, session))
      const { overlapSeconds = OVERLAP_SECONDS_DEFAULT } = body
      const by = { now, actor, madeBy: { userId: session.user.id, clientId: input.id } }
      const client = await rotateClientSecret(tx, by, {
        clientId: input.clientId,
        change: { secret, overlapSeconds },
        action: 'secret.rotate',
      })
      return { ...client, secret: secret.secret }
    },
    after: ({ authentication, client }) => authentication.forget(client.clientId),
  })

// Refuses users whose role may not manage the client's secrets. Returns the session's client.
function requireClient({ client }: SignedInSession, role: Role) {
  if (!mayManageSecrets(role, client)) throw new Refusal('role_not_allowed')
  return client
}

// /api/v1/operator/clients: create, list and retrieve clients.

export const operatorClients = resource('/api/v1/operator/clients', {
  tag: 'Operator',
  noun: 'client',
  view: ClientDetailView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
})
  .create('createClient', {
    summary: 'Create a client',
    description: 'The secret is returned only in this response.',
    body: strictObject({ name: ClientName, clientId: Type.Optional(ClientId), ...ClientFields }),
    view: ClientWithSecretView,
    errors: ['client_id_taken'],
    prepare: makeSecret,
    run: async (tx, { now, actor, userId, clientId, body, prepared: secret }) => {
      const by = { now, actor, madeBy: { userId, clientId } }
      const client = await registerClient(tx, by, { request: body, secret })
      return { ...client, secret: secret.secret }
    },
  })
  .list('listClients', {
    summary: 'List clients, oldest first',
    description: 'Every client with its scopes, restrictions and state.',
    filters: {
      search: Type.Optional(text(100, 'Part of the client ID or name, case-insensitive.')),
      active: flag('true: active; false: suspended.'),
    },
    view: ClientView,
    rows: (db, { query: { search, active }, after, limit }) => {
      const filters = { search, isActive: parseFlag(active) }
      return listClients(db, { afterId: after, limit, filters })
    },
  })
  .get('getClient', {
    summary: 'Retrieve a client',
    description: 'Its scopes, allowed addresses, merchant codes and state.',
    errors: ['client_not_found'],
    run: (db, { now, params }) => getClient(db, now, params.clientId),
  })
  .get('getClientUse', {
    path: '/:clientId/use',
    summary: 'Retrieve the daily usage of a client',
    description: 'Requests, credits and webhooks of the client, day by day.',
    query: {
      days: wholeQuery(
        '^(?:[1-9]|[12][0-9]|3[01])$',
        { minimum: 1, maximum: USAGE_DAYS_MAX },
        {
          description: `Number of days, including today, 1 to ${USAGE_DAYS_MAX}. Default 7.`,
          'x-says': `Must be a whole number from 1 to ${USAGE_DAYS_MAX}.`,
        },
      ),
    },
    view: UsageView,
    errors: ['client_not_found'],
    message: 'Usage retrieved successfully',
    run: async (db, { now, params, query: { days = '7' } }) => {
      const { id, clientId } = await getClient(db, now, params.clientId)
      return { clientId, days: await readUsage(db, now, { clientId: id, days: Number(days) }) }
    },
  })

// /api/v1/operator/clients/{clientId}: changes to a client. A change takes effect immediately in this process
// and within seconds in the others.

const REASON_MAX = 500
const ReasonBody = strictObject({
  reason: Type.Optional(
    text(REASON_MAX, 'Why. Kept in the audit log; operators see it while the client is suspended.'),
  ),
  note: Type.Optional(text(REASON_MAX, 'The former name of reason, used where that is omitted.')),
})
const AccountNameDecisionBody = namedBody('AccountNameDecisionRequest', {
  accountName: text(100, 'The name that you decide on: pendingAccountName as you saw it.'),
  reason: Type.Optional(text(REASON_MAX, 'Why. The client can read it in its audit log.')),
})
type ClientCall = Call<{ clientId: typeof requireClientId }>

// Operators cannot suspend their own client or take its operator rights away.
const refuseOwn = ({ client, params }: ClientCall) => {
  if (params.clientId === client.clientId) throw new Refusal('own_client')
}

// Drops the client from this process's cache of authenticated clients, so that the change applies to the next
// request.
const forget = ({ authentication, params }: ClientCall) => authentication.forget(params.clientId)

const SUSPENSION =
  'A suspended client cannot log in, and its tokens are revoked. No money leaves it: ' +
  'settlements, payouts, refunds and returns wait until it is resumed; what the bank has ' +
  'already is finished. Its accounts still receive money, its checkout pages work and its ' +
  'webhooks are delivered.'

const ACCOUNT_NAME =
  'Decides on pendingAccountName, the name in account names that the client chose in live ' +
  'mode. Banks show the former name until it is approved.'

export const clientChanges = resource('/api/v1/operator/clients', {
  tag: 'Operator',
  noun: 'client',
  view: ClientDetailView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
}).act('rotateClientSecret', {
  path: '/:clientId/rotate-secret',
  summary: 'Rotate a client secret',
  description:
    'The old secret stays valid during the overlap. An overlap of 0 revokes it immediately, ' +
    'with all tokens of the client.',
  body: RotationBody,
  view: ClientWithSecretView,
  errors: ['client_not_found'],
  message: 'Secret rotated successfully',
  prepare: makeSecret,
  run: async (tx, call) => {
    const { now, actor, userId, params, body, prepared: secret } = call
    const { overlapSeconds = OVERLAP_SECONDS_DEFAULT } = body
    const by = { now, actor, madeBy: { userId, clientId: call.clientId } }
    const rotation = { clientId: params.clientId, change: { secret, overlapSeconds } }
    return { ...(await rotateClientSecret(tx, by, rotation)), secret: secret.secret }
  },
  after: forget,
})

for (const [verb, change, summary, message] of [
  ['suspend', suspendClient, 'Suspend a client', 'Client suspended successfully'],
  ['resume', resumeClient, 'Resume a suspended client', 'Client resumed successfully'],
] as const) {
  clientChanges.act(`${verb}Client`, {
    path: `/:clientId/${verb}`,
    summary,
    description: SUSPENSION,
    body: ReasonBody,
    errors: verb === 'suspend' ? ['client_not_found', 'own_client'] : ['client_not_found'],
    message,
    parse: refuseOwn,
    run: (tx, call) => {
      const { params, body } = call
      const reason = body.reason ?? body.note ?? null
      return change(tx, call, { clientId: params.clientId, reason })
    },
    after: forget,
  })
}

for (const [decision, summary, message] of [
  ['approve', 'Approve a client’s account name', 'Account name approved successfully'],
  ['reject', 'Reject a client’s account name', 'Account name rejected successfully'],
] as const) {
  clientChanges.act(`${decision}AccountName`, {
    path: `/:clientId/account-name/${decision}`,
    summary,
    description: ACCOUNT_NAME,
    body: AccountNameDecisionBody,
    errors: ['account_name_not_pending', 'client_not_found'],
    message,
    run: async (tx, call) => {
      const { clientId } = call.params
      const { accountName, reason = null } = call.body
      await decideAccountName(tx, call, { clientId, decision, accountName, reason })
      return getClient(tx, call.now, clientId)
    },
  })
}

clientChanges.update('updateClient', {
  summary: 'Update a client',
  description: 'Omitted fields keep their value. Applies to tokens already issued.',
  body: Type.Object({ name: Type.Optional(ClientName), ...ClientFields }, SOME_CHANGE),
  errors: ['client_not_found', 'own_client'],
  parse: (call) => {
    const { isOperator, scopes } = call.body
    if (isOperator === false || scopes?.includes('operator') === false) refuseOwn(call)
  },
  run: (tx, call) => changeClient(tx, call, { clientId: call.params.clientId, changes: call.body }),
  after: forget,
})
