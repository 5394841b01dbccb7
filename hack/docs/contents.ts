import { load } from 'js-yaml'
import { filesLike, isInRepository, readRepository } from './repository.ts'

export const CONTENTS = 'docs/contents.yaml'

/** Pages that are listed together. */
export interface Section {
  readonly title: string
  /** Paths of Markdown files from the root of the repository, in the order in which they are read. */
  readonly pages: readonly string[]
  /** Whether the navigation lists the section. Its pages are written in any case. */
  readonly listed: boolean
}

/**
 * Patterns of `docs/contents.yaml` as files. A pattern leaves out what is listed by name. Throws an Error that names
 * the entry that is wrong.
 */
export function readContents(text = readRepository(CONTENTS)): Section[] {
  const sections = load(text)
  if (!Array.isArray(sections)) throw new Error(`${CONTENTS}: a list of sections is expected`)
  const named = new Set<string>(sections.flatMap(section => pagesOf(section)).filter(page => !page.includes('*')))
  return sections.map(section => ({
    title: String(section.title),
    listed: section.listed !== false,
    pages: pagesOf(section).flatMap(page => (page.includes('*') ? filesLike(page).filter(file => !named.has(file)) : [page])),
  }))
}

function pagesOf(section: unknown): string[] {
  const pages: unknown = (section as { readonly pages?: unknown } | null)?.pages
  if (!Array.isArray(pages) || !pages.every(page => typeof page === 'string'))
    throw new Error(`${CONTENTS}: a section needs a list of pages`)
  return pages
}

/**
 * Returns the faults of the table of contents: pages of docs/ that it lacks, pages that do not exist, and pages that
 * are listed twice.
 */
export function contentsFaults(sections: readonly Section[], generated: ReadonlySet<string>): string[] {
  const listed = sections.flatMap(({ pages }) => pages)
  return [
    ...[...filesLike('docs/**/*.md'), ...generated].filter(page => !listed.includes(page)).map(page => `${CONTENTS}: ${page} is missing`),
    ...listed.filter(page => !generated.has(page) && !isInRepository(page)).map(page => `${CONTENTS}: there is no ${page}`),
    ...listed.filter((page, i) => listed.indexOf(page) < i).map(page => `${CONTENTS}: ${page} is listed twice`),
  ]
}
