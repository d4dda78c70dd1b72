// DATABASE_URL names one host, as the driver reads it, or several, as libpq does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDatabaseUrl } from '#db/hosts.ts'

// Parses a DATABASE_URL. Returns its hosts, the problems, and the address of the first host.
function parseUrl(text: string) {
  const problems: string[] = []
  const url = parseDatabaseUrl(text, (sentence) => problems.push(sentence))
  const hosts = url?.hosts.map(({ host, port }) => `${host} ${port}`)
  return { ...url, hosts, problems, first: url?.urlOf(url.hosts[0] as never) }
}

test('several hosts are read as libpq reads them', () => {
  const several = parseUrl(
    'postgres://m:p%40ss@db1:5433,db2/manilla?target_session_attrs=primary&connect_timeout=2&ssl=true',
  )
  const six = parseUrl('postgresql://m@[fd00::1]:5433,[::1]/manilla')
  const sockets = parseUrl('postgres://m@%2Frun%2Fa,%2Frun%2Fb:6543/manilla')
  const parameters = parseUrl('postgres://m@ignored/manilla?host=/run/a,db.example&port=5433,')
  const onePort = parseUrl('postgres:///manilla?host=a,b,c&port=6000')

  assert.deepEqual(several.hosts, ['db1 5433', 'db2 5432'])
  assert.deepEqual([several.target, several.connectMaxMs], ['primary', 2000])
  assert.equal(several.first, 'postgres://m:p%40ss@/manilla?host=db1&port=5433&ssl=true')
  assert.deepEqual(six.hosts, ['fd00::1 5433', '::1 5432'])
  assert.deepEqual([six.target, six.connectMaxMs], ['read-write', 1500])
  assert.deepEqual(sockets.hosts, ['/run/a 5432', '/run/b 6543'])
  assert.deepEqual(parameters.hosts, ['/run/a 5433', 'db.example 5432'])
  assert.deepEqual(onePort.hosts, ['a 6000', 'b 6000', 'c 6000'])
  assert.equal(onePort.first, 'postgres:///manilla?host=a&port=6000')
})

test('one host is left to the driver, word for word', () => {
  const urls = [
    'postgres://m:hunter2@db.internal/manilla',
    'postgres://m@/manilla?host=%2Ftmp&port=5432&sslmode=disable',
    'postgres://m@[::1]:5433/manilla?connect_timeout=30',
    'postgresql:///manilla?host=/tmp&target_session_attrs=read-write&load_balance_hosts=disable',
    'postgres://m:p@ss@db/manilla',
  ]

  for (const url of urls)
    assert.deepEqual([parseUrl(url).first, parseUrl(url).hosts?.length], [url, 1])
})

const WRONG: Record<string, RegExp> = {
  'a,b/manilla': /look like/,
  'postgres://a,b /manilla': /look like/,
  'postgres://m@a:x/manilla': /look like/,
  'postgres://m@a,b/manilla?target_session_attrs=standby': /target_session_attrs/,
  'postgres://m@a/manilla?target_session_attrs=prefer-standby': /target_session_attrs/,
  'postgres://m@a,b/manilla?load_balance_hosts=random': /load_balance_hosts/,
  'postgres://m@a,b/manilla?hostaddr=10.0.0.1,10.0.0.2': /hostaddr/,
  'postgres://m@a,,c/manilla': /entry 2/,
  'postgres://m@a,b%zz/manilla': /entry 2/,
  'postgres://m@a,b:c:d/manilla': /entry 2/,
  'postgres://m@a:5432,b:99999/manilla': /port .* for host 2/,
  'postgres://m@a:5432,b:x/manilla': /port .* for host 2/,
  'postgres://m@a,b,c/manilla?port=1,2': /one port for each/,
  'postgres://m@a/manilla?port=1,2': /one port for each/,
  'postgres://m@a,b,a:5432/manilla': /host 3 twice/,
  'postgres://m@a,b/manilla?connect_timeout=0': /connect_timeout/,
  'postgres://m@a,b/manilla?connect_timeout=10': /connect_timeout/,
  'postgres://m@a,b/manilla?connect_timeout=soon': /connect_timeout/,
}

test('an ambiguous URL is refused, and the message quotes nothing of it', () => {
  for (const [url, why] of Object.entries(WRONG)) {
    const { problems } = parseUrl(url.replace('m@', 'm:hunter2@'))
    assert.equal(problems.length, 1, url)
    assert.match(problems[0] as string, why, url)
    assert.doesNotMatch(problems[0] as string, /hunter2/)
  }
})
