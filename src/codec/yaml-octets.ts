import { isUtf8 } from 'node:buffer'

/** Offset of the first byte that is not valid UTF-8, and go-yaml's error. */
export interface OctetFault {
  readonly at: number
  readonly text: string
}

/**
 * Returns the first fault in the UTF-8 of a text; undefined if it is valid. Source: yaml_parser_update_buffer of
 * go-yaml's readerc.go.
 */
export function octetFault(bytes: Buffer): OctetFault | undefined {
  if (isUtf8(bytes)) return undefined
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] as number)
    if (width === undefined) return { at, text: 'invalid leading UTF-8 octet' }
    const text = sequenceFault(bytes, at, width)
    if (text !== undefined) return { at, text }
    at += width
  }
  return undefined
}

/** Length of the sequence that a lead byte begins. */
function widthOf(lead: number): number | undefined {
  if (lead < 0x80) return 1
  if ((lead & 0xe0) === 0xc0) return 2
  if ((lead & 0xf0) === 0xe0) return 3
  return (lead & 0xf8) === 0xf0 ? 4 : undefined
}

/** Smallest code point of each sequence length. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000] as const

/** Checks a sequence as libyaml does, whose texts these are: overlong forms and surrogates are faults. */
function sequenceFault(bytes: Buffer, at: number, width: number): string | undefined {
  if (width === 1) return undefined
  if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence'
  let codePoint = (bytes[at] as number) & (0x7f >> width)
  for (let i = at + 1; i < at + width; i++) {
    const octet = bytes[i] as number
    if ((octet & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet'
    codePoint = (codePoint << 6) | (octet & 0x3f)
  }
  if (codePoint < (LEAST[width] as number)) return 'invalid length of a UTF-8 sequence'
  return (codePoint >= 0xd800 && codePoint <= 0xdfff) || codePoint > 0x10ffff ? 'invalid Unicode character' : undefined
}
