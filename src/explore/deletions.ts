import type { FaultSpec } from '../faults/fault-spec.ts'
import { faultEvent, type Nameable, type Numbered, requestFault, resourceMatch } from './fault-match.ts'
import { type Entry, type EventEntry, isWrite, type RequestEntry } from './recording.ts'

/** Deletion of an object by another client, right before a write of the controller. */
export interface Deletion {
  readonly fault: FaultSpec
  /**
   * Faults of runs in which the object is deleted while the controller does nothing. A sound controller leaves the state
   * of one of them.
   */
  readonly calm: readonly (readonly FaultSpec[])[]
  /** Number of changes of other clients to the object before its deletion. */
  readonly changes: number
}

type IsController = (request: RequestEntry) => boolean

/** Requests and events of an undisturbed run, in order. */
export interface Recorded {
  readonly entries: readonly Entry[]
  readonly requests: readonly Numbered<RequestEntry>[]
  readonly events: readonly Numbered<EventEntry>[]
}

/**
 * Returns the deletion right before an update of the controller. In one of its calm runs the object is deleted at rest,
 * after the update. If the controller has not changed the object since it was created or another client changed it, the
 * object is also deleted before the controller sees that: one that has yet to add its finalizer need not clean up.
 * Undefined if such a run is not possible.
 */
export function deletionBefore(
  update: Numbered<RequestEntry>,
  { entries, requests, events }: Recorded,
  options: Nameable & { readonly isController: IsController },
): Deletion | undefined {
  const { isController } = options
  const before = entries.slice(0, entries.indexOf(update.entry))
  const fault: FaultSpec = { ...requestFault(update, options), writer: 'Deletes' }
  const { unseen, read, isOwn } = history(update.entry, before, isController)
  const earlier = unseen.map(event => unseenDeletion(event, events, options))
  const ofRead = read && requests.find(({ entry }) => entry === read)
  if (ofRead !== undefined) earlier.push([{ ...requestFault(ofRead, options), writer: 'Deletes' }])
  if (earlier.length === 0 && !isOwn) return undefined
  return { fault, calm: [[{ ...fault, writer: 'DeletesAtRest' }], ...earlier], changes: foreignChanges(update.entry, before, isController) }
}

/** Number of changes of other clients to an object before a request for it. */
export const foreignChanges = (request: RequestEntry, before: readonly Entry[], isController: IsController): number =>
  before.filter(entry => isChange(entry, request) && !isController(entry)).length

interface History {
  /** Events of the creation and of the latest foreign change, if the controller has not changed the object since. */
  readonly unseen: readonly EventEntry[]
  /** The controller's first read of the object after these, if it has received no such events. */
  readonly read: RequestEntry | undefined
  /** Whether the controller has created the object, or is the last that has changed it. */
  readonly isOwn: boolean
}

function history(write: RequestEntry, before: readonly Entry[], isController: IsController): History {
  const changes = before.filter(entry => isChange(entry, write))
  const latestForeign = changes.findLast(change => !isController(change))
  const indexOf = (entry: Entry | undefined): number => (entry === undefined ? -1 : before.indexOf(entry))
  const [own, foreign] = [indexOf(changes.findLast(isController)), indexOf(latestForeign)]
  const isOf = (entry: Entry, type: EventEntry['type']): entry is EventEntry =>
    entry.kind === 'event' && entry.type === type && isSameObject(entry, write)
  const added = before.slice(own + 1).findLast(entry => isOf(entry, 'ADDED'))
  const changed =
    latestForeign !== undefined && foreign > own
      ? before.slice(foreign).find((entry): entry is EventEntry => isOf(entry, 'MODIFIED') && entry.revision > latestForeign.revision)
      : undefined
  const unseen = [added, changed].filter(event => event !== undefined)
  const isRead = (entry: Entry): entry is RequestEntry =>
    entry.kind === 'request' && entry.verb === 'get' && entry.status === 200 && isController(entry) && isSameObject(entry, write)
  const read = unseen.length === 0 && own <= foreign ? before.slice(foreign + 1).find(isRead) : undefined
  const isCreated = before.some(entry => isCreation(entry, write) && isController(entry))
  return { unseen, read, isOwn: own > foreign || (own < 0 && isCreated) }
}

/** Whether an entry may have created the object: the name is not known. */
const isCreation = (entry: Entry, { resource, namespace }: RequestEntry): entry is RequestEntry =>
  entry.kind === 'request' && entry.verb === 'create' && entry.resource === baseOf(resource) && entry.namespace === namespace

const baseOf = (resource: string): string => resource.split('/', 1)[0] ?? ''

const isSameObject = (entry: RequestEntry | EventEntry, { resource, namespace, name }: RequestEntry): boolean =>
  baseOf(entry.resource) === baseOf(resource) && entry.namespace === namespace && entry.name === name

/** Whether an entry is a successful update or deletion of the object. */
const isChange = (entry: Entry, object: RequestEntry): entry is RequestEntry =>
  entry.kind === 'request' && isWrite(entry) && isSameObject(entry, object) && (entry.status ?? 0) < 300

/** The watches of the controller are cut before the event, and open again when the object has been deleted. */
function unseenDeletion(unseen: EventEntry, events: readonly Numbered<EventEntry>[], options: Nameable): FaultSpec[] {
  const { resource, type, namespace, name, revision } = unseen
  // Several watches may deliver it.
  const same = events.filter(
    ({ entry }) =>
      entry.resource === resource &&
      entry.type === type &&
      entry.namespace === namespace &&
      entry.name === name &&
      entry.revision === revision,
  )
  return same.map((event, index) => ({
    match: resourceMatch(resource, 'watch', options),
    watch: { endBefore: faultEvent(event, options), withGone: true, reopen: 'Quiet' },
    ...(index === 0 && { writer: 'DeletesAtRest' }),
  }))
}
