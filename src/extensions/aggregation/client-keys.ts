import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'

/** A certificate and its key, as PEM. */
export interface ClientKey {
  readonly cert: string
  readonly key: string
}

/** Paths. */
interface KeyFiles {
  readonly cert: string
  readonly key: string
}

/** Between two looks at the files. */
const LOOK_MS = 5_000

/** What backends know this server by: `--proxy-client-cert-file` and `--proxy-client-key-file`, and what they hold now. */
export class ProxyClientKey {
  /** Counts changes. */
  generation = 0
  #current: ClientKey
  readonly #files: KeyFiles

  readonly #lookMs: number

  private constructor(files: KeyFiles, current: ClientKey, lookMs: number) {
    this.#files = files
    this.#lookMs = lookMs
    this.#current = current
  }

  /** Throws where the files can't be read, or do not go together. */
  static async open(files: KeyFiles, lookMs = LOOK_MS): Promise<ProxyClientKey> {
    return new ProxyClientKey(files, await read(files), lookMs)
  }

  get current(): ClientKey {
    return this.#current
  }

  /** Takes up what the files hold whenever they change, until the signal aborts. Files that can not be used change nothing. */
  follow(log: Logger, signal: AbortSignal): Promise<void> {
    const file = this.#files.cert
    return pollFiles(
      {
        read: () => read(this.#files),
        identityOf,
        inForce: identityOf(this.#current),
        intervalMs: this.#lookMs,
        changed: next => {
          this.#current = next
          this.generation++
          log.info('the certificate for aggregated servers has changed', { file })
        },
        failed: error => log.error('the certificate for aggregated servers can not be reloaded', { file, error }),
      },
      signal,
    )
  }
}

const identityOf = ({ cert, key }: ClientKey): string => JSON.stringify([cert, key])

async function read({ cert, key }: KeyFiles): Promise<ClientKey> {
  const read = { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') }
  if (!new X509Certificate(read.cert).checkPrivateKey(createPrivateKey(read.key))) throw new Error('tls: private key does not match public key')
  return read
}
