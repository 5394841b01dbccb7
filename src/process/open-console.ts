import type { ListeningConfig } from '../config/listening-config.ts'
import { type ConsoleOptions, linkPath } from '../control-plane/console-service.ts'
import { systemClock } from '../lib/clock.ts'
import { MASTERS } from '../meta/authorizer.ts'
import { ConsoleSessions } from '../server/console/console-sessions.ts'
import { ServedConsole } from '../server/console/served-console.ts'
import { ADMIN_USER } from '../server/tls/material.ts'

/** The console of one server. */
export interface Console {
  /** Console for the routes that create links. */
  readonly options: ConsoleOptions
  readonly served: ServedConsole
  /** The configured port. */
  readonly port: number
  /** Sets the port that the console listens on, for links. */
  opened(port: number | undefined): void
  /** Path and fragment of a link that opens it as the administrator of the kubeconfig. */
  firstLink(): string
}

/** Returns the console of a server. Undefined if the configuration has none. */
export function openConsole({ consolePort }: ListeningConfig): Console | undefined {
  if (consolePort === undefined) return undefined
  const sessions = new ConsoleSessions(systemClock)
  let served = consolePort
  return {
    options: { isSession: token => sessions.isSession(token), link: user => sessions.link(user), port: () => served },
    served: new ServedConsole(sessions),
    port: consolePort,
    opened: port => {
      served = port ?? consolePort
    },
    firstLink: () => linkPath(sessions.link({ name: ADMIN_USER, groups: [MASTERS] }).token),
  }
}
