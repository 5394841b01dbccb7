import { createSecureContext } from 'node:tls'
import { readConfigText } from '../../lib/bounded-input.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'
import type { NamedCertificate, TlsMaterial } from './tls-material.ts'

/** Paths of a certificate and its key. */
export interface PairFiles {
  /** PEM. May contain intermediate certificates. */
  readonly cert: string
  readonly key: string
}

/** Certificate files of a server. */
export interface ServingFiles {
  /** Omitted if the server's own certificate is generated. */
  readonly ordinary?: PairFiles | undefined
  /** Further certificates, each served to clients that request one of its names (SNI). */
  readonly named: readonly (PairFiles & Pick<NamedCertificate, 'names'>)[]
}

/** Contents of the files. */
export type ServedCertificates = Partial<Pick<TlsMaterial, 'cert' | 'key'>> & Required<Pick<TlsMaterial, 'named'>>

/** Reads the files. Rejects if one cannot be read or a key does not match its certificate. */
export async function readServingFiles({ ordinary, named }: ServingFiles): Promise<ServedCertificates> {
  const pairs = await Promise.all(
    named.map(async files => ({ ...(await pairOf(files, 'failed to load SNI cert and key')), names: files.names })),
  )
  return { ...(ordinary && (await pairOf(ordinary, 'invalid serving cert keypair'))), named: pairs }
}

/** Reads a pair. Throws an Error that begins with `fault` and names both files. */
async function pairOf(files: PairFiles, fault: string): Promise<{ cert: string; key: string }> {
  try {
    const [cert, key] = await Promise.all([readConfigText(files.cert), readConfigText(files.key)])
    createSecureContext({ cert, key })
    return { cert, key }
  } catch (error) {
    throw new Error(`${fault}: ${files.cert}, ${files.key}: ${errorMessage(error)}`)
  }
}

/**
 * `onChange` is called with all certificates, of which at least one has changed. Both files of a pair must be valid
 * together.
 */
export interface FollowServingOptions {
  readonly files: ServingFiles
  /** Certificates that are in use. */
  readonly inForce: ServedCertificates
  /** Time between polls, in milliseconds. */
  readonly intervalMs: number
  readonly log: Logger
  onChange(served: ServedCertificates): void
}

/**
 * Polls the files until the signal aborts, and calls `onChange` when their contents change. Invalid files, such as a
 * key that was replaced before its certificate, are logged and read again at the next poll.
 */
export function followServingFiles(
  { files, inForce, intervalMs, log, onChange }: FollowServingOptions,
  signal: AbortSignal,
): Promise<void> {
  const identityOf = (served: ServedCertificates): string => JSON.stringify(served)
  const changed = (served: ServedCertificates): void => {
    onChange(served)
    log.info('reloaded serving certificates')
  }
  const failed = (error: string): void => log.error('cannot reload serving certificates', { error })
  return pollFiles({ read: () => readServingFiles(files), identityOf, inForce: identityOf(inForce), intervalMs, changed, failed }, signal)
}
