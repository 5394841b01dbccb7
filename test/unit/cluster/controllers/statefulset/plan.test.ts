import { expect } from 'chai'
import type { StatefulSet } from '../../../../../src/api/apps/v1.types.ts'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import {
  type ClaimState,
  maxUnavailableOf,
  podsOfSet,
  podsToRecreate,
  podsToReplace,
  scalePlan,
} from '../../../../../src/cluster/controllers/statefulset/plan.ts'
import { NOW, podOf, REVISIONS, statefulSet } from './sets.ts'

const RULES = { minReadySeconds: 0, release: '1.33', now: NOW } as const
const SOUND: ClaimState = { isStale: () => false, isRetained: () => true }
const READY = { readySeconds: 60 }
const nameOf = ({ metadata: { name = '' } }: Pod): string => name

function planned(set: StatefulSet, pods: readonly Pod[], claims = SOUND, rules: Parameters<typeof scalePlan>[3] = RULES): string[] {
  const { groups, isBlocked } = scalePlan(set, podsOfSet(set, pods, REVISIONS, rules), claims, rules)
  return [...groups.flat().map(({ pod, action }) => `${action} ${nameOf(pod)}`), ...(isBlocked ? ['blocked'] : [])]
}

describe('plan of a stateful set', () => {
  it('creates the first pod alone if the set is ordered', () => {
    expect(planned(statefulSet(), [])).to.deep.equal(['create web-0', 'blocked'])
    expect(planned(statefulSet(), [podOf(0, READY)])).to.deep.equal(['create web-1', 'blocked'])
  })

  it('creates all pods at once if the set is parallel', () => {
    expect(planned(statefulSet({ podManagementPolicy: 'Parallel' }), [])).to.deep.equal(['create web-0', 'create web-1', 'create web-2'])
  })

  it('creates at most 500 pods in one pass, and updates none before the others', () => {
    const set = statefulSet({ replicas: 2 ** 31 - 1, podManagementPolicy: 'Parallel' })
    const last = podOf(600, READY)
    const steps = planned(set, [podOf(0, READY), last])
    expect(steps).to.have.length(501)
    expect(steps.slice(-2)).to.deep.equal(['create web-500', 'blocked'])
    expect(podsOfSet(set, [last], REVISIONS, RULES).replicas.at(-1)).to.equal(last)
    const pods = Array.from({ length: 500 }, (_, i) => podOf(i, READY))
    expect(planned(statefulSet({ replicas: 501, podManagementPolicy: 'Parallel' }), pods)).to.deep.equal(['create web-500'])
  })

  it('waits for a pod that is not ready, is not available, or is being deleted', () => {
    expect(planned(statefulSet(), [podOf(0)])).to.deep.equal(['blocked'])
    expect(planned(statefulSet(), [podOf(0, { readySeconds: 5 })], SOUND, { ...RULES, minReadySeconds: 10 })).to.deep.equal(['blocked'])
    expect(planned(statefulSet(), [podOf(0, { ...READY, deleted: true })])).to.deep.equal(['blocked'])
  })

  it('replaces a pod that has ended, whatever its result', () => {
    expect(planned(statefulSet(), [podOf(0, { phase: 'Failed' })])).to.deep.equal(['delete web-0', 'blocked'])
    expect(planned(statefulSet(), [podOf(0, { phase: 'Succeeded' })])).to.deep.equal(['delete web-0', 'blocked'])
    expect(planned(statefulSet(), [podOf(0, { phase: 'Failed', deleted: true })])).to.deep.equal(['blocked'])
  })

  it('creates the missing claims of a pending pod', () => {
    expect(planned(statefulSet(), [podOf(0, { phase: 'Pending' })])).to.deep.equal(['claims web-0', 'blocked'])
  })

  it('creates no pod whose claim still belongs to its predecessor', () => {
    expect(planned(statefulSet(), [], { ...SOUND, isStale: () => true })).to.deep.equal(['blocked'])
  })

  it('deletes the last pod first if the set is ordered, and all at once if it is parallel', () => {
    const pods = [0, 1, 2].map(ordinal => podOf(ordinal, READY))
    expect(planned(statefulSet({ replicas: 1 }), pods)).to.deep.equal(['delete web-2', 'blocked'])
    expect(planned(statefulSet({ replicas: 1, podManagementPolicy: 'Parallel' }), pods)).to.deep.equal(['delete web-2', 'delete web-1'])
  })

  it('waits for a pod to end before it deletes the next one, and deletes the first unhealthy pod in its turn', () => {
    const first = podOf(0, READY)
    const set = statefulSet({ replicas: 1 })
    expect(planned(set, [first, podOf(1, READY), podOf(2, { ...READY, deleted: true })])).to.deep.equal(['blocked'])
    expect(planned(set, [first, podOf(1), podOf(2)])).to.deep.equal(['blocked'])
    expect(planned(set, [first, podOf(1, READY), podOf(2)])).to.deep.equal(['delete web-2', 'blocked'])
  })

  it('counts ordinals from the start', () => {
    const pods = [0, 1, 2].map(ordinal => podOf(ordinal, READY))
    expect(planned(statefulSet({ replicas: 2, ordinals: { start: 1 } }), pods)).to.deep.equal(['delete web-0', 'blocked'])
    expect(planned(statefulSet({ replicas: 1, ordinals: { start: 5 } }), [])).to.deep.equal(['create web-5', 'blocked'])
  })

  it('repairs a pod without its labels or claims, and sets the owners of claims before their pod is deleted', () => {
    const bare = podOf(0, READY)
    bare.metadata.labels = {}
    expect(planned(statefulSet({ replicas: 1 }), [bare])).to.deep.equal(['repair web-0'])
    const unowned: ClaimState = { ...SOUND, isRetained: ({ metadata }) => metadata.name !== 'web-1' }
    expect(planned(statefulSet({ replicas: 1 }), [podOf(0, READY), podOf(1, READY)], unowned)).to.deep.equal([
      'retain web-1',
      'delete web-1',
      'blocked',
    ])
  })
})

describe('update of a stateful set', () => {
  const replaced = (
    set: StatefulSet,
    pods: readonly Pod[],
    maxUnavailable?: number,
    rules: Parameters<typeof scalePlan>[3] = RULES,
  ): string[] => podsToReplace(set, pods, 'web-new', { ...rules, maxUnavailable }).map(nameOf)
  const ready = [0, 1, 2].map(ordinal => podOf(ordinal, READY))

  it('replaces one pod at a time, from the last to the partition', () => {
    expect(replaced(statefulSet(), ready)).to.deep.equal(['web-2'])
    const updated = podOf(2, { ...READY, revision: 'web-new' })
    expect(replaced(statefulSet(), [...ready.slice(0, 2), updated])).to.deep.equal(['web-1'])
    expect(
      replaced(statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }), [
        ...ready.slice(0, 2),
        updated,
      ]),
    ).to.deep.equal([])
  })

  it('waits for an updated pod that is down, and replaces nothing on its own if pods are deleted by hand', () => {
    expect(replaced(statefulSet(), [...ready.slice(0, 2), podOf(2, { revision: 'web-new' })])).to.deep.equal([])
    expect(replaced(statefulSet({ updateStrategy: { type: 'OnDelete' } }), ready)).to.deep.equal([])
  })

  it('waits for availability from 1.34 on, and for readiness before', () => {
    const pods = [...ready.slice(0, 2), podOf(2, { readySeconds: 5, revision: 'web-new' })]
    const rules = { ...RULES, minReadySeconds: 10 }
    expect(replaced(statefulSet(), pods, undefined, rules)).to.deep.equal(['web-1'])
    expect(replaced(statefulSet(), pods, undefined, { ...rules, release: '1.34' })).to.deep.equal([])
  })

  it('replaces as many pods as may be down, if the release has such a number', () => {
    expect(replaced(statefulSet(), ready, 2)).to.deep.equal(['web-2', 'web-1'])
    expect(replaced(statefulSet(), [podOf(0), ...ready.slice(1)], 2)).to.deep.equal(['web-2'])
    expect(replaced(statefulSet(), [podOf(0), podOf(1), ...ready.slice(2)], 2)).to.deep.equal([])
  })

  it('rounds percentages down, to one pod at least', () => {
    expect(maxUnavailableOf('50%', 5)).to.equal(2)
    expect(maxUnavailableOf('1%', 10)).to.equal(1)
    expect(maxUnavailableOf(undefined, 10)).to.equal(1)
  })

  it('deletes all pods of older revisions first if they are recreated', () => {
    const ending = podOf(1, { deleted: true })
    const updated = podOf(2, { revision: 'web-new' })
    expect(podsToRecreate([podOf(0), ending, updated], 'web-new')?.map(nameOf)).to.deep.equal(['web-0'])
    expect(podsToRecreate([ending], 'web-new')).to.deep.equal([])
    expect(podsToRecreate([updated], 'web-new')).to.equal(undefined)
  })
})
