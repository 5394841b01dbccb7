import { DialError } from '../../lib/dial-error.ts'
import { isUserField } from '../../lib/field-spelling.ts'
import type { User } from '../../meta/context.ts'

type Header = readonly [name: string, value: string]

/** What may stand in the name of a header (RFC 9110, 5.6.2), but for the sign of an escape. */
const PLAIN = /[!#$&'*+\-.^_`|~0-9A-Za-z]/
/** What a value may hold: bytes, as Latin-1. Readers trim blanks around it, so that `admin ` would become `admin`. */
const VALUE = /^(?![\t ])[\t\x20-\x7e\x80-\xff]*(?<![\t ])$/

/** A key of `extra` as a part of a header's name: percent-encoded where it must be. */
const escapedKey = (key: string): string =>
  [...Buffer.from(key)]
    .map(byte => {
      const char = String.fromCharCode(byte)
      return PLAIN.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

const invalidValue = (header: string): DialError => new DialError(`net/http: invalid header field value for ${JSON.stringify(header)}`)

/** Node writes headers as Latin-1: UTF-8 goes through it byte by byte. */
function headerOf(name: string, text: string): Header {
  const value = Buffer.from(text).toString('latin1')
  if (!VALUE.test(value)) throw invalidValue(name)
  return [name, value]
}

/**
 * Headers that say for whom a request is, in place of those that the client has sent: what a backend accepts from a client with the certificate of `--proxy-client-cert-file`. `sendsUid`: the gate
 * RemoteRequestHeaderUID. Throws DialError for a user whom no header can name: without a name a backend would take this server for who asks.
 */
export function withRemoteUser(headers: readonly Header[], { name, uid = '', groups, extra = {} }: User, sendsUid: boolean): Header[] {
  if (name === '') throw invalidValue('X-Remote-User')
  return [
    ...headers.filter(([each]) => !isUserField(each)),
    headerOf('X-Remote-User', name),
    ...(sendsUid && uid !== '' ? [headerOf('X-Remote-Uid', uid)] : []),
    ...groups.map(group => headerOf('X-Remote-Group', group)),
    ...Object.entries(extra).flatMap(([key, values]) => values.map(value => headerOf(`X-Remote-Extra-${escapedKey(key)}`, value))),
  ]
}
