/** A cipher suite of TLS 1.2 and before. `openssl`: undefined if OpenSSL has removed it. */
interface Suite {
  readonly openssl: string | undefined
  readonly insecure: boolean
}

const secure = (openssl: string): Suite => ({ openssl, insecure: false })
const insecure = (openssl?: string): Suite => ({ openssl, insecure: true })

/**
 * Cipher suites that Go implements, by Go's names, in the order in which its servers prefer them (crypto/tls,
 * cipher_suites.go).
 */
const SUITES: Readonly<Record<string, Suite>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: secure('ECDHE-ECDSA-AES128-GCM-SHA256'),
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: secure('ECDHE-RSA-AES128-GCM-SHA256'),
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: secure('ECDHE-ECDSA-AES256-GCM-SHA384'),
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: secure('ECDHE-RSA-AES256-GCM-SHA384'),
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: secure('ECDHE-ECDSA-CHACHA20-POLY1305'),
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: secure('ECDHE-RSA-CHACHA20-POLY1305'),
  // Former names of the two above.
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: secure('ECDHE-ECDSA-CHACHA20-POLY1305'),
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: secure('ECDHE-RSA-CHACHA20-POLY1305'),
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: secure('ECDHE-ECDSA-AES128-SHA'),
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: secure('ECDHE-RSA-AES128-SHA'),
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: secure('ECDHE-ECDSA-AES256-SHA'),
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: secure('ECDHE-RSA-AES256-SHA'),
  TLS_RSA_WITH_AES_128_GCM_SHA256: insecure('AES128-GCM-SHA256'),
  TLS_RSA_WITH_AES_256_GCM_SHA384: insecure('AES256-GCM-SHA384'),
  TLS_RSA_WITH_AES_128_CBC_SHA: insecure('AES128-SHA'),
  TLS_RSA_WITH_AES_256_CBC_SHA: insecure('AES256-SHA'),
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: insecure(),
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: insecure(),
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: insecure('ECDHE-ECDSA-AES128-SHA256'),
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: insecure('ECDHE-RSA-AES128-SHA256'),
  TLS_RSA_WITH_AES_128_CBC_SHA256: insecure('AES128-SHA256'),
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: insecure(),
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: insecure(),
  TLS_RSA_WITH_RC4_128_SHA: insecure(),
}

/**
 * Cipher suites of TLS 1.3. All are always offered, as in Go. AES-128 comes first: it costs a fifth less on processors
 * with AES instructions.
 */
const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']

/** HTTP/2 over TLS 1.2 requires one of these (RFC 9113, section 9.2.2). */
const HTTP2_SUITES = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256']

const isSuite = (name: string): boolean => Object.hasOwn(SUITES, name) || TLS13_SUITES.includes(name)

/** Result of `chooseSuites`. */
export interface ChosenSuites {
  /** Cipher list for OpenSSL. */
  readonly ciphers: string
  /** Names of no known suite. */
  readonly unknown: readonly string[]
  /** Names of suites that Go considers insecure. */
  readonly insecure: readonly string[]
  /** Names of suites that OpenSSL has removed. */
  readonly missing: readonly string[]
  /** Whether HTTP/2 is possible over TLS 1.2. */
  readonly allowHttp2: boolean
}

/** Converts a list of Go's names (`--tls-cipher-suites`). The given order has no effect, as in Go. */
export function chooseSuites(names: readonly string[]): ChosenSuites {
  const chosen = Object.entries(SUITES).filter(([name]) => names.includes(name))
  const ciphers = new Set(chosen.flatMap(([, { openssl }]) => (openssl === undefined ? [] : [openssl])))
  return {
    ciphers: [...TLS13_SUITES, ...ciphers].join(':'),
    unknown: names.filter(name => !isSuite(name)),
    insecure: chosen.filter(([, suite]) => suite.insecure).map(([name]) => name),
    missing: chosen.filter(([, { openssl }]) => openssl === undefined).map(([name]) => name),
    allowHttp2: HTTP2_SUITES.some(name => names.includes(name)),
  }
}
