import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { chooseStage } from '../../../../../src/cluster/kwok/stage/choose.ts'
import { decodeStage } from '../../../../../src/cluster/kwok/stage/decode.ts'
import type { Stage, StageSubject } from '../../../../../src/cluster/kwok/stage/stage.ts'
import { drawDelay } from '../../../../../src/cluster/kwok/stage/timing.ts'
import { seededRandom } from '../../../../../src/lib/seeded-random.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'

const stage = (name: string, spec: JsonObject): Stage =>
  decodeStage({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { kind: 'Pod' }, selector: {}, ...spec },
  })

const subject = (annotations: Record<string, string> = {}): StageSubject => ({
  object: { metadata: { annotations } },
  labels: {},
  annotations,
  now: 1_000_000,
})

const BY_ANNOTATION = { weightFrom: { expressionFrom: '.metadata.annotations.w' } }

/** Counts the choices of 3,000 draws with one seed. */
function choices(stages: readonly Stage[], of: StageSubject = subject()): Record<string, number> {
  const random = seededRandom(7)
  const counts: Record<string, number> = {}
  for (let i = 0; i < 3000; i++) {
    const name = runAtOnce(chooseStage(stages, of, random))?.name ?? 'none'
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

describe('the choice of a stage', () => {
  it('is by weight', () => {
    const { a = 0, b = 0, zero = 0 } = choices([stage('a', { weight: 1 }), stage('b', { weight: 3 }), stage('zero', { weight: 0 })])
    expect(zero).to.equal(0)
    expect(a + b).to.equal(3000)
    expect(b / a).to.be.within(2.6, 3.4)
  })

  it('is among all stages if every weight is 0', () => {
    const { a = 0, b = 0 } = choices([stage('a', {}), stage('b', { weight: 0 })])
    expect(a).to.be.within(1300, 1700)
    expect(b).to.equal(3000 - a)
  })

  it('leaves out stages with an invalid weight, unless all are invalid', () => {
    const invalid = subject({ w: 'many' })
    expect(choices([stage('a', BY_ANNOTATION), stage('b', {})], invalid)).to.deep.equal({ b: 3000 })
    expect(choices([stage('a', BY_ANNOTATION), stage('b', BY_ANNOTATION)], invalid)).to.have.keys('a', 'b')
    expect(choices([stage('a', BY_ANNOTATION), stage('b', { weight: 5 })], subject({ w: '0x0' }))).to.deep.equal({ b: 3000 })
  })

  it('is the only stage that matches, whatever its weight', () => {
    expect(choices([stage('a', { weight: 0 }), stage('b', { weight: 9, selector: { matchLabels: { x: 'y' } } })])).to.deep.equal({
      a: 3000,
    })
    expect(choices([stage('a', { selector: null })])).to.deep.equal({ none: 3000 })
  })

  it('is the same for the same seed', () => {
    const stages = [stage('a', { weight: 1 }), stage('b', { weight: 1 })]
    expect(choices(stages)).to.deep.equal(choices(stages))
  })

  it('fails if an expression of one stage fails', () => {
    const failing = stage('a', { selector: { matchExpressions: [{ cel: { expression: 'self.nope == 1' } }] } })
    expect(() => runAtOnce(chooseStage([stage('b', {}), failing], subject(), () => 0))).to.throw('no such key: nope')
  })
})

describe('the delay of a stage', () => {
  const random = (): number => 0.5
  const delayed = (delay: JsonObject): Stage => stage('a', { delay })
  const cases: readonly [title: string, of: Stage, annotations: Record<string, string>, milliseconds: number][] = [
    ['is 0 without one', stage('a', {}), {}, 0],
    ['is fixed', delayed({ durationMilliseconds: 1500 }), {}, 1500],
    ['is drawn between duration and jitter', delayed({ durationMilliseconds: 1000, jitterDurationMilliseconds: 3000 }), {}, 2000],
    ['is the jitter if that is less', delayed({ durationMilliseconds: 1000, jitterDurationMilliseconds: 10 }), {}, 10],
    [
      'is read from the object',
      delayed({ durationMilliseconds: 1, durationFrom: { expressionFrom: '.metadata.annotations.d' } }),
      { d: '1m30s' },
      90_000,
    ],
    ['counts to a time', delayed({ durationFrom: { expressionFrom: '.metadata.annotations.d' } }), { d: '1970-01-01T00:17:00Z' }, 20_000],
    [
      'is 0 if the time has passed',
      delayed({ durationFrom: { expressionFrom: '.metadata.annotations.d' } }),
      { d: '1970-01-01T00:00:00Z' },
      0,
    ],
    [
      'is the fixed one if the object has none',
      delayed({ durationMilliseconds: 7, durationFrom: { expressionFrom: '.metadata.annotations.d' } }),
      {},
      7,
    ],
  ]
  for (const [title, of, annotations, milliseconds] of cases)
    it(title, () => {
      expect(drawDelay(of, subject(annotations), random)).to.equal(milliseconds)
    })

  it('runs in steps of one requirement and one weight', () => {
    const matchExpressions = Array.from({ length: 10 }, () => ({ key: '.metadata', operator: 'Exists' }))
    const stages = ['a', 'b'].map(name => stage(name, { selector: { matchExpressions }, ...BY_ANNOTATION }))
    expect([...chooseStage(stages, subject(), () => 0)]).to.have.lengthOf(22)
  })
})
