import { expect } from 'chai'
import { podsByTarget } from '../../../../../src/cluster/controllers/daemonset/placement.ts'
import { templateGeneration } from '../../../../../src/cluster/controllers/daemonset/pod.ts'
import { isSameDaemonStatus, statusOf } from '../../../../../src/cluster/controllers/daemonset/status.ts'
import { daemonPod, daemonSet, RULES, RUNS } from './daemon-pods.ts'

const nodes = new Map([
  ['a', RUNS],
  ['b', RUNS],
  ['c', RUNS],
  ['d', { shouldRun: false, shouldContinue: true }],
])
const pods = podsByTarget([
  daemonPod('a', 'a'),
  daemonPod('a-surge', 'a', { ready: false, age: -1 }),
  daemonPod('b', 'b', { hash: 'old', ready: false }),
  daemonPod('d', 'd'),
])

describe('status of a daemon set', () => {
  it('counts nodes, and of each the oldest pod', () => {
    expect(statusOf(daemonSet(), { nodes, pods }, RULES, true)).to.deep.equal({
      observedGeneration: 2,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 2,
      numberMisscheduled: 1,
      numberReady: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 2,
    })
  })

  it('counts a pod as updated by the generation of its template, too', () => {
    const rules = { ...RULES, hash: 'other', generation: templateGeneration(daemonSet().metadata) }
    const labelled = new Map([['a', [{ ...daemonPod('x', 'a'), metadata: { name: 'x', labels: { 'pod-template-generation': '7' } } }]]])
    const counted = (own: typeof rules): number => statusOf(daemonSet(), { nodes, pods: labelled }, own, true).updatedNumberScheduled ?? 0
    expect([counted(rules), counted({ ...rules, generation: '8' }), counted({ ...rules, generation: undefined })]).to.deep.equal([1, 0, 0])
  })

  it('does not raise the observed generation in a pass that only counts', () => {
    expect(statusOf(daemonSet(), { nodes, pods }, RULES, false)).not.to.have.property('observedGeneration')
  })

  it('counts a pod as available after its seconds', () => {
    const status = statusOf(daemonSet(), { nodes, pods }, { ...RULES, minReadySeconds: 100 }, true)
    expect(status).to.include({ numberReady: 1, numberAvailable: 0, numberUnavailable: 3 })
  })

  it('equals a stored status without zero counts', () => {
    const { numberAvailable: _none, ...stored } = { ...statusOf(daemonSet(), { nodes, pods: new Map() }, RULES, true) }
    expect(isSameDaemonStatus(stored, { ...stored, numberAvailable: 0 })).to.equal(true)
    expect(isSameDaemonStatus(stored, { ...stored, numberAvailable: 1 })).to.equal(false)
  })
})
