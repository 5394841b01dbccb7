import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readConfigText } from '../../lib/bounded-input.ts'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'

/** A PEM certificate and its key. */
export interface ClientKey {
  readonly cert: string
  readonly key: string
}

/** Paths of the files. */
interface KeyFiles {
  readonly cert: string
  readonly key: string
}

/** Interval between checks of the files, in milliseconds. */
const LOOK_MS = 5_000

/**
 * Client certificate for aggregated servers: from `--proxy-client-cert-file` and `--proxy-client-key-file`, whose changes
 * it follows, or issued by the server.
 */
export class ProxyClientKey {
  /** Incremented with each change. */
  generation = 0
  #current: ClientKey | undefined
  readonly #files: KeyFiles | undefined

  readonly #lookMs: number

  private constructor(files: KeyFiles | undefined, current: ClientKey | undefined, lookMs: number) {
    this.#files = files
    this.#lookMs = lookMs
    this.#current = current
  }

  /** Reads the files. Throws if they are unreadable or do not match. */
  static async open(files: KeyFiles, lookMs = LOOK_MS): Promise<ProxyClientKey> {
    return new ProxyClientKey(files, await readKeyPair(files), lookMs)
  }

  /** A certificate that the server issues while it starts. */
  static issued(pair: Promise<ClientKey | undefined>): ProxyClientKey {
    const issued = new ProxyClientKey(undefined, undefined, LOOK_MS)
    // A failed start is reported by its caller.
    pair.then(current => issued.#show(current)).catch(() => {})
    return issued
  }

  #show(current: ClientKey | undefined): void {
    this.#current = current
    this.generation++
  }

  /** The pair that is in use. Undefined until it is issued. Read it again whenever `generation` changes. */
  get current(): ClientKey | undefined {
    return this.#current
  }

  /** Reloads the files whenever they change, until the signal aborts. Invalid files are ignored. */
  async follow(log: Logger, signal: AbortSignal): Promise<void> {
    const files = this.#files
    if (files === undefined || this.#current === undefined) return
    const file = files.cert
    await pollFiles(
      {
        read: () => readKeyPair(files),
        identityOf: keyPairIdentity,
        inForce: keyPairIdentity(this.#current),
        intervalMs: this.#lookMs,
        changed: next => {
          this.#show(next)
          log.info('reloaded the client certificate for aggregated servers', { file })
        },
        failed: error => log.error('cannot reload the client certificate for aggregated servers', { file, error }),
      },
      signal,
    )
  }
}

const keyPairIdentity = ({ cert, key }: ClientKey): string => JSON.stringify([cert, key])

/** Reads both files. Throws if the key does not belong to the certificate. */
async function readKeyPair({ cert, key }: KeyFiles): Promise<ClientKey> {
  const read = { cert: await readConfigText(cert), key: await readConfigText(key) }
  if (!new X509Certificate(read.cert).checkPrivateKey(createPrivateKey(read.key)))
    throw new Error('tls: private key does not match public key')
  return read
}
