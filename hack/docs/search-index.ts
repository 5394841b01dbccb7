import type { Section } from './contents.ts'
import { titleOf } from './markdown.ts'
import type { Documentation } from './pages.ts'
import { siteFileOf, textsOf } from './render.ts'

/**
 * One section of a page: its address from the root of the site, the title of its page, its heading, the words that are
 * in it, each once, and which results it stands behind (`RANKS`).
 */
export type IndexEntry = readonly [address: string, page: string, heading: string, words: string, rank: number]

/**
 * Results of a lower rank come first, however well others fit: pages for users, those for developers, decisions, and
 * the folders of the source.
 */
const RANKS = { user: 0, developer: 1, decision: 2, source: 3 } as const
const DEVELOPMENT = 'Development'

function rankOf(path: string, { title, listed }: Section): number {
  if (path.startsWith('docs/decisions/')) return RANKS.decision
  if (!listed) return RANKS.source
  return title === DEVELOPMENT ? RANKS.developer : RANKS.user
}

const wordsOf = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_./-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu))].join(' ')

export function searchIndex({ sections, pages }: Documentation): IndexEntry[] {
  const ranks = new Map(sections.flatMap(section => section.pages.map(path => [path, rankOf(path, section)] as const)))
  return [...pages].flatMap(([path, page]) => {
    const texts = textsOf(page)
    const title = titleOf(page, path)
    return page.headings.map(({ anchor, text }, i): IndexEntry => {
      const address = siteFileOf(path) + (i === 0 ? '' : `#${encodeURIComponent(anchor)}`)
      return [address, title, i === 0 ? '' : text, wordsOf(`${text} ${texts.get(anchor) ?? ''}`), ranks.get(path) ?? RANKS.source]
    })
  })
}
