import { steadyClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { pause } from '../../lib/pause.ts'
import { tooManyRequestsError } from '../../meta/status.ts'
import type { HeldPlane, MountedPlane } from '../../server/mounts/mounts.ts'
import type { Backend } from '../../storage/backend.ts'
import { momentBackend } from '../../storage/moment-backend.ts'
import { key, type Revision, revision } from '../../storage/revision.ts'
import type { ControlPlane } from '../control-plane.ts'
import { type OpenRequest, OpenRequests, SerialTasks } from './open-requests.ts'
import { revisionError } from './revision-error.ts'

/** A moment without requests for this long is closed, in milliseconds. */
const IDLE_MS = 60_000
/** Interval between looks for idle moments. */
const LOOK_MS = 5_000
/** Maximum number of requests that wait for a moment to be opened. */
const MOST_WAITING = 32

/** An open moment. */
interface OpenMoment {
  /** Control plane that is closed with the moment. */
  readonly plane: ControlPlane
  /** Handlers of requests below the moment's path. */
  readonly mounted: MountedPlane
  /** Open requests. A moment is evicted only if they are watches, and closed as idle only without any. */
  readonly requests: OpenRequests
}

/** Dependencies and limits of moments. */
export interface MomentsOptions {
  /** Store whose past revisions are read. */
  readonly backend: Backend
  /** Begins the keys of the store that the server may read. */
  readonly prefix: string
  /** Maximum number of open moments. */
  readonly most: number
  /** Opens a control plane on a store. Resolves when it is ready. */
  open(backend: Backend, signal: AbortSignal): Promise<{ readonly plane: ControlPlane; readonly mounted: MountedPlane }>
  readonly log: Logger
}

/**
 * Read-only control planes of past revisions. A moment is opened on first request, one at a time, and closed when it is
 * idle or others need its slot.
 */
export class Moments {
  readonly #options: MomentsOptions
  /** Ordered by last use, most recent last. */
  readonly #all = new Map<number, OpenMoment>()
  readonly #turns = new SerialTasks()
  readonly #ended = new AbortController()
  #timer: NodeJS.Timeout | undefined
  /** Delay before the next moment is opened, in milliseconds, so that opening takes at most half of the time. */
  #rest = 0

  constructor(options: MomentsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#all.size
  }

  /** Returns the control plane of a revision and keeps it open for a request. Throws a StatusError. */
  async hold(at: number, request: OpenRequest & { readonly signal: AbortSignal }): Promise<HeldPlane> {
    const found = this.#all.get(at)
    if (found !== undefined) return this.#held(at, found, request)
    if (this.#turns.waiting >= MOST_WAITING) throw tooManyRequestsError('too many requests are waiting for moments to open', 1)
    return this.#turns.take(async () => {
      request.signal.throwIfAborted()
      return this.#held(at, this.#all.get(at) ?? (await this.#open(revision(at), request.signal)), request)
    })
  }

  /** Makes the moment the most recently used one, and registers the request. */
  #held(at: number, moment: OpenMoment, request: OpenRequest): HeldPlane {
    this.#all.delete(at)
    this.#all.set(at, moment)
    return { plane: moment.mounted, release: moment.requests.hold(request) }
  }

  /**
   * Opens a moment, evicting an idle one at the limit. Throws a StatusError if the revision cannot be read or all
   * moments are in use.
   */
  async #open(at: Revision, signal: AbortSignal): Promise<OpenMoment> {
    const backend = momentBackend(this.#options.backend, at)
    await this.#check(backend, at, signal)
    if (this.#all.size >= this.#options.most) await this.#makeRoom()
    await pause(this.#rest, signal)
    const begun = steadyClock.now()
    const opened = await this.#options.open(backend, this.#ended.signal)
    this.#rest = steadyClock.now() - begun
    const moment = { ...opened, requests: new OpenRequests() }
    this.#all.set(at, moment)
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
    this.#options.log.debug(1, 'moment opened', { revision: at })
    return moment
  }

  /** Throws if the revision cannot be read. */
  async #check(moment: Backend, at: Revision, signal: AbortSignal): Promise<void> {
    try {
      await moment.get(key(`${this.#options.prefix}/`), signal)
    } catch (error) {
      throw revisionError(error, at)
    }
  }

  /** Closes the least recently used moment that has no requests but watches. Throws 429 if there is none. */
  async #makeRoom(): Promise<void> {
    const [at] = [...this.#all].find(([, { requests }]) => requests.isAtRest) ?? []
    if (at === undefined) throw tooManyRequestsError('all moments that may be open are in use', 1)
    await this.#close(at)
  }

  /** Closes moments that are idle. */
  #look(): void {
    const now = performance.now()
    for (const [at, { requests }] of this.#all) if (requests.isIdle && now - requests.lastUsed >= IDLE_MS) void this.#close(at)
    if (this.#all.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Removes the moment first, so that new requests open another. */
  async #close(at: number): Promise<void> {
    const moment = this.#all.get(at)
    this.#all.delete(at)
    moment?.requests.endAll()
    await moment?.plane.close()
  }

  /** Ends watches on all moments, and prevents opening. */
  beginShutdown(): void {
    this.#ended.abort()
    for (const { plane } of this.#all.values()) plane.beginShutdown()
  }

  /** Waits for a moment that is being opened, and closes all. */
  async closeAll(): Promise<void> {
    this.beginShutdown()
    clearInterval(this.#timer)
    await this.#turns.take(async () => {})
    await Promise.all([...this.#all.keys()].map(at => this.#close(at)))
  }
}
