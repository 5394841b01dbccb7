import type { ContainerStatus } from '../../../api/core/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { runContainer } from './container-start.ts'
import { type ContainerSpec, terminatedStatus } from './container-statuses.ts'
import type { Turn } from './turn.ts'

/**
 * Returns the status of a running container whose resources have changed in the pod: the new ones are allocated first,
 * and in force with the next step. A container that must be restarted for it is.
 */
export function resizedStatus(spec: ContainerSpec, present: ContainerStatus, turn: Turn): ContainerStatus {
  const { container } = spec
  const requests = container.resources?.requests
  if (!isSame(present.allocatedResources, requests)) return { ...present, ...(requests && { allocatedResources: { ...requests } }) }
  if (isSame(present.resources?.requests, requests) && isSame(present.resources?.limits, container.resources?.limits)) return present
  if (needsRestart(spec, present)) return runContainer(spec, terminatedStatus(present, 0, 'Completed', turn), turn)
  return { ...present, resources: { ...container.resources } }
}

/** Reports whether the resources of a running container are not those of the pod yet. */
export const isResizing = (
  { container: { resources } }: Pick<ContainerSpec, 'container'>,
  { state, resources: present, allocatedResources }: ContainerStatus,
): boolean =>
  state.running !== undefined &&
  !(
    isSame(allocatedResources, resources?.requests) &&
    isSame(present?.requests, resources?.requests) &&
    isSame(present?.limits, resources?.limits)
  )

function needsRestart({ container: { resources, resizePolicy = [] } }: ContainerSpec, present: ContainerStatus): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      (present.resources?.requests?.[resourceName] !== resources?.requests?.[resourceName] ||
        present.resources?.limits?.[resourceName] !== resources?.limits?.[resourceName]),
  )
}

const isSame = (a: Readonly<Record<string, string>> | undefined, b: Readonly<Record<string, string>> | undefined): boolean =>
  deepEqual(a ?? {}, b ?? {})
