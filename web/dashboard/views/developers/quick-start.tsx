// A quick start: curl commands to paste into a terminal.

import { developersStrings } from '../../../copy.ts'
import { CodeBlock } from '../../parts/values.tsx'

const { quickStart: strings } = developersStrings

// The demo client, the only one whose secret is public.
const DEMO = { clientId: 'MAN0000001', secret: 'sandbox-secret' }

type Props = { clientId: string; mode: 'sandbox' | 'live' }

// The commands for a first integration, with the client’s own id and, on the demo, its secret.
export function QuickStart({ clientId, mode }: Props) {
  const isDemo = mode === 'sandbox' && clientId === DEMO.clientId
  const secret = isDemo ? DEMO.secret : 'YOUR_CLIENT_SECRET'
  const steps = quickStartSteps({
    origin: window.location.origin,
    clientId,
    clientSecret: secret,
    mode,
  })
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
// The end of a command that takes a field from the JSON response.
const extractField = (field: string) => `| sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`

type CommandValues = { origin: string; clientId: string; clientSecret: string; mode: Props['mode'] }

// The commands in order. Each stores a value, such as the token, that the next ones use.
function quickStartSteps({ origin, clientId, clientSecret, mode }: CommandValues) {
  const login = JSON.stringify({ clientId, clientSecret })
  const advice = JSON.stringify({
    amount: '6000.00',
    currency: 'NGN',
    customer: { customerFirstName: 'Ada', customerLastName: 'Obi' },
    callBackUrl: 'https://shop.example/thanks',
  })
  // The shell fills in $NUMBER only between double quotes, so the double quotes of the JSON are escaped.
  const transfer = '{\\"virtualAccountNumber\\":\\"$NUMBER\\",\\"amount\\":\\"6000.00\\"}'
  const transferUrl = `${origin}/Payment/process/banktransfer`
  const joinLines = (...parts: string[]) => parts.join(' \\\n  ')
  return [
    [
      strings.logIn,
      joinLines(`TOKEN=$(curl -s ${origin}/api/Account/login ${JSON_TYPE}`, `-d '${login}'`) +
        joinLines('', `${extractField('access_token')})`),
    ],
    [
      strings.advise,
      joinLines(
        `ADVICE=$(curl -s ${origin}/Payment/advice`,
        `${BEARER} ${JSON_TYPE}`,
        `-d '${advice}'`,
      ) + joinLines('', `${extractField('adviceReference')})`),
    ],
    [
      strings.number,
      joinLines(`NUMBER=$(curl -s ${transferUrl}/$ADVICE ${JSON_TYPE}`, `-d '{"bankCode":"058"}'`) +
        joinLines('', `${extractField('bankAccount')})`),
    ],
    mode === 'sandbox'
      ? [
          strings.pay,
          joinLines(
            `curl -s ${transferUrl}/simulate/payment`,
            `${BEARER} ${JSON_TYPE}`,
            `-d "${transfer}"`,
          ),
        ]
      : [
          strings.wait,
          joinLines(`curl -s ${origin}/api/Transaction/byadvicereference/$ADVICE`, BEARER),
        ],
    [
      strings.account,
      joinLines(
        `curl -s ${origin}/api/v1/accounts/static`,
        `${BEARER} ${JSON_TYPE}`,
        accountData(),
      ),
    ],
  ] as const
}

// The curl option with the sample data of a collection account.
function accountData(): string {
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
