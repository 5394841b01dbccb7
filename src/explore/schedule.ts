import type { FaultSpec } from '../faults/fault-spec.ts'
import { type Deletion, deletionBefore, type Recorded } from './deletions.ts'
import { faultEvent, type Nameable, type Numbered, numberedEvents, numberedRequests, requestFault, resourceMatch } from './fault-match.ts'
import { type Entry, type EventEntry, isReport, isWrite, type RequestEntry } from './recording.ts'

/** A perturbation: faults that belong together. */
export interface Perturbation {
  readonly faults: readonly FaultSpec[]
  /** The deletion that is its only fault. */
  readonly deletion?: Deletion
}

/** Perturbations of one run. */
export type Schedule = readonly Perturbation[]

/** Kinds of perturbations. A run takes the next one of its kind, so that each kind has its share of the runs. */
export const KINDS = ['deletion', 'restart', 'error', 'stale', 'event', 'conflict', 'other'] as const
export type PerturbationKind = (typeof KINDS)[number]

/** Options of the perturbations of a run. */
export interface Possible extends Nameable {
  /** Whether the controller can be restarted. */
  readonly restarts: boolean
  /**
   * Whether a request is certainly the controller's. Only such requests get errors and conflicts, because a test need
   * not expect them.
   */
  isController(request: RequestEntry): boolean
}

/** Returns the perturbations of an undisturbed run, by kind. */
export function perturbationsOf(
  entries: readonly Entry[],
  possible: Possible,
): Readonly<Record<PerturbationKind, readonly Perturbation[]>> {
  const requests = numberedRequests(entries, possible).filter(({ entry }) => possible.isController(entry) && !isReport(entry.resource))
  const events = numberedEvents(entries, possible).filter(({ entry }) => !isReport(entry.resource))
  const writes = requests.filter(({ entry }) => isWrite(entry))
  const reads = requests.filter(({ entry }) => entry.verb === 'get' || entry.verb === 'list')
  return {
    deletion: events.filter(({ entry }) => isOfDeletion(entry)).flatMap(event => eventPerturbations(event, possible)),
    event: events.filter(({ entry }) => !isOfDeletion(entry)).flatMap(event => eventPerturbations(event, possible)),
    restart: possible.restarts
      ? [
          ...writes.flatMap(write => restarts(write, possible)),
          ...lastBeforeTest(entries, writes, possible).map(write => restartAtRest(write, possible)),
        ]
      : [],
    error: writes.flatMap(write => errors(write, possible)),
    stale: possible.restarts ? staleRestarts(entries, writes, possible) : [],
    conflict: writes
      .filter(({ entry }) => isUpdate(entry))
      .map(write => perturbation({ ...requestFault(write, possible), writer: 'Changes' })),
    other: [...reads.flatMap(read => readErrors(read, possible)), ...others(writes, { entries, requests, events }, possible)],
  }
}

const isUpdate = ({ verb, name }: RequestEntry): boolean => name !== '' && (verb === 'update' || verb === 'patch')

const isOfDeletion = ({ type, isDeleting }: EventEntry): boolean => type === 'DELETED' || isDeleting

const perturbation = (...faults: FaultSpec[]): Perturbation => ({ faults })

/** The watch is delayed or cut before one event. */
function eventPerturbations(numbered: Numbered<EventEntry>, possible: Possible): Perturbation[] {
  const event = faultEvent(numbered, possible)
  const match = resourceMatch(numbered.entry.resource, 'watch', possible)
  const watch = (fault: FaultSpec['watch']): Perturbation => perturbation({ match, watch: fault ?? {} })
  return [
    watch({ holdAt: event }),
    watch({ endBefore: event, withGone: true, reopen: 'Quiet' }),
    watch({ holdAt: event, until: 'OtherEvent' }),
    watch({ endBefore: event }),
  ]
}

const restarts = (write: Numbered<RequestEntry>, possible: Possible): Perturbation[] =>
  (['AfterCommit', 'BeforeCommit'] as const).map(restart => perturbation({ ...requestFault(write, possible), restart }))

const restartAtRest = (write: Numbered<RequestEntry>, possible: Possible): Perturbation =>
  perturbation({ ...requestFault(write, possible), restart: 'AtRest' })

const errors = (write: Numbered<RequestEntry>, possible: Possible): Perturbation[] => [
  perturbation({ ...requestFault(write, possible), status: { code: 504, message: 'the request timed out' } }),
  perturbation({ ...requestFault(write, possible), cut: 'AfterCommit' }),
  perturbation({ ...requestFault(write, possible), status: { code: 429, message: 'too many requests' } }),
  perturbation({ ...requestFault(write, possible), cut: 'BeforeCommit' }),
]

const readErrors = (read: Numbered<RequestEntry>, possible: Possible): Perturbation[] =>
  !read.entry.isAnyVersion
    ? [perturbation({ ...requestFault(read, possible), status: { code: 504, message: 'the request timed out' } })]
    : []

/**
 * The controller is restarted when it comes to rest, and its first list of a resource is behind by some changes. Only
 * those states are read that differ in more than a status: an object appears, disappears, begins to be deleted, or has
 * another spec.
 */
function staleRestarts(entries: readonly Entry[], writes: readonly Numbered<RequestEntry>[], possible: Possible): Perturbation[] {
  const found: Perturbation[] = []
  for (const write of lastBeforeTest(entries, writes, possible)) {
    const before = entries.slice(0, entries.indexOf(write.entry)).filter(entry => entry.kind === 'event')
    const reached = entries
      .slice(entries.indexOf(write.entry))
      .findIndex(entry => entry.kind === 'request' && isWrite(entry) && !possible.isController(entry))
    const during = entries
      .slice(entries.indexOf(write.entry), reached < 0 ? undefined : entries.indexOf(write.entry) + reached)
      .filter(entry => entry.kind === 'event')
    for (const resource of new Set(before.map(event => event.resource).filter(resource => !isReport(resource)))) {
      const lists = entries
        .slice(0, entries.indexOf(write.entry))
        .filter(entry => entry.kind === 'request' && entry.isAnyVersion && entry.isController && entry.resource === resource)
      if (lists.length === 0) continue
      const changes = [...before, ...during].filter(event => event.resource === resource)
      for (const behindChanges of interesting(changes)) {
        const stale: FaultSpec = {
          match: resourceMatch(resource, 'list', possible),
          rate: { skip: lists.length, count: 1 },
          behindChanges,
        }
        found.push({ faults: [{ ...requestFault(write, possible), restart: 'AtRest' }, stale] })
      }
    }
  }
  return found
}

/** The last write of the controller before each write of the test, and the last of all. */
function lastBeforeTest(
  entries: readonly Entry[],
  writes: readonly Numbered<RequestEntry>[],
  possible: Possible,
): Numbered<RequestEntry>[] {
  const last = new Set<Numbered<RequestEntry>>()
  let latest: Numbered<RequestEntry> | undefined
  for (const entry of entries) {
    if (entry.kind !== 'request' || !isWrite(entry)) continue
    if (possible.isController(entry)) latest = writes.find(write => write.entry === entry)
    else if (latest !== undefined) last.add(latest)
  }
  if (latest !== undefined) last.add(latest)
  return [...last].reverse()
}

/** Numbers of changes after which the state differed in more than a status, counted from the latest. */
function interesting(changes: readonly EventEntry[]): number[] {
  const found = new Set<number>()
  const known = new Map<string, string>()
  for (const [index, event] of changes.entries()) {
    const key = `${event.namespace}/${event.name}`
    const state = event.type === 'DELETED' ? 'gone' : `${event.isDeleting} ${event.generation}`
    // The state before this event, and the one after it.
    if (known.get(key) !== state)
      for (const behind of [changes.length - index - 1, changes.length - index]) if (behind > 0) found.add(behind)
    known.set(key, state)
  }
  return [...found]
}

/** Requests that wait, objects that are deleted while they are reconciled, and bookmarks that are withheld. */
function others(writes: readonly Numbered<RequestEntry>[], recorded: Recorded, possible: Possible): Perturbation[] {
  const resources = [...new Set(recorded.events.map(({ entry }) => entry.resource))]
  const deletions = writes.filter(({ entry }) => isUpdate(entry)).map(write => deletionBefore(write, recorded, possible))
  return [
    ...writes.map(write => perturbation({ ...requestFault(write, possible), hold: 'Quiet' })),
    ...deletions.filter(deletion => deletion !== undefined).map(deletion => ({ faults: [deletion.fault], deletion })),
    ...resources.map(resource => perturbation({ match: resourceMatch(resource, 'watch', possible), watch: { withholdBookmarks: true } })),
  ]
}
