import { join } from 'node:path'
import { decodeConfigFile } from '../../codec/config-file.ts'
import { duplicate, type FieldError, fieldErrorText, forbidden, invalid, notSupported, required } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { DecodeError } from '../../schema/decode.ts'
import { TypeRegistry } from '../../schema/idl.ts'

interface Transport {
  readonly tcp?: { readonly url?: string; readonly tlsConfig?: object }
  readonly uds?: { readonly udsName?: string }
}

/** How connections for a purpose are made. */
interface Connection {
  readonly proxyProtocol?: string
  readonly transport?: Transport
}

interface EgressConfig {
  readonly egressSelections?: readonly { readonly name?: string; readonly connection?: Connection }[]
}

/** The file can't be used; the message is for the user. */
export class EgressConfigError extends Error {
  override readonly name = 'EgressConfigError'
  /** As errors of the system have one: the user's to mend. */
  readonly code = 'ERR_EGRESS_CONFIG'
}

const VERSIONS = ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1']
const PROTOCOLS = ['Direct', 'HTTPConnect', 'GRPC']
const NAMES = ['cluster', 'controlplane', 'etcd']
const PATH = fieldPath('service', 'connection')

/**
 * Checks a file's bytes. Connections are direct, which is what a selection may ask for; proxies are refused by name. Throws EgressConfigError in kube-apiserver's words.
 */
export function checkEgressFile(bytes: Buffer): void {
  const types = new TypeRegistry().addFile('egressselector', join(import.meta.dirname, 'egress-selector-configuration.types'))
  const type = types.type('egressselector.EgressSelectorConfiguration')
  let config: EgressConfig
  try {
    config = decodeConfigFile(bytes, (apiVersion, kind) => (VERSIONS.includes(apiVersion) && kind === 'EgressSelectorConfiguration' ? type : undefined))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new EgressConfigError(`failed to read egress selector config: ${error.message}`)
  }
  const selections = config.egressSelections ?? []
  const errors = [...selections.flatMap(({ connection = {} }) => connectionErrors(connection)), ...nameErrors(selections.map(({ name = '' }) => name))]
  const each = [...new Set(errors.map(fieldErrorText))]
  if (each.length > 0) throw new EgressConfigError(`failed to validate egress selector configuration: ${each.length > 1 ? `[${each.join(', ')}]` : each[0]}`)
}

function connectionErrors({ proxyProtocol = '', transport }: Connection): FieldError[] {
  const refused = forbidden(PATH.child('protocol'), `${proxyProtocol} is not implemented; it may be Direct`)
  switch (proxyProtocol) {
    case 'Direct':
      return transport ? [invalid(PATH.child('transport'), 'direct', 'Transport config should be absent for direct connect')] : []
    case 'HTTPConnect': {
      const errors = transport ? httpConnectErrors(transport) : [required(PATH.child('transport'), 'transport must be set for HTTPConnect')]
      return [...errors, refused]
    }
    case 'GRPC': {
      if (transport === undefined) return [required(PATH.child('transport'), 'transport must be set for GRPC'), refused]
      return [...(transport.uds ? socketErrors(transport.uds) : [required(PATH.child('uds'), 'UDS must be set with GRPC')]), refused]
    }
    default:
      return [notSupported(PATH.child('protocol'), proxyProtocol, PROTOCOLS)]
  }
}

function httpConnectErrors({ tcp, uds }: Transport): FieldError[] {
  if (tcp && uds) return [invalid(PATH.child('tcp'), tcp, 'TCP and UDS cannot both be set')]
  if (uds) return socketErrors(uds)
  if (tcp === undefined) return [required(PATH.child('tcp'), 'One of TCP or UDS must be set')]
  const { url = '', tlsConfig } = tcp
  if (url.startsWith('http://')) return tlsConfig ? [invalid(PATH.child('tlsConfig'), 'nil', 'TLSConfig config should not be present when using HTTP')] : []
  if (url.startsWith('https://')) return tlsConfig ? [] : [required(PATH.child('tlsConfig'), 'TLSConfig must be present when using HTTPS')]
  return [invalid(PATH.child('url'), url, 'supported connection protocols are http:// and https://')]
}

const socketErrors = ({ udsName = '' }: NonNullable<Transport['uds']>): FieldError[] =>
  udsName === '' ? [invalid(PATH.child('udsName'), 'nil', 'UDSName should be present for UDS connections')] : []

function nameErrors(names: readonly string[]): FieldError[] {
  const seen = new Set<string>()
  return names.flatMap((given, i) => {
    const name = given.toLowerCase()
    if (seen.has(name)) return [duplicate(PATH.index(i), name)]
    seen.add(name)
    return NAMES.includes(name) ? [] : [notSupported(PATH, name, NAMES)]
  })
}
