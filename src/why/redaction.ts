import { isJsonObject, type Json } from '../api/meta/object.ts'
import type { RequestInfo } from '../meta/context.ts'
import type { WhyChange, WhyChanges } from '../meta/why.ts'

/** Replaces a value that must not be shown. */
export const REDACTED = '<redacted>'

/** Resources whose bodies are secrets or credentials, as `group/resource`. */
const SECRET_RESOURCES: ReadonlySet<string> = new Set(['/secrets', 'authentication.k8s.io/tokenreviews'])

/** Reports whether the bodies of a request are secrets or credentials. */
export const isSecret = ({ isResource, group, resource, subresource }: RequestInfo): boolean =>
  isResource && (SECRET_RESOURCES.has(`${group}/${resource}`) || subresource === 'token')

/** The last applied configuration, which contains the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Names of members that hold credentials, in any kind. */
const CREDENTIAL = /token|passw|secret|credential|private.?key|api.?key|access.?key|authorization/i
/** Names that match CREDENTIAL but hold references or settings. */
const HARMLESS =
  /(?:Name|Ref|Names|Refs|Policy|Namespace|Path|Mount)$|^(?:secretKeyRef|secret|imagePullSecrets|automountServiceAccountToken|serviceAccountToken|secrets|projected)$/

/** Removes secret values from changes. `secret`: whether everything except the metadata is secret. */
export function redactedChanges(changes: WhyChanges, secret: boolean): WhyChanges {
  if (changes === 'too large') return changes
  return changes.map(change => (change.value === undefined ? change : { ...change, value: redactedAt(change, secret) }))
}

function redactedAt({ path, value = null }: WhyChange, secret: boolean): Json {
  const names = path.split('/').slice(1)
  const last = (names.at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
  if (last === LAST_APPLIED) return REDACTED
  if (secret && names[0] !== 'metadata')
    return names.length === 0 && isJsonObject(value) ? { metadata: redacted(value.metadata ?? {}) } : REDACTED
  return isCredential(last) && typeof value === 'string' ? REDACTED : redacted(value)
}

const isCredential = (name: string): boolean => CREDENTIAL.test(name) && !HARMLESS.test(name)

/** Removes credentials from a value, by the names of members and of environment variables. */
function redacted(value: Json): Json {
  if (Array.isArray(value)) return value.map(redacted)
  if (!isJsonObject(value)) return value
  const isNamedCredential = typeof value.name === 'string' && isCredential(value.name)
  const isHidden = (name: string): boolean => name === LAST_APPLIED || isCredential(name) || (name === 'value' && isNamedCredential)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, typeof member === 'string' && isHidden(name) ? REDACTED : redacted(member)]),
  )
}

/** Query parameters whose values are shown: they describe the request and never contain a secret. */
const SHOWN: ReadonlySet<string> = new Set([
  'allowWatchBookmarks',
  'dryRun',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'includeObject',
  'labelSelector',
  'limit',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeout',
  'timeoutSeconds',
  'watch',
])

/** Path and query of a proxied request, which belong to the backend. */
const PROXIED = /\/proxy\/.*/s

/**
 * Returns a URI without the values of unknown query parameters: they are meant for pods and services, or may be
 * credentials.
 */
export function redactedUri(whole: string): string {
  const uri = whole.replace(PROXIED, '/proxy/…')
  const mark = uri.indexOf('?')
  if (mark < 0) return uri
  const parameters = uri
    .slice(mark + 1)
    .split('&', 50)
    .map(parameter => {
      const [name = ''] = parameter.split('=', 1)
      return SHOWN.has(name) ? parameter : `${name}=${REDACTED}`
    })
  return `${uri.slice(0, mark)}?${parameters.join('&')}`
}
