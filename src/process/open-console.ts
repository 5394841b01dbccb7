import type { Config } from '../config/config.ts'
import { linkPath } from '../control-plane/console-service.ts'
import { systemClock } from '../lib/clock.ts'
import { MASTERS } from '../meta/authorizer.ts'
import { ConsoleSessions } from '../server/console/console-sessions.ts'
import { ServedConsole } from '../server/console/served-console.ts'
import { ADMIN_USER } from '../server/tls/material.ts'

/** The console of one server. */
export interface Console {
  readonly sessions: ConsoleSessions
  readonly served: ServedConsole
  /** Path and fragment of a link that opens it as the administrator of the kubeconfig. */
  firstLink(): string
}

/** Undefined: there is none. */
export function openConsole(config: Pick<Config, 'console'>): Console | undefined {
  if (!config.console) return undefined
  const sessions = new ConsoleSessions(systemClock)
  return { sessions, served: new ServedConsole(sessions), firstLink: () => linkPath(sessions.link({ name: ADMIN_USER, groups: [MASTERS] }).token) }
}
