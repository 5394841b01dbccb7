import { expect } from 'chai'
import { JSON_TYPE } from '../../../../src/audit/json-line.ts'
import { lineOf } from '../../../../src/audit/line.ts'
import { AuditMetrics } from '../../../../src/audit/metrics.ts'
import type { WrittenEvent } from '../../../../src/audit/sink.ts'
import { eventList } from '../../../../src/audit/webhook/event-list.ts'
import { webhookBackend } from '../../../../src/audit/webhook/webhook-backend.ts'
import { webhookBackoff } from '../../../../src/clients/backoff.ts'
import { RemoteCallError } from '../../../../src/clients/remote-client.ts'
import { filledWith } from '../../../../src/lib/filled-body.ts'
import { silentLogger } from '../../../../src/lib/log.ts'

const event = (...rest: Parameters<typeof lineOf>[0]): WrittenEvent => ({
  line: lineOf([`{${JSON_TYPE},"level":"Metadata"`, ...rest, '}']),
  summary: { bytes: 0, text: () => '' },
})
const ITEM = '{"level":"Metadata"}'
const list = (...items: string[]): string =>
  `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join(',')}]}\n`

describe('eventList', () => {
  it('omits the type of items', async () => {
    expect((await eventList([event()])).toString()).to.equal(list(ITEM))
    expect((await eventList([event(), event()])).toString()).to.equal(list(ITEM, ITEM))
  })
  it('includes objects of any kind of body', async () => {
    const whole = event(
      ',"requestObject":',
      Buffer.from('{"a":1}\n'),
      ',"responseObject":',
      filledWith([Buffer.from('{"b":'), Buffer.from('2}')], 7),
    )
    expect((await eventList([whole, event()])).toString()).to.equal(
      list('{"level":"Metadata","requestObject":{"a":1},"responseObject":{"b":2}}', ITEM),
    )
  })
})

/** A webhook that fails so many times, and the times of its calls. */
function hooked(failures: number, error: Error = new RemoteCallError('no')) {
  const asked: string[] = []
  const waits: number[] = []
  const metrics = new AuditMetrics()
  const given = new AbortController()
  const backend = webhookBackend({
    metrics,
    log: silentLogger,
    signal: given.signal,
    backoff: webhookBackoff(10_000),
    timing: {
      random: () => 0,
      wait: async ms => {
        waits.push(ms)
        given.signal.throwIfAborted()
      },
    },
    client: {
      async post(body) {
        asked.push(body.toString())
        if (asked.length <= failures) throw error
        return { status: 200, headers: {}, body: Buffer.alloc(0) }
      },
      close: () => void asked.push('closed'),
    },
  })
  const lost = (): number | undefined =>
    metrics.families.flatMap(family => [...family.samples()]).find(({ labels }) => labels.plugin === 'webhook')?.value
  return { asked, waits, backend, lost, given }
}

describe('webhookBackend', () => {
  it('posts events in a list', async () => {
    const { backend, asked, lost } = hooked(0)
    expect(await backend.write([event(), event()])).to.equal(true)
    await backend.close()
    expect([asked, lost()]).to.deep.equal([[list(ITEM, ITEM), 'closed'], undefined])
  })
  for (const [what, error] of [
    ['a refusal', new RemoteCallError('forbidden', { statusCode: 403 })],
    ['a failure', new RemoteCallError('broken', { statusCode: 500 })],
    ['no response', new RemoteCallError('EOF', { end: 'reset' })],
  ] as const)
    it(`retries after ${what}`, async () => {
      const { backend, asked, waits, lost } = hooked(4, error)
      expect(await backend.write([event()])).to.equal(true)
      expect([asked.length, waits, lost()]).to.deep.equal([5, [10_000, 15_000, 22_500, 33_750], undefined])
    })
  it('makes five calls, and then loses the events', async () => {
    const { backend, asked, lost } = hooked(5)
    expect(await backend.write([event(), event()])).to.equal(false)
    expect([asked.length, lost()]).to.deep.equal([5, 2])
  })
  it('aborts retries when the server ends', async () => {
    const { backend, asked, lost, given } = hooked(5)
    given.abort()
    expect(await backend.write([event()])).to.equal(false)
    expect([asked.length, lost()]).to.deep.equal([0, 1])
  })
  it('limits the bytes that wait', async () => {
    const { backend, asked, lost } = hooked(0)
    const long = (): WrittenEvent => ({ line: { parts: [], length: 300 << 20 }, summary: { bytes: 0, text: () => '' } })
    expect(await Promise.all([backend.write([long()]), backend.write([long()])])).to.deep.equal([true, false])
    expect([asked.length, lost(), await backend.write([long()])]).to.deep.equal([1, 1, true])
  })
})
