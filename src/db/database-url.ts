// DATABASE_URL, parsed like libpq: one server, or several, one of them writable.
//
//   postgres://user:password@db1:5432,db2:5432,[fd00::3]/manilla?target_session_attrs=read-write
//   postgres:///manilla?host=/run/a,/run/b&port=5432,5433
//
// The driver gets a URL of one host unchanged. No message quotes the URL, because it may contain a
// password.

export type DatabaseHost = { readonly host: string; readonly port: number }

const TARGETS = ['read-write', 'primary', 'any'] as const
type Target = (typeof TARGETS)[number]

export type DatabaseUrl = {
  readonly hosts: readonly DatabaseHost[] // A single entry means that the driver interprets the URL itself.
  readonly target: Target
  readonly connectMaxMs: number // For each host.
  readonly urlOf: (host: DatabaseHost) => string // For the driver, which supports one host.
}

type NamedHosts = { hosts: readonly string[]; ports: readonly string[] }

const FORM = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*))(?::([^:]*))?$/i
const PORT_DEFAULT = 5432
const PORT_MAX = 65_535
const OURS = ['host', 'port', 'target_session_attrs', 'connect_timeout', 'load_balance_hosts']
// Nine round trips between two regions, with TLS and SCRAM.
const CONNECT_SECONDS = 1.5
const CONNECT_SECONDS_MAX = 4 // Less than a pool's wait for a connection.

export function parseDatabaseUrl(
  text: string,
  report: (sentence: string) => void,
): DatabaseUrl | undefined {
  const [, user, authority = '', path = '', query = ''] = FORM.exec(text) ?? []
  const parameters = new URLSearchParams(query)
  const named = readHosts(authority, parameters)
  const problem = findProblem(text, named, parameters)
  if (problem) {
    report(problem)
    return undefined
  }
  const rest = [...parameters].filter(([name]) => !OURS.includes(name))
  return {
    hosts: named.hosts.map((host, at) => ({ host, port: Number(portOf(named, at)) })),
    target: (parameters.get('target_session_attrs') ?? 'read-write') as Target,
    connectMaxMs: Number(parameters.get('connect_timeout') ?? CONNECT_SECONDS) * 1000,
    urlOf({ host, port }) {
      if (named.hosts.length === 1) return text
      const params = new URLSearchParams([['host', host], ['port', `${port}`], ...rest])
      return `postgres://${user === undefined ? '' : `${user}@`}${path || '/'}?${params}`
    },
  }
}

// Parameters override the hosts before the path.
function readHosts(authority: string, parameters: URLSearchParams): NamedHosts {
  const entries = authority.split(',').map((entry) => {
    const [, six, plain, port = ''] = HOST.exec(entry) ?? []
    return { host: six ?? decode(plain ?? ''), port }
  })
  const hosts = parameters.get('host')?.split(',')
  const ports = parameters.get('port')?.split(',')
  return {
    hosts: hosts ?? entries.map(({ host }) => host),
    ports: ports ?? (hosts ? [''] : entries.map(({ port }) => port)),
  }
}

// A single port applies to all hosts.
function portOf({ ports }: NamedHosts, at: number): string {
  return (ports.length === 1 ? ports[0] : ports[at]) || String(PORT_DEFAULT)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function findProblem(
  text: string,
  named: NamedHosts,
  parameters: URLSearchParams,
): string | undefined {
  const { hosts, ports } = named
  const isReadable = URL.canParse(text) || URL.canParse(text.replace('@/', '@socket/'))
  if (!/^postgres(ql)?:\/\/\S+$/.test(text) || (hosts.length === 1 && !isReadable)) {
    return 'must look like postgres://user:password@host:5432/database, or name several: @a:5432,b:5432/'
  }
  const target = parameters.get('target_session_attrs') ?? 'read-write'
  if (!TARGETS.some((each) => each === target)) {
    return `must have no target_session_attrs but ${TARGETS.join(', ')}: the service writes`
  }
  if ((parameters.get('load_balance_hosts') ?? 'disable') !== 'disable') {
    return 'must not have load_balance_hosts: all writes go to one server'
  }
  if ((parameters.get('pooler') ?? 'transaction') !== 'transaction') {
    return 'has a pooler that must be transaction, or be left out'
  }
  if (ports.length > 1 && ports.length !== hosts.length) return 'must have one port for each host'
  return hosts.length === 1 ? undefined : findHostProblem(named, parameters)
}

function findHostProblem(named: NamedHosts, parameters: URLSearchParams): string | undefined {
  if (parameters.has('hostaddr')) return 'must not have hostaddr: write addresses as hosts'
  const keys = named.hosts.map((host, at) => `${host} ${portOf(named, at)}`)
  for (const [at, host] of named.hosts.entries()) {
    const port = portOf(named, at)
    const isPort = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= PORT_MAX
    if (host === '' || /\s/.test(host)) return `must have a host as entry ${at + 1} of its hosts`
    if (!isPort) return `must have a port from 1 to ${PORT_MAX} for host ${at + 1}`
    if (keys.indexOf(keys[at] as string) < at) return `must not have host ${at + 1} twice`
  }
  const seconds = Number(parameters.get('connect_timeout') ?? 1)
  const isInRange = Number.isInteger(seconds) && seconds >= 1 && seconds <= CONNECT_SECONDS_MAX
  if (isInRange) return undefined
  return `must have a connect_timeout from 1 to ${CONNECT_SECONDS_MAX} seconds with several hosts`
}
