import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
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
  /** Told of what is to be in force, as PEM and read. */
  onChange(material: AuthorityMaterial, authorities: Authorities): void
}

/** The CAs whose client certificates are believed, of this server and of the file. */
export const clientCaOf = (ownCa: string, fileText: string): string => `${ownCa}\n${fileText}`

/** Takes up what the files say whenever they have changed, until the signal aborts. A file that cannot be used changes nothing, and is looked at again. */
export async function followClientCa({ files, ownCa, inForce: first, intervalMs, log, onChange }: FollowOptions, signal: AbortSignal): Promise<void> {
  let inForce = first
  let reported = ''
  while (await passed(intervalMs, signal)) {
    try {
      const wanted = await readMaterial(files, ownCa)
      if (wanted.clientCa === inForce.clientCa && wanted.frontProxyCa === inForce.frontProxyCa) continue
      onChange(wanted, authoritiesOf(wanted))
      inForce = wanted
      reported = ''
      log.info('the client CAs have changed', { file: files.clients, frontProxies: files.frontProxies })
    } catch (error) {
      const message = errorMessage(error)
      if (message !== reported) log.error('the client CAs can not be reloaded', { file: files.clients, frontProxies: files.frontProxies, error: message })
      reported = message
    }
  }
}

async function readMaterial({ clients, frontProxies }: AuthorityFiles, ownCa: string): Promise<AuthorityMaterial> {
  const clientText = clients === undefined ? undefined : await readFile(clients, 'utf8')
  const frontProxyCa = frontProxies === undefined ? undefined : await readFile(frontProxies, 'utf8')
  for (const text of [clientText, frontProxyCa]) if (text !== undefined) checkHoldsCertificates(text)
  return { clientCa: clientText === undefined ? ownCa : clientCaOf(ownCa, clientText), ...(frontProxyCa !== undefined && { frontProxyCa }) }
}

const passed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  )
