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
  changeUser: ['last_of_role', 'user_not_found'],
  confirmPasskey: ['invalid_passkey', 'passkey_exists', 'too_many_passkeys'],
  confirmTotp: ['invalid_code', 'totp_not_begun'],
  createUser: ['client_not_found', 'operators_only', 'user_exists'],
  openInvitation: ['invitation_invalid'],
  vouchForUser: ['user_not_found', 'user_password_temporary', 'voucher_not_independent'],
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
  removeUser: ['last_of_role', 'user_not_found'],
  renamePasskey: ['passkey_not_found'],
  resetUserPassword: ['user_not_found'],
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
