import type { FaultMatch, FaultSpec } from '../faults/fault-spec.ts'
import { type Entry, type EventEntry, isWrite, type RequestEntry } from './recording.ts'

/** A perturbation: faults that belong together. */
export interface Perturbation {
  readonly faults: readonly FaultSpec[]
}

/** Perturbations of one run. */
export type Schedule = readonly Perturbation[]

/** Kinds of perturbations. A run takes the next one of its kind, so that each kind has its share of the runs. */
export const KINDS = ['deletion', 'restart', 'error', 'stale', 'event', 'conflict', 'other'] as const
export type PerturbationKind = (typeof KINDS)[number]

/** Options of the perturbations of a run. */
export interface Possible {
  /** Selects the controller's requests. */
  readonly subject: FaultMatch
  /** Whether the controller can be restarted. */
  readonly restarts: boolean
  /**
   * Whether a request is certainly the controller's. Only such requests get errors and conflicts, because a test need
   * not expect them.
   */
  isController(request: RequestEntry): boolean
  /** Names of objects that all undisturbed runs have. Others are generated. */
  readonly names: ReadonlySet<string>
}

/** A request or event of the controller, with its number among those that a fault cannot distinguish from it. */
interface Numbered<T> {
  readonly entry: T
  readonly skip: number
}

/** Returns the perturbations of an undisturbed run, by kind. */
export function perturbationsOf(
  entries: readonly Entry[],
  possible: Possible,
): Readonly<Record<PerturbationKind, readonly Perturbation[]>> {
  const requests = numbered(
    entries.filter(entry => entry.kind === 'request').filter(({ isController }) => isController),
    entry => matchKey(entry, possible),
  ).filter(({ entry }) => possible.isController(entry))
  const events = entries.filter(entry => entry.kind === 'event')
  const writes = requests.filter(({ entry }) => isWrite(entry))
  const reads = requests.filter(({ entry }) => entry.verb === 'get' || entry.verb === 'list')
  const delivered = numbered(events, entry => `${entry.resource} ${entry.type} ${nameIn(entry, possible)}`)
  return {
    deletion: delivered.filter(({ entry }) => isOfDeletion(entry)).flatMap(event => eventPerturbations(event, possible)),
    event: delivered.filter(({ entry }) => !isOfDeletion(entry)).flatMap(event => eventPerturbations(event, possible)),
    restart: possible.restarts
      ? [
          ...writes.flatMap(write => restarts(write, possible)),
          ...lastBeforeTest(entries, writes, possible).map(write => restartAtRest(write, possible)),
        ]
      : [],
    error: writes.flatMap(write => errors(write, possible)),
    stale: possible.restarts ? staleRestarts(entries, writes, possible) : [],
    conflict: writes.filter(({ entry }) => isUpdate(entry)).map(write => perturbation({ ...matchOf(write, possible), writer: 'Changes' })),
    other: [...reads.flatMap(read => readErrors(read, possible)), ...others(writes, events, possible)],
  }
}

const isUpdate = ({ verb, name }: RequestEntry): boolean => name !== '' && (verb === 'update' || verb === 'patch')

const isOfDeletion = ({ type, isDeleting }: EventEntry): boolean => type === 'DELETED' || isDeleting

const perturbation = (...faults: FaultSpec[]): Perturbation => ({ faults })

const nameIn = ({ name }: { readonly name: string }, { names }: Possible): string => (names.has(name) ? name : '')

const matchKey = (entry: RequestEntry, possible: Possible): string =>
  `${entry.verb} ${entry.resource} ${entry.namespace} ${nameIn(entry, possible)}`

function numbered<T>(entries: readonly T[], key: (entry: T) => string): Numbered<T>[] {
  const counts = new Map<string, number>()
  return entries.map(entry => {
    const skip = counts.get(key(entry)) ?? 0
    counts.set(key(entry), skip + 1)
    return { entry, skip }
  })
}

/** Match and rate of one request. */
function matchOf({ entry, skip }: Numbered<RequestEntry>, possible: Possible): Pick<FaultSpec, 'match' | 'rate'> {
  const { verb, resource, namespace } = entry
  const name = nameIn(entry, possible)
  return {
    match: {
      ...possible.subject,
      verbs: [verb],
      resources: [resource],
      ...(namespace !== '' && { namespaces: [namespace] }),
      ...(name !== '' && { names: [name] }),
    },
    rate: { skip, count: 1 },
  }
}

const watchMatch = (resource: string, { subject }: Possible): FaultSpec['match'] => ({ ...subject, resources: [resource] })

/** The watch is delayed or cut before one event. */
function eventPerturbations({ entry, skip }: Numbered<EventEntry>, possible: Possible): Perturbation[] {
  const { type, resource, namespace } = entry
  const name = nameIn(entry, possible)
  const event = { type, ...(namespace !== '' && { namespace }), ...(name !== '' && { name }), ...(skip > 0 && { skip }) }
  const match = watchMatch(resource, possible)
  const watch = (fault: FaultSpec['watch']): Perturbation => perturbation({ match: { ...match, verbs: ['watch'] }, watch: fault ?? {} })
  return [
    watch({ holdAt: event }),
    watch({ endBefore: event, withGone: true, reopen: 'Quiet' }),
    watch({ holdAt: event, until: 'OtherEvent' }),
    watch({ endBefore: event }),
  ]
}

const restarts = (write: Numbered<RequestEntry>, possible: Possible): Perturbation[] =>
  (['AfterCommit', 'BeforeCommit'] as const).map(restart => perturbation({ ...matchOf(write, possible), restart }))

const restartAtRest = (write: Numbered<RequestEntry>, possible: Possible): Perturbation =>
  perturbation({ ...matchOf(write, possible), restart: 'AtRest' })

const errors = (write: Numbered<RequestEntry>, possible: Possible): Perturbation[] => [
  perturbation({ ...matchOf(write, possible), status: { code: 504, message: 'the request timed out' } }),
  perturbation({ ...matchOf(write, possible), cut: 'AfterCommit' }),
  perturbation({ ...matchOf(write, possible), status: { code: 429, message: 'too many requests' } }),
  perturbation({ ...matchOf(write, possible), cut: 'BeforeCommit' }),
]

const readErrors = (read: Numbered<RequestEntry>, possible: Possible): Perturbation[] =>
  !read.entry.isAnyVersion ? [perturbation({ ...matchOf(read, possible), status: { code: 504, message: 'the request timed out' } })] : []

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
    for (const resource of new Set(before.map(event => event.resource))) {
      const lists = entries
        .slice(0, entries.indexOf(write.entry))
        .filter(entry => entry.kind === 'request' && entry.isAnyVersion && entry.isController && entry.resource === resource)
      if (lists.length === 0) continue
      const changes = [...before, ...during].filter(event => event.resource === resource)
      for (const behindChanges of interesting(changes)) {
        const stale: FaultSpec = {
          match: { ...watchMatch(resource, possible), verbs: ['list'] },
          rate: { skip: lists.length, count: 1 },
          behindChanges,
        }
        found.push({ faults: [{ ...matchOf(write, possible), restart: 'AtRest' }, stale] })
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
function others(writes: readonly Numbered<RequestEntry>[], events: readonly EventEntry[], possible: Possible): Perturbation[] {
  const resources = [...new Set(events.map(({ resource }) => resource))]
  return [
    ...writes.map(write => perturbation({ ...matchOf(write, possible), hold: 'Quiet' })),
    ...writes.filter(({ entry }) => isUpdate(entry)).map(write => perturbation({ ...matchOf(write, possible), writer: 'Deletes' })),
    ...resources.map(resource =>
      perturbation({ match: { ...watchMatch(resource, possible), verbs: ['watch'] }, watch: { withholdBookmarks: true } }),
    ),
  ]
}
