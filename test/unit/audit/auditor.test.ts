import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { type AuditFormat, Auditor, type AuditTarget } from '../../../src/audit/auditor.ts'
import type { AuditedRequest } from '../../../src/audit/event.ts'
import { bodyBytes } from '../../../src/audit/line.ts'
import { AuditMetrics } from '../../../src/audit/metrics.ts'
import { type AuditPolicy, policyEvaluator } from '../../../src/audit/policy.ts'
import { RequestAudit } from '../../../src/audit/request-audit.ts'
import type { EventSummary } from '../../../src/audit/sink.ts'
import { sourceIps } from '../../../src/audit/source-ips.ts'
import { filledWith } from '../../../src/lib/filled-body.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { parseRequestInfo } from '../../../src/server/filters/request-info.ts'
import { eventually } from '../../support/waiting.ts'

const RECEIVED = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

const request = (given: Partial<AuditedRequest> = {}): AuditedRequest => ({
  auditId: 'id',
  uri: '/api/v1/namespaces/a/pods',
  info: parseRequestInfo('POST', '/api/v1/namespaces/a/pods', () => new URLSearchParams()),
  headers: {},
  userAgent: 'agent',
  remoteAddress: '127.0.0.1',
  receivedAt: RECEIVED,
  longRunning: false,
  elapsed: () => 1.5,
  ...given,
})

/** Returns the number of events that a part of auditing has counted as failed. */
const errorsOf = (metrics: AuditMetrics, plugin: string): number | undefined =>
  metrics.families.flatMap(family => [...family.samples()]).find(({ labels }) => labels.plugin === plugin)?.value

/** A target that accepts lines when `written` resolves. */
function recording(
  lines: string[],
  { fails = false, written }: { fails?: boolean; written?: Promise<void> | undefined } = {},
): AuditTarget['sink'] {
  return {
    waits: true,
    async process({ line }) {
      await written
      let text = ''
      for (const part of line.parts) for await (const bytes of bodyBytes(part)) text += bytes.toString()
      lines.push(text)
      return !fails
    },
    close: async () => {},
  }
}

/** An auditor, and the lines that it has written. `beside`: further targets. */
function auditing(
  options: {
    policy?: AuditPolicy
    maxEventBytes?: number
    format?: AuditFormat
    fails?: boolean
    written?: Promise<void>
    beside?: readonly AuditTarget[]
  } = {},
) {
  const lines: string[] = []
  const metrics = new AuditMetrics()
  const { policy, maxEventBytes, format = 'json', beside = [] } = options
  const auditor = new Auditor({
    evaluate: policyEvaluator(policy ?? { rules: [{ level: 'RequestResponse' }] }),
    targets: [{ plugin: 'log', format, maxEventBytes, sink: recording(lines, options) }, ...beside],
    metrics,
    log: silentLogger,
  })
  return { lines, metrics, auditor }
}

/** The audit of a request that the policy selects. */
function begun(auditor: Auditor, given: Partial<AuditedRequest> = {}, failedEarly = false): RequestAudit {
  const event = auditor.begin(request(given), failedEarly ? undefined : { name: 'alice', groups: ['dev', 'ops'] })
  if (event === undefined) throw new Error('the policy does not want it')
  return new RequestAudit(auditor, event, failedEarly)
}

const stages = (lines: readonly string[]): unknown[] => lines.map(line => JSON.parse(line).stage)

describe('an audited request', () => {
  it('is not retained by the summary of its event', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    let told: EventSummary | undefined
    const sink: AuditTarget['sink'] = {
      waits: false,
      async process(event) {
        told = event.summary
        return true
      },
      close: async () => {},
    }
    const { auditor } = auditing({ beside: [{ plugin: 'webhook', format: 'json', maxEventBytes: undefined, sink }] })
    let headers: WeakRef<object> | undefined
    let body: WeakRef<object> | undefined
    await (async () => {
      const given = { headers: { accept: 'a' } }
      const audit = begun(auditor, given)
      const object = Buffer.alloc(1 << 20, '1')
      audit.event.requestObject(object)
      await audit.answers(200)
      headers = new WeakRef(given.headers)
      body = new WeakRef(object)
    })()
    await eventually('they are collected', () => {
      collect()
      return headers?.deref() === undefined && body?.deref() === undefined
    })
    expect(told?.text()).to.include('user="alice"').and.to.include('uri="/api/v1/namespaces/a/pods" response="200"')
    expect(told?.bytes).to.equal('agent/api/v1/namespaces/a/podsalicedevops'.length)
  })
  it('is reported once at each stage', async () => {
    const { auditor, lines } = auditing()
    const audit = begun(auditor)
    expect(await audit.received()).to.equal(true)
    await audit.answers(200)
    await audit.answers(500)
    await audit.ends()
    expect(stages(lines)).to.deep.equal(['RequestReceived', 'ResponseComplete'])
    expect(JSON.parse(lines[1] ?? '')).to.include({
      requestReceivedTimestamp: '2026-01-02T03:04:05.678000Z',
      stageTimestamp: '2026-01-02T03:04:05.679500Z',
    })
  })
  it('has managed fields removed from a long body in turns', async () => {
    const { auditor, lines } = auditing({ policy: { rules: [{ level: 'Request' }], omitManagedFields: true } })
    const audit = begun(auditor)
    audit.event.requestObject(Buffer.from(`{"data":{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":"v"`).join(',')}}}`))
    let turns = 0
    const count = (): void => {
      turns++
      if (lines.length === 0) setImmediate(count)
    }
    setImmediate(count)
    await audit.answers(200)
    expect(turns).to.be.greaterThan(3)
    expect(Object.keys(JSON.parse(lines[0] ?? '').requestObject.data)).to.have.length(200_000)
  })
  it('waits for memory before managed fields are removed from a long list', async () => {
    let goOn = (): void => {}
    const written = new Promise<void>(resolve => {
      goOn = resolve
    })
    const { auditor, lines } = auditing({ policy: { rules: [{ level: 'RequestResponse' }], omitManagedFields: true }, written })
    const bytes = 33 << 20
    let made = 0
    const answers = Array.from({ length: 3 }, () => {
      const audit = begun(auditor)
      let isMade = false
      const fill = (target: Buffer): Buffer => {
        if (!isMade) made++
        isMade = true
        return target.fill('1')
      }
      audit.event.responseObject({ length: bytes, fill })
      return audit.answers(200)
    })
    await eventually('one is there', () => made === 1)
    for (let i = 0; i < 1000; i++) await new Promise(resolve => setImmediate(resolve))
    expect(made).to.equal(1)
    goOn()
    await Promise.all(answers)
    expect([made, lines.length]).to.deep.equal([3, 3])
  })
  it('loses its event if too many long lists wait for memory while the log blocks', async () => {
    const { auditor, metrics } = auditing({
      policy: { rules: [{ level: 'RequestResponse' }], omitManagedFields: true },
      written: new Promise(() => {}),
    })
    const answered: number[] = []
    for (const [i, megabytes] of [1, 200, 200, 200, 1].entries()) {
      const audit = begun(auditor)
      audit.event.responseObject({ length: megabytes << 20, fill: (target: Buffer) => target.fill('1') })
      void Promise.resolve(audit.answers(200)).then(() => answered.push(i))
    }
    await eventually('one is lost', () => answered.length === 1)
    expect(answered).to.deep.equal([3])
    expect(errorsOf(metrics, 'log')).to.equal(1)
  })
  it('is reported at the start of its response if it is long-running', async () => {
    const { auditor, lines } = auditing()
    const audit = begun(auditor, { longRunning: true })
    audit.begins(200)
    await audit.ends()
    expect(stages(lines)).to.deep.equal(['ResponseStarted', 'ResponseComplete'])
  })
  it('is reported as closed early without a response', async () => {
    const { auditor, lines } = auditing({ policy: { rules: [{ level: 'Metadata' }] } })
    await begun(auditor).ends()
    expect(JSON.parse(lines[0] ?? '').responseStatus).to.deep.equal({
      metadata: {},
      status: 'Success',
      message: 'Connection closed early',
      code: 200,
    })
  })
  it('is reported by its response only if it fails before authentication', async () => {
    const { auditor, lines } = auditing()
    await begun(auditor, {}, true).answers(401)
    expect(stages(lines)).to.deep.equal(['ResponseStarted'])
    expect(JSON.parse(lines[0] ?? '').user).to.deep.equal({})
  })
  it('is reported as panicked instead of its error response', async () => {
    const { auditor, lines } = auditing()
    const audit = begun(auditor)
    audit.panicked('oops')
    audit.status({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'Internal error occurred: oops' })
    await audit.answers(500)
    expect(stages(lines)).to.deep.equal(['Panic'])
    const status = { metadata: {}, status: 'Failure', message: "APIServer panic'd: oops", reason: 'InternalError', code: 500 }
    expect(JSON.parse(lines[0] ?? '').responseStatus).to.deep.equal(status)
  })
  it('fails if its first event is lost and the mode is strict', async () => {
    const { auditor, lines, metrics } = auditing({ fails: true })
    const audit = begun(auditor)
    expect(await audit.received()).to.equal(false)
    await audit.answers(500)
    expect([lines.length, metrics.rejected.value]).to.deep.equal([1, 1])
  })
  it('is annotated with its latency if that is long', async () => {
    const { auditor, lines } = auditing()
    await begun(auditor, { elapsed: () => 1500.5 }).answers(200)
    expect(JSON.parse(lines[0] ?? '').annotations).to.deep.equal({ 'apiserver.latency.k8s.io/total': '1.5005s' })
  })
  it('keeps the first value of an annotation', async () => {
    const { auditor, lines } = auditing()
    const audit = begun(auditor)
    for (const [key, value] of [
      ['b', '1'],
      ['a', '<'],
      ['b', '2'],
    ] as const)
      audit.event.annotate(key, value)
    await audit.answers(200)
    expect(lines[0]).to.include('"annotations":{"a":"\\u003c","b":"1"}}')
  })
})

describe('an audit event with a limit of its length', () => {
  const told = async (maxEventBytes: number) => {
    const { auditor, lines, metrics } = auditing({ maxEventBytes })
    const audit = begun(auditor)
    audit.event.requestObject(Buffer.from(JSON.stringify({ a: 'x'.repeat(1000) })))
    await audit.answers(200)
    return { lines, errors: errorsOf(metrics, 'truncate') }
  }
  it('is written completely if it fits', async () =>
    expect(JSON.parse((await told(2000)).lines[0] ?? '')).to.have.nested.property('requestObject.a'))
  it('loses its objects if it is too long', async () => {
    const [line = ''] = (await told(800)).lines
    expect(JSON.parse(line)).to.have.deep.property('annotations', { 'audit.k8s.io/truncated': 'true' })
    expect(line).not.to.include('requestObject')
  })
  it('is dropped if it is too long without objects', async () => expect(await told(100)).to.deep.equal({ lines: [], errors: 1 }))
})

describe('an audit event with several targets', () => {
  /** A legacy log, and a JSON target. */
  const both = (json: Partial<AuditTarget> = {}, options: Parameters<typeof auditing>[0] = {}) => {
    const second: string[] = []
    const target: AuditTarget = { plugin: 'webhook', format: 'json', maxEventBytes: undefined, sink: recording(second), ...json }
    return { ...auditing({ ...options, beside: [target] }), second }
  }
  it('is written to each in its format', async () => {
    const { auditor, lines, second } = both({}, { format: 'legacy' })
    await begun(auditor).answers(200)
    expect(lines[0]).to.match(/ AUDIT: id="id"/)
    expect(JSON.parse(second[0] ?? '')).to.include({ auditID: 'id' })
  })
  it('has a body that can be read once in both', async () => {
    const { auditor, lines, second } = both()
    const audit = begun(auditor)
    audit.event.responseObject(filledWith([Buffer.from('{"a":'), Buffer.from('1}')], 7))
    await audit.answers(200)
    expect(lines[0]).to.include('"responseObject":{"a":1}')
    expect(second).to.deep.equal(lines)
  })
  it('loses its objects only for a target whose limit it exceeds', async () => {
    const { auditor, lines, second } = both({ maxEventBytes: 800 })
    const audit = begun(auditor)
    audit.event.requestObject(Buffer.from(JSON.stringify({ a: 'x'.repeat(1000) })))
    await audit.answers(200)
    expect(lines[0]).to.include('requestObject').and.not.to.include('truncated')
    expect(second[0]).to.include('"audit.k8s.io/truncated":"true"').and.not.to.include('requestObject')
  })
  it('fails a request if one of the targets does', async () => {
    const { auditor, lines } = both({ sink: recording([], { fails: true }) })
    expect(await begun(auditor).received()).to.equal(false)
    expect(lines).to.have.length(1)
  })
})

describe('the legacy format', () => {
  it('has a line for each event', async () => {
    const { auditor, lines } = auditing({ format: 'legacy' })
    const audit = begun(auditor)
    await audit.received()
    audit.impersonates({ name: 'bob', groups: [] })
    await audit.answers(201)
    const line = (stage: string, as: string, response: string): string =>
      `2026-01-02T03:04:05.678Z AUDIT: id="id" stage="${stage}" ip="127.0.0.1" method="create" user="alice" groups="\\"dev\\",\\"ops\\"" ${as} ` +
      `user-agent="agent" namespace="a" uri="/api/v1/namespaces/a/pods" response="${response}"\n`
    expect(lines).to.deep.equal([
      line('RequestReceived', 'as="<self>" asgroups="<lookup>"', '<deferred>'),
      line('ResponseComplete', 'as="bob" asgroups=""', '201'),
    ])
  })
})

describe('sourceIps', () => {
  const cases: [Record<string, string>, string, string[]][] = [
    [{}, '10.0.0.9', ['10.0.0.9']],
    [{}, '::ffff:10.0.0.9', ['10.0.0.9']],
    [{ 'x-forwarded-for': '10.0.0.1, x, 10.0.0.2', 'x-real-ip': '10.0.0.3' }, '10.0.0.9', ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.9']],
    [{ 'x-forwarded-for': '10.0.0.1,10.0.0.2', 'x-real-ip': '10.0.0.1' }, '10.0.0.2', ['10.0.0.1', '10.0.0.2']],
    [{ 'x-real-ip': '2001:DB8::1' }, '', ['2001:db8::1']],
  ]
  for (const [headers, remote, expected] of cases)
    it(`are ${expected.join(', ')}`, () => expect(sourceIps(headers, remote)).to.deep.equal(expected))
})
