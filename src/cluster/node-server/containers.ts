import type { ContainerStatus, Pod } from '../../api/core/v1.types.ts'
import { isPodTerminal } from '../shared/pods.ts'

/** Returns the status of a container of any type, by its name. */
export function containerStatus({ status }: Pod, name: string): ContainerStatus | undefined {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []), ...(status.ephemeralContainerStatuses ?? [])]
  return all.find(each => each.name === name)
}

/** Reports whether the pod has a container of the name, of any type. */
export const hasContainer = ({ spec }: Pod, name: string): boolean =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].some(each => each.name === name)

const PULL_FAULTS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
}

/**
 * Returns the reason why a container has no log yet, in the kubelet's words. Undefined if it has one. Source: kubelet,
 * validateContainerLogStatus.
 * @param previous whether the log of the previous run is requested.
 */
export function logFault(pod: Pod, name: string, previous: boolean): string | undefined {
  const where = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name)}`
  const status = containerStatus(pod, name)
  if (status === undefined) return `${where} is not available`
  const { waiting, running, terminated } = status.state ?? {}
  const last = status.lastState?.terminated
  if (previous) return last ? undefined : `previous terminated ${where} not found`
  if (running || terminated || last) return undefined
  if (waiting === undefined || waiting === null) return `${where} is waiting to start - no logs yet`
  const reason = waiting.reason ?? ''
  return `${where} is waiting to start: ${Object.hasOwn(PULL_FAULTS, reason) ? PULL_FAULTS[reason] : reason}`
}

/** Whether the container runs, or ran and will run again. */
export function isRunning(pod: Pod, name: string): boolean {
  if (isPodTerminal(pod)) return false
  const status = containerStatus(pod, name)
  return status?.state?.running !== undefined && status.state.running !== null
}

/** Time at which the container started, RFC 3339. That of the pod if its status does not say. */
export function startedAt(pod: Pod, name: string, previous = false): string {
  const status = containerStatus(pod, name)
  const { running, terminated } = status?.state ?? {}
  const time = previous ? status?.lastState?.terminated?.startedAt : (running?.startedAt ?? terminated?.startedAt)
  return time ?? pod.status.startTime ?? pod.metadata.creationTimestamp ?? '1970-01-01T00:00:00Z'
}
