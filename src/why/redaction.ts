import type { RequestInfo } from '../meta/context.ts'
import { isJsonObject, type Json } from '../meta/object.ts'
import type { WhyChange, WhyChanges } from '../meta/why.ts'

/** What stands in place of a value that nobody is to read here. */
export const REDACTED = '<redacted>'

/** Resources whose bodies are secrets or credentials, by group. */
const SECRET_RESOURCES: ReadonlySet<string> = new Set(['/secrets', 'authentication.k8s.io/tokenreviews'])

/** Whether bodies of a request are those of a secret or a credential. */
export const isSecret = ({ isResource, group, resource, subresource }: RequestInfo): boolean =>
  isResource && (SECRET_RESOURCES.has(`${group}/${resource}`) || subresource === 'token')

/** What kubectl has applied, as a whole. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Names of members that hold credentials, whatever the kind is. */
const CREDENTIAL = /token|passw|secret|credential|private.?key|api.?key|access.?key|authorization/i
/** Members whose names only speak of such: references, and switches. */
const HARMLESS =
  /(?:Name|Ref|Names|Refs|Policy|Namespace|Path|Mount)$|^(?:secretKeyRef|secret|imagePullSecrets|automountServiceAccountToken|serviceAccountToken|secrets|projected)$/

/** The changes without values of secrets. `secret`: of what all but the metadata is one. */
export function redactedChanges(changes: WhyChanges, secret: boolean): WhyChanges {
  if (changes === 'too large') return changes
  return changes.map(change => (change.value === undefined ? change : { ...change, value: redactedAt(change, secret) }))
}

function redactedAt({ path, value = null }: WhyChange, secret: boolean): Json {
  const names = path.split('/').slice(1)
  const last = (names.at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
  if (last === LAST_APPLIED) return REDACTED
  if (secret && names[0] !== 'metadata') return names.length === 0 && isJsonObject(value) ? { metadata: redacted(value.metadata ?? {}) } : REDACTED
  return isCredential(last) && typeof value === 'string' ? REDACTED : redacted(value)
}

const isCredential = (name: string): boolean => CREDENTIAL.test(name) && !HARMLESS.test(name)

/** A value without credentials: by the names of members, and of environment variables. */
function redacted(value: Json): Json {
  if (Array.isArray(value)) return value.map(redacted)
  if (!isJsonObject(value)) return value
  const isNamedCredential = typeof value.name === 'string' && isCredential(value.name)
  const isHidden = (name: string): boolean => name === LAST_APPLIED || isCredential(name) || (name === 'value' && isNamedCredential)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, typeof member === 'string' && isHidden(name) ? REDACTED : redacted(member)]))
}

/** Parameters of queries that say what is asked, and hold nothing that is a secret. */
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

/** What goes to a pod, a service or a node is theirs. */
const PROXIED = /\/proxy\/.*/s

/** A URI whose query has the values of known parameters alone: others go to pods and services, or may be credentials. */
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
