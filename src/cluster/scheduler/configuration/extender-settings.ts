import { createSecureContext } from 'node:tls'
import { LONGEST_TIMER_MS } from '../../../lib/clock.ts'
import { parseMilliseconds } from '../../../lib/duration.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { duplicate, type FieldError, forbidden, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import type { HttpExtenderOptions } from '../extenders/http-extender.ts'

/** An extender as the configuration has it. Source: Extender of kubescheduler.config.k8s.io/v1. */
export interface ExtenderConfiguration {
  /** Required: a URL of http or https. The verbs are appended to its path. */
  readonly urlPrefix?: string
  /** Optional. Path of the call that filters nodes. Omitted if the extender filters none. */
  readonly filterVerb?: string
  /** Optional. Path of the call that chooses the pods that preemption deletes. */
  readonly preemptVerb?: string
  /** Optional. Path of the call that scores nodes. Requires a positive `weight`. */
  readonly prioritizeVerb?: string
  /** Optional. Path of the call that binds pods. Only one extender may have it. */
  readonly bindVerb?: string
  /** Factor of the extender's scores. */
  readonly weight?: number
  /** Accepts any certificate if `tlsConfig` names no authority. The URL decides whether TLS is used. */
  readonly enableHTTPS?: boolean
  readonly tlsConfig?: ExtenderTls
  /** Optional. Timeout of a call, as a Go duration. Defaults to 5 s. */
  readonly httpTimeout?: string
  /** Whether only the names of nodes are sent, because the extender knows the nodes. */
  readonly nodeCacheCapable?: boolean
  /** Optional. Only pods that request one of these resources are sent. Defaults to all pods. */
  readonly managedResources?: readonly { readonly name?: string; readonly ignoredByScheduler?: boolean }[]
  /** Whether scheduling continues without the extender if it fails. */
  readonly ignorable?: boolean
}

/** TLS of the calls. Only the members with data are supported; those with files are rejected. */
interface ExtenderTls {
  /** Whether any certificate of the extender is accepted. */
  readonly insecure?: boolean
  /** Optional. Name that the certificate must contain. Defaults to the host of the URL. */
  readonly serverName?: string
  readonly certFile?: string
  readonly keyFile?: string
  readonly caFile?: string
  /** Client certificate: PEM in base64. */
  readonly certData?: string
  /** Key of the client certificate: PEM in base64. */
  readonly keyData?: string
  /** Certificate authorities: PEM in base64. */
  readonly caData?: string
}

/** Upstream's DefaultExtenderTimeout. */
const DEFAULT_TIMEOUT_MS = 5000
/** Members that name files. */
const FILES = ['certFile', 'keyFile', 'caFile'] as const

/** Validates extenders. Source: validateExtenders of pkg/scheduler/apis/config/validation. */
export function validateExtenders(extenders: readonly ExtenderConfiguration[]): FieldError[] {
  const path = fieldPath('extenders')
  const errors = extenders.flatMap((extender, i) => validateExtender(extender, path.index(i)))
  const seen = new Set<string>()
  for (const [i, { managedResources = [] }] of extenders.entries())
    for (const [j, { name = '' }] of managedResources.entries()) {
      const at = path.index(i).child('managedResources').index(j).child('name')
      if (name === '') errors.push(required(at, ''))
      else if (seen.has(name)) errors.push(duplicate(at, name))
      seen.add(name)
    }
  const binders = extenders.filter(({ bindVerb }) => bindVerb).length
  if (binders > 1) errors.push(invalid(path, `found ${binders} extenders implementing bind`, 'only one extender can implement bind'))
  return errors
}

/** Returns the errors of one extender, except those of its managed resources. */
function validateExtender(
  { urlPrefix = '', prioritizeVerb, weight = 0, httpTimeout, tlsConfig }: ExtenderConfiguration,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  const url = URL.canParse(urlPrefix) ? new URL(urlPrefix) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    errors.push(invalid(path.child('urlPrefix'), urlPrefix, 'must be a URL of http or https'))
  if (prioritizeVerb && weight <= 0) errors.push(invalid(path.child('weight'), weight, 'must have a positive weight applied to it'))
  for (const file of FILES)
    if (tlsConfig?.[file] !== undefined)
      errors.push(forbidden(path.child('tlsConfig').child(file), `use ${file.replace('File', 'Data')}: files are not read`))
  const timeoutFault = thrownMessage(() => {
    if (parseMilliseconds(httpTimeout ?? '0') < 0) throw new Error('must be greater than or equal to 0')
  })
  if (timeoutFault !== undefined) errors.push(invalid(path.child('httpTimeout'), httpTimeout ?? '', timeoutFault))
  // The value has a key.
  if (thrownMessage(() => createSecureContext(tlsDataOf(tlsConfig))) !== undefined)
    errors.push(invalid(path.child('tlsConfig'), '<omitted>', 'must be certificates and the key of certData, as PEM in base64'))
  return errors
}

/** Returns the message of the error that a function throws. Undefined if it throws none. */
function thrownMessage(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

const decoded = (data: string | undefined): Buffer | undefined => (data === undefined ? undefined : Buffer.from(data, 'base64'))

/** Decodes the members with data. Absent ones are left out. */
function tlsDataOf({ caData, certData, keyData }: ExtenderTls = {}): Pick<HttpExtenderOptions['tls'], 'ca' | 'cert' | 'key'> {
  const [ca, cert, key] = [decoded(caData), decoded(certData), decoded(keyData)]
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

/** Returns the options of a valid extender. */
export function extenderOptions(given: ExtenderConfiguration): HttpExtenderOptions {
  const {
    urlPrefix = '',
    filterVerb = '',
    prioritizeVerb = '',
    bindVerb = '',
    preemptVerb = '',
    weight = 0,
    httpTimeout,
    managedResources = [],
    tlsConfig = {},
  } = given
  const certificates = tlsDataOf(tlsConfig)
  return {
    url: new URL(urlPrefix),
    filterVerb,
    prioritizeVerb,
    bindVerb,
    preemptVerb,
    weight,
    timeoutMs: Math.min(parseMilliseconds(httpTimeout ?? '0') || DEFAULT_TIMEOUT_MS, LONGEST_TIMER_MS),
    isCached: given.nodeCacheCapable ?? false,
    isIgnorable: given.ignorable ?? false,
    resources: new Set(managedResources.flatMap(({ name }) => name ?? [])),
    tls: {
      ...certificates,
      ...(tlsConfig.serverName && { serverName: tlsConfig.serverName }),
      // Without an authority, any certificate is accepted, as upstream does.
      isInsecure: tlsConfig.insecure ?? (given.enableHTTPS === true && certificates.ca === undefined),
    },
  }
}

/** Resources that extenders manage, and that the scheduler does not regard. */
export const ignoredByScheduler = (extenders: readonly ExtenderConfiguration[]): string[] =>
  extenders.flatMap(({ managedResources = [] }) =>
    managedResources.flatMap(({ name, ignoredByScheduler: isIgnored }) => (isIgnored && name ? [name] : [])),
  )
