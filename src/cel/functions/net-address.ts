import { quote } from '../../lib/go-quote.ts'
import type { IpAddress } from '../../meta/ip.ts'

/** An invalid address or prefix, with the message of Go's netip. */
export class NetAddressError extends Error {
  override readonly name = 'NetAddressError'
}

/**
 * Throws a NetAddressError.
 * @param at optional rest of the text at which parsing failed.
 */
const fail = (text: string, why: string, at?: string): never => {
  throw new NetAddressError(`ParseAddr(${quote(text)}): ${why}${at === undefined ? '' : ` (at ${quote(at)})`}`)
}

/** Implements Go's netip.ParseAddr. A mapped IPv4 address has 16 bytes. Throws NetAddressError. */
export function parseAddress(text: string): { address: IpAddress; zone: string; mapped: boolean } {
  const first = /[.:%]/.exec(text)?.[0]
  if (first === '.') return { address: parseV4(text, text), zone: '', mapped: false }
  if (first === ':') return parseV6(text)
  return fail(text, first === '%' ? 'missing IPv6 address' : 'unable to parse IP')
}

/**
 * Parses an IPv4 address.
 * @param whole the text that errors quote; `text` may be its end.
 */
function parseV4(whole: string, text: string): IpAddress {
  const bytes: number[] = []
  let value = 0
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (char >= '0' && char <= '9') {
      if (digits === 1 && value === 0) fail(whole, 'IPv4 field has octet with leading zero')
      value = value * 10 + Number(char)
      digits++
      if (value > 255) fail(whole, 'IPv4 field has value >255')
    } else if (char === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.') fail(whole, 'IPv4 field must have at least one digit', text.slice(i))
      if (bytes.length === 3) fail(whole, 'IPv4 address too long')
      bytes.push(value)
      value = 0
      digits = 0
    } else fail(whole, 'unexpected character', text.slice(i))
  }
  if (bytes.length < 3) fail(whole, 'IPv4 address too short')
  return Uint8Array.from([...bytes, value])
}

/**
 * Parses an IPv6 address: groups of up to four digits, one `::` for zeros, an optional IPv4 address at the end, and an
 * optional zone after `%`.
 */
function parseV6(whole: string): { address: IpAddress; zone: string; mapped: boolean } {
  const percent = whole.indexOf('%')
  const zone = percent < 0 ? '' : whole.slice(percent + 1)
  if (percent >= 0 && zone === '') fail(whole, 'zone must be a non-empty string')
  let rest = percent < 0 ? whole : whole.slice(0, percent)
  const bytes: number[] = []
  let ellipsis = -1
  if (rest.startsWith('::')) {
    ellipsis = 0
    rest = rest.slice(2)
  }
  while (bytes.length < 16 && !(rest === '' && ellipsis >= 0 && bytes.length === 0)) {
    const digits = /^[0-9a-fA-F]+/.exec(rest)?.[0] ?? ''
    if (digits.length > 4) fail(whole, 'each group must have 4 or less digits', rest)
    if (digits === '') fail(whole, 'each colon-separated field must have at least one digit', rest)
    if (rest[digits.length] === '.') {
      if (ellipsis < 0 && bytes.length !== 12) fail(whole, 'embedded IPv4 address must replace the final 2 fields of the address', rest)
      if (bytes.length + 4 > 16) fail(whole, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest)
      bytes.push(...parseV4(whole, rest))
      rest = ''
      break
    }
    const value = Number.parseInt(digits, 16)
    bytes.push(value >> 8, value & 255)
    rest = rest.slice(digits.length)
    if (rest === '') break
    if (rest[0] !== ':') fail(whole, 'unexpected character, want colon', rest)
    if (rest.length === 1) fail(whole, 'colon must be followed by more characters', rest)
    rest = rest.slice(1)
    if (rest[0] === ':') {
      if (ellipsis >= 0) fail(whole, 'multiple :: in address', rest)
      ellipsis = bytes.length
      rest = rest.slice(1)
      if (rest === '') break
    }
  }
  if (rest !== '') fail(whole, 'trailing garbage after address', rest)
  if (bytes.length < 16 && ellipsis < 0) fail(whole, 'address string too short')
  if (bytes.length === 16 && ellipsis >= 0) fail(whole, 'the :: must expand to at least one field of zeros')
  const zeros = new Array<number>(16 - bytes.length).fill(0)
  const address = ellipsis < 0 ? bytes : [...bytes.slice(0, ellipsis), ...zeros, ...bytes.slice(ellipsis)]
  const mapped = address.slice(0, 10).every(byte => byte === 0) && address[10] === 255 && address[11] === 255
  return { address: Uint8Array.from(address), zone, mapped }
}

/**
 * A block of addresses. `bits` is at most 32 or 128, by the length of the address, which may have bits beyond it.
 * `mapped`: an IPv4 address in IPv6 form.
 */
export interface Prefix {
  readonly address: IpAddress
  readonly bits: number
  readonly mapped: boolean
}

/** Implements Go's netip.ParsePrefix. Throws NetAddressError. */
export function parsePrefix(text: string): Prefix {
  const refuse = (why: string): never => {
    throw new NetAddressError(`netip.ParsePrefix(${quote(text)}): ${why}`)
  }
  const slash = text.lastIndexOf('/')
  if (slash < 0) refuse("no '/'")
  const { address, zone, mapped } = inPrefix(text.slice(0, slash), refuse)
  if (zone !== '') refuse('IPv6 zones cannot be present in a prefix')
  const digits = text.slice(slash + 1)
  if (digits.length > 1 && !/^[1-9]/.test(digits)) refuse(`bad bits after slash: ${quote(digits)}`)
  if (!/^[0-9]+$/.test(digits)) refuse(`bad bits after slash: ${quote(digits)}`)
  if (Number(digits) > address.length * 8) refuse(`prefix length out of range`)
  return { address, bits: Number(digits), mapped }
}

function inPrefix(text: string, refuse: (why: string) => never): ReturnType<typeof parseAddress> {
  try {
    return parseAddress(text)
  } catch (fault) {
    if (fault instanceof NetAddressError) return refuse(fault.message)
    throw fault
  }
}

/** Returns the address with the bits after the prefix cleared. */
export const masked = ({ address, bits }: Prefix): IpAddress =>
  address.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - i * 8))))

/** Whether two addresses are equal. Zones have been refused before, and a mapped address differs from its IPv4 form. */
export const sameAddress = (a: IpAddress, b: IpAddress): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])
