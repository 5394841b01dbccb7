import { pipeline, type Readable } from 'node:stream'
import { nextLongTurn, turnIsSpent } from '../../lib/turn.ts'
import { PageRewriter } from './html.ts'
import { type Coding, PLAIN } from './page-coding.ts'

/** Pages that are encoded at once: each takes 256 KiB. More are sent without a coding. */
const MOST_ENCODED = 256

let encoded = 0

export interface RewrittenPage {
  readonly body: Readable
  /** Whether the body is sent without the coding of the page. */
  readonly isDecoded: boolean
}

/** A page with its links changed, as a stream that holds some kilobytes of it, whatever its length. It breaks off if the page does, or is not in its coding. */
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
