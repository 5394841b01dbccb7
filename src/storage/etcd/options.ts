import { readFileSync } from 'node:fs'

export interface EtcdOptions {
  /** Addresses, all with `https://` or all with `http://` (or no scheme, which is the same). */
  readonly servers: readonly string[]
  /** PEM contents or the path of a file with them. */
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
  /** Milliseconds that a call may take, its waits for a connection included. Default 10,000. */
  readonly requestTimeoutMs?: number
}

/** A PEM given as it is, or in a file. */
export function pem(source: string | undefined): Buffer | undefined {
  if (source === undefined) return undefined
  return source.includes('-----BEGIN') ? Buffer.from(source) : readFileSync(source)
}
