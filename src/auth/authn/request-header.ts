import { fieldSpelling, isUserField } from '../../lib/field-spelling.ts'
import { eachField, utf8Value } from '../../lib/raw-fields.ts'
import type { User } from '../../meta/context.ts'
import { unescapeKey } from '../extra-key.ts'
import { type Authenticator, authenticated } from './authenticator.ts'
import type { Anchors, ShownCertificates } from './shown-certificates.ts'

/** In which headers a front proxy says for whom a request is. Names count in any case. */
export interface RequestHeaderNames {
  /** The first that has a value counts, as of `uid`. */
  readonly username: readonly string[]
  readonly uid: readonly string[]
  /** The values of all count. */
  readonly group: readonly string[]
  readonly extraPrefixes: readonly string[]
}

export interface RequestHeaderOptions {
  readonly names: RequestHeaderNames
  /** Common names of front proxies. None: every certificate of the authorities is one of a front proxy. */
  readonly allowedNames: readonly string[]
  readonly certificates: ShownCertificates
  /** Whether the authorities of front proxies stand for a certificate. */
  readonly stands: Anchors
  readonly now: () => number
}

/**
 * Believes a front proxy, which proves itself by its certificate, for whom its requests are.
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
 * Reports whether a field would name the user of a request if this server passed it on. Servers behind it trust the names of the configuration, and may treat other spellings of a name as equal. Undefined
 * if the configuration has only the standard names, which are never passed on.
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

/** The user that the header fields name; undefined where they name none. */
export function userIn(rawHeaders: readonly string[], names: RequestHeaderNames): User | undefined {
  const fields = fieldsOf(rawHeaders)
  const first = (headers: readonly string[]): string => headers.map(header => fields.get(header.toLowerCase())?.[0] ?? '').find(value => value !== '') ?? ''
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

/** By name in lower case. */
function fieldsOf(rawHeaders: readonly string[]): Map<string, string[]> {
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
