// Personal data on a statement line `l`, in SQL: the condition that finds it, and the assignments
// that erase it.

export const SOMEBODY_ON_LINE = `
  num_nonnulls(l.counterparty_name, l.counterparty_sealed, l.counterparty_bank, l.narration) > 0`

export const NOBODY_ON_LINE =
  'counterparty_name = null, counterparty_sealed = null, counterparty_bank = null, narration = null'
