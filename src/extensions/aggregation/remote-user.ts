import { DialError } from '../../lib/dial-error.ts'
import { isUserField } from '../../lib/field-spelling.ts'
import type { Header } from '../../lib/header.ts'
import type { User } from '../../meta/context.ts'

/** Characters of a header name (RFC 9110, 5.6.2), except `%`, which starts an escape. */
const PLAIN = /[!#$&'*+\-.^_`|~0-9A-Za-z]/
/**
 * Valid header value: bytes as Latin-1. Surrounding blanks are excluded, because receivers trim them: `admin ` would
 * become `admin`.
 */
const VALUE = /^(?![\t ])[\t\x20-\x7e\x80-\xff]*(?<![\t ])$/

/**
 * Limit on the names and values of a user's headers, as on those of a request. A key is repeated with each of its
 * values.
 */
const MOST_BYTES = 1 << 20

/** Escapes an extra key for a header name with percent-encoding. */
const escapedKey = (key: string): string =>
  [...Buffer.from(key)]
    .map(byte => {
      const char = String.fromCharCode(byte)
      return PLAIN.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

const invalidValue = (header: string): DialError => new DialError(`net/http: invalid header field value for ${JSON.stringify(header)}`)

/** Encodes a header. Node writes Latin-1, so UTF-8 is passed byte by byte. */
function headerOf(name: string, text: string): Header {
  const value = Buffer.from(text).toString('latin1')
  if (!VALUE.test(value)) throw invalidValue(name)
  return [name, value]
}

/**
 * Replaces the client's user headers with those of the authenticated user, which aggregated servers accept with the
 * certificate of `--proxy-client-cert-file`.
 * @param sendsUid gate RemoteRequestHeaderUID. Throws DialError if the user cannot be encoded or is too large: without
 * a name the server would take this server for the user.
 */
export function withRemoteUser(headers: readonly Header[], { name, uid = '', groups, extra = {} }: User, sendsUid: boolean): Header[] {
  if (name === '') throw invalidValue('X-Remote-User')
  const all = headers.filter(([each]) => !isUserField(each))
  let bytes = 0
  const add = (header: string, values: readonly string[]): void => {
    for (const value of values) {
      bytes += header.length + value.length
      if (bytes > MOST_BYTES) throw new DialError(`the headers of the user exceed ${MOST_BYTES} bytes`)
      all.push(headerOf(header, value))
    }
  }
  add('X-Remote-User', [name])
  if (sendsUid && uid !== '') add('X-Remote-Uid', [uid])
  add('X-Remote-Group', groups)
  for (const [key, values] of Object.entries(extra)) add(`X-Remote-Extra-${escapedKey(key)}`, values)
  return all
}
