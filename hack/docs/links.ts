import { posix } from 'node:path'
import { type Markdown, readMarkdown } from './markdown.ts'
import { isInRepository, readRepository } from './repository.ts'

/** Where a link of a page leads: out of the repository, or to a file of it with perhaps an anchor. */
export type Target = { readonly external: string } | { readonly file: string; readonly anchor: string }

/** `page`: the path of the page that has the link. */
export function targetOf(page: string, href: string): Target {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return { external: href }
  const [path = '', anchor = ''] = href.split('#', 2)
  return {
    file: path === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURI(path))),
    anchor: decodeURIComponent(anchor),
  }
}

/**
 * Returns the faults of the links of these pages, by path. Pages of other sites are not fetched: only the form of their
 * addresses is checked.
 */
export function linkFaults(pages: ReadonlyMap<string, Markdown>): string[] {
  const known = new Map(pages)
  const pageOf = (file: string): Markdown | undefined => {
    if (!known.has(file) && file.endsWith('.md') && isInRepository(file)) known.set(file, readMarkdown(readRepository(file)))
    return known.get(file)
  }
  return [...pages].flatMap(([page, { targets }]) =>
    targets.flatMap(href => {
      const fault = faultOf(targetOf(page, href), pageOf)
      return fault === undefined ? [] : [`${page}: ${href}: ${fault}`]
    }),
  )
}

function faultOf(target: Target, pageOf: (file: string) => Markdown | undefined): string | undefined {
  if ('external' in target)
    return /^(?:https:|mailto:)/.test(target.external) && URL.canParse(target.external) ? undefined : 'it is not an https: address'
  const { file, anchor } = target
  if (file.startsWith('..')) return 'it leads out of the repository'
  const page = pageOf(file)
  if (page === undefined && !isInRepository(file)) return 'there is no such file'
  if (anchor === '' || page?.headings.some(heading => heading.anchor === anchor)) return undefined
  return page === undefined ? 'only pages have anchors' : 'there is no such heading'
}
