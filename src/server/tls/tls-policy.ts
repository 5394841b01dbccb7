import { constants } from 'node:crypto'
import type { SecureVersion } from 'node:tls'

/** TLS versions, cipher suites and groups of a server. */
export interface TlsPolicy {
  readonly minVersion: SecureVersion
  /** Cipher list for OpenSSL, in order of preference. */
  readonly ciphers: string
  /** Key exchange groups for OpenSSL, in order of preference. Defaults to OpenSSL's. */
  readonly curves?: string
}

/** Node's suites with AES-128 first, as in Go: it costs a fifth less on processors with AES instructions. */
const CIPHERS = ['TLS_AES_128_GCM_SHA256', ...constants.defaultCoreCipherList.split(':').filter(name => name !== 'TLS_AES_128_GCM_SHA256')].join(':')

/** Policy without flags, as in Go: TLS 1.2 and later. */
export const DEFAULT_TLS_POLICY: TlsPolicy = { minVersion: 'TLSv1.2', ciphers: CIPHERS }
