// The errors of each operation of reconciliation, beyond those that any may answer with.

import type { RefusalCode } from '#errors.ts'

// Of booking, matching or noting.
const RESOLVING: readonly RefusalCode[] = [
  'action_not_allowed',
  'cost_not_booked',
  'difference_not_found',
  'line_known_otherwise',
  'reading_needed',
  'reversal_not_possible',
  'suggestion_gone',
]

export const RECONCILIATION_ERRORS: Readonly<Record<string, readonly RefusalCode[]>> = {
  assignDifference: [
    'difference_not_found',
    'difference_resolved',
    'owner_changed',
    'owner_without_access',
    'user_not_found',
  ],
  assignDifferences: ['owner_without_access', 'user_not_found'],
  getDailyProof: ['bank_not_supported'],
  getDifference: ['difference_not_found'],
  getStatement: ['statement_not_found'],
  getStatementImport: ['statement_import_not_found'],
  importStatement: ['bank_not_supported', 'statement_refused', 'too_many_imports'],
  listStatementLines: ['statement_not_found'],
  resolveDifference: [...RESOLVING, 'difference_asked', 'difference_resolved'],
  approveResolution: [
    ...RESOLVING,
    'approver_not_independent',
    'approver_too_new',
    'maker_counts_as_you',
    'other_person_needed',
    'request_decided',
  ],
  rejectResolution: ['difference_not_found', 'other_person_needed', 'request_decided'],
  withdrawResolution: ['difference_not_found', 'own_request_only', 'request_decided'],
}
