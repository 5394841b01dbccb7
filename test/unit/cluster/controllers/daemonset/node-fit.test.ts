import { expect } from 'chai'
import type { PodSpec, Taint } from '../../../../../src/api/core/v1.types.ts'
import { nodeFitOf } from '../../../../../src/cluster/controllers/daemonset/node-fit.ts'
import { daemonSet, nodeOf } from './daemon-pods.ts'

const fitOf = (spec: Partial<PodSpec>, taints: Taint[] = [], labels: Record<string, string> = {}): unknown[] =>
  Object.values(nodeFitOf(daemonSet(spec))(nodeOf('n', taints, labels)))
const taint = (effect: Taint['effect'], key = 'k'): Taint[] => [{ key, effect }]

describe('nodes of a daemon set', () => {
  it('are those that match the node name, the selector and the affinity of the template', () => {
    expect(fitOf({})).to.deep.equal([true, true])
    expect(fitOf({ nodeName: 'other' })).to.deep.equal([false, false])
    expect(fitOf({ nodeSelector: { disk: 'ssd' } })).to.deep.equal([false, false])
    expect(fitOf({ nodeSelector: { disk: 'ssd' } }, [], { disk: 'ssd' })).to.deep.equal([true, true])
  })

  it('keep their pods if a taint only keeps new ones off', () => {
    expect(fitOf({}, taint('NoSchedule'))).to.deep.equal([false, true])
    expect(fitOf({}, taint('NoExecute'))).to.deep.equal([false, false])
    expect(fitOf({}, taint('PreferNoSchedule'))).to.deep.equal([true, true])
    expect(fitOf({ tolerations: [{ operator: 'Exists' }] }, taint('NoExecute'))).to.deep.equal([true, true])
  })

  it('may be cordoned, not ready or under pressure', () => {
    for (const key of ['unschedulable', 'disk-pressure', 'memory-pressure', 'pid-pressure'])
      expect(fitOf({}, taint('NoSchedule', `node.kubernetes.io/${key}`)), key).to.deep.equal([true, true])
    for (const key of ['not-ready', 'unreachable'])
      expect(fitOf({}, taint('NoExecute', `node.kubernetes.io/${key}`)), key).to.deep.equal([true, true])
    expect(fitOf({}, taint('NoSchedule', 'node.kubernetes.io/network-unavailable'))).to.deep.equal([false, true])
    expect(fitOf({ hostNetwork: true }, taint('NoSchedule', 'node.kubernetes.io/network-unavailable'))).to.deep.equal([true, true])
  })
})
