// Tests which passwords users may choose, how the service stores them, and how many it hashes at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hashPassword,
  hashSecret,
  matchPassword,
  passwordProblem,
  temporaryPassword,
  verifySecret,
} from '#access/passwords.ts'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import { Refusal } from '#errors.ts'
import { SANDBOX_USER } from '#sandbox/setup.ts'
import { atFullCost } from '../support/cheap-hashing.ts'

const EMAIL = 'ada.obi@shop.example.com'

test('passwords that anybody would try first are refused, each with a sentence', () => {
  const refused = [
    '',
    'short',
    'elevenchars',
    'x'.repeat(201),
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    '123456789012345',
    '098765432109876',
    'abcdefghijklmnop',
    'qwertyuiop1234',
    'asdfghjkl12345',
    'Password1234',
    'P@ssw0rd!2026',
    'passwordpassword',
    'Welcome123456',
    'letmein!!!!!!',
    'manilla12345678',
    'Sandbox-2026-2026',
    'iloveyou.1234',
    '1q2w3e\u00004r5t6y',
    'ada.obi@shop.example.com',
    'Ada.Obi2026!',
    'ada.obiada.obi',
    'shop.example.com1',
    'half a pair \ud83d is no text',
  ]

  // Collects each password that is not refused, or is refused without a sentence for the user.
  const faults = refused.filter((password) => {
    const problem = passwordProblem(password, EMAIL)
    return problem === null || !/^[A-Z].*\.$/.test(problem)
  })
  assert.deepEqual(faults, [])
})

test('passwords that nobody would guess are taken, in any script and of any kind', () => {
  const accepted = [
    'correct horse battery staple',
    'tr0ub4dor&3-and-more',
    'kQ7#vB2!mX9$',
    'ọdún mẹ́wàá ní Èkó',
    'пароль из четырёх слов',
    '我的秘密是一只会飞的猫在天上',
    'emoji 🐙 are 🦑 fine',
    'a password that has the word in it',
    temporaryPassword(),
  ]

  const faults = accepted.filter((password) => passwordProblem(password, EMAIL) !== null)
  assert.deepEqual(faults, [])
})

test('a hash is of OWASP’s cost, and salted', async () => {
  await atFullCost(async () => {
    const hash = await hashPassword('one password')

    assert.match(hash, /^scrypt\$131072\$[\w+/]{22}==\$[\w+/]{43}=$/)
    assert.deepEqual(await matchPassword('one password', [hash]), [true])
  })
})

test('the hashes of the sandbox are of what is documented', async () => {
  const { password, passwordHash } = SANDBOX_USER
  const { secret, secretHash } = SANDBOX_CLIENT

  assert.deepEqual(await atFullCost(() => matchPassword(password, [passwordHash])), [true])
  assert(await atFullCost(() => verifySecret(secret, secretHash)))
})

test('several hashes of one salt are told apart', async () => {
  const salt = Buffer.alloc(16, 1)
  const hashes = [await hashSecret('a', 1024, salt), await hashSecret('b', 1024, salt)]

  assert.deepEqual(await matchPassword('B', hashes), [false, false])
  assert.deepEqual(await matchPassword('b', hashes), [false, true])
})

test('two are worked out at a time, forty wait, and the rest is asked to come again', async () => {
  const hash = await hashSecret('x', 1024)

  const results = await Promise.allSettled(
    Array.from({ length: 50 }, () => matchPassword('x', [hash])),
  )

  const done = results.filter(({ status }) => status === 'fulfilled')
  assert.equal(done.length, 42)
  for (const result of results) {
    if (result.status === 'fulfilled') assert.deepEqual(result.value, [true])
    else assert(result.reason instanceof Refusal && result.reason.code === 'busy')
  }
  assert.deepEqual(await matchPassword('x', [hash]), [true]) // The next one is hashed again.
})
