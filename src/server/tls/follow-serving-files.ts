import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'
import type { NamedCertificate, TlsMaterial } from './tls-material.ts'

/** A certificate and its key, as paths. */
export interface PairFiles {
  readonly cert: string
  readonly key: string
}

/** Files of certificates that a server shows. */
export interface ServingFiles {
  /** Absent: those that were made. */
  readonly ordinary?: PairFiles | undefined
  readonly named: readonly (PairFiles & Pick<NamedCertificate, 'names'>)[]
}

/** What files hold. */
export type ServedCertificates = Partial<Pick<TlsMaterial, 'cert' | 'key'>> & Required<Pick<TlsMaterial, 'named'>>

/** Rejects where a file cannot be read, or a key does not belong to its certificate. */
export async function readServingFiles({ ordinary, named }: ServingFiles): Promise<ServedCertificates> {
  const pairs = await Promise.all(named.map(async files => ({ ...(await pairOf(files, 'failed to load SNI cert and key')), names: files.names })))
  return { ...(ordinary && (await pairOf(ordinary, 'invalid serving cert keypair'))), named: pairs }
}

async function pairOf(files: PairFiles, fault: string): Promise<{ cert: string; key: string }> {
  try {
    const [cert, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')])
    createSecureContext({ cert, key })
    return { cert, key }
  } catch (error) {
    throw new Error(`${fault}: ${files.cert}, ${files.key}: ${errorMessage(error)}`)
  }
}

export interface FollowServingOptions {
  readonly files: ServingFiles
  /** As of now. */
  readonly inForce: ServedCertificates
  readonly intervalMs: number
  readonly log: Logger
  onChange(served: ServedCertificates): void
}

/** Takes up what the files hold whenever that has changed, until the signal aborts. Files that cannot be used, or of which one is newer than the other, change nothing, and are looked at again. */
export function followServingFiles({ files, inForce, intervalMs, log, onChange }: FollowServingOptions, signal: AbortSignal): Promise<void> {
  const identityOf = (served: ServedCertificates): string => JSON.stringify(served)
  const changed = (served: ServedCertificates): void => {
    onChange(served)
    log.info('the serving certificates have changed')
  }
  const failed = (error: string): void => log.error('the serving certificates can not be reloaded', { error })
  return pollFiles({ read: () => readServingFiles(files), identityOf, inForce: identityOf(inForce), intervalMs, changed, failed }, signal)
}
