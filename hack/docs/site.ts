import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type Markdown, titleOf } from './markdown.ts'
import type { Documentation } from './pages.ts'
import { escapeHtml, renderPage, siteFileOf, siteLink } from './render.ts'
import { ROOT } from './repository.ts'
import { searchIndex } from './search-index.ts'

const HOME = 'README.md'
const ASSETS = ['style.css', 'search.js']

/**
 * Writes the site into a directory, whose content it replaces. Links are relative, so that it may be read from a disk
 * or served below any path. Returns how many pages there are.
 */
export function writeSite(documentation: Documentation, directory: string): number {
  const { pages } = documentation
  rmSync(directory, { recursive: true, force: true })
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), text)
  }
  const files = new Set<string>()
  for (const [path, page] of pages) {
    const body = renderPage(
      path,
      page,
      file => pages.has(file),
      file => files.add(file),
    )
    write(siteFileOf(path), layout(documentation, path, page, body))
  }
  for (const file of files) {
    if (!statSync(join(ROOT, file)).isFile()) throw new Error(`a page links to the folder ${file}: link to a file of it`)
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(directory, file))
  }
  for (const asset of ASSETS) copyFileSync(join(import.meta.dirname, 'assets', asset), join(directory, asset))
  write('search-index.js', `window.searchIndex = ${JSON.stringify(searchIndex(documentation))}\n`)
  return pages.size
}

function layout(documentation: Documentation, path: string, page: Markdown, body: string): string {
  const title = titleOf(page, path)
  const root = posix.relative(posix.dirname(siteFileOf(path)), '.')
  const toRoot = root === '' ? '' : `${root}/`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(path === HOME ? 'Binnacle' : `${title} – Binnacle`)}</title>
<link rel="stylesheet" href="${toRoot}style.css">
<script src="${toRoot}search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${siteLink(path, HOME)}">Binnacle</a>
<a class="to-contents" href="#contents">Contents</a>
<div class="search" data-root="${toRoot}" role="search" hidden><input type="search" placeholder="Search (press /)" aria-label="Search"><ol aria-live="polite"></ol></div>
</header>
<div class="layout">
<main id="content">
${body}${neighbours(documentation, path)}
</main>
<nav id="contents" aria-label="Contents">
${navigation(documentation, path)}
</nav>
</div>
</body>
</html>
`
}

const listedPages = ({ sections }: Documentation): string[] => sections.filter(({ listed }) => listed).flatMap(({ pages }) => pages)

function navigation({ sections, pages }: Documentation, current: string): string {
  const item = (path: string): string => {
    const page = pages.get(path)
    const link = `<a href="${siteLink(current, path)}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(shortTitle(path, page))}</a>`
    return `<li>${link}${path === current && page ? headingsOf(page) : ''}</li>`
  }
  return sections
    .filter(({ listed }) => listed)
    .map(section => `<h2>${escapeHtml(section.title)}</h2>\n<ul>\n${section.pages.map(item).join('\n')}\n</ul>`)
    .join('\n')
}

const shortTitle = (path: string, page: Markdown | undefined): string => (path === HOME ? 'Overview' : page ? titleOf(page, path) : path)

/** The headings of the page that is shown. */
function headingsOf({ headings }: Markdown): string {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length === 0) return ''
  return `\n<ul>${shown.map(({ anchor, text }) => `<li><a href="#${encodeURIComponent(anchor)}">${escapeHtml(text)}</a></li>`).join('')}</ul>`
}

/** Links to the pages before and after. */
function neighbours(documentation: Documentation, path: string): string {
  const listed = listedPages(documentation)
  const at = listed.indexOf(path)
  const link = (to: string | undefined, label: string): string =>
    at === -1 || to === undefined
      ? '<span></span>'
      : `<a href="${siteLink(path, to)}">${label} ${escapeHtml(shortTitle(to, documentation.pages.get(to)))}</a>`
  return at === -1 ? '' : `<p class="neighbours">${link(listed[at - 1], 'Previous:')}${link(listed[at + 1], 'Next:')}</p>`
}
