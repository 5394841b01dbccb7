import { contentsFaults, readContents, type Section } from './contents.ts'
import { linkFaults } from './links.ts'
import { type Markdown, readMarkdown } from './markdown.ts'
import { GENERATED } from './reference/pages.ts'
import { readRepository } from './repository.ts'

/** All pages of the documentation. */
export interface Documentation {
  readonly sections: readonly Section[]
  /** By their paths from the root of the repository, in the order of the contents. */
  readonly pages: ReadonlyMap<string, Markdown>
}

/**
 * Reads the pages, and asks the program for those of its reference. Throws an Error that lists what is wrong with the
 * contents or links.
 */
export async function readDocumentation(): Promise<Documentation> {
  const sections = readContents()
  const missing = contentsFaults(sections, new Set(Object.keys(GENERATED)))
  if (missing.length > 0) throw new Error(missing.join('\n'))
  const pages = new Map<string, Markdown>()
  for (const path of sections.flatMap(section => section.pages))
    pages.set(path, readMarkdown((await GENERATED[path]?.()) ?? readRepository(path)))
  const broken = linkFaults(pages)
  if (broken.length > 0) throw new Error(broken.join('\n'))
  return { sections, pages }
}
