import { type Markdown, titleOf } from './markdown.ts'
import { siteFileOf, textsOf } from './render.ts'

/** One section of a page: its address from the root of the site, the title of its page, its heading, and the words that are in it, each once. */
export type IndexEntry = readonly [address: string, page: string, heading: string, words: string]

const wordsOf = (text: string): string => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_./-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu))].join(' ')

export function searchIndex(pages: ReadonlyMap<string, Markdown>): IndexEntry[] {
  return [...pages].flatMap(([path, page]) => {
    const texts = textsOf(page)
    const title = titleOf(page, path)
    return page.headings.map(({ anchor, text }, i): IndexEntry => {
      const address = siteFileOf(path) + (i === 0 ? '' : `#${encodeURIComponent(anchor)}`)
      return [address, title, i === 0 ? '' : text, wordsOf(`${text} ${texts.get(anchor) ?? ''}`)]
    })
  })
}
