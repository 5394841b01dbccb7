import { parseDuration } from '../../lib/duration.ts'
import { isRequestUri } from '../../meta/go-url.ts'
import { parseCidr, parseIp } from '../../meta/ip.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../meta/names.ts'
import { parseTime } from '../../meta/time.ts'
import { isCanonicalBase64 } from '../base64.ts'
import { isMailAddress } from './mail-address.ts'
import type { ValueRules } from './value-rules.ts'

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text)

/**
 * Checks of string formats, by name without dashes. Other formats are ignored. Source: the list of supported formats in
 * apiextensions-apiserver, with the checks of go-openapi/strfmt.
 */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['byte', text => text !== '' && isCanonicalBase64(text, true)],
  ['cidr', text => parseCidr(text) !== undefined],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['email', isMailAddress],
  ['hexcolor', matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['hostname', isHostname],
  ['ipv4', text => parseIp(text) !== undefined && text.includes('.')],
  ['ipv6', text => parseIp(text) !== undefined && text.includes(':') && !/[0-9a-fA-F]{5}/.test(text)],
  ['isbn', text => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['mac', isMac],
  ['k8sshortname', text => isDns1123Label(text).length === 0],
  ['k8slongname', text => isDns1123Subdomain(text).length === 0],
  ['password', () => true],
  ['rgbcolor', isRgbColor],
  ['ssn', matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['uri', isRequestUri],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
])

/** Formats that were added in 1.34. */
const NAME_FORMATS = ['k8sshortname', 'k8slongname']

/** Returns the check of a format of strings. Undefined if there is no such format. */
export const formatCheck = (format: string): ((text: string) => boolean) | undefined => FORMATS.get(format.replaceAll('-', ''))

/** Reports whether a release knows a format of strings. */
export function isTextFormat(format: string, { hasNameFormats }: ValueRules): boolean {
  const name = format.replaceAll('-', '')
  return FORMATS.has(name) && (hasNameFormats || !NAME_FORMATS.includes(name))
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined
}

/** RFC 3339 with any fraction. The date is checked against the calendar, the offset is not. */
function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t')
  const found = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time ?? '')
  return isDate(date) && found !== null && (found[1] ?? '') <= '23' && (found[2] ?? '') <= '59' && (found[3] ?? '') <= '59'
}

/** Longest duration that is parsed, in characters. Longer ones would take too much time. */
const MAX_DURATION = 1000
const UNIT = /(?<!\d)(\d+)\s*([A-Za-z\u00b5]+)/g
const UNITS = /^(?:ns|nano.*|us|\u00b5s|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i

/** Accepts Go's form, or numbers with named units: `3 days`. */
function isDuration(text: string): boolean {
  try {
    parseDuration(text)
    return true
  } catch {
    const parts = text.length <= MAX_DURATION ? [...text.matchAll(UNIT)] : []
    return parts.every(([, count]) => Number(count) < 2 ** 63) && parts.some(([, , unit]) => UNITS.test(unit ?? ''))
  }
}

const NAME_CHARACTER = 'a-zA-Z0-9\\p{S}\\p{L}'
const ONLY_LABEL = new RegExp(`^[${NAME_CHARACTER}]-?[${NAME_CHARACTER}]{0,62}$`, 'u')
const LABEL = new RegExp(`^[${NAME_CHARACTER}](?:[${NAME_CHARACTER}-]{0,61}[${NAME_CHARACTER}])?$`, 'u')
const LAST_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u

/** Accepts one label, or several of which the last has only letters. */
function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false
  const labels = text.split('.')
  if (labels.some(label => Buffer.byteLength(label) > 63)) return false
  if (labels.length === 1) return ONLY_LABEL.test(text)
  return labels.slice(0, -1).every(label => LABEL.test(label)) && LAST_LABEL.test(labels.at(-1) ?? '')
}

/** Checks the prefixes and lengths of issuers, and the Luhn checksum. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  const known = /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/
  if (!known.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** Nine digits and a check digit modulo 11, in which X is 10 (ISO 2108). */
function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  return [...digits].reduce((total, digit, i) => total + (i + 1) * (digit === 'X' ? 10 : Number(digit)), 0) % 11 === 0
}

/** The sum of the digits, weighted alternately by 1 and 3, is a multiple of 10. */
function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^\d{13}$/.test(digits)) return false
  return [...digits].reduce((total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0
}

function isRgbColor(text: string): boolean {
  const found = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)
  return found?.slice(1).every(part => /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/.test(part)) === true
}

/**
 * Six, eight or twenty bytes, as pairs of digits separated by colons or dashes, or groups of four separated by dots.
 */
function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*)$/i.test(text)
  if (!pairs && !/^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text)) return false
  const bytes = text.replace(/[:.-]/g, '').length / 2
  return bytes === 6 || bytes === 8 || bytes === 20
}
