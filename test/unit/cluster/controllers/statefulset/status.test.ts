import { expect } from 'chai'
import type { StatefulSet } from '../../../../../src/api/apps/v1.types.ts'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { isSameSetStatus, statusOf } from '../../../../../src/cluster/controllers/statefulset/status.ts'
import { NOW, podOf, statefulSet } from './sets.ts'

const RULES = { minReadySeconds: 10, release: '1.33', now: NOW } as const
const READY = { readySeconds: 60 }

const status = (pods: readonly Pod[], set: StatefulSet = statefulSet(), replaced = 0): StatefulSet['status'] =>
  statusOf(set, { pods, current: 'web-old', update: 'web-new', collisionCount: 0, replaced }, RULES)

describe('status of a stateful set', () => {
  it('counts pods by readiness, availability and revision', () => {
    const pods = [podOf(0, READY), podOf(1, { readySeconds: 5 }), podOf(2, { phase: 'Pending', revision: 'web-new' })]
    expect(status(pods)).to.deep.equal({
      observedGeneration: 3,
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: 'web-old',
      updateRevision: 'web-new',
      collisionCount: 0,
    })
  })

  it('counts a pod that is being deleted for no revision, and not the pods that were deleted in this pass', () => {
    expect(status([podOf(0, { ...READY, deleted: true }), podOf(1, READY)])).to.include({
      replicas: 2,
      readyReplicas: 2,
      currentReplicas: 1,
    })
    expect(status([podOf(0, READY), podOf(1, READY)], statefulSet(), 1)).to.include({ currentReplicas: 1 })
  })

  it('makes the updated revision the current one when all pods are updated and ready', () => {
    const updated = [0, 1, 2].map(ordinal => podOf(ordinal, { ...READY, revision: 'web-new' }))
    expect(status(updated)).to.include({ currentRevision: 'web-new', currentReplicas: 3, updatedReplicas: 3 })
    expect(status(updated.slice(1))).to.include({ currentRevision: 'web-old', currentReplicas: 0 })
    expect(status(updated, statefulSet({ updateStrategy: { type: 'OnDelete' } }))).to.include({ currentRevision: 'web-old' })
  })

  it('does not count a pod that is only planned', () => {
    const planned = podOf(0)
    planned.status = {}
    expect(status([planned])).to.include({ replicas: 0, currentReplicas: 0 })
  })

  it('is written for a new generation or another count, not for collisions alone', () => {
    const next = status([podOf(0, READY)])
    expect(isSameSetStatus(next, { ...next, collisionCount: 2 })).to.equal(true)
    expect(isSameSetStatus(next, { ...next, observedGeneration: 4 })).to.equal(false)
    expect(isSameSetStatus(next, { ...next, readyReplicas: 0 })).to.equal(false)
    const { updatedReplicas: _absent, ...stored } = { ...next, updatedReplicas: 0 }
    expect(isSameSetStatus(stored, { ...next, updatedReplicas: 0 })).to.equal(true)
  })
})
