import { octetFault } from './yaml-octets.ts'

/** A decoded text. `fault` is go-yaml's error if the bytes after the text are invalid. */
export interface YamlSource {
  readonly text: string
  readonly fault?: string
}

/** Decodes UTF-8, or UTF-16 that begins with a byte order mark, like go-yaml. The mark is not part of the text. Next lines (U+0085) become line feeds, as go-yaml reads them. */
export function decodeYaml(bytes: Buffer): YamlSource {
  const { text, ...fault } =
    bytes[0] === 0xff && bytes[1] === 0xfe ? utf16(bytes) : bytes[0] === 0xfe && bytes[1] === 0xff ? utf16(swapped(bytes)) : utf8(bytes)
  return { text: text.replace(/^\ufeff/, '').replaceAll('\u0085', '\n'), ...fault }
}

function utf8(bytes: Buffer): YamlSource {
  const fault = octetFault(bytes)
  return fault ? { text: bytes.toString('utf8', 0, fault.at), fault: fault.text } : { text: bytes.toString('utf8') }
}

/** Decodes little-endian UTF-16. Source: yaml_parser_update_buffer of go-yaml's readerc.go. */
function utf16(bytes: Buffer): YamlSource {
  const text = bytes.toString('utf16le')
  const isOdd = bytes.length % 2 === 1
  if (text.isWellFormed()) return isOdd ? { text, fault: 'incomplete UTF-16 character' } : { text }
  const at = text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
  return { text: text.slice(0, at), fault: surrogateFault(text, at) }
}

function surrogateFault(text: string, at: number): string {
  if (text.charCodeAt(at) >= 0xdc00) return 'unexpected low surrogate area'
  return at + 1 === text.length ? 'incomplete UTF-16 surrogate pair' : 'expected low surrogate area'
}

function swapped(bytes: Buffer): Buffer {
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16()
  return bytes.length % 2 === 0 ? even : Buffer.concat([even, bytes.subarray(-1)])
}
