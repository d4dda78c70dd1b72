// The start-up banner: addresses, sandbox credentials, a first command.

import type { Config } from '#config/config.ts'

export function welcome(config: Config, port: number): string {
  const here = `http://localhost:${port}`
  const lines = [
    '',
    `  Manilla is running in ${config.mode} mode.`,
    '',
    `    API           ${here}`,
    `    Reference     ${here}/docs`,
    ...(config.databaseUrl ? [] : [`    Data          ${config.dataDir}`]),
  ]
  if (config.mode === 'sandbox') {
    lines.push(
      '',
      '    Client id     MAN0000001',
      '    Client secret sandbox-secret',
      '',
      `    Dashboard     ${here}/dashboard`,
      '    Sign in as    demo@sandbox.example',
      '    Password      sandbox-password',
      '',
      '  Next, in another terminal:',
      '',
      `    curl -s ${here}/api/Account/login -H 'content-type: application/json' \\`,
      `      -d '{"clientId":"MAN0000001","clientSecret":"sandbox-secret"}'`,
    )
  }
  lines.push('', '  Stop with Ctrl-C.', '', '')
  return lines.join('\n')
}
