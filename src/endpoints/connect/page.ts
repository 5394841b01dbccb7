import { pipeline, type Readable } from 'node:stream'
import { nextLongTurn, turnIsSpent } from '../../lib/turn.ts'
import { PageRewriter } from './html.ts'
import { type Coding, PLAIN } from './page-coding.ts'

/** Pages that are encoded concurrently; each takes 256 KiB. Further ones are sent unencoded. */
const MOST_ENCODED = 256

let encoded = 0

/** A page on its way to the client. If `isDecoded`, the response must not name a coding. */
export interface RewrittenPage {
  /** A page whose links are rewritten. */
  readonly body: Readable
  /** Whether the body is sent without the coding of the page. */
  readonly isDecoded: boolean
}

/**
 * Rewrites the links of a page, as a stream that buffers a few kilobytes regardless of its length. The stream fails if
 * the page does, or if the page is not in its declared coding.
 */
export function rewritePage(response: AsyncIterable<Buffer>, coding: Coding, rewrite: (link: string) => string): RewrittenPage {
  const isEncoded = coding !== PLAIN && encoded < MOST_ENCODED
  if (isEncoded) encoded++
  const out = isEncoded ? coding.encoder() : PLAIN.encoder()
  out.once('close', () => {
    if (isEncoded) encoded--
  })
  const withLinks = (page: AsyncIterable<Buffer>): AsyncGenerator<Buffer> => withLinksChanged(page, rewrite)
  pipeline(response, coding.decoder(), withLinks, out, () => {})
  return { body: out, isDecoded: !isEncoded }
}

async function* withLinksChanged(page: AsyncIterable<Buffer>, rewrite: (link: string) => string): AsyncGenerator<Buffer> {
  const rewriter = new PageRewriter(rewrite)
  for await (const chunk of page) {
    rewriter.push(chunk)
    while (rewriter.isBehind) {
      if (turnIsSpent()) await nextLongTurn()
      const part = rewriter.step()
      if (part.length > 0) yield part
    }
  }
  yield rewriter.finish()
}
