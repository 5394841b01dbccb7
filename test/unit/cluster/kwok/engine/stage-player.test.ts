import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../../src/api/meta/object.ts'
import type { StageClient } from '../../../../../src/cluster/kwok/engine/stage-client.ts'
import { type StagedObject, StageEngine } from '../../../../../src/cluster/kwok/engine/stage-engine.ts'
import { StagePlayer } from '../../../../../src/cluster/kwok/engine/stage-player.ts'
import { decodeStage } from '../../../../../src/cluster/kwok/stage/decode.ts'
import { endTurn } from '../../../../../src/lib/turn.ts'
import { StatusError } from '../../../../../src/meta/status.ts'
import { PLACEHOLDERS } from '../../../../support/kwok-placeholders.ts'
import { SteppedClock } from '../../../../support/stepped-clock.ts'

const stage = (name: string, spec: JsonObject): Json => ({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: { resourceRef: { kind: 'Pod' }, ...spec },
})

const inPhase = (phase: string): JsonObject => ({
  selector: { matchExpressions: [{ key: '.status.phase', operator: 'In', values: [phase] }] },
})
const toPhase = (phase: string): JsonObject => ({ patch: { root: 'status', subresource: 'status', template: `phase: ${phase}` } })

const pod = (name = 'p'): StagedObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, resourceVersion: '1' },
  status: { phase: 'Pending' },
})

/** A player with a client that records its requests and returns the patched object. */
class World {
  readonly clock = new SteppedClock()
  readonly requests: string[] = []
  readonly errors: string[] = []
  readonly player: StagePlayer
  /** Errors of the next requests. */
  failures: Error[] = []
  version = 1
  playing = 0
  mostPlaying = 0

  constructor(stages: readonly Json[]) {
    const onError = (_: StagedObject, { message }: Error): void => void this.errors.push(message)
    const engine = new StageEngine({ stages: stages.map(decodeStage), seed: 1, onError })
    this.player = new StagePlayer({ engine, client: this.#client(), clock: this.clock, functionsFor: () => PLACEHOLDERS, seed: 1, onError })
  }

  #client(): StageClient {
    const request = async (text: string): Promise<void> => {
      this.mostPlaying = Math.max(this.mostPlaying, ++this.playing)
      await new Promise(resolve => setImmediate(resolve))
      this.playing--
      const failure = this.failures.shift()
      this.requests.push(`${this.clock.now()} ${text}${failure ? ' failed' : ''}`)
      if (failure) throw failure
    }
    return {
      patch: async (object, { type, data, subresource }) => {
        await request(`patch ${object.metadata.name} ${subresource} ${type} ${JSON.stringify(data)}`)
        return {
          ...(object as StagedObject),
          ...(data as JsonObject),
          metadata: { ...object.metadata, resourceVersion: `${++this.version}` },
        }
      },
      delete: object => request(`delete ${object.metadata.name}`),
      apply: (source, { data }) => request(`apply for ${source.metadata.name} ${JSON.stringify(data)}`),
      createEvent: (object, { type, reason, message }) => request(`event ${object.metadata.name} ${type} ${reason} ${message}`),
    }
  }
}

const unavailable = (): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'wait',
  })
const notFound = (): StatusError =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404, reason: 'NotFound', message: 'gone' })

describe('the player', () => {
  it('makes the requests of a stage in order when it is due', async () => {
    const event = { event: { type: 'Normal', reason: 'Go', message: 'now' } }
    const world = new World([
      stage('a', {
        ...inPhase('Pending'),
        delay: { durationMilliseconds: 1000 },
        steps: [
          event,
          { finalizers: { add: [{ value: 'x/y' }] } },
          toPhase('Running'),
          { apply: { template: 'kind: ConfigMap' } },
          { delete: true },
        ],
      }),
    ])
    world.player.observe(pod())
    await world.clock.advance(999)
    expect(world.requests).to.deep.equal([])
    await world.clock.advance(1)
    expect(world.requests).to.deep.equal([
      '1000 event p Normal Go now',
      '1000 patch p  application/json-patch+json [{"op":"add","path":"/metadata/finalizers","value":["x/y"]}]',
      '1000 patch p status application/strategic-merge-patch+json {"status":{"phase":"Running"}}',
      '1000 apply for p {"kind":"ConfigMap"}',
      '1000 delete p',
    ])
    expect([world.player.isIdle, world.clock.timers, world.errors]).to.deep.equal([true, 0, []])
  })

  it('goes on with the response of its patch only if the stage says so', async () => {
    const complete = stage('b', { ...inPhase('Running'), steps: [toPhase('Succeeded')] })
    for (const [immediateNextStage, phases] of [
      [true, ['Running', 'Succeeded']],
      [false, ['Running']],
    ] as const) {
      const world = new World([stage('a', { ...inPhase('Pending'), steps: [toPhase('Running')], immediateNextStage }), complete])
      world.player.observe(pod())
      await world.clock.advance(0)
      expect(world.requests.map(text => /"phase":"(\w+)"/.exec(text)?.[1])).to.deep.equal(phases)
    }
  })

  it('makes no request for a patch that changes nothing', async () => {
    const world = new World([
      stage('a', {
        ...inPhase('Pending'),
        steps: [toPhase('Pending'), { patch: { type: 'merge', template: 'metadata:\n  labels: null' } }],
      }),
    ])
    world.player.observe(pod())
    await world.clock.advance(0)
    expect(world.requests).to.deep.equal([])
  })

  it('retries the rest of a stage if the server is not available, after growing delays', async () => {
    const world = new World([
      stage('a', { ...inPhase('Pending'), steps: [{ event: { type: 'Normal', reason: 'R', message: 'm' } }, { delete: true }] }),
    ])
    world.player.observe(pod())
    world.failures = [undefined as never, unavailable(), unavailable()]
    await world.clock.advance(0)
    expect(world.player.isIdle).to.equal(false)
    await world.clock.advance(60_000)
    const [event, ...deletions] = world.requests
    expect(event).to.equal('0 event p Normal R m')
    expect(deletions.map(text => text.replace(/^\d+(\.\d+)? /, ''))).to.deep.equal(['delete p failed', 'delete p failed', 'delete p'])
    const [first = 0, second = 0, third = 0] = deletions.map(Number.parseFloat)
    expect(first).to.equal(0)
    expect(second).to.be.within(1000, 1200)
    expect(third - second).to.be.within(2000, 2400)
    expect([world.player.isIdle, world.errors]).to.deep.equal([true, ['wait', 'wait']])
  })

  it('retries a request that failed because a webhook did not respond', async () => {
    const world = new World([stage('a', { ...inPhase('Pending'), steps: [{ delete: true }] })])
    const failure = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 500,
      reason: 'InternalError',
      message: 'no webhook',
    } as const
    world.failures = [new StatusError(failure)]
    world.player.observe(pod())
    await world.clock.advance(2000)
    expect(world.requests.map(text => text.replace(/^\d+(\.\d+)? /, ''))).to.deep.equal(['delete p failed', 'delete p'])
  })

  it('drops a retry if the object changes or is deleted', async () => {
    const world = new World([stage('a', { ...inPhase('Pending'), steps: [{ delete: true }] })])
    world.player.observe(pod())
    world.failures = [unavailable()]
    await world.clock.advance(0)
    world.player.forget(pod())
    await world.clock.advance(60_000)
    expect(world.requests).to.deep.equal(['0 delete p failed'])
  })

  it('reports final errors and templates that fail, and does not retry', async () => {
    const world = new World([
      stage('a', { ...inPhase('Pending'), selector: { matchLabels: { a: 'b' } }, steps: [{ patch: { template: '{{ fail "no" }}' } }] }),
      stage('b', { selector: { matchExpressions: [{ key: '.metadata.labels', operator: 'DoesNotExist' }] }, steps: [{ delete: true }] }),
    ])
    world.failures = [notFound()]
    world.player.observe({ ...pod('x'), metadata: { name: 'x', labels: { a: 'b' } } })
    world.player.observe(pod('y'))
    await world.clock.advance(60_000)
    expect(world.errors).to.deep.equal(['template: line 1: error calling fail: no', 'gone'])
    expect([world.requests, world.player.isIdle]).to.deep.equal([['0 delete y failed'], true])
  })

  it('uses one timer, and plays a bounded number of stages at a time', async () => {
    const world = new World([stage('a', { ...inPhase('Pending'), delay: { durationMilliseconds: 100 }, steps: [{ delete: true }] })])
    for (let i = 0; i < 1000; i++) world.player.observe(pod(`p${i}`))
    expect(world.clock.timers).to.equal(1)
    await world.clock.advance(1000)
    for (let i = 0; i < 100 && world.requests.length < 1000; i++) await world.clock.advance(0)
    expect([world.requests.length, world.clock.timers]).to.deep.equal([1000, 0])
    expect(world.mostPlaying).to.be.within(2, 64)
  })

  it('does nothing after it is closed', async () => {
    const world = new World([stage('a', { ...inPhase('Pending'), delay: { durationMilliseconds: 5 }, steps: [{ delete: true }] })])
    world.player.observe(pod())
    world.player.close()
    world.player.observe(pod('q'))
    await world.clock.advance(100)
    expect([world.requests, world.clock.timers]).to.deep.equal([[], 0])
  })

  it('takes changes in order if choosing a stage takes more than a turn', async () => {
    const world = new World([stage('remove', { ...inPhase('Pending'), steps: [{ delete: true }] })])
    endTurn()
    for (const name of ['a', 'b', 'c']) world.player.observe(pod(name))
    world.player.forget(pod('b'))
    expect(world.player.isIdle).to.equal(false)
    while (!world.player.isIdle) await world.clock.advance(1)
    expect(world.requests.map(request => request.replace(/^[0-9]+ /, ''))).to.deep.equal(['delete a', 'delete c'])
  })
})
