import type { Steps } from '../../lib/steps.ts'

/** Attributes that hold a link, by element. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
}

/** Elements whose content is text, whatever it looks like. */
const RAW_TEXT: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'])

/** Bytes that are looked at in one step, and as how many of them a tag and a link count. */
const STEP_BYTES = 16 * 1024
const TAG_BYTES = 16
const LINK_BYTES = 512
/** Longer values are no links that any server takes: pictures as `data:` URLs are of that length, and stay as they are anyway. */
const MAX_LINK_BYTES = 64 * 1024
/** A part of a name beyond which it is none of an element that is known. */
const MAX_NAME_BYTES = 16
/** Parts of a page up to this length are copied into blocks, as each part costs as much as some kilobytes. */
const BLOCK_BYTES = 64 * 1024
const SMALL_BYTES = 4 * 1024

/** The page would be longer than the bound with its links changed. */
export class PageTooLongError extends Error {
  override readonly name = 'PageTooLongError'
}

/**
 * The parts of an HTML page with its links changed; everything else stays byte for byte, whatever its character set. Every byte is looked at once. `rewrite` gets the text of a link in Latin-1. Throws
 * PageTooLongError if the result is longer than `maxBytes`.
 */
export function* rewriteHtml(page: Buffer, rewrite: (link: string) => string, maxBytes: number): Steps<Buffer[]> {
  const rewriting = new Rewriting(page, rewrite, maxBytes)
  while (rewriting.step()) yield
  return rewriting.finish()
}

/** Where the reader of a page is. https://html.spec.whatwg.org/multipage/parsing.html#tokenization, as far as links need it. */
type State = 'text' | 'comment' | 'raw text' | 'before attribute' | 'attribute name' | 'after attribute name' | 'before value' | 'quoted value' | 'plain value'

/** A link that takes the place of a value, quotes included. */
interface Replacement {
  readonly from: number
  readonly to: number
  readonly by: string
}

class Rewriting {
  readonly #page: Buffer
  readonly #rewrite: (link: string) => string
  readonly #out: PageWriter
  #state: State = 'text'
  #at = 0
  /** Offset of the first byte that is not written yet. */
  #written = 0
  /** Name of the element whose tag is being read. */
  #element = ''
  #links: readonly string[] | undefined
  /** Names of attributes of the tag that hold links. */
  #seen: string[] = []
  #replacements: Replacement[] = []
  #nameFrom = 0
  #nameTo = 0
  #valueFrom = 0
  #quote = 0
  /** How much of the end of a comment or of raw text has been read. */
  #matched = 0
  #budget = 0

  constructor(page: Buffer, rewrite: (link: string) => string, maxBytes: number) {
    this.#page = page
    this.#rewrite = rewrite
    this.#out = new PageWriter(maxBytes)
  }

  /** Reads the next bytes. Returns false once the whole page is read. */
  step(): boolean {
    for (this.#budget = STEP_BYTES; this.#budget > 0 && this.#at < this.#page.length; this.#budget--) this.#read()
    return this.#at < this.#page.length
  }

  /** A tag that does not end is none, and neither is what stands in it. */
  finish(): Buffer[] {
    this.#out.add(this.#page.subarray(this.#written))
    return this.#out.finish()
  }

  /** Reads one byte, or what can be passed over at once. */
  #read(): void {
    const byte = this.#page[this.#at] ?? 0
    if (this.#state === 'text') this.#readText()
    else if (this.#state === 'comment') this.#readComment(byte)
    else if (this.#state === 'raw text') this.#readRawText(byte)
    else this.#readTag(byte)
  }

  #readTag(byte: number): void {
    switch (this.#state) {
      case 'attribute name':
        if (END_OF_NAME.has(byte)) this.#endName()
        else this.#at++
        break
      case 'after attribute name':
        this.#readAfterName(byte)
        break
      case 'before value':
        this.#readBeforeValue(byte)
        break
      case 'quoted value':
        this.#readQuotedValue()
        break
      case 'plain value':
        if (END_OF_VALUE.has(byte)) this.#endValue(this.#at)
        else this.#at++
        break
      default:
        this.#readBeforeAttribute(byte)
    }
  }

  #readText(): void {
    const page = this.#page
    const at = page[this.#at] === LESS ? this.#at : page.indexOf(LESS, this.#at)
    if (at < 0) {
      this.#at = page.length
      return
    }
    if (page[at + 1] === EXCLAMATION && page[at + 2] === DASH && page[at + 3] === DASH) {
      this.#at = at + 4
      this.#matched = 0
      this.#state = 'comment'
      return
    }
    const name = nameAt(page, at + 1)
    this.#at = at + 1 + name.length
    if (name === '') return
    this.#budget -= TAG_BYTES
    this.#element = name
    this.#links = Object.hasOwn(LINKS, name) ? LINKS[name] : undefined
    this.#seen = []
    this.#replacements = []
    this.#state = 'before attribute'
  }

  /** Until `-->`. */
  #readComment(byte: number): void {
    this.#at++
    if (byte === DASH) this.#matched++
    else if (byte === GREATER && this.#matched >= 2) this.#state = 'text'
    else this.#matched = 0
  }

  /** Until the closing tag of the element. */
  #readRawText(byte: number): void {
    const close = `</${this.#element}`
    if (this.#matched === close.length && (SPACE_OR_SLASH.has(byte) || byte === GREATER)) {
      this.#state = 'text'
      return
    }
    this.#at++
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte
    if (lower === close.charCodeAt(this.#matched)) this.#matched++
    else this.#matched = byte === LESS ? 1 : 0
  }

  #readBeforeAttribute(byte: number): void {
    if (byte === GREATER) {
      this.#endTag()
      return
    }
    if (!SPACE_OR_SLASH.has(byte)) {
      this.#nameFrom = this.#at
      this.#state = 'attribute name'
    }
    // The first byte of a name may be any other.
    this.#at++
  }

  #endName(): void {
    this.#nameTo = this.#at
    this.#state = 'after attribute name'
  }

  #readAfterName(byte: number): void {
    if (SPACE.has(byte)) this.#at++
    else if (byte === EQUALS) {
      this.#at++
      this.#state = 'before value'
    } else this.#state = 'before attribute'
  }

  #readBeforeValue(byte: number): void {
    if (SPACE.has(byte)) {
      this.#at++
      return
    }
    this.#valueFrom = this.#at
    if (byte === QUOTE || byte === APOSTROPHE) {
      this.#quote = byte
      this.#at++
      this.#state = 'quoted value'
    } else this.#state = 'plain value'
  }

  #readQuotedValue(): void {
    const close = this.#page.indexOf(this.#quote, this.#at)
    if (close < 0) this.#at = this.#page.length
    else {
      this.#at = close + 1
      this.#endValue(close + 1)
    }
  }

  #endValue(to: number): void {
    this.#state = 'before attribute'
    const from = this.#valueFrom
    const length = to - from
    if (this.#links === undefined || length === 0 || length > MAX_LINK_BYTES || this.#nameTo - this.#nameFrom > MAX_NAME_BYTES) return
    this.#budget -= TAG_BYTES
    const name = this.#page.toString('latin1', this.#nameFrom, this.#nameTo).toLowerCase()
    // The first of several attributes with the same name counts.
    if (!this.#links.includes(name) || this.#seen.includes(name)) return
    this.#seen.push(name)
    this.#budget -= LINK_BYTES + length
    const link = valueIn(this.#page.toString('latin1', from, to))
    const after = this.#rewrite(link)
    if (after !== link) this.#replacements.push({ from, to, by: `"${escapeHtml(after)}"` })
  }

  #endTag(): void {
    this.#at++
    for (const { from, to, by } of this.#replacements) {
      this.#out.add(this.#page.subarray(this.#written, from))
      this.#out.add(Buffer.from(by, 'latin1'))
      this.#written = to
    }
    this.#replacements = []
    this.#matched = 0
    this.#state = RAW_TEXT.has(this.#element) ? 'raw text' : 'text'
  }
}

/** Collects the parts of a page: small ones in blocks, long ones as they are. */
class PageWriter {
  readonly #maxBytes: number
  readonly #blocks: Buffer[] = []
  #block = Buffer.allocUnsafe(0)
  #used = 0
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Throws PageTooLongError. */
  add(part: Buffer): void {
    this.#length += part.length
    if (this.#length > this.#maxBytes) throw new PageTooLongError()
    if (part.length > SMALL_BYTES) {
      this.#endBlock()
      this.#blocks.push(part)
      return
    }
    if (this.#used + part.length > this.#block.length) {
      this.#endBlock()
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
    }
    this.#used += part.copy(this.#block, this.#used)
  }

  finish(): Buffer[] {
    this.#endBlock()
    return this.#blocks
  }

  #endBlock(): void {
    if (this.#used > 0) this.#blocks.push(this.#block.subarray(0, this.#used))
    this.#block = this.#block.subarray(this.#used)
    this.#used = 0
  }
}

const LESS = 0x3c
const GREATER = 0x3e
const DASH = 0x2d
const EXCLAMATION = 0x21
const EQUALS = 0x3d
const QUOTE = 0x22
const APOSTROPHE = 0x27
const bytesOf = (text: string): ReadonlySet<number> => new Set(Buffer.from(text))
const SPACE = bytesOf(' \t\n\f\r')
const SPACE_OR_SLASH = bytesOf(' \t\n\f\r/')
const END_OF_NAME = bytesOf(' \t\n\f\r/>=')
const END_OF_VALUE = bytesOf(' \t\n\f\r>')

/** The name of an element in lower case, as far as it decides anything; empty where none begins. */
function nameAt(page: Buffer, from: number): string {
  const first = (page[from] ?? 0) | 0x20
  if (first < 0x61 || first > 0x7a) return ''
  let to = from + 1
  for (; to < page.length && to < from + MAX_NAME_BYTES; to++) {
    const byte = page[to] ?? 0
    if (SPACE_OR_SLASH.has(byte) || byte === GREATER) break
  }
  return page.toString('latin1', from, to).toLowerCase()
}

/** Without its quotes, references resolved. */
function valueIn(text: string): string {
  const quoted = text.startsWith('"') || text.startsWith("'")
  return unescapeHtml(quoted ? text.slice(1, -1) : text)
}

const unescapeHtml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#34;', '"').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&#34;').replaceAll("'", '&#39;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
