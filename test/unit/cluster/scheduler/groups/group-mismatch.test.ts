import { expect } from 'chai'
import { groupMismatch } from '../../../../../src/cluster/scheduler/groups/group-mismatch.ts'
import { podOf } from '../../../../support/scheduling.ts'

const EARLIER = { isComplete: false, hasPolicy: false }
const LATER = { isComplete: true, hasPolicy: false }
const WITH_POLICY = { isComplete: true, hasPolicy: true }
const ALL = 'all pods in a single pod group should have the same'
const pod = (spec: object) => podOf({ spec: { priority: 10, ...spec } })
const never = { preemptionPolicy: 'Never' }

/** Source: TestValidatePodGroup of pkg/scheduler/schedule_one_podgroup_test.go. */
describe('the pods of a group', () => {
  for (const [title, rules, group, specs, expected] of [
    ['no pods', LATER, {}, [], undefined],
    ['equal pods', LATER, {}, [{}, {}], undefined],
    [
      'other schedulers in 1.36',
      EARLIER,
      {},
      [{}, { schedulerName: 'b' }],
      `${ALL} .spec.schedulerName set, got: "default-scheduler" and "b"`,
    ],
    ['other schedulers', LATER, {}, [{}, { schedulerName: 'b' }], `${ALL} .spec.schedulerName set, got: "b" and "default-scheduler"`],
    ['other priorities in 1.36', EARLIER, {}, [{ priority: 5 }, { priority: 7 }], undefined],
    ['another priority', LATER, {}, [{}, { priority: 5 }], `${ALL} priority as the pod group's priority, got 5 and 10`],
    ['another priority of the group', LATER, { priority: 3 }, [{}], `${ALL} priority as the pod group's priority, got 10 and 3`],
    ['another policy', LATER, {}, [{}, never], `${ALL} preemption policy, got Never and PreemptLowerPriority`],
    ['the policy of the first pod', LATER, {}, [never, never], undefined],
    ['a policy of the group without the gate', LATER, never, [{}], undefined],
    ['the default policy of the group', WITH_POLICY, {}, [{ preemptionPolicy: 'PreemptLowerPriority' }, {}], undefined],
    ['the policy of the group', WITH_POLICY, never, [never, never], undefined],
    [
      'a policy that the group does not have',
      WITH_POLICY,
      {},
      [never],
      `${ALL} preemption policy as the pod group's preemption policy, got Never and PreemptLowerPriority`,
    ],
    [
      'a policy that the pods do not have',
      WITH_POLICY,
      never,
      [{}],
      `${ALL} preemption policy as the pod group's preemption policy, got PreemptLowerPriority and Never`,
    ],
  ] as const)
    it(`have in common what their release requires: ${title}`, () => {
      expect(groupMismatch(specs.map(pod), { priority: 10, ...group }, rules)).to.equal(expected)
    })
})
