import { fieldSpelling, isUserField } from '../../lib/field-spelling.ts'
import { eachField, utf8Value } from '../../lib/raw-fields.ts'
import type { User } from '../../meta/context.ts'
import { unescapeKey } from '../extra-key.ts'
import { type Authenticator, authenticated } from './authenticator.ts'
import type { Anchors, PresentedCertificates } from './presented-certificates.ts'

/** Headers with which a front proxy names the user. Case-insensitive. */
export interface RequestHeaderNames {
  /** The first header with a value is used, as for `uid`. */
  readonly username: readonly string[]
  readonly uid: readonly string[]
  /** Values of all headers are used. */
  readonly group: readonly string[]
  readonly extraPrefixes: readonly string[]
}

/** Options of the front proxy authenticator. */
export interface RequestHeaderOptions {
  readonly names: RequestHeaderNames
  /** Common names of front proxies. Empty allows every certificate that their CAs issued. */
  readonly allowedNames: readonly string[]
  readonly certificates: PresentedCertificates
  /** Verifies certificates against the front proxy CAs. */
  readonly stands: Anchors
  readonly now: () => number
}

/**
 * Authenticates users by the headers of a front proxy, which authenticates itself by its certificate.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
 */
export function requestHeader({ names, allowedNames, certificates, stands, now }: RequestHeaderOptions): Authenticator {
  const allowed = new Set(allowedNames)
  return ({ socket, request, proof }) => {
    const shown = certificates.of(socket)
    if (shown === 'none') return undefined
    if (shown === 'unverified') return 'rejected'
    const time = now()
    if (time < shown.notBefore || time > shown.notAfter || !stands(shown)) return 'rejected'
    if (allowed.size > 0 && !allowed.has(shown.commonName)) return 'rejected'
    const user = userIn(request?.rawHeaders ?? [], names)
    if (user !== undefined) proof?.proved({ kind: 'front proxy', certificate: shown.commonName })
    return user
  }
}

/**
 * Returns a predicate for header fields that would name a user if this server forwarded them. Aggregated servers trust
 * the configured names, and may treat other spellings of a name as equal. Undefined if only standard names are
 * configured, which are never forwarded.
 */
export function isFieldOf({ username, uid, group, extraPrefixes }: RequestHeaderNames): ((field: string) => boolean) | undefined {
  const own = (names: readonly string[]): string[] => names.filter(name => !isUserField(name)).map(fieldSpelling)
  const names = new Set(own([...username, ...uid, ...group]).flatMap(name => [name, `${name}s`]))
  const prefixes = own(extraPrefixes)
  if (names.size === 0 && prefixes.length === 0) return undefined
  return field => {
    const spelling = fieldSpelling(field)
    return names.has(spelling) || prefixes.some(prefix => spelling.startsWith(prefix))
  }
}

/** Returns the user that the headers name, or undefined. */
export function userIn(rawHeaders: readonly string[], names: RequestHeaderNames): User | undefined {
  const fields = headerValues(rawHeaders)
  const first = (headers: readonly string[]): string =>
    headers.map(header => fields.get(header.toLowerCase())?.[0] ?? '').find(value => value !== '') ?? ''
  const name = first(names.username)
  if (name === '') return undefined
  const uid = first(names.uid)
  const groups = names.group.flatMap(header => (fields.get(header.toLowerCase()) ?? []).filter(value => value !== ''))
  const extra = new Map<string, string[]>()
  for (const prefix of names.extraPrefixes)
    for (const [header, values] of fields) {
      if (!header.startsWith(prefix.toLowerCase())) continue
      const key = unescapeKey(header.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...values])
    }
  return authenticated({ name, groups, ...(uid !== '' && { uid }), ...(extra.size > 0 && { extra: Object.fromEntries(extra) }) })
}

/** Header values by lower-case name. */
function headerValues(rawHeaders: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>()
  eachField(rawHeaders, (name, value) => {
    const lower = name.toLowerCase()
    const text = utf8Value(value)
    const known = fields.get(lower)
    if (known) known.push(text)
    else fields.set(lower, [text])
  })
  return fields
}
