import type { AnyObject } from '../support/any-object.ts'

/** Change of a pod that a kubelet or a client would make. */
export interface PodAction {
  readonly become: 'ready' | 'notready' | 'succeeded' | 'failed' | 'deleted' | 'terminating'
  readonly exitCode?: number
  readonly startedSecondsAgo?: number
  readonly reason?: string
}

/** Pods of an owner, of a name, or with a completion index. */
export interface PodSelection extends PodAction {
  readonly owner?: string
  readonly name?: string
  readonly index?: number
  readonly n?: number
}

const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

/** Returns the status that a kubelet would report for a pod. */
export function becomes({ spec, status }: AnyObject, { become, exitCode, startedSecondsAgo = 0, reason }: PodAction, now: Date): AnyObject {
  const at = timeText(now.getTime() - startedSecondsAgo * 1000)
  const condition = (type: string, isTrue: boolean): object => ({ type, status: isTrue ? 'True' : 'False', lastTransitionTime: at })
  const isReady = become === 'ready'
  const isOver = become === 'succeeded' || become === 'failed'
  const code = exitCode ?? (become === 'failed' ? 1 : 0)
  const state = isOver
    ? { terminated: { exitCode: code, finishedAt: timeText(now.getTime()), startedAt: at } }
    : { running: { startedAt: at } }
  const containerStatuses = spec.containers.map(({ name, image }: { name: string; image: string }) => ({
    name,
    image,
    imageID: '',
    ready: isReady,
    restartCount: 0,
    started: !isOver,
    state,
  }))
  const phase = become === 'succeeded' ? 'Succeeded' : become === 'failed' ? 'Failed' : 'Running'
  return {
    phase,
    ...(reason !== undefined && { reason }),
    startTime: status.startTime ?? at,
    podIP: status.podIP ?? '10.0.0.9',
    podIPs: status.podIPs ?? [{ ip: '10.0.0.9' }],
    conditions: [condition('Ready', isReady), condition('ContainersReady', isReady)],
    containerStatuses,
  } as unknown as AnyObject
}
