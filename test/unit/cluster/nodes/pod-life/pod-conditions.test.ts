import { expect } from 'chai'
import type { Pod, PodCondition } from '../../../../../src/api/core/v1.types.ts'
import type { PendingResize } from '../../../../../src/cluster/nodes/admission/resize.ts'
import { type PodState, podConditions } from '../../../../../src/cluster/nodes/pod-life/pod-conditions.ts'
import type { LifeRules, Turn } from '../../../../../src/cluster/nodes/pod-life/turn.ts'

const [EARLY, NOW] = ['2030-01-01T00:00:00Z', '2030-01-01T00:10:00Z']
const DEFERRED: PendingResize = { reason: 'Deferred', message: 'no room' }

/** Conditions of a resize of a running pod. */
function resizeConditions(state: Partial<PodState>, present: readonly object[] = [], rules: Partial<LifeRules> = {}): PodCondition[] {
  const pod: unknown = { metadata: { name: 'p', generation: 2 }, spec: {}, status: { conditions: present } }
  const turn = { time: NOW, rules: { hasResizeConditions: true, reportsGeneration: false, ...rules } }
  const running = { phase: 'Running', hasSandbox: true, isInitialized: true, initStatuses: [], statuses: [], sidecars: new Set<string>() }
  const all = podConditions(pod as Pod, { ...running, isResizing: false, pendingResize: undefined, ...state }, turn as unknown as Turn)
  return all.filter(({ type }) => type.startsWith('PodResize'))
}

describe('conditions of a resize', () => {
  const pending = { type: 'PodResizePending', status: 'True', lastProbeTime: EARLY, lastTransitionTime: EARLY, ...DEFERRED }

  it('say why it is pending, and that one is carried out', () => {
    expect(resizeConditions({ pendingResize: DEFERRED, isResizing: true })).to.deep.equal([
      { ...pending, lastProbeTime: NOW, lastTransitionTime: NOW },
      { type: 'PodResizeInProgress', status: 'True', lastProbeTime: NOW, lastTransitionTime: NOW },
    ])
  })

  it('change their transition with the reason, and not with the message', () => {
    const infeasible: PendingResize = { reason: 'Infeasible', message: 'too large' }
    expect(resizeConditions({ pendingResize: infeasible }, [pending])[0]).to.include({ ...infeasible, lastTransitionTime: NOW })
    const other = { ...DEFERRED, message: 'still no room' }
    expect(resizeConditions({ pendingResize: other }, [pending])[0]).to.include({ ...other, lastTransitionTime: EARLY })
  })

  it('are removed when it is done, and when the pod has ended', () => {
    expect(resizeConditions({}, [pending])).to.deep.equal([])
    expect(resizeConditions({ pendingResize: DEFERRED, phase: 'Failed' }, [pending])).to.deep.equal([])
  })

  it('do not exist in releases that report it in the status', () => {
    expect(resizeConditions({ pendingResize: DEFERRED, isResizing: true }, [], { hasResizeConditions: false })).to.deep.equal([])
  })
})
