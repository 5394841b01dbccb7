/**
 * Rules for names, keys and other short texts, with the messages of apimachinery's util/validation of release 1.33.
 * Each function returns the messages of all violations, and an empty list for a valid text. Lengths are in bytes of
 * UTF-8.
 */

import { type Detail, withPrefix, words } from './wording.ts'

/** Shared result for valid texts, which callers must not change. */
const OK: string[] = []

/** Reports whether the text has more than `max` bytes in UTF-8. */
export function longerThan(text: string, max: number): boolean {
  if (text.length > max) return true
  return text.length * 3 > max && Buffer.byteLength(text) > max
}

/** Texts of errors of k8s.io/apimachinery, which say characters for bytes. */
export const maxLengthError = (max: number): string => `must be no more than ${max} characters`
/**
 * Returns the message of a limit in bytes since 1.35, as for label keys, label values and the formats of declarative
 * validation. Other messages are returned unchanged.
 */
export const inBytes = (message: string): Detail =>
  message.startsWith('must be no more than ') ? words(message, message.replace('characters', 'bytes'), '1.35') : message
export const emptyError = (): string => 'must be non-empty'
/** Both bounds are inclusive, as the message says. */
export const rangeError = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`

/** Returns apimachinery's message for a text that does not match an expression, with examples. */
export function regexError(message: string, regex: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${regex}')`
  return `${message} (e.g. ${examples.map(example => `'${example}', `).join(' or ')}regex used for validation is '${regex}')`
}

const wholeRegExp = (source: string): RegExp => new RegExp(`^(?:${source})$`)

/** Texts above this length are checked with `fault`. */
const LONG_TEXT = 253

/** Rule for a text of one format. */
interface TextRule {
  /** Optional. Limit in bytes of UTF-8, although the message says characters. */
  readonly maxLength?: number
  /** Matches the whole text. */
  readonly regex: RegExp
  /**
   * Optional. Matches a violation, for long texts. `regex` repeats a group and stores a backtracking state for each
   * repetition: for a text as long as a request body, about 50 ms and 50 MB.
   */
  readonly fault?: RegExp
  /** Message for a text that does not match. It shows an expression and examples, as upstream. */
  readonly message: string
}

const rule = (format: string, message: string, examples: string[], maxLength?: number, shown = format): TextRule => ({
  regex: wholeRegExp(format),
  message: regexError(message, shown, ...examples),
  ...(maxLength !== undefined && { maxLength }),
})

const matchesTextRule = (text: string, { regex, fault }: TextRule): boolean =>
  fault !== undefined && text.length > LONG_TEXT ? !fault.test(text) : regex.test(text)

/** A text that is too long and does not match has both messages, the length first. */
function checkName(text: string, rule: TextRule): string[] {
  const { maxLength, message } = rule
  const long = maxLength !== undefined && longerThan(text, maxLength)
  const good = matchesTextRule(text, rule)
  if (!long && good) return OK
  const errors: string[] = []
  if (long) errors.push(maxLengthError(maxLength))
  if (!good) errors.push(message)
  return errors
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const LABEL_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const dns1123Label = rule(
  LABEL,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  ['my-name', '123-abc'],
  63,
)
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const dns1123Subdomain: TextRule = {
  ...rule(
    SUBDOMAIN,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ['example.com'],
    253,
  ),
  fault: /[^-a-z0-9.]|^[-.]|[-.]$|\.[-.]|-\./,
}
const subdomainOfAnyCase: TextRule = {
  ...rule(
    SUBDOMAIN.replaceAll('a-z', 'A-Za-z'),
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ['Example.com'],
    253,
    // Upstream's message shows the expression without upper case.
    SUBDOMAIN,
  ),
  fault: /[^-A-Za-z0-9.]|^[-.]|[-.]$|\.[-.]|-\./,
}
const wildcardSubdomain = rule(
  `\\*\\.${SUBDOMAIN}`,
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  ['*.example.com'],
  253,
)
const subdomainWithUnderscore = rule(
  `${LABEL_UNDERSCORE}(\\.${LABEL_UNDERSCORE})*`,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  ['example.com'],
  253,
  // Upstream's message shows the expression without underscores.
  SUBDOMAIN,
)
const dns1035Label = rule(
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  ['my-name', 'abc-123'],
  63,
)
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const qualifiedMessage = regexError(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED,
  'MyName',
  'my.name',
  '123-abc',
)
const qualifiedRegex = wholeRegExp(QUALIFIED)
const labelValue = rule(
  `(${QUALIFIED})?`,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ['MyValue', 'my_value', '12345'],
  63,
)
const envVarName = rule(
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
)
const configMapKey = rule(
  '[-._a-zA-Z0-9]+',
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  ['key.name', 'KEY_NAME', 'key-name'],
  253,
)
const percent = rule('[0-9]+%', "a valid percent string must be a numeric string followed by an ending '%'", ['1%', '93%'])
const httpHeaderName = rule('[-A-Za-z0-9]+', "a valid HTTP header must consist of alphanumeric characters or '-'", ['X-Header-Name'])

/** Checks an RFC 1123 label: at most 63 lower-case letters, digits and inner hyphens. */
export function isDns1123Label(text: string): string[] {
  const errors = checkName(text, dns1123Label)
  if (errors.length === 0 || !matchesTextRule(text, dns1123Subdomain) || matchesTextRule(text, dns1123Label)) return errors
  return [...errors.slice(0, -1), 'must not contain dots']
}

/** Checks an RFC 1123 subdomain: labels separated by dots, at most 253 characters in all. */
export const isDns1123Subdomain = (text: string): string[] => checkName(text, dns1123Subdomain)
/** Checks a subdomain that may contain upper-case letters. */
export const isDns1123SubdomainOfAnyCase = (text: string): string[] => checkName(text, subdomainOfAnyCase)
/** Checks a subdomain whose first label is `*`. */
export const isWildcardDns1123Subdomain = (text: string): string[] => checkName(text, wildcardSubdomain)
/** Checks a subdomain whose labels may contain underscores. */
export const isDns1123SubdomainWithUnderscore = (text: string): string[] => checkName(text, subdomainWithUnderscore)
/** Checks an RFC 1035 label: like an RFC 1123 label, but beginning with a letter. */
export const isDns1035Label = (text: string): string[] => checkName(text, dns1035Label)
/** Checks the value of a label: at most 63 characters, possibly empty. */
export const isValidLabelValue = (text: string): Detail[] => checkName(text, labelValue).map(inBytes)
/** Checks a percentage, such as `25%`. */
export const isValidPercent = (text: string): string[] => checkName(text, percent)
/** Checks the name of an HTTP header: letters, digits and hyphens. */
export const isHttpHeaderName = (text: string): string[] => checkName(text, httpHeaderName)

/**
 * Checks a label key, annotation key or finalizer: an optional DNS subdomain and a slash, then a name of at most 63
 * bytes.
 */
export function isQualifiedName(text: string): Detail[] {
  const slash = text.indexOf('/')
  if (slash < 0 && text.length <= 63 && qualifiedRegex.test(text)) return OK
  if (slash >= 0 && text.indexOf('/', slash + 1) >= 0) {
    const rest = `${qualifiedMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
    return [words(`a qualified name ${rest}`, `a valid label key ${rest}`, '1.35')]
  }
  const errors: Detail[] = []
  if (slash === 0) errors.push(`prefix part ${emptyError()}`)
  else if (slash > 0)
    for (const message of isDns1123Subdomain(text.slice(0, slash))) errors.push(withPrefix('prefix part ', inBytes(message)))
  const name = text.slice(slash + 1)
  if (name === '') errors.push(`name part ${emptyError()}`)
  else if (longerThan(name, 63)) errors.push(withPrefix('name part ', inBytes(maxLengthError(63))))
  if (!qualifiedRegex.test(name)) errors.push(`name part ${qualifiedMessage}`)
  return errors
}

/** Rejects names that a volume cannot have as a file, or that the kubelet uses itself. */
function pathPrefixErrors(text: string): string[] {
  if (text === '.') return ["must not be '.'"]
  if (text === '..') return ["must not be '..'"]
  return text.startsWith('..') ? ["must not start with '..'"] : OK
}

const both = (a: string[], b: string[]): string[] => (b.length === 0 ? a : [...a, ...b])

/** Characters of a path in isDomainPrefixedPath. */
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const httpPath = wholeRegExp(HTTP_PATH)

/**
 * Checks a name such as `example.com/manager`, which must not be empty. Returns each message with the part that it is
 * about.
 */
export function isDomainPrefixedPath(text: string): { part: string; text: string }[] {
  const slash = text.indexOf('/')
  const host = text.slice(0, Math.max(slash, 0))
  const path = text.slice(slash + 1)
  if (host === '' || path === '') return [{ part: text, text: 'must be a domain-prefixed path (such as "acme.io/foo")' }]
  const errors = isDns1123Subdomain(host).map(error => ({ part: host, text: error }))
  return httpPath.test(path) ? errors : [...errors, { part: path, text: regexError('Invalid path', HTTP_PATH) }]
}

/** Checks a key of ConfigMap.data or Secret.data, which becomes a file name in volumes. */
export const isConfigMapKey = (text: string): string[] => both(checkName(text, configMapKey), pathPrefixErrors(text))

/** Checks the name of an environment variable, which may contain letters, digits, `_`, `-` and `.`. */
export const isEnvVarName = (text: string): string[] => both(checkName(text, envVarName), pathPrefixErrors(text))

/** Checks the name of an environment variable by the relaxed rule: any printable ASCII except `=`. */
export function isRelaxedEnvVarName(text: string): string[] {
  if (text === '') return [`environment variable name ${emptyError()}`]
  if (/^[ -<>-~]*$/.test(text)) return OK
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

/** Checks a number from `low` to `high`, inclusive. */
export const isInRange = (value: number, low: number, high: number): string[] =>
  value >= low && value <= high ? OK : [rangeError(low, high)]
/** Checks a port from 1 to 65535. */
export const isValidPortNum = (port: number): string[] => isInRange(port, 1, 65535)
/** Ids are those of Linux, without the sign bit. */
export const isValidUserId = (id: number | bigint): string[] => isInRange(Number(id), 0, 2147483647)
/** The same bounds as for users. */
export const isValidGroupId = (id: number | bigint): string[] => isValidUserId(id)

/** Checks an IANA service name (RFC 6335), in lower case only. */
export function isValidPortName(port: string): string[] {
  const errors: string[] = []
  if (longerThan(port, 15)) errors.push(maxLengthError(15))
  if (!/^[-a-z0-9]+$/.test(port)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(port)) errors.push('must contain at least one letter (a-z)')
  if (port.includes('--')) errors.push('must not contain consecutive hyphens')
  if (port.startsWith('-') || port.endsWith('-')) errors.push('must not begin or end with a hyphen')
  return errors
}

/** Checks the name of an object. `prefix` is set for a generateName, to which a suffix will be appended. */
export type ValidateName = (name: string, prefix: boolean) => string[]

// Masks a trailing dash of a generateName, which is valid since a random suffix follows. The character before it is
// removed as well, as in upstream.
const maskTrailingDash = (name: string): string => (name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name)

/** Checks the name of an object that is a DNS subdomain, as for most kinds. */
export const nameIsDnsSubdomain: ValidateName = (name, prefix) => isDns1123Subdomain(prefix ? maskTrailingDash(name) : name)
/** Checks the name of an object that is an RFC 1123 label, such as that of a namespace. */
export const nameIsDnsLabel: ValidateName = (name, prefix) => isDns1123Label(prefix ? maskTrailingDash(name) : name)
/** Checks the name of an object that is an RFC 1035 label, such as that of a service. */
export const nameIsDns1035Label: ValidateName = (name, prefix) => isDns1035Label(prefix ? maskTrailingDash(name) : name)

/** Checks the rules of every name, whatever its kind: it must be usable as a segment of a URL path. */
export const nameIsPathSegment: ValidateName = (name, prefix) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`]
  const errors: string[] = []
  for (const part of ['/', '%']) if (name.includes(part)) errors.push(`may not contain '${part}'`)
  return errors
}
