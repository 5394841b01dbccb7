import { escapeHtmlAsGo } from '../../lib/escape-html.ts'
import { joinBuffers } from '../../lib/join-buffers.ts'

/** Attributes with a URL, by element. */
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

/** Elements whose content is text even if it looks like markup. */
const RAW_TEXT: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'])

/** Bytes that are parsed in a step, and the bytes that a tag and a link count for. */
const STEP_BYTES = 16 * 1024
const TAG_BYTES = 16
const LINK_BYTES = 512
/**
 * Longer values are not rewritten. No server accepts such long URLs; images as `data:` URLs are that long, and need no
 * rewriting.
 */
const MAX_LINK_BYTES = 64 * 1024
/** Longer names are truncated. No relevant element or attribute has one. */
const MAX_NAME_LENGTH = 16

/**
 * State of the tokenizer. https://html.spec.whatwg.org/multipage/parsing.html#tokenization, as far as links require it.
 */
type State =
  | 'text'
  | 'tag open'
  | 'tag name'
  | 'comment'
  | 'raw text'
  | 'before attribute'
  | 'attribute name'
  | 'after attribute name'
  | 'before value'
  | 'quoted value'
  | 'plain value'

/**
 * Rewrites the links of an HTML page that comes in chunks. Everything else is unchanged, byte for byte, in any
 * character set. Each byte is parsed once. At most one value of up to 64 KiB is buffered, regardless of the length of
 * the page.
 */
export class PageRewriter {
  readonly #rewrite: (link: string) => string
  #chunk: Buffer = NOTHING
  #at = 0
  /** Offset of the first byte of the chunk that is not written yet. */
  #written = 0
  #out: Buffer[] = []
  #state: State = 'text'
  /** Name of the element whose tag is being parsed. */
  #element = ''
  #links: readonly string[] | undefined
  /** Names of the tag's attributes that have a link. */
  #seen: string[] = []
  #attribute = ''
  #valueFrom = 0
  /** Whether the current value is a link. */
  #isLink = false
  /** Beginning of a link, from earlier chunks. */
  #held = ''
  #quote = 0
  /** Matched bytes of the start of a comment, of its end, or of the end of raw text. */
  #matched = 0
  #budget = 0

  /** `rewrite`: rewrites a link, given as Latin-1. */
  constructor(rewrite: (link: string) => string) {
    this.#rewrite = rewrite
  }

  /** Takes the next chunk. The previous one must have been parsed. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
    this.#written = 0
    this.#valueFrom = 0
  }

  /** Whether a part of the chunk is not parsed yet. */
  get isBehind(): boolean {
    return this.#at < this.#chunk.length
  }

  /** Parses the next bytes of the chunk. Returns bytes to be sent, possibly none. */
  step(): Buffer {
    for (this.#budget = STEP_BYTES; this.#budget > 0 && this.isBehind; this.#budget--) this.#read()
    if (this.#isLink) {
      if (!this.isBehind) this.#hold()
    } else this.#writeTo(this.#at)
    return this.#taken()
  }

  /** Ends the page. Returns the buffered bytes. */
  finish(): Buffer {
    return Buffer.from(this.#held, 'latin1')
  }

  /** Buffers the beginning of a link until its end is known. */
  #hold(): void {
    this.#writeTo(this.#valueFrom)
    this.#held += this.#chunk.toString('latin1', this.#valueFrom)
    this.#written = this.#chunk.length
    if (this.#held.length > MAX_LINK_BYTES) this.#leaveLink()
  }

  /** Leaves the value unchanged. */
  #leaveLink(): void {
    this.#isLink = false
    if (this.#held === '') return
    this.#out.push(Buffer.from(this.#held, 'latin1'))
    this.#held = ''
  }

  #writeTo(end: number): void {
    if (end > this.#written) this.#out.push(this.#chunk.subarray(this.#written, end))
    this.#written = Math.max(end, this.#written)
  }

  #taken(): Buffer {
    const out = joinBuffers(this.#out)
    this.#out = []
    return out
  }

  /** Parses one byte, or several that need no attention. */
  #read(): void {
    const byte = this.#chunk[this.#at] ?? 0
    switch (this.#state) {
      case 'text':
        this.#readText()
        break
      case 'tag open':
        this.#readTagOpen(byte)
        break
      case 'tag name':
        this.#readTagName(byte)
        break
      case 'comment':
        this.#readComment(byte)
        break
      case 'raw text':
        this.#readRawText(byte)
        break
      default:
        this.#readTag(byte)
    }
  }

  /**
   * Reads one byte within a tag. A byte that ends a state is left for the next one, so that each state advances only
   * over its own.
   */
  #readTag(byte: number): void {
    switch (this.#state) {
      case 'attribute name':
        if (END_OF_NAME.has(byte)) this.#state = 'after attribute name'
        else this.#readName(byte)
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
    const at = this.#chunk[this.#at] === LESS ? this.#at : this.#chunk.indexOf(LESS, this.#at)
    if (at < 0) {
      this.#at = this.#chunk.length
      return
    }
    this.#at = at + 1
    this.#element = ''
    this.#matched = 0
    this.#state = 'tag open'
  }

  /** Parses the bytes behind `<` until the kind of markup is known. */
  #readTagOpen(byte: number): void {
    if (byte === COMMENT[this.#matched]) {
      this.#at++
      this.#matched++
      if (this.#matched < COMMENT.length) return
      this.#matched = 0
      this.#state = 'comment'
    } else this.#state = this.#matched === 0 && isLetter(byte) ? 'tag name' : 'text'
  }

  #readTagName(byte: number): void {
    if (!SPACE_OR_SLASH.has(byte) && byte !== GREATER && this.#element.length < MAX_NAME_LENGTH) {
      this.#element += lowerCase(byte)
      this.#at++
      return
    }
    this.#budget -= TAG_BYTES
    this.#links = Object.hasOwn(LINKS, this.#element) ? LINKS[this.#element] : undefined
    this.#seen = []
    this.#state = 'before attribute'
  }

  /** Skips to `-->`. */
  #readComment(byte: number): void {
    this.#at++
    if (byte === DASH) this.#matched++
    else if (byte === GREATER && this.#matched >= 2) this.#state = 'text'
    else this.#matched = 0
  }

  /** Skips to the closing tag of the element. */
  #readRawText(byte: number): void {
    const close = `</${this.#element}`
    if (this.#matched === close.length && (SPACE_OR_SLASH.has(byte) || byte === GREATER)) {
      this.#state = 'text'
      return
    }
    this.#at++
    if (lowerCase(byte) === close[this.#matched]) this.#matched++
    else this.#matched = byte === LESS ? 1 : 0
  }

  /** Ends the tag at `>`. Scripts, styles and the like follow as raw text, in which there are no tags. */
  #readBeforeAttribute(byte: number): void {
    if (byte === GREATER) {
      this.#at++
      this.#matched = 0
      this.#state = RAW_TEXT.has(this.#element) ? 'raw text' : 'text'
    } else if (SPACE_OR_SLASH.has(byte)) this.#at++
    else {
      // The first byte of a name may be any other byte.
      this.#attribute = ''
      this.#readName(byte)
      this.#state = 'attribute name'
    }
  }

  #readName(byte: number): void {
    if (this.#attribute.length <= MAX_NAME_LENGTH) this.#attribute += lowerCase(byte)
    this.#at++
  }

  #readAfterName(byte: number): void {
    if (SPACE.has(byte)) this.#at++
    else if (byte === EQUALS) {
      this.#at++
      this.#state = 'before value'
    } else this.#state = 'before attribute'
  }

  /** Decides whether the value is a link. Links of attributes that the element does not have are not rewritten. */
  #readBeforeValue(byte: number): void {
    if (SPACE.has(byte)) {
      this.#at++
      return
    }
    this.#valueFrom = this.#at
    // Of several attributes with the same name, the first applies.
    this.#isLink = this.#links?.includes(this.#attribute) === true && !this.#seen.includes(this.#attribute)
    if (this.#isLink) this.#seen.push(this.#attribute)
    if (byte === QUOTE || byte === APOSTROPHE) {
      this.#quote = byte
      this.#at++
      this.#state = 'quoted value'
    } else this.#state = 'plain value'
  }

  #readQuotedValue(): void {
    const close = this.#chunk.indexOf(this.#quote, this.#at)
    if (close < 0) this.#at = this.#chunk.length
    else {
      this.#at = close + 1
      this.#endValue(close + 1)
    }
  }

  /** Ends a value at offset `to`, and rewrites it if it is a link. */
  #endValue(to: number): void {
    this.#state = 'before attribute'
    if (!this.#isLink) return
    const length = this.#held.length + to - this.#valueFrom
    this.#budget -= LINK_BYTES
    if (length > 0 && length <= MAX_LINK_BYTES) {
      this.#budget -= length
      const link = valueIn(this.#held + this.#chunk.toString('latin1', this.#valueFrom, to))
      const after = this.#rewrite(link)
      if (after !== link) {
        this.#writeTo(this.#valueFrom)
        this.#out.push(Buffer.from(`"${escapeHtmlAsGo(after)}"`, 'latin1'))
        this.#written = to
        this.#held = ''
      }
    }
    this.#leaveLink()
  }
}

const NOTHING = Buffer.alloc(0)
const LESS = 0x3c
const GREATER = 0x3e
const DASH = 0x2d
const EQUALS = 0x3d
const QUOTE = 0x22
const APOSTROPHE = 0x27
const byteSet = (text: string): ReadonlySet<number> => new Set(Buffer.from(text))
const SPACE = byteSet(' \t\n\f\r')
const SPACE_OR_SLASH = byteSet(' \t\n\f\r/')
const END_OF_NAME = byteSet(' \t\n\f\r/>=')
const END_OF_VALUE = byteSet(' \t\n\f\r>')

const COMMENT = Buffer.from('!--')

const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a

const lowerCase = (byte: number): string => String.fromCharCode(byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte)

/** Removes quotes and resolves character references. */
function valueIn(text: string): string {
  const quoted = text.startsWith('"') || text.startsWith("'")
  return unescapeHtml(quoted ? text.slice(1, -1) : text)
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#34;', '"')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
