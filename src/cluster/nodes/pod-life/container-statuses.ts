import type { Container, ContainerStatus } from '../../../api/core/v1.types.ts'
import type { ContainerBehavior } from './behavior.ts'
import type { Turn } from './turn.ts'

/** A container of a pod, as its status is computed. */
export interface ContainerSpec {
  readonly container: Container
  readonly behavior: ContainerBehavior
  /** Path of the container in the pod: `spec.containers{web}`. */
  readonly path: string
  /** Reason for which the container waits before it may start. */
  readonly waitsFor: 'ContainerCreating' | 'PodInitializing'
  /**
   * Whether the container runs to its end before the others, or before them and as long as the pod, or is one of them.
   */
  readonly role: 'init' | 'sidecar' | 'own'
}

export const waitingStatus = (
  { container }: ContainerSpec,
  reason: string,
  present?: ContainerStatus,
  message?: string,
): ContainerStatus => ({
  name: container.name,
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
  lastState: present?.state.terminated ? { terminated: present.state.terminated } : (present?.lastState ?? {}),
  ready: false,
  restartCount: present?.restartCount ?? 0,
  image: container.image ?? '',
  imageID: '',
  started: false,
  ...(present?.allocatedResources && { allocatedResources: present.allocatedResources }),
  ...(present?.resources && { resources: present.resources }),
})

/** Returns the status of a container that has ended. One that never ran has ended, too. */
export const terminatedStatus = (
  present: ContainerStatus,
  exitCode: number,
  reason: string,
  { time }: Turn,
  message?: string,
): ContainerStatus => ({
  ...present,
  state: {
    terminated: {
      exitCode,
      reason,
      ...(message !== undefined && { message }),
      startedAt: present.state.running?.startedAt ?? time,
      finishedAt: time,
      ...(present.containerID !== undefined && { containerID: present.containerID }),
    },
  },
  ready: false,
  started: false,
})
