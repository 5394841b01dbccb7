import type { KubeObject } from '../../api/meta/object.ts'
import type { ResourceId } from '../../catalog/resource-access.ts'
import { systemClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { formatTime } from '../../meta/time.ts'
import type { ControllerEnvironment } from '../controller.ts'
import type { Coordinates } from './coordinates.ts'
import { coordinatesOf, invalidNamespaceText } from './coordinates.ts'

const EVENTS: ResourceId = { group: '', resource: 'events' }
const COMPONENT = 'garbage-collector-controller'
/** Maximum number of concurrent writes. More events are dropped. */
const AT_ONCE = 25

/**
 * Returns a function that writes an event about a dependent with an owner in another namespace, as upstream does. Never
 * rejects: an event that cannot be written is dropped.
 */
export function invalidOwnerEvents(env: ControllerEnvironment): (dependent: Coordinates, owner: Coordinates) => void {
  let writing = 0
  return (dependent, owner) => {
    if (writing >= AT_ONCE) return
    writing++
    const namespace = dependent.namespace || 'default'
    env.access
      .create(
        EVENTS,
        namespace,
        eventOf(dependent, owner, namespace, { now: env.clock.now(), within: (env.queues?.pauses ?? systemClock).steady.now() % 1 }),
      )
      .catch(error => env.logger.debug(1, 'cannot create an event', { error: errorMessage(error) }))
      .finally(() => writing--)
  }
}

/**
 * Event object. Its name is made as client-go's recorder does, from the object's name and the time in
 * nanoseconds. @param within fraction of the current millisecond.
 */
function eventOf(
  dependent: Coordinates,
  owner: Coordinates,
  namespace: string,
  { now, within }: { readonly now: number; readonly within: number },
): KubeObject {
  const time = formatTime(now)
  const nanoseconds = BigInt(now) * 1_000_000n + BigInt(Math.floor(within * 1_000_000))
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${dependent.name}.${nanoseconds.toString(16)}`, namespace },
    involvedObject: withoutEmpty(coordinatesOf(dependent)),
    reason: 'OwnerRefInvalidNamespace',
    message: invalidNamespaceText(owner),
    source: { component: COMPONENT },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: 'Warning',
    reportingComponent: COMPONENT,
    reportingInstance: '',
  }
}

const withoutEmpty = (coordinates: Coordinates) => Object.fromEntries(Object.entries(coordinates).filter(([, value]) => value !== ''))
