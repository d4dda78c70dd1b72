// How long a bank may take at most.

// One request, with its response (bank-http.ts).
export const REQUEST_MS_MAX = 60_000

// A call: logging in and asking, and both again when the bank refuses the token (json-calls.ts).
const REQUESTS_OF_CALL = 4
export const CALL_MS_MAX = REQUESTS_OF_CALL * REQUEST_MS_MAX
