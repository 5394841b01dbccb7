import type { Identity, RequestCredentials } from '../../auth/authn/authenticator.ts'
import type { Api } from '../../endpoints/api.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { Mount } from './mount-path.ts'

/** A control plane that is mounted below a path of this server. */
export interface MountedPlane {
  readonly api: Api
  /** Authorizes requests to the plane, impersonation included. */
  readonly authorizer: Authorizer
  /** Whether the plane refuses writes. */
  readonly isReadOnly: boolean
}

/** A plane that stays open for a request. */
export interface HeldPlane {
  readonly plane: MountedPlane
  /** Called once, when the request is over. */
  release(): void
}

/** The user of a request to a mount. */
export interface MountIdentity {
  readonly identity: Identity
  /** Whether only the mount's plane authenticated the user, and not this server. */
  readonly isLocal: boolean
}

/** The control planes that are mounted below paths of this server. */
export interface Mounts {
  /** Authenticates a request by this server's authenticator and the plane's. */
  authenticate(mount: Mount, credentials: RequestCredentials): Promise<MountIdentity>
  /**
   * Opens the plane if it is closed. Before the plane is closed again, the request is ended by `end`. Throws a
   * StatusError: 404 or 410 if the plane does not exist, 429 if too many are open.
   */
  hold(mount: Mount, request: { readonly isLongRunning: boolean; readonly signal: AbortSignal; end(): void }): Promise<HeldPlane>
}
