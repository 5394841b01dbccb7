import { join } from 'node:path'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { fileError } from '../../clients/file-error.ts'
import { decodeConfigFile } from '../../codec/config-file.ts'
import { readConfigText } from '../../lib/bounded-input.ts'
import { type ConnectProxy, type Dial, dialThrough, type Egress } from '../../lib/connect-proxy.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { quote } from '../../lib/go-quote.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import { duplicate, type FieldError, fieldErrorText, forbidden, invalid, notSupported, required } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { DecodeError } from '../../schema/decode.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import { DialMetrics } from './dial-metrics.ts'

/** Paths of PEM files. */
interface TlsFiles {
  /** Optional. CAs of the proxy. Defaults to those of the system. */
  readonly caBundle?: string
  readonly clientCert?: string
  readonly clientKey?: string
}

/** Connection to the proxy. Exactly one member must be set. */
interface Transport {
  readonly tcp?: { readonly url?: string; readonly tlsConfig?: TlsFiles }
  readonly uds?: { readonly udsName?: string }
}

/** How connections of an egress selection are made. */
interface EgressConnection {
  /** One of PROTOCOLS. There is no default. */
  readonly proxyProtocol?: string
  readonly transport?: Transport
}

/** Egress selections, as decoded. */
type Selections = readonly { readonly name?: string; readonly connection?: EgressConnection }[]

/** The decoded file. */
interface EgressConfig {
  readonly egressSelections?: Selections
}

/** The configuration is invalid. The message is for the user. */
export class EgressConfigError extends Error {
  override readonly name = 'EgressConfigError'
  /** Distinguishes a configuration error from a bug, like the codes of system errors. */
  readonly code = 'ERR_EGRESS_CONFIG'
}

/** Versions of the file's format. Both have the same fields. */
const VERSIONS = ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1']
/** Protocols in the order in which the error lists them. */
const PROTOCOLS = ['Direct', 'HTTPConnect', 'GRPC']
/** Destinations that a selection may name, without regard to case. */
const NAMES = ['cluster', 'controlplane', 'etcd'] as const
/** Path in the errors of a connection. Upstream does not name the selection. */
const PATH = fieldPath('service', 'connection')

/**
 * Parses an EgressSelectorConfiguration. Throws EgressConfigError with kube-apiserver's messages, or with the name of a
 * feature that is not implemented.
 */
export async function parseEgressFile(bytes: Buffer): Promise<Egress> {
  const ways = new Map<string, ConnectProxy>()
  const selections = readSelections(bytes)
  const named = new Set(NAMES.filter(purpose => selections.some(({ name }) => name?.toLowerCase() === purpose)))
  for (const { name = '', connection } of selections) {
    const proxy = connection?.transport && (await proxyOf(connection.transport))
    if (proxy) ways.set(name.toLowerCase(), proxy)
  }
  const [cluster, controlplane, etcd] = NAMES.map(name => ways.get(name))
  if (etcd?.tls) throw new EgressConfigError('egress selection of etcd: a proxy with TLS is not implemented')
  const metrics = new DialMetrics()
  const dialOf = (proxy: ConnectProxy): Dial => dialThrough(proxy, metrics.of(proxy))
  return {
    named,
    metrics: metrics.families,
    ...(cluster && { cluster: dialOf(cluster) }),
    ...(controlplane && { controlplane: dialOf(controlplane) }),
    ...(etcd && { etcd }),
  }
}

/** Returns the proxy of a validated transport. Throws EgressConfigError. */
async function proxyOf({ tcp, uds }: Transport): Promise<ConnectProxy> {
  if (uds) return { at: { socketPath: uds.udsName ?? '' } }
  const url = tcp?.url ?? ''
  if (!URL.canParse(url)) throw new EgressConfigError(`invalid proxy server url ${quote(url)}`)
  const { protocol, hostname, port } = new URL(url)
  const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) }
  return tcp?.tlsConfig ? { at, tls: await tlsOf(tcp.tlsConfig) } : { at }
}

/**
 * Reads the files at once, so that a bad one ends the start and not a later connection. Throws EgressConfigError with
 * kube-apiserver's message.
 */
async function tlsOf({ caBundle = '', clientCert = '', clientKey = '' }: TlsFiles): Promise<SecureContextOptions> {
  const read = async (file: string, what: string): Promise<string> => {
    try {
      return await readConfigText(file)
    } catch (error) {
      throw new EgressConfigError(`failed to read ${what}, got ${fileError(error, file)}`)
    }
  }
  const pair = `key pair ${clientCert} & ${clientKey}`
  const [cert, key] = await Promise.all([read(clientCert, pair), read(clientKey, pair)])
  const ca = caBundle === '' ? undefined : await read(caBundle, `cert file ${caBundle}`)
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new EgressConfigError('failed to append CA cert to the cert pool')
  const tls = { ...(ca !== undefined && trustedCertificates(ca)), cert, key }
  try {
    createSecureContext(tls)
  } catch (error) {
    throw new EgressConfigError(`failed to read ${pair}, got tls: ${errorMessage(error)}`)
  }
  return tls
}

/** Decodes and validates the file. Throws EgressConfigError with all field errors. */
function readSelections(bytes: Buffer): Selections {
  const types = new TypeRegistry().addFile('egressselector', join(import.meta.dirname, 'egress-selector-configuration.types'))
  const type = types.type('egressselector.EgressSelectorConfiguration')
  let config: EgressConfig
  try {
    config = decodeConfigFile(bytes, (apiVersion, kind) =>
      VERSIONS.includes(apiVersion) && kind === 'EgressSelectorConfiguration' ? type : undefined,
    )
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new EgressConfigError(`failed to read egress selector config: ${error.message}`)
  }
  const selections = config.egressSelections ?? []
  const errors = [
    ...selections.flatMap(({ connection = {} }) => connectionErrors(connection)),
    ...selectionNameErrors(selections.map(({ name = '' }) => name)),
  ]
  const each = [...new Set(errors.map(fieldErrorText))]
  if (each.length > 0)
    throw new EgressConfigError(`failed to validate egress selector configuration: ${each.length > 1 ? `[${each.join(', ')}]` : each[0]}`)
  return selections
}

/** GRPC is refused after upstream's own errors: it is valid there, and not implemented here. */
function connectionErrors({ proxyProtocol = '', transport }: EgressConnection): FieldError[] {
  switch (proxyProtocol) {
    case 'Direct':
      return transport ? [invalid(PATH.child('transport'), 'direct', 'Transport config should be absent for direct connect')] : []
    case 'HTTPConnect':
      return transport ? httpConnectErrors(transport) : [required(PATH.child('transport'), 'transport must be set for HTTPConnect')]
    case 'GRPC': {
      const refused = forbidden(PATH.child('protocol'), 'GRPC is not implemented; it may be Direct or HTTPConnect')
      if (transport === undefined) return [required(PATH.child('transport'), 'transport must be set for GRPC'), refused]
      return [...(transport.uds ? socketErrors(transport.uds) : [required(PATH.child('uds'), 'UDS must be set with GRPC')]), refused]
    }
    default:
      return [notSupported(PATH.child('protocol'), proxyProtocol, PROTOCOLS)]
  }
}

/** Validates the transport of HTTPConnect. */
function httpConnectErrors({ tcp, uds }: Transport): FieldError[] {
  if (tcp && uds) return [invalid(PATH.child('tcp'), tcp, 'TCP and UDS cannot both be set')]
  if (uds) return socketErrors(uds)
  if (tcp === undefined) return [required(PATH.child('tcp'), 'One of TCP or UDS must be set')]
  const { url = '', tlsConfig } = tcp
  if (url.startsWith('http://'))
    return tlsConfig ? [invalid(PATH.child('tlsConfig'), 'nil', 'TLSConfig config should not be present when using HTTP')] : []
  if (url.startsWith('https://')) return tlsConfig ? [] : [required(PATH.child('tlsConfig'), 'TLSConfig must be present when using HTTPS')]
  return [invalid(PATH.child('url'), url, 'supported connection protocols are http:// and https://')]
}

const socketErrors = ({ udsName = '' }: NonNullable<Transport['uds']>): FieldError[] =>
  udsName === '' ? [invalid(PATH.child('udsName'), 'nil', 'UDSName should be present for UDS connections')] : []

/** Rejects repeated and unknown names. */
function selectionNameErrors(names: readonly string[]): FieldError[] {
  const seen = new Set<string>()
  return names.flatMap((given, i) => {
    const name = given.toLowerCase()
    if (seen.has(name)) return [duplicate(PATH.index(i), name)]
    seen.add(name)
    return NAMES.some(each => each === name) ? [] : [notSupported(PATH, name, NAMES)]
  })
}
