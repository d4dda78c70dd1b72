// /api/v1/operator/fee-rules: create, withdraw, list and try out fee rules. /api/v1/fee-rules: a client's
// own.

import { Type } from '@fastify/type-provider-typebox'
import { getClient } from '#domain/access/manage-clients.ts'
import { createRule, listOwnRules, listRules } from '#domain/fees/fee-rules.ts'
import { withdrawRule } from '#domain/fees/withdraw-rule.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { resource } from '#http/resource.ts'
import { requireClientId } from '#http/routes/access/client-presenters.ts'
import { text, Withdrawn } from '#http/schemas.ts'
import { findId, publicId } from '#public-ids.ts'
import {
  FeeQuoteRequest,
  FeeQuoteView,
  FeeRuleRequest,
  FeeRuleView,
  parseFeeRule,
  quoteTerms,
} from './fee-rule-presenters.ts'

export const feeRules = resource('/api/v1/operator/fee-rules', {
  tag: 'Operator',
  noun: 'fee rule',
  view: FeeRuleView,
  scopes: { read: 'operator', write: 'operator' },
  params: { id: requireRuleId },
})
  .create('createFeeRule', {
    summary: 'Create a fee rule',
    description:
      'Ends the rule before it where it begins. Rules are never changed: to charge nothing ' +
      'more, create one with neither rate nor amounts. The rule in force when money is ' +
      'booked counts.',
    body: FeeRuleRequest,
    errors: ['client_not_found', 'fee_rule_overlaps'],
    parse: ({ body }) => parseFeeRule(body),
    run: async (tx, call) => {
      const { id } = await getClient(tx, call.now, requireClientId(call.body.clientId))
      return createRule(tx, call, { clientId: id, ...call.input })
    },
  })
  .route('POST', 'quoteFee', {
    path: '/quote',
    summary: 'Compute a fee',
    description: 'What a rule with these terms would charge. Nothing is stored.',
    body: FeeQuoteRequest,
    view: FeeQuoteView,
    handle: ({ body }) =>
      accepted('Fee computed successfully', FeeQuoteView.present(quoteTerms(body))),
  })
  .remove('withdrawFeeRule', {
    summary: 'Withdraw a fee rule',
    description:
      'Until a minute before it takes effect. The rule before it goes on until the next. ' +
      'Withdrawn rules are not listed any more; the audit log keeps them.',
    view: Withdrawn,
    errors: ['fee_rule_in_force', 'fee_rule_not_found'],
    message: 'Fee rule withdrawn successfully',
    run: async (tx, call) => {
      await withdrawRule(tx, call, call.params.id)
      return { id: publicId(call.sealer, 'fee-rule', call.params.id) }
    },
  })
  .list('listFeeRules', {
    summary: 'List fee rules of all clients, newest first',
    description: 'What each client is charged, and from when. Filter by client to see its history.',
    filters: { clientId: Type.Optional(text(64, 'Only rules of this client.')) },
    errors: ['client_not_found'],
    rows: async (db, { query: { clientId: name }, now, after, limit }) => {
      const client =
        name === undefined ? undefined : await getClient(db, now, requireClientId(name))
      return listRules(db, { clientId: client?.id, beforeId: after, limit })
    },
  })

export const ownFeeRules = resource('/api/v1/fee-rules', {
  tag: 'Fees',
  noun: 'fee rule',
  view: FeeRuleView,
  scopes: { read: 'credits:read', write: 'credits:read' },
}).list('listOwnFeeRules', {
  name: 'own-fee-rules',
  summary: 'List your fee rules, newest first',
  description: 'What you are charged on credits and payouts, and from when.',
  rows: (db, { clientId, after, limit }) => listOwnRules(db, { clientId, beforeId: after, limit }),
})

function requireRuleId(text: string, { sealer }: Deps) {
  const id = findId(sealer, 'fee-rule', text)
  if (id === undefined) throw new Refusal('fee_rule_not_found')
  return id
}
