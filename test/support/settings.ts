// Settings shared by all test services.

// The clock of each test service starts here: Sunday, 09:00 in Lagos.
export const START = new Date('2026-11-15T08:00:00.000Z')

export const SECRETS = {
  MANILLA_TOKEN_SECRETS: Buffer.alloc(32, 't').toString('base64'),
  MANILLA_DATA_KEYS: `1:${Buffer.alloc(32, 'd').toString('base64')}`,
  MANILLA_HASH_KEY: Buffer.alloc(32, 'h').toString('base64'),
}
