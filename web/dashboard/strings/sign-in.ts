// Every string of signing in.

export const signInStrings = {
  title: 'Sign in',
  email: 'Email address',
  password: 'Password',
  code: 'Authentication code',
  codeIfAny: 'Authentication code (if enabled)',
  codeOrPasskey: 'Authentication or recovery code',
  passkey: 'Sign in with a passkey',
  or: 'or',
  client: 'Client',
  demo: 'This is a sandbox: the demo user is filled in.',
  submit: 'Sign in',
  busy: 'One moment…',
  lost: 'Your session has expired. Sign in again.',
  wait: (minutes: number) =>
    minutes === 1 ? 'Try again in 1 minute.' : `Try again in ${minutes} minutes.`,
  newTitle: 'Choose a new password',
  newWhy: 'You signed in with a temporary password. Choose your own to continue.',
  current: 'Temporary password',
  chosen: (lengthMin: number) => `New password (at least ${lengthMin} characters)`,
  change: 'Change password',
} as const
