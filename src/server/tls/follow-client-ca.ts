import { readConfigText } from '../../lib/bounded-input.ts'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'
import { type Authorities, type AuthorityMaterial, authoritiesOf, checkHoldsCertificates } from './authorities.ts'

/** Files of certificate authorities. */
export interface AuthorityFiles {
  /** `--client-ca-file`. */
  readonly clients?: string
  /** `--requestheader-client-ca-file`. */
  readonly frontProxies?: string
}

/** Files and the state they had when the server read them at start. The first poll is compared with `inForce`. */
export interface FollowOptions {
  readonly files: AuthorityFiles
  /** PEM of the server's own CA, which is trusted besides those of the file. */
  readonly ownCa: string
  /** CAs that are in use. */
  readonly inForce: AuthorityMaterial
  readonly intervalMs: number
  readonly log: Logger
  /** Receives the new CAs, as PEM and parsed. */
  onChange(material: AuthorityMaterial, authorities: Authorities): void
}

/** Returns the PEM of the CAs that are trusted for client certificates: this server's and those of the file. */
export const clientCaOf = (ownCa: string, fileText: string): string => `${ownCa}\n${fileText}`

/**
 * Polls the files until the signal aborts, and calls `onChange` when their contents change. Invalid files are logged
 * and read again at the next poll.
 */
export function followClientCa({ files, ownCa, inForce, intervalMs, log, onChange }: FollowOptions, signal: AbortSignal): Promise<void> {
  const { clients: file, frontProxies } = files
  const changed = (material: AuthorityMaterial): void => {
    onChange(material, authoritiesOf(material))
    log.info('reloaded client CAs', { file, frontProxies })
  }
  const failed = (error: string): void => log.error('cannot reload client CAs', { file, frontProxies, error })
  return pollFiles(
    {
      read: () => readMaterial(files, ownCa, inForce.frontProxyCa),
      identityOf: authorityIdentity,
      inForce: authorityIdentity(inForce),
      intervalMs,
      changed,
      failed,
    },
    signal,
  )
}

const authorityIdentity = ({ clientCa, frontProxyCa }: AuthorityMaterial): string => JSON.stringify([clientCa, frontProxyCa])

/** `ownFrontProxyCa`: CA of front proxies if no file has it. */
async function readMaterial(
  { clients, frontProxies }: AuthorityFiles,
  ownCa: string,
  ownFrontProxyCa: string | undefined,
): Promise<AuthorityMaterial> {
  const clientText = clients === undefined ? undefined : await readConfigText(clients)
  const frontProxyCa = frontProxies === undefined ? ownFrontProxyCa : await readConfigText(frontProxies)
  for (const text of [clientText, frontProxyCa]) if (text !== undefined) checkHoldsCertificates(text)
  return { clientCa: clientText === undefined ? ownCa : clientCaOf(ownCa, clientText), ...(frontProxyCa !== undefined && { frontProxyCa }) }
}
