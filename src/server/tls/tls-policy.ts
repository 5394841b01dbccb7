import { constants } from 'node:crypto'
import tls, { type SecureVersion } from 'node:tls'

/** TLS versions, cipher suites and groups of a server. */
export interface TlsPolicy {
  readonly minVersion: SecureVersion
  /** Cipher list for OpenSSL, in order of preference. */
  readonly ciphers: string
  /** Key exchange groups for OpenSSL, in order of preference. Defaults to OpenSSL's. */
  readonly curves?: string
}

/** Node's suites with AES-128 first, as in Go: it costs a fifth less on processors with AES instructions. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  ...constants.defaultCoreCipherList.split(':').filter(name => name !== 'TLS_AES_128_GCM_SHA256'),
].join(':')

/** Policy without flags, as in Go: TLS 1.2 and later. */
export const DEFAULT_TLS_POLICY: TlsPolicy = { minVersion: 'TLSv1.2', ciphers: CIPHERS }

/**
 * Element of a cipher list that sets OpenSSL's security level to that of Node 20 and 22. Level 2, the default from Node
 * 24 on, refuses RSA keys with fewer than 2,048 bits, which Go accepts from 1,024 bits on.
 */
export const SECURITY_LEVEL = '@SECLEVEL=1'

/**
 * Sets the security level of all connections of the process that do not name their ciphers, such as those to backends.
 */
export function setDefaultSecurityLevel(): void {
  if (!tls.DEFAULT_CIPHERS.includes('@SECLEVEL')) tls.DEFAULT_CIPHERS = `${tls.DEFAULT_CIPHERS}:${SECURITY_LEVEL}`
}
