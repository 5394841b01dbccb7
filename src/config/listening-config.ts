import type { FlagReader } from './flag-reader.ts'
import type { GivenFlags } from './parse-flags.ts'
import { consolePortOf } from './serving-config.ts'

/** Addresses, ports and names of the server. Files are paths. */
export interface ListeningConfig {
  readonly securePort: number
  readonly bindAddress: string
  /** 0 disables it. */
  readonly insecurePort: number
  /** Port of the browser console. Undefined if it is off. 0 for a free port. */
  readonly consolePort: number | undefined
  readonly advertiseAddress: string | undefined
  readonly servingFiles: { readonly cert: string; readonly key: string } | undefined
  readonly externalHostname: string | undefined
}

/** Parses the flags of addresses and ports. Throws FlagError. */
export function listeningOf({ values }: GivenFlags, read: FlagReader, { ephemeral }: { readonly ephemeral: boolean }): ListeningConfig {
  // Each of several ephemeral servers gets its own port.
  const securePort = ephemeral && !values.has('secure-port') ? 0 : read.port('secure-port')
  return {
    securePort,
    bindAddress: read.text('bind-address') ?? '127.0.0.1',
    insecurePort: read.port('insecure-port'),
    consolePort: consolePortOf(read, securePort),
    advertiseAddress: read.text('advertise-address'),
    servingFiles: read.pair('tls-cert-file', 'tls-private-key-file'),
    externalHostname: read.text('external-hostname'),
  }
}
