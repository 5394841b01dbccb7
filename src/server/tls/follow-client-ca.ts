import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'

export interface FollowOptions {
  /** `--client-ca-file`. */
  readonly file: string
  /** PEM of the CA that is believed beside those of the file. */
  readonly ownCa: string
  /** What is in force. */
  readonly clientCa: string
  readonly intervalMs: number
  readonly log: Logger
  /** Told of what is to be in force, as PEM and read. */
  onChange(clientCa: string, authorities: readonly X509Certificate[]): void
}

const BEGIN = '-----BEGIN CERTIFICATE-----'
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** The CAs whose client certificates are believed, of this server and of the file. */
export const clientCaOf = (ownCa: string, fileText: string): string => `${ownCa}\n${fileText}`

/** Takes up what the file says whenever it has changed, until the signal aborts. A file that cannot be used changes nothing, and is looked at again. */
export async function followClientCa({ file, ownCa, clientCa, intervalMs, log, onChange }: FollowOptions, signal: AbortSignal): Promise<void> {
  let inForce = clientCa
  let reported = ''
  while (await passed(intervalMs, signal)) {
    try {
      const text = await readFile(file, 'utf8')
      const wanted = clientCaOf(ownCa, text)
      if (wanted === inForce) continue
      onChange(wanted, certificatesOf(ownCa, text))
      inForce = wanted
      reported = ''
      log.info('the client CAs have changed', { file })
    } catch (error) {
      const message = errorMessage(error)
      if (message !== reported) log.error('the client CAs can not be reloaded', { file, error: message })
      reported = message
    }
  }
}

/** Throws for a text that a writer has not finished, as a file is read while it is written: OpenSSL would skip the last certificate without an error, and trust only those before it. */
function certificatesOf(ownCa: string, text: string): X509Certificate[] {
  if (!text.includes(BEGIN)) throw new Error('it holds no certificates')
  if (text.replace(CERTIFICATE, '').includes(BEGIN)) throw new Error('it ends within a certificate')
  return [...`${ownCa}\n${text}`.matchAll(CERTIFICATE)].map(([pem]) => new X509Certificate(pem))
}

const passed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  )
