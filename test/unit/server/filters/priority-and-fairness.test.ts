import { expect } from 'chai'
import type { FlowConfiguration } from '../../../../src/flow/flow-control.ts'
import { PlainTextError } from '../../../../src/meta/plain-text-error.ts'
import { timeoutError } from '../../../../src/meta/status.ts'
import { marksOf, waitLimit, withPriorityAndFairness } from '../../../../src/server/filters/priority-and-fairness.ts'
import { type FilteredRequest, filterContext, gate, rejection, runFilter } from '../../../support/filter-context.ts'
import { queued, rejecting, schemaOf, testFlows, valuesOf } from '../../../support/flow.ts'

const ALICE = { name: 'alice', groups: ['system:authenticated'] }
const MASTER = { name: 'admin', groups: ['system:masters'] }
const WATCH = '/api/v1/namespaces/ns/things?watch=1'
const ONE_SEAT: FlowConfiguration = {
  levels: [queued('level', 1_000_000, { queues: 1, handSize: 1, queueLengthLimit: 2 })],
  schemas: [schemaOf('alice', 'level')],
}

/** The filter in front of requests that end on demand. */
function setUp(configuration: FlowConfiguration = ONE_SEAT) {
  const test = testFlows(1, configuration)
  const marks = marksOf(test.metrics)
  const filter = withPriorityAndFairness(test, marks, 60_000)
  const begin = (request: FilteredRequest = {}) => {
    const ctx = filterContext({ user: ALICE, ...request })
    ctx.state.exchange.longRunning = /watch=1|\/log/.test(request.url ?? '')
    const headers: Record<string, unknown> = {}
    ctx.state.exchange.setHeader = (name, value) => {
      headers[name] = value
    }
    const held = gate()
    let served = false
    const over = rejection(
      runFilter(filter, ctx, () => {
        served = true
        return held.opened
      }),
    )
    return { ctx, headers, over, end: held.open, isServed: () => served }
  }
  const counts = (phase: 'waiting' | 'executing') => [marks[phase].readOnly.current, marks[phase].mutating.current]
  return { ...test, begin, counts, values: (name: string) => valuesOf(test.metrics.families(), `apiserver_flowcontrol_${name}`) }
}

/** Resolves once everything that is ready has run. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('withPriorityAndFairness', () => {
  it('sets the headers of level and schema', async () => {
    const { begin } = setUp()
    const request = begin()
    expect(request.headers).to.deep.equal({
      'X-Kubernetes-Pf-Flowschema-Uid': 'of-alice-uid',
      'X-Kubernetes-Pf-Prioritylevel-Uid': 'level-uid',
    })
    request.end()
    expect(await request.over).to.equal(undefined)
  })

  it('makes a request wait until another one is over', async () => {
    const { begin, clock, counts } = setUp()
    const first = begin()
    const second = begin({ method: 'PUT' })
    expect([first.isServed(), second.isServed(), counts('executing'), counts('waiting')]).to.deep.equal([true, false, [1, 0], [0, 1]])
    clock.pass(70)
    first.end()
    await first.over
    await settled()
    expect([second.isServed(), counts('executing'), counts('waiting'), second.ctx.state.exchange.queuedMs]).to.deep.equal([
      true,
      [0, 1],
      [0, 0],
      70,
    ])
    second.end()
    expect(await second.over).to.equal(undefined)
    expect(counts('executing')).to.deep.equal([0, 0])
  })

  it('responds with 429 and Retry-After if the queue is full', async () => {
    const { begin, clock, values } = setUp()
    clock.run(1e9)
    const waiting = [begin(), begin(), begin()]
    const error = await begin().over
    expect(error)
      .to.be.instanceOf(PlainTextError)
      .and.include({ code: 429, message: 'Too many requests, please try again later.', retryAfter: 1 })
    for (let i = 0; i < 5; i++) await begin().over
    clock.pass(1000)
    expect(await begin().over).to.include({ retryAfter: 2 })
    expect(values('rejected_requests_total')).to.deep.equal({ 'level of-alice queue-full': 7 })
    for (const each of waiting) each.end()
    await Promise.all(waiting.map(({ over }) => over))
  })

  it('responds with 429 if the level has no queues', async () => {
    const { begin, values } = setUp({ levels: [rejecting('level', 1_000_000)], schemas: [schemaOf('alice', 'level')] })
    const first = begin()
    const second = begin()
    expect(await second.over).to.include({ code: 429 })
    expect(second.headers).to.have.property('X-Kubernetes-Pf-Flowschema-Uid', 'of-alice-uid')
    expect(values('rejected_requests_total')).to.deep.equal({ 'level of-alice concurrency-limit': 1 })
    first.end()
    await first.over
  })

  it('responds with 429 after a quarter of the timeout', async () => {
    const { begin, clock, values, counts } = setUp()
    const first = begin()
    const second = begin()
    clock.pass(15_001)
    expect(await second.over).to.include({ code: 429 })
    expect(second.isServed()).to.equal(false)
    expect(values('rejected_requests_total')).to.deep.equal({ 'level of-alice time-out': 1 })
    expect(counts('waiting')).to.deep.equal([0, 0])
    first.end()
    await first.over
  })

  it('cancels a waiting request whose client has disconnected', async () => {
    const { begin, flows } = setUp()
    const first = begin()
    const second = begin()
    second.ctx.state.exchange.abort(timeoutError('gone', 0))
    expect(await second.over).to.include({ code: 429 })
    expect(flows.levels.get('level')?.queues.waiting).to.equal(0)
    first.end()
    await first.over
  })

  it('releases seats, whatever the result of the request', async () => {
    const { flows, ...test } = setUp()
    const filter = withPriorityAndFairness({ flows, ...test }, marksOf(undefined), 60_000)
    const error = new Error('oops')
    expect(await rejection(runFilter(filter, filterContext({ user: ALICE }), () => Promise.reject(error)))).to.equal(error)
    const thrower = (): never => {
      throw error
    }
    expect(await rejection(runFilter(filter, filterContext({ user: ALICE }), thrower))).to.equal(error)
    expect(flows.levels.get('level')?.queues).to.include({ executing: 0, seatsInUse: 0 })
  })

  it('does not limit system:masters', async () => {
    const { begin } = setUp()
    const all = Array.from({ length: 10 }, () => begin({ user: MASTER }))
    expect(all.every(({ isServed }) => isServed())).to.equal(true)
    for (const each of all) each.end()
    await Promise.all(all.map(({ over }) => over))
  })

  it('does not limit long-running requests other than watches', async () => {
    const { begin } = setUp()
    const first = begin()
    const log = begin({ url: '/api/v1/namespaces/ns/pods/x/log' })
    expect(log.isServed()).to.equal(true)
    expect(log.headers).to.deep.equal({})
    for (const each of [first, log]) each.end()
    await Promise.all([first.over, log.over])
  })

  describe('a watch', () => {
    it('holds its seat until its initial events are sent', async () => {
      const { begin, counts, values } = setUp()
      const watch = begin({ url: WATCH })
      const next = begin()
      expect([watch.isServed(), next.isServed(), counts('executing')]).to.deep.equal([true, false, [1, 0]])
      watch.ctx.state.exchange.watchInitialized()
      watch.ctx.state.exchange.watchInitialized()
      await settled()
      expect([next.isServed(), counts('executing')]).to.deep.equal([true, [1, 0]])
      next.end()
      watch.end()
      await Promise.all([watch.over, next.over])
      expect(counts('executing')).to.deep.equal([0, 0])
      expect(values('request_execution_seconds')).to.deep.equal({ 'level of-alice regular': 1, 'level of-alice watch': 1 })
    })

    it('releases its seat if it ends before', async () => {
      const { begin, flows } = setUp()
      const watch = begin({ url: WATCH })
      watch.end()
      await watch.over
      expect(flows.levels.get('level')?.queues.isIdle).to.equal(true)
    })

    it('waits and is refused like other requests', async () => {
      const { begin, clock } = setUp()
      const first = begin()
      const watch = begin({ url: WATCH })
      clock.pass(15_001)
      expect(await watch.over).to.include({ code: 429 })
      first.end()
      await first.over
    })

    it('counts towards the cost of writes while it is open', async () => {
      const { begin, flows } = setUp()
      const watch = begin({ url: WATCH })
      const write = filterContext({ method: 'POST', url: '/api/v1/namespaces/ns/things' }).state.exchange.info
      watch.ctx.state.exchange.watchInitialized()
      expect(flows.watches.interestedIn(write)).to.equal(1)
      watch.end()
      await watch.over
      expect(flows.watches.interestedIn(write)).to.equal(0)
    })
  })

  describe('waitLimit', () => {
    const CASES: [deadline: number, elapsed: number, now: number, timeout: number, limit: number][] = [
      [60_000, 0, 0, 60_000, 15_000],
      [0, 0, 0, 60_000, 15_000],
      [100_000, 4_000, 44_000, 60_000, 11_000],
      [0, 400_000, 0, 60_000, 0],
      [3_600_000, 0, 0, 60_000, 60_000],
      [0, 0, 0, 3_600_000, 60_000],
    ]
    for (const [deadline, elapsed, now, timeout, limit] of CASES)
      it(`deadline ${deadline}, ${elapsed} ms old, at ${now}, timeout ${timeout}: ${limit}`, () =>
        expect(waitLimit({ deadline, elapsed: () => elapsed }, now, timeout)).to.equal(limit))
  })
})
