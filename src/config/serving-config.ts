import { regexpFault } from '../lib/regexp-syntax.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { Http2Stack } from '../server/connections/http2-stacks.ts'
import type { ServingConduct } from '../server/server-options.ts'
import { chooseSuites } from '../server/tls/cipher-suites.ts'
import { curvesOf } from '../server/tls/curves.ts'
import type { ServingFiles } from '../server/tls/follow-serving-files.ts'
import { DEFAULT_TLS_POLICY, type TlsPolicy } from '../server/tls/tls-policy.ts'
import type { FlagReader } from './flag-reader.ts'
import { parseNamedCertificate } from './named-certificate-flag.ts'
import { FlagError } from './parse-flags.ts'

/** Settings of the secure port. */
export interface ServingConfig extends ServingConduct {
  readonly tls: TlsPolicy
  /** SNI certificates. */
  readonly named: ServingFiles['named']
  /** Undefined if only HTTP/1.1 is served. */
  readonly http2: Http2Stack | undefined
  /** Maximum number of concurrent streams per HTTP/2 connection. */
  readonly maxStreams: number
  /** The file may only request direct connections. */
  readonly egressFile: string | undefined
  /** Undefined if tracing is off. */
  readonly tracingFile: string | undefined
}

const VERSIONS = { VersionTLS10: 'TLSv1', VersionTLS11: 'TLSv1.1', VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' } as const
const isVersion = (name: string): name is keyof typeof VERSIONS => Object.hasOwn(VERSIONS, name)

/** Default of k8s.io/apiserver if the flag is 0. */
const DEFAULT_STREAMS = 100
/**
 * Default with `--http2=builtin`, from net/http: when a connection fails, Node ends all of its streams synchronously,
 * with a stack trace for each. That takes 0.1 ms per stream.
 */
const BUILTIN_STREAMS = 250
const MOST_GOAWAY_CHANCE = 0.02

/** Parses the serving flags. Throws FlagError with kube-apiserver's message. `warnings` are for the log. */
export function servingOf(read: FlagReader, gates: Gates): { readonly serving: ServingConfig; readonly warnings: readonly string[] } {
  const speaksHttp2 = !read.bool('disable-http2-serving')
  const { tls, warnings } = tlsPolicyOf(read, speaksHttp2)
  const goawayChance = read.number('goaway-chance')
  if (goawayChance < 0 || goawayChance > MOST_GOAWAY_CHANCE)
    throw new FlagError('--goaway-chance can not be less than 0 or greater than 0.02')
  const http2 = speaksHttp2 ? http2Of(read.text('http2') ?? 'own') : undefined
  const serving = {
    tls,
    named: read.list('tls-sni-cert-key').map(parseNamedCertificate),
    http2,
    maxStreams: maxStreamsOf(read, http2),
    egressFile: read.text('egress-selector-config-file'),
    tracingFile: tracingFileOf(read, gates),
    goawayChance,
    readOnly: read.bool('read-only'),
    hsts: hstsOf(read.list('strict-transport-security-directives')),
    corsOrigins: originsOf(read.list('cors-allowed-origins')),
  }
  return { serving, warnings }
}

function maxStreamsOf(read: FlagReader, http2: Http2Stack | undefined): number {
  if (http2 === 'builtin' && !read.isGiven('http2-max-streams-per-connection')) return BUILTIN_STREAMS
  const streams = read.number('http2-max-streams-per-connection')
  return streams > 0 ? streams : DEFAULT_STREAMS
}

/** Returns the tracing configuration. Throws FlagError if the feature gate is off. */
function tracingFileOf(read: FlagReader, gates: Gates): string | undefined {
  const file = read.text('tracing-config-file')
  if (file !== undefined && !gates.enabled('APIServerTracing'))
    throw new FlagError('APIServerTracing feature is not enabled, but tracing config file was provided')
  return file
}

/**
 * Parses the TLS flags. Throws FlagError with kube-apiserver's message. Warns of insecure suites and of suites that
 * OpenSSL lacks.
 */
function tlsPolicyOf(read: FlagReader, speaksHttp2: boolean): { readonly tls: TlsPolicy; readonly warnings: readonly string[] } {
  const version = read.text('tls-min-version') ?? 'VersionTLS12'
  if (!isVersion(version)) throw new FlagError(`unknown tls version ${JSON.stringify(version)}`)
  const curves = curvesOf(read.list('tls-curve-preferences'))
  if ('fault' in curves) throw new FlagError(curves.fault)
  const policy = { ...DEFAULT_TLS_POLICY, minVersion: VERSIONS[version], ...(curves.groups !== undefined && { curves: curves.groups }) }
  const names = read.list('tls-cipher-suites')
  if (names.length === 0) return { tls: policy, warnings: [] }
  const { ciphers, unknown, insecure, missing, allowHttp2 } = chooseSuites(names)
  if (unknown.length > 0) throw new FlagError(`Cipher suite ${unknown[0]} not supported or doesn't exist`)
  if (speaksHttp2 && version !== 'VersionTLS13' && !allowHttp2)
    throw new FlagError(
      'error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)',
    )
  const warnings = [
    ...insecure.map(name => `Use of insecure cipher '${name}' detected.`),
    ...missing.map(name => `--tls-cipher-suites: ${name} is not offered: OpenSSL has removed it`),
  ]
  return { tls: { ...policy, ciphers }, warnings }
}

/**
 * Parses the HTTP/2 stack. `own` is protocols/http2, `builtin` is Node's behind the same interface. Throws FlagError.
 */
function http2Of(stack: string): Http2Stack {
  if (stack === 'own' || stack === 'builtin') return stack
  throw new FlagError(`--http2=${stack} is not an HTTP/2 implementation; it must be own or builtin`)
}

/** Validates the HSTS directives. Throws FlagError with kube-apiserver's message. */
function hstsOf(directives: readonly string[]): readonly string[] {
  for (const directive of directives) {
    if (directive.trim() === '') throw new FlagError('empty value in strict-transport-security-directives')
    if (directive !== 'includeSubDomains' && directive !== 'preload' && !/^max-age=[^=]*$/.test(directive))
      throw new FlagError(
        '--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
      )
  }
  return directives
}

const CORS_HELP =
  'List of allowed origins for CORS, comma separated. An allowed origin can be a regular expression to support subdomain matching. If this list is empty CORS will not be enabled. ' +
  "Please ensure each expression matches the entire hostname by anchoring to the start with '^' or including the '//' prefix, and by anchoring to the end with '$' or including the ':' port separator suffix. " +
  "Examples of valid expressions are '//example\\.com(:|$)' and '^https://example\\.com(:|$)'"

/** Validates the CORS patterns. Throws FlagError with kube-apiserver's message. */
function originsOf(expressions: readonly string[]): readonly string[] {
  for (const expression of expressions) {
    const syntax = regexpFault(expression)
    const fault = syntax === undefined ? pinFault(expression) : `error parsing regexp: ${syntax}`
    if (fault !== undefined) throw new FlagError(`--cors-allowed-origins has an invalid regular expression: ${fault}, help: ${CORS_HELP}`)
  }
  return expressions
}

/** Error for a CORS origin pattern without anchors, which would match hosts with longer names (CVE-2022-1996). */
const pinFault = (expression: string): string | undefined =>
  /\^|\/\//.test(expression) && /[$:]/.test(expression)
    ? undefined
    : 'regular expression does not pin to start/end of host in the origin header'

/**
 * Port of the console; undefined if it is off. By default it follows the secure port, so that the console has the same
 * origin after a restart. Throws FlagError.
 */
export function consolePortOf(read: FlagReader, securePort: number): number | undefined {
  const given = read.text('console-port')
  if (!read.bool('console')) {
    if (given !== undefined) throw new FlagError(`--console-port=${given} requires --console`)
    return undefined
  }
  if (given === undefined) return securePort === 0 || securePort === 65_535 ? 0 : securePort + 1
  const port = read.port('console-port')
  if (port !== 0 && port === securePort)
    throw new FlagError(
      `--console-port=${port} must differ from --secure-port: pages of proxied pods and services would share the console's origin`,
    )
  return port
}
