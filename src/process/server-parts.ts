import type { AuditObserver } from '../audit/open-auditor.ts'
import type { Config } from '../config/config.ts'
import type { Origin } from '../control-plane/origin.ts'
import type { Runtime } from '../control-plane/runtime.ts'
import type { Logger } from '../lib/log.ts'
import type { ConnectionSource } from '../server/connections/connection-source.ts'
import type { ServerCredentials } from '../server/tls/material.ts'
import type { AgreedValues } from '../storage/agreed-values.ts'
import type { Backend } from '../storage/backend.ts'
import type { WorkerLink } from './workers/worker-link.ts'

/** Arguments of `openServer`. */
export interface ServerParts {
  readonly config: Config
  readonly log: Logger
  /** Connection to the primary. Undefined if the process is not a worker. */
  readonly link: WorkerLink | undefined
  /** Runtime of this server, which no other server shares. */
  readonly runtime: Runtime
  /** Optional. Parts that replace those that the configuration would open. */
  readonly given?: GivenParts
}

/** Parts of a server that its caller provides. */
export interface GivenParts {
  /** The store. The server takes ownership and closes it. */
  readonly backend: Backend
  readonly credentials: Promise<ServerCredentials>
  /** Optional. State of the server whose store the backend is a copy of. */
  readonly origin?: Origin | undefined
  /** Keys that all servers on forks of one store share. */
  readonly agreed: AgreedValues
  readonly observer: AuditObserver
  /** Source of the connections of the secure port. */
  readonly port: ConnectionSource
}
