import type { FaultSpec } from '../faults/fault-spec.ts'
import type { FaultableRequest } from '../faults/faultable-request.ts'
import type { FaultObserver, ObservedRequest } from '../faults/observer.ts'
import { resourceName } from '../faults/rules.ts'
import { WATCH_EVENT_TYPES } from '../meta/watch-event-types.ts'
import type { StorageEvent } from '../storage/storage.ts'

/** An entry with the time at which it was recorded. */
interface Timed {
  /** Milliseconds of the machine's steady clock. */
  readonly at: number
}

/** A request for a resource. */
export interface RequestEntry extends Timed {
  readonly kind: 'request'
  /** Whether the controller made the request, and not the test. */
  readonly isController: boolean
  readonly verb: string
  /** Name of the resource in a fault: `deployments.apps/status`. */
  readonly resource: string
  /** Empty for cluster-scoped resources, and for lists of all namespaces. */
  readonly namespace: string
  /** Empty for a create and for collections. */
  readonly name: string
  /** Revision of the store when the request arrived. */
  readonly revision: number
  /** Whether the read accepts any version (`resourceVersion=0`). */
  readonly isAnyVersion: boolean
  /** Status code of the response. 0: none; undefined: not yet. */
  status: number | undefined
  /** Faults that were injected into the request. */
  faults: readonly FaultSpec[]
}

/** An event that a watch of the controller has delivered. */
export interface EventEntry extends Timed {
  readonly kind: 'event'
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** Name of the resource in a fault: `deployments.apps`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  /** Revision of the change. */
  readonly revision: number
  /** Whether the object has a deletion timestamp. */
  readonly isDeleting: boolean
  /** Whether one of its owner references is that of a controller. */
  readonly isOwned: boolean
  /** metadata.generation. 0 if there is none. */
  readonly generation: number
}

/** Another line of the story. */
export interface NoteEntry extends Timed {
  readonly kind: 'note'
  readonly text: string
  /** Whether another client deletes an object. */
  readonly isDeletion?: boolean
}

/** Path below which a program under test waits, as with `rest` and `settled`. */
export const BARRIERS = '/binnacle/v1/explore/'

/** A line of the recording. */
export type Entry = RequestEntry | EventEntry | NoteEntry

/** Identifies the controller's requests. */
export interface Subject {
  /** Whether the controller made the request, and not the test. */
  isController(request: FaultableRequest): boolean
  /** Whether the request belongs to a program that has been stopped. */
  isSevered(request: FaultableRequest): boolean
  /** Whether reads of the controller are activity. False if the test has the same user agent, because it may poll. */
  readonly countsReads: boolean
  /** Whether a restart of the controller has begun and not ended. */
  readonly isRestarting: boolean
  /** Whether a program of the test computes, or waits for a processor. False if it cannot be known. */
  readonly isBusy: boolean
  /** Stops the controller and starts it again. Requests of the stopped one are severed. */
  restart(): void
}

/** Time that the controller has to react to an error, and to open a watch again, in milliseconds. */
const RETRY_MS = 1000
/** Time that the controller has to open a watch again. */
const REOPEN_MS = 5000
/** Verbs of writes. */
const WRITES: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection']
const REPORTS: readonly string[] = ['events', 'events.events.k8s.io', 'leases.coordination.k8s.io']

/** Whether a request counts as a write of the controller: it changes objects other than events and leases. */
export const isWrite = ({ verb, resource }: Pick<RequestEntry, 'verb' | 'resource'>): boolean =>
  WRITES.includes(verb) && !isReport(resource) && !isReview(resource)

/** Whether the resource only reports, or is renewed all the time: events and leases. They are left alone. */
export const isReport = (resource: string): boolean => REPORTS.includes(resource)

/** Whether a create of the resource stores nothing, such as a SubjectAccessReview. */
const isReview = (resource: string): boolean =>
  /reviews\.(?:authentication|authorization)\.k8s\.io$/.test(resource) || resource === 'serviceaccounts/token'

/** Requests and watch events of one run, in order. */
export class Recording implements FaultObserver {
  /** All entries so far, in the order in which requests arrived and events were delivered. */
  readonly entries: Entry[] = []
  /** Called for requests to paths below BARRIERS, with the rest of the path. */
  onBarrier: ((name: string) => Promise<void> | undefined) | undefined
  readonly #subject: Subject
  readonly #revision: () => number
  /**
   * Reactions of the controller that are awaited before it counts as at rest, with the times after which they no longer
   * are.
   */
  readonly #awaited = new Map<string, number>()
  readonly #watches = new Map<() => void, FaultableRequest>()
  #controllerWrites = 0

  constructor(subject: Subject, revision: () => number) {
    this.#subject = subject
    this.#revision = revision
  }

  /** Whether the controller has yet to react to a fault. */
  get awaitsReaction(): boolean {
    const now = performance.now()
    for (const [reaction, until] of this.#awaited) if (until < now) this.#awaited.delete(reaction)
    return this.#awaited.size > 0 || this.isRestarting
  }

  get isRestarting(): boolean {
    return this.#subject.isRestarting
  }

  /** Number of writes of the controller, whether or not they succeeded. */
  get controllerWrites(): number {
    return this.#controllerWrites
  }

  /** Appends a line of text to the story. */
  note(text: string, isDeletion = false): void {
    this.entries.push({ kind: 'note', at: performance.now(), text, isDeletion })
  }

  /** Handles a request of the program under test to a path below BARRIERS. Undefined for other paths. */
  barrier(path: string): Promise<void> | undefined {
    return path.startsWith(BARRIERS) ? this.onBarrier?.(path.slice(BARRIERS.length)) : undefined
  }

  /** Restarts the controller. Reactions that were awaited of the previous one are no longer. */
  restart(): void {
    this.note('the controller is restarted')
    this.#awaited.clear()
    this.#subject.restart()
  }

  /** Ends the watches of programs that have been stopped. */
  endSevered(): void {
    for (const [close, request] of this.#watches) if (this.#subject.isSevered(request)) close()
  }

  request(request: FaultableRequest): ObservedRequest | 'severed' | undefined {
    if (this.#subject.isSevered(request)) return 'severed'
    const isController = this.#subject.isController(request)
    const { info, query } = request
    if (!isController && !WRITES.includes(info.verb)) return undefined
    const { verb, namespace, name, subresource } = info
    const resource = `${resourceName(info)}${subresource === '' ? '' : `/${subresource}`}`
    const isAnyVersion = verb === 'list' && query.get('resourceVersion') === '0'
    const entry: RequestEntry = {
      kind: 'request',
      at: performance.now(),
      isController,
      verb,
      resource,
      namespace,
      name,
      revision: this.#revision(),
      isAnyVersion,
      status: undefined,
      faults: [],
    }
    this.entries.push(entry)
    if (isController && isWrite(entry)) this.#controllerWrites++
    if (!isController) return observer(entry, this.#subject.countsReads)
    // A request after an error is the reaction to it, whatever it requests.
    if (!isReport(resource)) this.#awaited.delete('retry')
    const reopens = (verb === 'list' || verb === 'watch') && this.#awaited.delete(`watch ${resource}`)
    return this.#followed(entry, request, reopens && verb === 'list')
  }

  /** `isBeforeWatch`: the request is a list after which the controller opens its watch again. */
  #followed(entry: RequestEntry, request: FaultableRequest, isBeforeWatch: boolean): ObservedRequest {
    let close: (() => void) | undefined
    return {
      ...observer(entry, this.#subject.countsReads),
      struck: specs => {
        entry.faults = specs
        if (specs.some(({ status, cut }) => status !== undefined || cut !== undefined)) this.#await('retry', RETRY_MS)
      },
      done: status => {
        entry.status = status
        if (close !== undefined) this.#watches.delete(close)
        // The list may have been held, and the watch is not awaited while it is.
        if (isBeforeWatch && !this.#subject.isSevered(request)) this.#await(`watch ${entry.resource}`, REOPEN_MS)
      },
      opened: end => {
        close = end
        this.#watches.set(end, request)
      },
      delivered: events => {
        for (const event of events) if (event.type !== 'bookmark') this.entries.push(eventEntry(entry.resource, event))
      },
      disturbed: (does, event) => {
        const { resource } = entry
        const { namespace, name } = event.type === 'bookmark' ? { namespace: '', name: '' } : event.object.attributes()
        const what = event.type === 'bookmark' ? 'a bookmark' : describedEvent(eventEntry(resource, event))
        if (does === 'delete') this.note(`another client deletes ${resource} ${objectPath(namespace, name)}`, true)
        else this.note(`the watch of ${resource} is ${does === 'hold' ? 'delayed' : 'cut'} before ${what}`)
        if (does === 'end') this.#await(`watch ${entry.resource}`, REOPEN_MS)
      },
    }
  }

  /** Awaits a reaction for a time. An earlier time for the same reaction is replaced. */
  #await(reaction: string, milliseconds: number): void {
    this.#awaited.set(reaction, performance.now() + milliseconds)
  }
}

const observer = (entry: RequestEntry, isActive: boolean): ObservedRequest => ({
  isActive,
  struck: specs => {
    entry.faults = specs
  },
  done: status => {
    entry.status = status
  },
  opened: () => {},
  delivered: () => {},
  disturbed: () => {},
})

/** Reads an event of a watch. */
function eventEntry(resource: string, event: Exclude<StorageEvent, { readonly type: 'bookmark' }>): EventEntry {
  const { namespace, name } = event.object.attributes()
  const { metadata } = event.object.object()
  return {
    kind: 'event',
    at: performance.now(),
    type: WATCH_EVENT_TYPES[event.type],
    resource,
    namespace,
    name,
    revision: event.revision,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isOwned: metadata.ownerReferences?.some(({ controller }) => controller === true) === true,
    generation: metadata.generation ?? 0,
  }
}

const objectPath = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`)

/** Describes an event: `MODIFIED shop/web at 41`. */
export const describedEvent = ({ type, namespace, name, revision, isDeleting }: EventEntry): string =>
  `${type} ${objectPath(namespace, name)} at ${revision}${isDeleting && type !== 'DELETED' ? ', which is being deleted' : ''}`
