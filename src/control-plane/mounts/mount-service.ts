import type { RequestCredentials } from '../../auth/authn/authenticator.ts'
import { bearerToken } from '../../auth/authn/token.ts'
import type { AccessGroups } from '../../config/access-config.ts'
import type { Config } from '../../config/config.ts'
import type { OwnRoute } from '../../endpoints/own-route.ts'
import type { Dial } from '../../lib/connect-proxy.ts'
import type { Logger } from '../../lib/log.ts'
import { CounterFamily, type MetricFamily, ReadGauge } from '../../lib/metrics.ts'
import { failure } from '../../meta/status.ts'
import type { Mount } from '../../server/mounts/mount-path.ts'
import type { HeldPlane, MountIdentity, Mounts } from '../../server/mounts/mounts.ts'
import type { Backend, BackendFork } from '../../storage/backend.ts'
import { delay } from '../../storage/delay.ts'
import type { Auth } from '../auth-service.ts'
import type { ControlPlane } from '../control-plane.ts'
import type { ControlPlaneOptions } from '../control-plane-options.ts'
import type { StartOptions } from '../service.ts'
import { openBranchAuth } from './branch-auth.ts'
import { branchRoutes } from './branch-routes.ts'
import { Branches, type OpenBranch } from './branches.ts'
import { Moments } from './moments.ts'
import { mountedOptions } from './mounted-options.ts'

/** Time for a control plane to become ready, in milliseconds. */
const READY_MS = 30_000

/** Dependencies of moments and branches. */
export interface MountServiceParts {
  readonly config: AccessGroups & Pick<Config, 'storage'>
  readonly auth: Auth
  /** Control plane of this server. */
  readonly plane: ControlPlane
  /** Options of this server's control plane. */
  readonly options: ControlPlaneOptions
  readonly createPlane: (options: ControlPlaneOptions) => ControlPlane
  /** Dials authorization webhooks. */
  readonly dial: Dial | undefined
  readonly log: Logger
}

/** Rejects console sessions. They are valid only on the server itself, and must not reach token webhooks. */
function withoutSessions({ auth, options: { console } }: MountServiceParts): Auth {
  if (console === undefined) return auth
  const isSession = (credentials: RequestCredentials): boolean => console.isSession(bearerToken(credentials.headers.authorization) ?? '')
  return { ...auth, authenticator: credentials => (isSession(credentials) ? 'rejected' : auth.authenticator(credentials)) }
}

/** Moments and branches of this server, with their endpoints. */
export class MountService implements Mounts {
  readonly routes: readonly OwnRoute[]
  readonly metrics: readonly MetricFamily[]
  readonly #parts: MountServiceParts
  readonly #moments: Moments | undefined
  readonly #branches: Branches | undefined
  readonly #requests = new CounterFamily({
    name: 'binnacle_mounted_requests_total',
    help: 'Number of requests for moments and branches of this server.',
    stability: 'ALPHA',
    labels: ['mount'],
  })
  /** Set when the server listens. */
  #start: StartOptions | undefined

  constructor(given: MountServiceParts) {
    const parts = { ...given, auth: withoutSessions(given) }
    this.#parts = parts
    const { config, options, plane, auth, log } = parts
    const { backend } = options.storage
    const { mounts, etcdPrefix } = config.storage
    if (mounts.moments > 0) {
      this.#moments = new Moments({
        backend,
        prefix: etcdPrefix,
        most: mounts.moments,
        open: (store, signal) => this.#openMoment(store, signal),
        log,
      })
    }
    if (mounts.branches > 0) {
      const { branches: most, branchBytes: maxBytes } = mounts
      this.#branches = new Branches({
        backend,
        most,
        maxBytes,
        open: (fork, signal) => this.#openBranch(fork, signal),
        clock: options.runtime.clock,
        log,
      })
    }
    this.routes = this.#branches ? branchRoutes(this.#branches, { authorizer: auth.authorizer, plane }) : []
    this.metrics = this.#families()
  }

  /** Enables moments and branches. Call it when the server listens. */
  begin(start: StartOptions): void {
    this.#start = start
  }

  async authenticate(mount: Mount, credentials: Parameters<Mounts['authenticate']>[1]): Promise<MountIdentity> {
    const branch = mount.kind === 'branch' ? this.#branches?.find(mount.name) : undefined
    return branch ? branch.auth.authenticate(credentials) : { identity: await this.#parts.auth.authenticator(credentials), isLocal: false }
  }

  async hold(mount: Mount, request: Parameters<Mounts['hold']>[1]): Promise<HeldPlane> {
    this.#requests.child(mount.kind).value++
    if (mount.kind === 'moment' && this.#moments) return this.#moments.hold(mount.revision, request)
    if (mount.kind === 'branch' && this.#branches) return this.#branches.hold(mount.name, request)
    throw failure(
      404,
      'NotFound',
      `this server does not serve ${mount.kind === 'moment' ? 'moments (--moments)' : 'branches (--branches)'}`,
      {},
    )
  }

  /** Opens a read-only control plane. Kinds are followed; nothing else runs. */
  async #openMoment(backend: Backend, signal: AbortSignal): ReturnType<ConstructorParameters<typeof Moments>[0]['open']> {
    const { options, auth, createPlane } = this.#parts
    const { authorizer } = auth
    const plane = createPlane(mountedOptions(options, { backend, holds: 'past', access: { authorizer, auth: auth.services } }))
    await this.#started(plane, name => name === 'poststarthook/crd-informer-synced', signal)
    return { plane, mounted: { api: plane.api, authorizer, isReadOnly: true } }
  }

  /** Opens a writable control plane with its own authorizer and signing key. */
  async #openBranch(backend: BackendFork, signal: AbortSignal): Promise<OpenBranch> {
    const { config, options, auth: ofServer, createPlane, dial, log } = this.#parts
    const auth = await openBranchAuth(config, ofServer, { clock: options.runtime.clock, log, dial })
    const { authorizer, rules, nodeGraph, services } = auth
    const plane = createPlane(
      mountedOptions(options, {
        backend,
        holds: 'copy',
        access: { authorizer, auth: services, ...(rules && { rules }), ...(nodeGraph && { nodeGraph }) },
      }),
    )
    auth.connect(plane.registry.access())
    await this.#started(plane, () => true, signal)
    return { plane, auth, mounted: { api: plane.api, authorizer, isReadOnly: false } }
  }

  /** Starts a control plane and waits until it is ready. Closes it on failure. */
  async #started(plane: ControlPlane, isNeeded: (check: string) => boolean, signal: AbortSignal): Promise<void> {
    try {
      if (this.#start === undefined) throw failure(503, 'ServiceUnavailable', 'the server is not started yet', {})
      plane.start(this.#start)
      await untilReady(plane, isNeeded, AbortSignal.any([signal, AbortSignal.timeout(READY_MS)]))
    } catch (error) {
      await plane.close()
      throw error
    }
  }

  /** Ends watches. */
  beginShutdown(): void {
    this.#moments?.beginShutdown()
    this.#branches?.beginShutdown()
  }

  /** Closes all control planes. Call it before the server's own is closed, whose store they read. */
  async close(): Promise<void> {
    await Promise.all([this.#moments?.closeAll(), this.#branches?.closeAll()])
  }

  #families(): readonly MetricFamily[] {
    const moments = this.#moments
    const branches = this.#branches
    const gauge = (name: string, help: string, value: () => number): MetricFamily =>
      new ReadGauge({ name, help, stability: 'ALPHA', labels: [] }, () => [['', value()]])
    return [
      this.#requests,
      ...(moments ? [gauge('binnacle_moments_open', 'Number of moments of the past that are open.', () => moments.size)] : []),
      ...(branches
        ? [
            gauge('binnacle_branches', 'Number of branches.', () => branches.size),
            gauge(
              'binnacle_branch_bytes',
              'Bytes that branches hold themselves: their own writes, and the previous values of changes of this server.',
              () => branches.bytes(),
            ),
          ]
        : []),
    ]
  }
}

/** Interval between checks, in milliseconds. */
const LOOK_MS = 2
/** Checks that must pass before requests are served: kinds and permissions are known. */
const NEEDED: ReadonlySet<string> = new Set(['poststarthook/crd-informer-synced', 'poststarthook/rbac/bootstrap-roles', 'node-authorizer'])

/** Resolves when the control plane can serve requests. Rejects when the signal aborts. */
async function untilReady({ checks }: ControlPlane, isNeeded: (name: string) => boolean, signal: AbortSignal): Promise<void> {
  const left = checks.filter(({ name }) => NEEDED.has(name) && isNeeded(name))
  while (left.length > 0) {
    try {
      await left.at(-1)?.check()
      left.pop()
    } catch {
      await delay(LOOK_MS, signal)
    }
  }
}
