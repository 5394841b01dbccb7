import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { expiredError, failure, type StatusError, tooManyRequestsError } from '../../meta/status.ts'
import type { HeldPlane, MountedPlane } from '../../server/mounts/mounts.ts'
import type { Backend, BackendFork } from '../../storage/backend.ts'
import { revision } from '../../storage/revision.ts'
import type { ControlPlane } from '../control-plane.ts'
import type { BranchAuth } from './branch-auth.ts'
import { type OpenRequest, OpenRequests, SerialTasks } from './open-requests.ts'
import { revisionError } from './revision-error.ts'

/** Parts that serve a branch. */
export interface OpenBranch {
  /** Control plane on the branch. */
  readonly plane: ControlPlane
  /** Serves requests below the branch's path. */
  readonly mounted: MountedPlane
  /** Authentication and authorization of its requests. */
  readonly auth: BranchAuth
}

/** A branch of the server's store. */
export interface Branch extends OpenBranch {
  /** Name in the path of the branch. */
  readonly name: string
  /** Store of the branch. */
  readonly fork: BackendFork
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Name of the user. */
  readonly createdBy: string
  /** Open requests, which end with the branch. */
  readonly requests: OpenRequests
  /** Set once the server has changed more than is kept for the branch. The branch can no longer be read. */
  isLost: boolean
}

/** Dependencies and limits of branches. */
export interface BranchesOptions {
  /** Store of the server. Only the embedded store can be forked. */
  readonly backend: Backend
  /** Maximum number of branches. */
  readonly most: number
  /** Limit of the changes kept for each branch, in bytes. */
  readonly maxBytes: number
  /** Opens a control plane on a store. Resolves when it is ready. */
  open(backend: BackendFork, signal: AbortSignal): Promise<OpenBranch>
  readonly clock: Clock
  readonly log: Logger
}

/** Control planes that start from the server's state at a revision and then diverge. They end with the server. */
export class Branches {
  readonly #options: BranchesOptions
  readonly #all = new Map<string, Branch>()
  /** Serializes creation and deletion. */
  readonly #turns = new SerialTasks()
  readonly #ended = new AbortController()

  constructor(options: BranchesOptions) {
    this.#options = options
  }

  /** Number of branches. */
  get size(): number {
    return this.#all.size
  }

  /** Returns the bytes that all branches keep: their own changes, and old values of the server's. */
  bytes(): number {
    let bytes = 0
    for (const { fork } of this.#all.values()) bytes += fork.bytes()
    return bytes
  }

  /** Returns the branches in the order of their creation. */
  list(): readonly Branch[] {
    return [...this.#all.values()]
  }

  /** Returns a branch. Undefined if there is none of this name. */
  find(name: string): Branch | undefined {
    return this.#all.get(name)
  }

  /** Throws a StatusError if the branch does not exist. */
  get(name: string): Branch {
    const found = this.#all.get(name)
    if (found === undefined) throw failure(404, 'NotFound', `branches ${JSON.stringify(name)} not found`, { name, kind: 'branches' })
    return found
  }

  /** Creates a branch. @param at revision to start from. Default: the latest. Throws a StatusError. */
  create(name: string, createdBy: string, at: number | undefined, signal: AbortSignal): Promise<Branch> {
    if (this.#turns.waiting >= this.#options.most) throw tooManyRequestsError('too many branches are being created', 1)
    return this.#turns.take(async () => {
      const { most, maxBytes, backend, clock, log } = this.#options
      if (this.#all.has(name))
        throw failure(409, 'AlreadyExists', `branches ${JSON.stringify(name)} already exists`, { name, kind: 'branches' })
      if (this.#all.size >= most) throw failure(403, 'Forbidden', `the limit of ${most} branches is reached (--branches)`, {})
      if (backend.fork === undefined) throw noForks()
      let branch: Branch | undefined
      let isLost = false
      const onLost = (): void => {
        isLost = true
        if (branch) this.#lose(branch)
      }
      const options = { maxBytes, onLost, ...(at !== undefined && { at: revision(at) }) }
      const fork = await backend.fork(options, signal).catch((error: unknown) => Promise.reject(revisionError(error, at)))
      const opened = await this.#options.open(fork, this.#ended.signal).catch(async (error: unknown) => {
        await fork.close()
        throw error
      })
      branch = { ...opened, name, fork, createdAt: clock.now(), createdBy, requests: new OpenRequests(), isLost: false }
      this.#all.set(name, branch)
      if (isLost) this.#lose(branch)
      log.info('branch created', { name, revision: fork.forkedAt, user: createdBy })
      return branch
    })
  }

  /** Closes and deletes a branch. Throws a StatusError if it does not exist. */
  delete(name: string): Promise<void> {
    this.get(name)
    return this.#turns.take(async () => {
      const branch = this.get(name)
      this.#all.delete(name)
      await close(branch)
      this.#options.log.info('branch deleted', { name })
    })
  }

  /** Returns the control plane of a branch and keeps it open for a request. Throws a StatusError. */
  hold(name: string, request: OpenRequest): HeldPlane {
    const branch = this.get(name)
    this.checkKept(branch)
    return { plane: branch.mounted, release: branch.requests.hold(request) }
  }

  /** Throws 410 if the branch is lost. */
  checkKept({ name, isLost }: Branch): void {
    if (isLost)
      throw expiredError(
        `branch ${JSON.stringify(name)} is lost: the server has made more changes than it preserves for a branch (--branch-bytes)`,
      )
  }

  /** Ends the requests of a branch that can no longer be read, and closes its control plane. */
  #lose(branch: Branch): void {
    branch.isLost = true
    branch.requests.endAll()
    this.#options.log.warn('branch lost: the server has changed more than --branch-bytes allows to keep', {
      name: branch.name,
      maxBytes: this.#options.maxBytes,
    })
    // Its loops must not continue to write.
    void branch.plane.close()
  }

  /** Aborts creations, and begins the shutdown of each branch's control plane. */
  beginShutdown(): void {
    this.#ended.abort()
    for (const { plane } of this.#all.values()) plane.beginShutdown()
  }

  /** Closes all branches, after creations in progress. */
  async closeAll(): Promise<void> {
    this.beginShutdown()
    await this.#turns.take(async () => {})
    const all = [...this.#all.values()]
    this.#all.clear()
    await Promise.all(all.map(close))
  }
}

/** Ends the requests of a branch, then closes its parts. The control plane of a lost one is closed already. */
async function close({ requests, plane, auth, isLost }: Branch): Promise<void> {
  requests.endAll()
  if (!isLost) await plane.close()
  await auth.close()
}

const noForks = (): StatusError =>
  failure(405, 'MethodNotAllowed', 'branches require the embedded store: etcd cannot keep their revision', {})
