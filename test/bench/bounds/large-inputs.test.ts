import net from 'node:net'
import { fieldOwners } from '../../../src/console/field-owners.ts'
import { endToEnd } from '../../../src/endpoints/connect/headers.ts'
import { parseInteger } from '../../../src/lib/integer.ts'
import { lineDiff } from '../../../src/lib/line-diff.ts'
import { readHead } from '../../../src/protocols/http2/request-head.ts'
import { unifiedDiff } from '../../../src/schema/go/go-json-diff.ts'
import { Warnings } from '../../../src/server/http/warnings.ts'
import { expectWithin } from '../../support/processor-cost.ts'
import { startTestServer } from '../../support/server.ts'

const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Milliseconds that a large input may take, what to prepare, and what to measure. */
const CASES: Readonly<Record<string, readonly [mostMs: number, prepare: () => () => unknown]>> = {
  'digits of an integer': [
    100,
    () => {
      const text = '9'.repeat(3_000_000)
      return () => parseInteger(text)
    },
  ],
  'names in a Connection header': [
    500,
    () => {
      const headers = [['Connection', 'a,b,'.repeat(240_000)] as const, ...list(1900, i => [`X-${i}`, '1'] as const)]
      return () => endToEnd(headers)
    },
  ],
  'blanks within a header of HTTP/2': [
    500,
    () => {
      const values = [' ', '\x01', ''].map(end => `b${' c'.repeat(200_000)}${end}`)
      return () => values.map(value => readHead([':method', 'GET', ':scheme', 'https', ':path', '/', 'a', value]))
    },
  ],
  'warnings of a response': [
    1000,
    () => {
      const texts = list(200_000, i => `spec.hostAliases[${i}].ip: duplicate ip`)
      return () => {
        const warnings = new Warnings()
        for (const text of texts) warnings.add(text)
        return warnings.headers()
      }
    },
  ],
  'lines of a unified diff': [
    1000,
    () => {
      const lines = list(60_000, i => `${i % 120}\n`)
      return () => unifiedDiff(lines, lines.toReversed())
    },
  ],
  'lines of a diff in the console': [
    3000,
    () => {
      const [before, after] = ['a', 'b'].map(name => list(20_000, i => name + i)) as [string[], string[]]
      return () => lineDiff(before, after)
    },
  ],
  'owners of the items of a list': [
    2000,
    () => {
      const items = list(20_000, i => ({ name: `n${i}` }))
      const set = Object.fromEntries(items.map(({ name }) => [`k:{"name":"${name}"}`, { '.': {} }]))
      return () =>
        fieldOwners({ spec: { items } }, [{ manager: 'a', fieldsV1: { 'f:spec': { 'f:items': set } } }]).ownersOf('/spec/items/19999')
    },
  ],
}

describe('processor time of large inputs', () => {
  for (const [what, [mostMs, prepare]] of Object.entries(CASES)) it(what, () => expectWithin(mostMs, prepare()))

  it('header fields over HTTP/1.1', async () => {
    const server = await startTestServer(exchange => exchange.sendBytes(200, 'text/plain', Buffer.from('ok')))
    const text = `GET /api/v1/things HTTP/1.1\r\nHost: localhost\r\n${'a:\r\n'.repeat(250_000)}\r\n`
    try {
      await expectWithin(1000, async () => {
        const socket = net.connect(server.running.insecurePort ?? 0, '127.0.0.1').on('error', () => {})
        socket.resume().write(text)
        await new Promise(resolve => socket.once('close', resolve))
      })
    } finally {
      await server.close()
    }
  })
})
