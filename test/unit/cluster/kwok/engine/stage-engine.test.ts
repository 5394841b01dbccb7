import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { type StagedObject, StageEngine } from '../../../../../src/cluster/kwok/engine/stage-engine.ts'
import { decodeStage } from '../../../../../src/cluster/kwok/stage/decode.ts'
import type { Stage } from '../../../../../src/cluster/kwok/stage/stage.ts'
import { seededRandom } from '../../../../../src/lib/seeded-random.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'

const stage = (name: string, phase: string, spec: JsonObject = {}): Stage =>
  decodeStage({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: {
      resourceRef: { kind: 'Pod' },
      selector: { matchExpressions: [{ key: '.status.phase', operator: 'In', values: [phase] }] },
      ...spec,
    },
  })

const pod = (name: string, phase: string, resourceVersion = '1'): StagedObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, resourceVersion },
  status: { phase },
})

const engineOf = (stages: readonly Stage[], errors: string[] = [], seed = 1): StageEngine =>
  new StageEngine({ stages, seed, onError: (object, { message }) => errors.push(`${object.metadata.name}: ${message}`) })

const READY = stage('ready', 'Pending', { delay: { durationMilliseconds: 1000 } })
const COMPLETE = stage('complete', 'Running', { delay: { durationMilliseconds: 500 } })

const names = (engine: StageEngine, now: number): string[] =>
  engine.takeDue(now).map(({ object, stage: { name } }) => `${object.metadata.name} ${name}`)

describe('the engine', () => {
  it('applies a stage when its delay has passed, in the order of the times', () => {
    const engine = engineOf([READY, COMPLETE])
    runAtOnce(engine.observe(pod('a', 'Pending'), 0))
    runAtOnce(engine.observe(pod('b', 'Running'), 100))
    expect(engine.nextDue).to.equal(600)
    expect(names(engine, 599)).to.deep.equal([])
    expect(names(engine, 1000)).to.deep.equal(['b complete', 'a ready'])
    expect([engine.nextDue, engine.waiting]).to.deep.equal([undefined, 0])
  })

  it('drops a stage if the object changes and no longer matches, or is deleted', () => {
    const engine = engineOf([READY])
    runAtOnce(engine.observe(pod('a', 'Pending'), 0))
    runAtOnce(engine.observe(pod('b', 'Pending'), 0))
    runAtOnce(engine.observe(pod('a', 'Failed', '2'), 10))
    engine.forget(pod('b', 'Pending'))
    expect([engine.waiting, engine.nextDue]).to.deep.equal([0, undefined])
  })

  it('begins the delay anew with a change, but not with a version that it has seen', () => {
    const engine = engineOf([READY])
    runAtOnce(engine.observe(pod('a', 'Pending', '1'), 0))
    runAtOnce(engine.observe(pod('a', 'Pending', '1'), 300))
    expect(engine.nextDue).to.equal(1000)
    runAtOnce(engine.observe(pod('a', 'Pending', '2'), 300))
    expect(engine.nextDue).to.equal(1300)
  })

  it('keeps objects of one name in different kinds and namespaces apart', () => {
    const engine = engineOf([READY])
    runAtOnce(engine.observe(pod('a', 'Pending'), 0))
    runAtOnce(engine.observe({ ...pod('a', 'Pending'), metadata: { namespace: 'other', name: 'a' } }, 0))
    runAtOnce(engine.observe({ ...pod('a', 'Pending'), kind: 'Node' }, 0))
    expect(engine.waiting).to.equal(2)
  })

  it('reports an expression that fails or takes too long, and leaves the object alone', () => {
    const errors: string[] = []
    const failing = stage('x', 'Pending', { selector: { matchExpressions: [{ cel: { expression: 'self.nope' } }] } })
    const endless = stage('y', 'Pending', {
      selector: { matchExpressions: [{ key: '[range(1000)] | map([range(1000)])', operator: 'Exists' }] },
    })
    const engine = engineOf([failing], errors)
    runAtOnce(engine.observe(pod('a', 'Pending'), 0))
    engine.setStages([endless])
    runAtOnce(engine.observe(pod('b', 'Pending'), 0))
    expect(errors).to.deep.equal(['a: no such key: nope', 'b: the query takes more than 10000 steps'])
    expect(engine.waiting).to.equal(0)
  })

  it('returns at most the given number of due stages', () => {
    const engine = engineOf([READY])
    for (const name of ['a', 'b', 'c']) runAtOnce(engine.observe(pod(name, 'Pending'), 0))
    expect(engine.takeDue(1000, 2).length).to.equal(2)
    expect(engine.takeDue(1000).length).to.equal(1)
  })

  it('decides alike with the same seed', () => {
    const jittered = [
      stage('slow', 'Pending', { weight: 1, delay: { durationMilliseconds: 0, jitterDurationMilliseconds: 10_000 } }),
      stage('fast', 'Pending', { weight: 1 }),
    ]
    const run = (seed: number): string[] => {
      const engine = engineOf(jittered, [], seed)
      for (let i = 0; i < 50; i++) runAtOnce(engine.observe(pod(`p${i}`, 'Pending'), i))
      return names(engine, 20_000)
    }
    expect(run(3)).to.deep.equal(run(3))
    expect(run(3)).to.not.deep.equal(run(4))
  })

  it('has the decisions of a list that is sorted anew, after random events', () => {
    const random = seededRandom(11)
    const engine = engineOf([stage('ready', 'Pending', { delay: { durationFrom: { expressionFrom: '.metadata.annotations.d' } } })])
    const expected = new Map<string, number>()
    for (let now = 0; now < 600; now++) {
      const name = `p${Math.floor(random() * 40)}`
      const isPending = random() < 0.7
      const delay = Math.floor(random() * 100)
      const object = pod(name, isPending ? 'Pending' : 'Running', `${now}`)
      runAtOnce(engine.observe({ ...object, metadata: { ...object.metadata, annotations: { d: `${delay}ms` } } }, now))
      if (isPending) expected.set(name, now + delay)
      else expected.delete(name)
      const due = [...expected].filter(([, at]) => at <= now).map(([one]) => one)
      for (const one of due) expected.delete(one)
      expect(engine.takeDue(now).map(({ object: { metadata } }) => metadata.name)).to.have.members(due)
    }
    expect(engine.waiting).to.equal(expected.size)
  })
})
