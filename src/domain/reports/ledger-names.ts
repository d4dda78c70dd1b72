// Names of the kinds of ledger accounts and of the reasons of transfers, for people.

const KINDS: Readonly<Record<string, string>> = {
  bank: 'the bank',
  collection: 'collection account',
  pending: 'pending part payments',
  available: 'available funds',
  subaccount: 'subaccount',
  settling: 'settling funds',
  reserve: 'reserve',
  paying: 'payouts in transit',
  refunding: 'refunds in transit',
  receivable: 'receivable',
  write_off: 'write-offs',
  suspense: 'suspense',
  returning: 'returns in progress',
  shortfall: 'reversal shortfall',
  bank_cost: 'bank charges',
  input_vat: 'VAT on bank charges',
  fee_income: 'fees',
  vat_payable: 'VAT on fees',
}

const REASONS: Readonly<Record<string, string>> = {
  credit: 'Credit',
  bank_charge: 'Bank charge',
  fee: 'Fee',
  fee_vat: 'VAT on fee',
  settle: 'Part payment settled',
  suspend: 'Moved to suspense',
  assign: 'Assigned from suspense',
  return: 'Return',
  returned: 'Return confirmed',
  return_failed: 'Return failed',
  reversal: 'Reversal',
  split: 'Split',
  settlement: 'Settlement',
  reserve: 'Reserve',
  recovery: 'Recovery',
  write_off: 'Write-off',
  payout: 'Payout',
  paid: 'Payout confirmed',
  payout_failed: 'Payout failed',
  refund: 'Refund',
  refunded: 'Refund confirmed',
  refund_failed: 'Refund failed',
}

export function kindName(kind: string): string {
  return KINDS[kind] ?? kind
}

export function reasonName(reason: string): string {
  return REASONS[reason] ?? reason
}
