/**
 * Characters of all warnings of a response. Beyond, each warning is truncated, as kube-apiserver does for the header
 * limits of clients and proxies.
 */
const MAX_TOTAL = 4096
const MAX_EACH_WHEN_CUT = 256

/** Warnings of a response, without duplicates, in order. Only as many are kept as the headers hold. */
export class Warnings {
  readonly #texts = new Set<string>()
  /** UTF-16 units of the texts after truncation. */
  #cutLength = 0

  /** Adds a warning. Empty texts, duplicates, and texts with control characters are ignored. */
  add(text: string): void {
    // All texts are truncated from here on, and those already added fill the headers.
    if (this.#cutLength > MAX_TOTAL || text === '' || this.#texts.has(text) || /\p{Cc}/u.test(text)) return
    this.#texts.add(text)
    this.#cutLength += Math.min(text.length, MAX_EACH_WHEN_CUT)
  }

  headers(): string[] {
    return warningHeaders([...this.#texts])
  }
}

/**
 * Returns the values of the `Warning` headers (RFC 7234, section 5.5): `299 - "text"`. `texts` has no duplicates. Texts
 * with control characters are left out, as upstream does.
 */
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

/** Node writes each character of a header value as one byte, so the text is encoded as UTF-8 first. */
const headerOf = (text: string): string =>
  `299 - "${Buffer.from(
    text.replace(/["\\]/g, c => `\\${c}`),
    'utf8',
  ).toString('latin1')}"`
