// A quick start: curl commands to paste into a terminal.

import { developersStrings } from '../../../copy.ts'
import { CodeBlock } from '../../parts/code-block.tsx'

const { quickStart: strings } = developersStrings

// The demo client, the only one whose secret is public.
const DEMO = { clientId: 'MAN0000001', secret: 'sandbox-secret' }

type Props = { clientId: string; mode: 'sandbox' | 'live' }

export function QuickStart({ clientId, mode }: Props) {
  const isDemo = mode === 'sandbox' && clientId === DEMO.clientId
  const secret = isDemo ? DEMO.secret : 'YOUR_CLIENT_SECRET'
  const steps = stepsOf({ at: window.location.origin, clientId, clientSecret: secret, mode })
  return (
    <section class="card panel steps" aria-labelledby="quick-start">
      <h2 id="quick-start">{strings.title}</h2>
      <p class="muted">{strings.text}</p>
      {!isDemo && <p class="muted">{strings.secret}</p>}
      {steps.map(([title, code]) => (
        <div key={title}>
          <h3>{title}</h3>
          <CodeBlock label={title} text={code} />
        </div>
      ))}
      <p>
        <a href="/docs">{strings.reference}</a>
      </p>
    </section>
  )
}

const JSON_TYPE = `-H 'content-type: application/json'`
const BEARER = '-H "authorization: Bearer $TOKEN"'
const pick = (field: string) => `| sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`

type Filled = { at: string; clientId: string; clientSecret: string; mode: Props['mode'] }

function stepsOf({ at, clientId, clientSecret, mode }: Filled) {
  const login = JSON.stringify({ clientId, clientSecret })
  const advice = JSON.stringify({
    amount: '6000.00',
    currency: 'NGN',
    customer: { customerFirstName: 'Ada', customerLastName: 'Obi' },
    callBackUrl: 'https://shop.example/thanks',
  })
  const transfer = '{\\"virtualAccountNumber\\":\\"$NUMBER\\",\\"amount\\":\\"6000.00\\"}'
  const process = `${at}/Payment/process/banktransfer`
  const lines = (...parts: string[]) => parts.join(' \\\n  ')
  return [
    [
      strings.logIn,
      lines(`TOKEN=$(curl -s ${at}/api/Account/login ${JSON_TYPE}`, `-d '${login}'`) +
        lines('', `${pick('access_token')})`),
    ],
    [
      strings.advise,
      lines(`ADVICE=$(curl -s ${at}/Payment/advice`, `${BEARER} ${JSON_TYPE}`, `-d '${advice}'`) +
        lines('', `${pick('adviceReference')})`),
    ],
    [
      strings.number,
      lines(`NUMBER=$(curl -s ${process}/$ADVICE ${JSON_TYPE}`, `-d '{"bankCode":"058"}'`) +
        lines('', `${pick('bankAccount')})`),
    ],
    mode === 'sandbox'
      ? [
          strings.pay,
          lines(
            `curl -s ${process}/simulate/payment`,
            `${BEARER} ${JSON_TYPE}`,
            `-d "${transfer}"`,
          ),
        ]
      : [strings.wait, lines(`curl -s ${at}/api/Transaction/byadvicereference/$ADVICE`, BEARER)],
    [
      strings.account,
      lines(`curl -s ${at}/api/v1/accounts/static`, `${BEARER} ${JSON_TYPE}`, account()),
    ],
  ] as const
}

function account(): string {
  return `-d '${JSON.stringify({
    accountName: 'Ada Obi',
    bvn: '22212345654',
    email: 'ada@example.com',
    merchantId: '42',
    merchantCode: 'SHOP',
    notificationUrl: 'https://shop.example/hooks',
    phoneNumber: '+2348012345678',
    channel: 'API',
  })}'`
}
