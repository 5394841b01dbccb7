import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { expiredError, failure, type StatusError, tooManyRequestsError } from '../../meta/status.ts'
import type { HeldPlane, MountedPlane } from '../../server/mounts/mounts.ts'
import type { Backend, BackendFork } from '../../storage/backend.ts'
import { revision } from '../../storage/revision.ts'
import type { ControlPlane } from '../control-plane.ts'
import type { BranchAuth } from './branch-auth.ts'
import { type HeldRequest, HeldRequests, Turns } from './held-requests.ts'
import { revisionError } from './revision-error.ts'

/** What a branch is served by. */
export interface OpenBranch {
  readonly plane: ControlPlane
  readonly mounted: MountedPlane
  readonly auth: BranchAuth
}

/** A branch of the server's store. */
export interface Branch extends OpenBranch {
  readonly name: string
  readonly fork: BackendFork
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly createdBy: string
  readonly requests: HeldRequests
  /** The server has changed more than is kept for the branch: it cannot be read any more. */
  isLost: boolean
}

export interface BranchesOptions {
  readonly backend: Backend
  readonly most: number
  /** Of what each holds itself. */
  readonly maxBytes: number
  /** Opens a plane over a store. Resolves when it answers. */
  open(backend: BackendFork, signal: AbortSignal): Promise<OpenBranch>
  readonly clock: Clock
  readonly log: Logger
}

/** Control planes that began as this server was at a revision, and are their own from there on. They live no longer than the server. */
export class Branches {
  private readonly options: BranchesOptions
  private readonly all = new Map<string, Branch>()
  /** They are made and deleted one after the other. */
  private readonly turns = new Turns()
  private readonly ended = new AbortController()

  constructor(options: BranchesOptions) {
    this.options = options
  }

  get size(): number {
    return this.all.size
  }

  bytes(): number {
    let bytes = 0
    for (const { fork } of this.all.values()) bytes += fork.bytes()
    return bytes
  }

  list(): readonly Branch[] {
    return [...this.all.values()]
  }

  find(name: string): Branch | undefined {
    return this.all.get(name)
  }

  /** Throws a StatusError where there is none. */
  get(name: string): Branch {
    const found = this.all.get(name)
    if (found === undefined) throw failure(404, 'NotFound', `branches ${JSON.stringify(name)} not found`, { name, kind: 'branches' })
    return found
  }

  /** `at`: absent, as the server is now. Throws a StatusError. */
  create(name: string, createdBy: string, at: number | undefined, signal: AbortSignal): Promise<Branch> {
    if (this.turns.waiting >= this.options.most) throw tooManyRequestsError('other branches are being made', 1)
    return this.turns.take(async () => {
      const { most, maxBytes, backend, clock, log } = this.options
      if (this.all.has(name)) throw failure(409, 'AlreadyExists', `branches ${JSON.stringify(name)} already exists`, { name, kind: 'branches' })
      if (this.all.size >= most) throw failure(403, 'Forbidden', `there are ${most} branches, as many as there may be (--branches)`, {})
      if (backend.fork === undefined) throw noForks()
      let branch: Branch | undefined
      let isLost = false
      const onLost = (): void => {
        isLost = true
        if (branch) this.lose(branch)
      }
      const options = { maxBytes, onLost, ...(at !== undefined && { at: revision(at) }) }
      const fork = await backend.fork(options, signal).catch((error: unknown) => Promise.reject(revisionError(error, at)))
      const opened = await this.options.open(fork, this.ended.signal).catch(async (error: unknown) => {
        await fork.close()
        throw error
      })
      branch = { ...opened, name, fork, createdAt: clock.now(), createdBy, requests: new HeldRequests(), isLost: false }
      this.all.set(name, branch)
      if (isLost) this.lose(branch)
      log.info('branch made', { name, revision: fork.forkedAt, user: createdBy })
      return branch
    })
  }

  delete(name: string): Promise<void> {
    this.get(name)
    return this.turns.take(async () => {
      const branch = this.get(name)
      this.all.delete(name)
      await close(branch)
      this.options.log.info('branch deleted', { name })
    })
  }

  /** Throws a StatusError. */
  hold(name: string, request: HeldRequest): HeldPlane {
    const branch = this.get(name)
    this.checkKept(branch)
    return { plane: branch.mounted, release: branch.requests.hold(request) }
  }

  /** Throws 410 where a branch is lost. */
  checkKept({ name, isLost }: Branch): void {
    if (isLost) throw expiredError(`branch ${JSON.stringify(name)} is lost: this server has changed more than is kept for it (--branch-bytes)`)
  }

  private lose(branch: Branch): void {
    branch.isLost = true
    branch.requests.endAll()
    this.options.log.warn('a branch is lost: more was changed than is kept for it', { name: branch.name, maxBytes: this.options.maxBytes })
    // What it runs must not go on writing.
    void branch.plane.close()
  }

  beginShutdown(): void {
    this.ended.abort()
    for (const { plane } of this.all.values()) plane.beginShutdown()
  }

  async closeAll(): Promise<void> {
    this.beginShutdown()
    await this.turns.take(async () => {})
    const all = [...this.all.values()]
    this.all.clear()
    await Promise.all(all.map(close))
  }
}

async function close({ requests, plane, auth, isLost }: Branch): Promise<void> {
  requests.endAll()
  if (!isLost) await plane.close()
  await auth.close()
}

const noForks = (): StatusError => failure(405, 'MethodNotAllowed', 'branches need the embedded store: etcd cannot keep a revision for them', {})
