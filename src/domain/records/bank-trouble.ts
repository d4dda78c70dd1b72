// Banks that payers should avoid now: silent for longer than usual, or not answering our calls
// (bank_health, written by the requery workers).

export const TROUBLED_BANKS = `array(
  select bank_code from bank_health where silent_since is not null or paused_until is not null)`
