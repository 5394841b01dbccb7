/** A cipher suite of TLS 1.2 and before. `openssl`: undefined where OpenSSL has it no more. */
interface Suite {
  readonly openssl: string | undefined
  readonly insecure: boolean
}

const secure = (openssl: string): Suite => ({ openssl, insecure: false })
const insecure = (openssl?: string): Suite => ({ openssl, insecure: true })

/** Those that Go implements, by its names, in the order in which its servers prefer them (crypto/tls, cipher_suites.go). */
const SUITES: Readonly<Record<string, Suite>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: secure('ECDHE-ECDSA-AES128-GCM-SHA256'),
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: secure('ECDHE-RSA-AES128-GCM-SHA256'),
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: secure('ECDHE-ECDSA-AES256-GCM-SHA384'),
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: secure('ECDHE-RSA-AES256-GCM-SHA384'),
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: secure('ECDHE-ECDSA-CHACHA20-POLY1305'),
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: secure('ECDHE-RSA-CHACHA20-POLY1305'),
  // Former names of the two before.
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

/** Of TLS 1.3: all are offered always, as in Go. The shorter key first, which costs a fifth less where the processor does AES. */
const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']

/** HTTP/2 over TLS 1.2 needs one of them (RFC 9113, 9.2.2). */
const HTTP2_SUITES = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256']

const isSuite = (name: string): boolean => Object.hasOwn(SUITES, name) || TLS13_SUITES.includes(name)

/** What becomes of a list of suites by Go's names. */
export interface ChosenSuites {
  /** For OpenSSL. */
  readonly ciphers: string
  /** Names that nobody has. */
  readonly unknown: readonly string[]
  /** Names that should not be used. */
  readonly insecure: readonly string[]
  /** Names that OpenSSL has no more. */
  readonly missing: readonly string[]
  /** There is one with which HTTP/2 may be spoken over TLS 1.2. */
  readonly allowHttp2: boolean
}

/** The order that is given has no effect, as in Go. */
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
