// A device gets a name that people know, such as a browser’s, and no other part of the text that the
// browser sends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName } from '../../web/dashboard/device-names.ts'

const MOZILLA = 'Mozilla/5.0'
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const IPHONE = 'iPhone; CPU iPhone OS 18_1 like Mac OS X'

const NAMES: Record<string, string> = {
  [`${MOZILLA} (Windows NT 10.0) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`]: 'Chrome on Windows',
  [`${MOZILLA} (Windows NT 10.0) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`]:
    'Edge on Windows',
  [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.1 Safari/605.1.15`]:
    'Safari on Mac',
  [`${MOZILLA} (${IPHONE}) ${WEBKIT} Version/18.1 Mobile/15E148 Safari/604.1`]: 'Safari on iPhone',
  [`${MOZILLA} (${IPHONE}) ${WEBKIT} CriOS/131.0 Mobile/15E148 Safari/604.1`]: 'Chrome on iPhone',
  [`${MOZILLA} (Linux; Android 14) ${WEBKIT} SamsungBrowser/26.0 Chrome/122.0.0.0 Safari/537.36`]:
    'Samsung Internet on Android',
  [`${MOZILLA} (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36 OPR/86.0`]:
    'Opera on Android',
  [`${MOZILLA} (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0`]: 'Firefox on Linux',
  [`${MOZILLA} (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`]:
    'Chrome on ChromeOS',
  'curl/8.5.0': 'curl',
  'SomethingElse (Windows)': 'Windows',
}

for (const [userAgent, name] of Object.entries(NAMES)) {
  test(`${name} is called so`, () => {
    assert.equal(deviceName(userAgent), name)
  })
}

test('an unknown device name is shortened and never shown as sent', () => {
  for (const userAgent of ['', '<script>alert(1)</script>', 'x'.repeat(300), 'node', '????']) {
    assert.equal(deviceName(userAgent), 'Unknown device')
  }
})
