/** Characters of all warnings of an answer; beyond, each is cut (as kube-apiserver does, for the limits of clients and proxies). */
const MAX_TOTAL = 4096
const MAX_EACH_WHEN_CUT = 256

/** What an answer warns of: each text once, in order. However many there are, no more are kept than the headers hold. */
export class Warnings {
  private readonly texts = new Set<string>()
  /** UTF-16 units of the texts, each counted as it is when cut. */
  private cutLength = 0

  add(text: string): void {
    // From here on every text is cut, and those that stand already fill the headers.
    if (this.cutLength > MAX_TOTAL || text === '' || this.texts.has(text) || /\p{Cc}/u.test(text)) return
    this.texts.add(text)
    this.cutLength += Math.min(text.length, MAX_EACH_WHEN_CUT)
  }

  headers(): string[] {
    return warningHeaders([...this.texts])
  }
}

/** Values of the `Warning` headers (RFC 7234, 5.5) for texts without duplicates: `299 - "text"`. A text with control characters is left out, as upstream does. */
export function warningHeaders(texts: readonly string[]): string[] {
  const sendable = texts.filter(text => text !== '' && !/\p{Cc}/u.test(text))
  const total = sendable.reduce((sum, text) => sum + text.length, 0)
  if (total <= MAX_TOTAL) return sendable.map(headerOf)
  const headers: string[] = []
  let written = 0
  for (const text of sendable) {
    if (written >= MAX_TOTAL) break
    const cut = [...text].slice(0, MAX_EACH_WHEN_CUT).join('')
    written += cut.length
    headers.push(headerOf(cut))
  }
  return headers
}

/** Header values are bytes: Node writes each character as one, so UTF-8 is spelled in them. */
const headerOf = (text: string): string =>
  `299 - "${Buffer.from(
    text.replace(/["\\]/g, c => `\\${c}`),
    'utf8',
  ).toString('latin1')}"`
