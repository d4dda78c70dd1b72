// The files of an archive: its credits and their transfers, as an export that the verifier accepts
// on its own (docs/proof.md), and companion files with the remaining data.
//
// They are read from temporary tables (find-archivable.ts).

import { at, PROOF_FILES, type ProofFile } from '#domain/proof/proof-files.ts'

const ARCHIVED_ROWS: Readonly<Record<string, (from: string) => string>> = {
  'accounts.ndjson': (from) => `${from} join archiving_accounts x on x.id = a.id`,
  'credits.ndjson': (from) => `${from} join archiving x on x.id = c.id`,
  'transfers.ndjson': (from) => `${from} join archiving x on x.id = t.credit_id`,
  'balances.ndjson': () => 'archiving_accounts a',
}
const nothing = (from: string) => `${from} where false`

export const ARCHIVE_FILES: readonly ProofFile[] = PROOF_FILES.map((file) => ({
  ...file,
  from: (ARCHIVED_ROWS[file.name] ?? nothing)(file.from),
}))

// JSON in a text field; amounts are texts there too.
const OTHER_IDENTIFIERS = `
  select jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value) order by i.kind, i.value)
    from credit_identifiers i where i.credit_id = c.id and not i.is_first`
const FEES = `
  select jsonb_agg(jsonb_build_object(
           'id', f.id::text, 'client', f.client_id::text, 'rule', f.rule_id::text,
           'account', f.account_id::text, 'base', f.base_kobo::text, 'fee', f.fee_kobo::text,
           'vat', f.vat_kobo::text, 'feeReturned', f.fee_returned_kobo::text,
           'vatReturned', f.vat_returned_kobo::text, 'isLater', f.is_later,
           'chargedAt', ${at('', 'f.charged_at')[1]}) order by f.id)
    from credit_fees f where f.credit_id = c.id`

// Contains personal data as stored: the payer's account stays sealed with the data keys.
export const PAYERS: ProofFile = {
  name: 'payers.ndjson',
  fields: [
    ['id', 'c.id'],
    ['sessionId', 'c.session_id'],
    ['identifiedBy', 'c.identified_by'],
    ['otherIdentifiers', OTHER_IDENTIFIERS],
    ['bank', 'c.bank_code'],
    ['accountNumber', 'c.account_number'],
    ['client', 'c.client_id'],
    ['collectionAccount', 'c.collection_account_id'],
    ['sourceAccountName', 'c.source_account_name'],
    ['sourceBank', 'c.source_bank_code'],
    ['sourceAccountSealed', "encode(c.source_account_sealed, 'hex')"],
    ['narration', 'c.narration'],
    at('transactedAt', 'c.transacted_at'),
    ['transactedOn', 'c.transacted_on'],
    ['judgedBy', 'c.judged_by'],
    ['source', 'c.source'],
    ['withheldFee', 'c.fee_kobo'],
    ['withheldVat', 'c.vat_kobo'],
    ['withheldDuty', 'c.duty_kobo'],
    ['merchantFees', FEES],
  ],
  from: 'credits c join archiving x on x.id = c.id',
  order: 'c.id',
  sums: [],
}

export const LINES: ProofFile = {
  name: 'statement-lines.ndjson',
  fields: [
    ['id', 'l.id'],
    ['credit', 'm.item_id'],
    ['counterpartyName', 'l.counterparty_name'],
    ['counterpartyBank', 'l.counterparty_bank'],
    ['counterpartySealed', "encode(l.counterparty_sealed, 'hex')"],
    ['narration', 'l.narration'],
  ],
  from: `archiving_lines x
    join statement_lines l on l.id = x.id
    join statement_matches m on m.line_id = l.id and m.item_kind = 'credit'`,
  order: 'l.id, m.item_id',
  sums: [],
}
