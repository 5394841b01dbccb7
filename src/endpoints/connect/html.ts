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

/** An attribute with a value: where the value stands, quotes included. */
interface Attribute {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** An HTML page with its links changed; everything else stays byte for byte. One pass: every character is looked at a few times at most. */
export function rewriteHtml(page: string, rewrite: (link: string) => string): string {
  const lower = page.toLowerCase()
  const out: string[] = []
  let done = 0
  for (let at = page.indexOf('<'); at >= 0; at = page.indexOf('<', at)) {
    if (page.startsWith('<!--', at)) {
      at = page.indexOf('-->', at + 4)
      if (at < 0) break
      continue
    }
    const name = /^[a-z][^\s/>]{0,15}/.exec(lower.slice(at + 1, at + 17))?.[0]
    if (name === undefined) {
      at++
      continue
    }
    const links = Object.hasOwn(LINKS, name) ? LINKS[name] : undefined
    const attributes: Attribute[] = []
    at = readAttributes(page, at + 1 + name.length, attributes)
    // A tag that does not end is none, and neither is what stands in it.
    if (at < 0) break
    for (const { name: attribute, from, to } of attributes) {
      if (!links?.includes(attribute)) continue
      const before = valueAt(page, from, to)
      const after = rewrite(before)
      if (after === before) continue
      out.push(page.slice(done, from), `"${escapeHtml(after)}"`)
      done = to
    }
    if (RAW_TEXT.has(name)) at = endOfRawText(lower, name, at)
  }
  out.push(page.slice(done))
  return out.join('')
}

/** Reads a tag from behind its name on (https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state). Returns where it has ended, or -1 where it does not. */
function readAttributes(page: string, start: number, into: Attribute[]): number {
  let at = start
  for (;;) {
    at = skip(page, at, SPACE_OR_SLASH)
    if (at >= page.length) return -1
    if (page[at] === '>') return at + 1
    const nameFrom = at
    at = until(page, at + 1, END_OF_NAME)
    const name = page.slice(nameFrom, at).toLowerCase()
    const equals = skip(page, at, SPACE)
    if (page[equals] !== '=') continue
    const from = skip(page, equals + 1, SPACE)
    const quote = page[from]
    if (quote === '"' || quote === "'") {
      const close = page.indexOf(quote, from + 1)
      if (close < 0) return -1
      at = close + 1
    } else at = until(page, from, END_OF_VALUE)
    if (at > from) into.push({ name, from, to: at })
  }
}

const SPACE: ReadonlySet<string> = new Set(' \t\n\f\r')
const SPACE_OR_SLASH: ReadonlySet<string> = new Set(' \t\n\f\r/')
const END_OF_NAME: ReadonlySet<string> = new Set(' \t\n\f\r/>=')
const END_OF_VALUE: ReadonlySet<string> = new Set(' \t\n\f\r>')

/** Where the characters of the set end. */
function skip(page: string, from: number, what: ReadonlySet<string>): number {
  let at = from
  while (at < page.length && what.has(page.charAt(at))) at++
  return at
}

/** Where one of the set comes next, or the page ends. */
function until(page: string, from: number, what: ReadonlySet<string>): number {
  let at = from
  while (at < page.length && !what.has(page.charAt(at))) at++
  return at
}

/** Where the closing tag of an element begins, or the page ends. */
function endOfRawText(lower: string, name: string, from: number): number {
  const close = `</${name}`
  for (let at = lower.indexOf(close, from); at >= 0; at = lower.indexOf(close, at + 1)) if (/[\s/>]/.test(lower[at + close.length] ?? '')) return at
  return lower.length
}

/** Without its quotes, references resolved. */
function valueAt(page: string, from: number, to: number): string {
  const quoted = page[from] === '"' || page[from] === "'"
  return unescapeHtml(quoted ? page.slice(from + 1, to - 1) : page.slice(from, to))
}

const unescapeHtml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#34;', '"').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&#34;').replaceAll("'", '&#39;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
