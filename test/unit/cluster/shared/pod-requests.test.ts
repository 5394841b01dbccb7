import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { assumedPodRequestsInSteps, podRequests, podRequestsInSteps } from '../../../../src/cluster/shared/pod-requests.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { podOf } from '../../../support/scheduling.ts'

const RULES = { podLevel: true, inPlace: true }
const MANY = 5000

const container = (i: number, cpu: string) => ({ name: `c${i}`, resources: { requests: { cpu } } })
const status = (i: number, cpu: string) => ({ ...container(i, cpu), image: 'i', imageID: 'i', ready: true, restartCount: 0 })
const podWith = (spec: object, more: object = {}): Pod =>
  podOf({ spec: spec as Partial<Pod['spec']>, status: more as Partial<Pod['status']> })

describe('requests of a pod', () => {
  it('are those of its containers, and assumed for those that request nothing', () => {
    const pod = podWith({ containers: [container(0, '1'), { name: 'c1', resources: {} }] })
    expect([...podRequests(pod, RULES)]).to.deep.equal([['cpu', 1000]])
    expect([...runAtOnce(assumedPodRequestsInSteps(pod, RULES))]).to.deep.equal([
      ['cpu', 1100],
      ['memory', 400 * 1024 * 1024],
    ])
  })

  it('count the larger amount while a container is resized, and the actual one if that is infeasible', () => {
    const resized = (conditions?: readonly object[]) =>
      podWith(
        { containers: [container(0, '1'), container(1, '5')], initContainers: [{ ...container(2, '3'), restartPolicy: 'Always' }] },
        { containerStatuses: [status(1, '2'), status(0, '3')], initContainerStatuses: [status(2, '4')], conditions },
      )
    expect(podRequests(resized(), RULES).get('cpu')).to.equal(12_000)
    expect(podRequests(resized([{ type: 'PodResizePending', reason: 'Infeasible' }]), RULES).get('cpu')).to.equal(9000)
    expect(podRequests(resized(), { ...RULES, inPlace: false }).get('cpu')).to.equal(9000)
  })

  it('count the amount that the kubelet has allocated, but no status of a container that runs once', () => {
    const allocated = (conditions?: readonly object[]) =>
      podWith(
        { containers: [container(0, '1')], initContainers: [container(1, '2')] },
        {
          containerStatuses: [{ ...status(0, '500m'), allocatedResources: { cpu: '3' } }],
          initContainerStatuses: [status(1, '9')],
          conditions,
        },
      )
    expect(podRequests(allocated(), RULES).get('cpu')).to.equal(3000)
    expect(podRequests(allocated([{ type: 'PodResizePending', reason: 'Infeasible' }]), RULES).get('cpu')).to.equal(3000)
    expect(podRequests(allocated(), { ...RULES, inPlace: false }).get('cpu')).to.equal(2000)
  })

  it('count the largest amount of the pod as a whole while it is resized, and its overhead', () => {
    const resized = (cpu: string, conditions?: readonly object[]) =>
      podWith(
        { containers: [container(0, '1')], resources: { requests: { cpu } }, overhead: { cpu: '100m' } },
        { resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '3' }, conditions },
      )
    const rules = { ...RULES, podLevelInPlace: true }
    expect(podRequests(resized('1'), rules).get('cpu')).to.equal(3100)
    expect(podRequests(resized('4'), rules).get('cpu')).to.equal(4100)
    expect(podRequests(resized('4', [{ type: 'PodResizePending', reason: 'Infeasible' }]), rules).get('cpu')).to.equal(3100)
    expect(podRequests(resized('1'), RULES).get('cpu')).to.equal(1100)
  })

  it('are summed in steps, and look at each status once', () => {
    let reads = 0
    const statuses = Array.from({ length: MANY }, (_, i) => ({
      ...status(i, '2'),
      get name() {
        reads++
        return `c${i}`
      },
    }))
    const pod = podWith({ containers: Array.from({ length: MANY }, (_, i) => container(i, '1')) }, { containerStatuses: statuses })
    const { result, yields } = countedSteps(podRequestsInSteps(pod, RULES))
    expect(result.get('cpu')).to.equal(2000 * MANY)
    expect(yields).to.be.at.least(MANY / 32 - 1)
    expect(reads).to.be.at.most(3 * MANY)
  })
})
