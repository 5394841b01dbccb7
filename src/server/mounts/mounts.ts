import type { Credentials, Identity } from '../../auth/authn/authenticator.ts'
import type { Api } from '../../endpoints/api.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { Mount } from './mount-path.ts'

/** A control plane that is served below a path of this server. */
export interface MountedPlane {
  readonly api: Api
  /** Who may do what there, and impersonate whom. */
  readonly authorizer: Authorizer
  /** Nothing can be written there. */
  readonly isReadOnly: boolean
}

/** A plane that is kept open for a request. */
export interface HeldPlane {
  readonly plane: MountedPlane
  /** Called once, when the request is over. */
  release(): void
}

/** Who somebody is in front of a mount. */
export interface MountIdentity {
  readonly identity: Identity
  /** Known there alone, and not to this server. */
  readonly isLocal: boolean
}

/** The control planes that are served below paths of this server. */
export interface Mounts {
  authenticate(mount: Mount, credentials: Credentials): Promise<MountIdentity>
  /** Opens the plane where it is not, and ends the request by the callback before it closes it. Throws a StatusError: 404 and 410 where there is none, 429 where there is no room. */
  hold(mount: Mount, request: { readonly isLongRunning: boolean; readonly signal: AbortSignal; end(): void }): Promise<HeldPlane>
}
