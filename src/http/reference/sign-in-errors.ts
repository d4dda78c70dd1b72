// The errors of signing in, of users and of their credentials (operation-errors.ts).

import type { RefusalCode } from '#errors.ts'

export const SIGN_IN_ERRORS: Readonly<Record<string, readonly RefusalCode[]>> = {
  acceptInvitation: ['invitation_invalid'],
  beginPasskey: [
    'code_needed',
    'invalid_code',
    'invalid_passkey',
    'wrong_password',
    'too_many_attempts',
  ],
  beginTotp: ['code_needed', 'invalid_code', 'invalid_passkey', 'wrong_password'],
  confirmPasskey: ['invalid_passkey', 'passkey_exists', 'too_many_passkeys'],
  confirmTotp: ['invalid_code', 'totp_not_begun'],
  openInvitation: ['invitation_invalid'],
  endSession: ['session_not_found'],
  removePasskey: [
    'code_needed',
    'invalid_code',
    'invalid_passkey',
    'wrong_password',
    'passkey_not_found',
    'too_many_attempts',
  ],
  removeTotp: ['invalid_code', 'wrong_password'],
  renamePasskey: ['passkey_not_found'],
  signIn: [
    'client_id_needed',
    'code_needed',
    'invalid_code',
    'invalid_passkey',
    'invalid_sign_in',
    'passkey_needed',
    'password_expired',
    'too_many_attempts',
  ],
  signInWithPasskey: ['invalid_passkey', 'too_many_attempts'],
}
