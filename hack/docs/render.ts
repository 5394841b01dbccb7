import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { targetOf } from './links.ts'
import type { Markdown } from './markdown.ts'
import { isInRepository } from './repository.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character] ?? '')

/** The file of the site that a page becomes: `docs/README.md` is `docs/index.html`. Other files keep their names. */
export const siteFileOf = (path: string): string => path.replace(/(?:^|(?<=\/))README\.md$/, 'index.html').replace(/\.md$/, '.html')

/** The way from one file of the site to another, as it is read from a disk. */
export const siteLink = (from: string, to: string): string =>
  posix.relative(posix.dirname(siteFileOf(from)), siteFileOf(to)) || posix.basename(siteFileOf(to))

/** A page as HTML. `onFile` is called with each file that it links to and that is no page. */
export function renderPage(
  path: string,
  { tokens, headings }: Markdown,
  isPage: (path: string) => boolean,
  onFile: (path: string) => void,
): string {
  const anchors = headings.map(({ anchor }) => anchor)
  const address = (href: string): string => {
    const target = targetOf(path, href)
    if ('external' in target) return href
    const anchor = target.anchor === '' ? '' : `#${encodeURIComponent(target.anchor)}`
    if (target.file === path && anchor !== '') return anchor
    if (isPage(target.file)) return siteLink(path, target.file) + anchor
    if (isInRepository(target.file)) onFile(target.file)
    return siteLink(path, target.file)
  }
  const marked = new Marked({
    renderer: {
      heading({ tokens: inner, depth }) {
        const anchor = anchors.shift() ?? ''
        return `<h${depth} id="${escapeHtml(anchor)}">${this.parser.parseInline(inner)} <a class="anchor" href="#${encodeURIComponent(anchor)}" aria-label="Link to this section">#</a></h${depth}>\n`
      },
      link({ href, tokens: inner }) {
        return `<a href="${escapeHtml(address(href))}">${this.parser.parseInline(inner)}</a>`
      },
      code({ text, lang = '' }) {
        return `<pre tabindex="0"><code class="${escapeHtml(lang)}">${escapeHtml(text)}</code></pre>\n`
      },
      // Markers of the tests.
      html: ({ text }) => (text.trimStart().startsWith('<!--') ? '' : text),
    },
  })
  const html = marked.parser([...tokens] as Token[])
  // Wide tables scroll by themselves, so that the page does not.
  return html.replaceAll('<table>', '<div class="table" tabindex="0"><table>').replaceAll('</table>', '</table></div>')
}

/** Returns the texts of a page without markup: paragraphs, lists, tables and code, by the heading above them. */
export function textsOf({ tokens, headings }: Markdown): Map<string, string> {
  const texts = new Map<string, string>()
  let at = -1
  for (const token of tokens) {
    if (token.type === 'heading') at++
    else if (token.type !== 'html')
      texts.set(headings[at]?.anchor ?? '', `${texts.get(headings[at]?.anchor ?? '') ?? ''} ${plainText(token)}`)
  }
  return texts
}

function plainText(token: Token): string {
  const { tokens = [], items = [], text = '' } = token as Tokens.Generic
  const cells: Token[] = token.type === 'table' ? [token.header, ...token.rows].flat() : []
  const inner: Token[] = [...tokens, ...items, ...cells]
  return inner.length === 0 ? text : inner.map(plainText).join(' ')
}
