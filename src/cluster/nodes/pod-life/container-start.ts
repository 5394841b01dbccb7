import type { ContainerStatus } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { type ContainerSpec, waitingStatus } from './container-statuses.ts'
import { containerEvent, type StartMessages, type Turn, wakeAt } from './turn.ts'

/**
 * Delays between pulls of an image, in milliseconds: they double up to the last one. Source: pkg/kubelet/kubelet.go.
 */
const [FIRST_PULL_MS, LAST_PULL_MS] = [10_000, 300_000]

/**
 * Starts a container that waits, or returns the status of one that cannot start yet. @param since time from which on it
 * may start, in milliseconds since the epoch
 */
export function startContainer(spec: ContainerSpec, present: ContainerStatus, since: number, turn: Turn): ContainerStatus {
  const { behavior, path } = spec
  if (since + behavior.startAfter > turn.now) {
    wakeAt(turn, since + behavior.startAfter)
    return present.state.waiting?.reason === spec.waitsFor ? present : waitingStatus(spec, 'ContainerCreating', present)
  }
  if (behavior.failure === 'ImagePull') return pullImage(spec, present, turn)
  if (behavior.failure === 'CreateContainerConfigError') {
    const message = behavior.message ?? 'configuration of the container cannot be read'
    if (present.state.waiting?.reason !== 'CreateContainerConfigError')
      turn.events.push(containerEvent('Warning', 'Failed', `Error: ${message}`, path))
    return waitingStatus(spec, 'CreateContainerConfigError', present, message)
  }
  turn.pulls.delete(spec.container.name)
  return runContainer(spec, present, turn)
}

/** Returns the status of a container that starts now. It counts as a restart if the container has run before. */
export function runContainer(
  { container, path }: ContainerSpec,
  present: ContainerStatus,
  { time, rules, events, podName }: Turn,
): ContainerStatus {
  const { name, image = '', startupProbe, resources } = container
  const ended = present.state.terminated
  const lastState = ended ? { terminated: ended } : present.lastState
  const restartCount = present.restartCount + (lastState?.terminated ? 1 : 0)
  const { pulled, created, started } = rules.startMessages(name, image)
  events.push(
    containerEvent('Normal', 'Pulled', pulled, path),
    containerEvent('Normal', 'Created', created, path),
    containerEvent('Normal', 'Started', started, path),
  )
  return {
    name,
    state: { running: { startedAt: time } },
    lastState: lastState ?? {},
    ready: false,
    restartCount,
    image,
    imageID: imageId(image),
    containerID: `simulated://${podName}/${name}/${restartCount}`,
    started: startupProbe === undefined,
    ...(rules.reportsResources && {
      ...(resources?.requests && { allocatedResources: { ...resources.requests } }),
      resources: { ...resources },
    }),
  }
}

const imageId = (image: string): string => (image === '' ? '' : `simulated://${image}`)

/** Fails to pull an image, and shows the back-off until the next attempt. */
function pullImage(spec: ContainerSpec, present: ContainerStatus, turn: Turn): ContainerStatus {
  const { container, behavior, path } = spec
  const { name, image = '' } = container
  const message = behavior.message ?? `failed to pull and unpack image "${image}": not found`
  const known = turn.pulls.get(name)
  if (known !== undefined && known.nextAt > turn.now) {
    wakeAt(turn, known.nextAt)
    if (present.state.waiting?.reason === 'ImagePullBackOff') return present
    const text = `Back-off pulling image "${image}"`
    turn.events.push(containerEvent('Normal', 'BackOff', text, path), containerEvent('Warning', 'Failed', 'Error: ImagePullBackOff', path))
    return waitingStatus(spec, 'ImagePullBackOff', present, turn.rules.showsPullError ? `${text}: ErrImagePull: ${message}` : text)
  }
  const failed = known?.failed ?? 0
  const nextAt = turn.now + Math.min(FIRST_PULL_MS * 2 ** failed, LAST_PULL_MS)
  turn.pulls.set(name, { failed: failed + 1, nextAt })
  wakeAt(turn, nextAt)
  turn.events.push(
    containerEvent('Normal', 'Pulling', `Pulling image "${image}"`, path),
    containerEvent('Warning', 'Failed', `Failed to pull image "${image}": ${message}`, path),
    containerEvent('Warning', 'Failed', 'Error: ErrImagePull', path),
  )
  return waitingStatus(spec, 'ErrImagePull', present, message)
}

/** Returns the messages of the events of a container that starts, in the words of a release. */
export function startMessages(release: Release, name: string, image: string): StartMessages {
  const pulled = `Container image "${image}" already present on machine`
  if (isSince(release, '1.35'))
    return { pulled: `${pulled} and can be accessed by the pod`, created: 'Container created', started: 'Container started' }
  return { pulled, created: `Created container${isSince(release, '1.32') ? ':' : ''} ${name}`, started: `Started container ${name}` }
}
