import { readFile } from 'node:fs/promises'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'
import { type Authorities, type AuthorityMaterial, authoritiesOf, checkHoldsCertificates } from './authorities.ts'

/** The files of authorities. */
export interface AuthorityFiles {
  /** `--client-ca-file`. */
  readonly clients?: string
  /** `--requestheader-client-ca-file`. */
  readonly frontProxies?: string
}

export interface FollowOptions {
  readonly files: AuthorityFiles
  /** PEM of the CA that is believed beside those of the file. */
  readonly ownCa: string
  /** What is in force. */
  readonly inForce: AuthorityMaterial
  readonly intervalMs: number
  readonly log: Logger
  /** Receives the certificates that are to be in force, as PEM and parsed. */
  onChange(material: AuthorityMaterial, authorities: Authorities): void
}

/** The CAs whose client certificates are believed, of this server and of the file. */
export const clientCaOf = (ownCa: string, fileText: string): string => `${ownCa}\n${fileText}`

/** Takes up what the files say whenever they have changed, until the signal aborts. A file that cannot be used changes nothing, and is looked at again. */
export function followClientCa({ files, ownCa, inForce, intervalMs, log, onChange }: FollowOptions, signal: AbortSignal): Promise<void> {
  const { clients: file, frontProxies } = files
  const changed = (material: AuthorityMaterial): void => {
    onChange(material, authoritiesOf(material))
    log.info('the client CAs have changed', { file, frontProxies })
  }
  const failed = (error: string): void => log.error('the client CAs can not be reloaded', { file, frontProxies, error })
  return pollFiles({ read: () => readMaterial(files, ownCa), identityOf, inForce: identityOf(inForce), intervalMs, changed, failed }, signal)
}

const identityOf = ({ clientCa, frontProxyCa }: AuthorityMaterial): string => JSON.stringify([clientCa, frontProxyCa])

async function readMaterial({ clients, frontProxies }: AuthorityFiles, ownCa: string): Promise<AuthorityMaterial> {
  const clientText = clients === undefined ? undefined : await readFile(clients, 'utf8')
  const frontProxyCa = frontProxies === undefined ? undefined : await readFile(frontProxies, 'utf8')
  for (const text of [clientText, frontProxyCa]) if (text !== undefined) checkHoldsCertificates(text)
  return { clientCa: clientText === undefined ? ownCa : clientCaOf(ownCa, clientText), ...(frontProxyCa !== undefined && { frontProxyCa }) }
}
