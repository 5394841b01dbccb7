import { expect } from 'chai'
import type { DeviceTaint, DeviceTaintRule } from '../../../../../src/api/resource/v1alpha3.types.ts'
import { type RuleCounts, ruleCondition } from '../../../../../src/cluster/controllers/devicetainteviction/rule-status.ts'

const rule = (effect: DeviceTaint['effect']): DeviceTaintRule => ({
  kind: 'DeviceTaintRule',
  apiVersion: '',
  metadata: { name: 'r' },
  spec: { taint: { key: 'k', effect } },
  status: {},
})
const counts = (evicted: number, pods: number, namespaces: number, published = 0, allocated = 0): RuleCounts => ({
  evicted,
  pending: { pods, namespaces },
  selected: { published, allocated },
})
const WOULD = 'if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.'

describe('status of a rule that taints devices', () => {
  const cases: [effect: DeviceTaint['effect'], counts: RuleCounts, status: string, reason: string, message: string][] = [
    ['NoExecute', counts(0, 0, 0), 'False', 'NotStarted', ''],
    ['NoExecute', counts(0, 1, 1), 'True', 'PodsPendingEviction', '1 pod needs to be evicted in 1 namespace.'],
    [
      'NoExecute',
      counts(1, 3, 2),
      'True',
      'PodsPendingEviction',
      '3 pods need to be evicted in 2 different namespaces. 1 pod evicted since starting the controller.',
    ],
    ['NoExecute', counts(2, 0, 0), 'False', 'Completed', '2 pods evicted since starting the controller.'],
    ['NoSchedule', counts(0, 0, 0), 'False', 'OtherEffect', 'Eviction only happens for the NoExecute effect.'],
    [
      'None',
      counts(0, 1, 1, 1, 1),
      'False',
      'NoEffect',
      `1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace ${WOULD}`,
    ],
    [
      'None',
      counts(0, 0, 0, 2, 0),
      'False',
      'NoEffect',
      `2 published devices selected. 0 allocated devices selected. 0 pods would be evicted in 0 different namespaces ${WOULD}`,
    ],
  ]
  for (const [effect, of, status, reason, message] of cases)
    it(`${effect}: ${reason}${message && `, ${message.slice(0, 40)}`}`, () =>
      expect(ruleCondition(rule(effect), of)).to.deep.equal({ type: 'EvictionInProgress', status, reason, message }))
})
