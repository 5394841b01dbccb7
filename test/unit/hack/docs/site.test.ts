import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect } from 'chai'
import { type Documentation, readDocumentation } from '../../../../hack/docs/pages.ts'
import { siteLink } from '../../../../hack/docs/render.ts'
import { writeSite } from '../../../../hack/docs/site.ts'

describe('the documentation as HTML', () => {
  let directory = ''
  let documentation: Documentation
  let files: string[] = []
  const read = (file: string): string => readFileSync(join(directory, file), 'utf8')

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-docs-'))
    documentation = await readDocumentation()
    writeSite(documentation, directory)
    files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.html'))
  })
  after(() => rmSync(directory, { recursive: true, force: true }))

  it('contains each page once', () => expect(files).to.have.length(documentation.pages.size))

  it('has links that resolve, from any folder', () => {
    const places = new Map(files.map(file => [file, new Set([...read(file).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]))
    const broken: string[] = []
    for (const file of files)
      for (const [, href = ''] of read(file).matchAll(/ (?:href|src)="([^"]*)"/g)) {
        if (/^(?:https|mailto):/.test(href)) continue
        const [path = '', anchor = ''] = href.split('#')
        const to = path === '' ? file : relative(directory, join(directory, dirname(file), path))
        if (path.startsWith('/') || to.startsWith('..') || !existsSync(join(directory, to))) broken.push(`${file}: ${href}`)
        else if (anchor !== '' && places.get(to)?.has(decodeURIComponent(anchor)) === false) broken.push(`${file}: ${href}`)
      }
    expect(broken).to.deep.equal([])
  })

  it('loads nothing from other sites, and only the script of the search', () => {
    for (const file of files) {
      expect(read(file), file).to.not.match(/<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?\/\//)
      expect(read(file).match(/<script/g), file).to.have.length(1)
    }
  })

  it('escapes the text of pages', () => expect(read('docs/cel.html')).to.include('object.spec.replicas &lt;= params.max'))
  it('omits markers of tests', () => expect(files.filter(file => /<!--/.test(read(file)))).to.deep.equal([]))
  it('shows the position of a page', () => {
    expect(read('docs/testing.html')).to.include('<a href="testing.html" aria-current="page">')
    expect(siteLink('docs/testing.md', 'README.md')).to.equal('../index.html')
    expect(siteLink('README.md', 'docs/decisions/README.md')).to.equal('docs/decisions/index.html')
  })
  it('can be searched', () => {
    const found = /window\.searchIndex = (.*)\n/.exec(read('search-index.js'))?.[1] ?? '[]'
    const entry = (JSON.parse(found) as string[][]).find(([address]) => address === 'docs/testing.html#faults')
    expect(entry?.[3]?.split(' ')).to.include.members(['faults', 'handle', 'retryafterseconds'])
  })

  const listItem = () => ({
    link: { href: '' },
    append(link: { href: string }) {
      this.link = link
    },
  })
  /** Addresses that the script of the search lists for some words. */
  function resultsFor(words: string): string[] {
    const listeners = new Map<string, () => void>()
    const items: { href: string }[] = []
    const field = { value: words, addEventListener: (name: string, listener: () => void) => void listeners.set(name, listener) }
    const results = { replaceChildren: (...links: { link: { href: string } }[]) => void items.push(...links.map(({ link }) => link)) }
    const search = {
      dataset: { root: '' },
      hidden: true,
      querySelector: (name: string) => (name === 'ol' ? results : field),
      addEventListener: () => {},
    }
    const document = {
      querySelector: () => search,
      addEventListener: () => {},
      createElement: (name: string) => (name === 'a' ? { href: '' } : listItem()),
    }
    const scope = createContext({ window: {}, document })
    runInContext(read('search-index.js'), scope)
    runInContext(read('search.js'), scope)
    listeners.get('input')?.()
    return items.map(({ href }) => href)
  }

  for (const words of ['etcd', 'watch', 'admission', 'embedded store', 'certificates', 'faults'])
    it(`ranks pages for users before decisions and source folders: ${words}`, () => {
      const found = resultsFor(words)
      const inner = found.findIndex(address => /^(?:docs\/decisions|src|test)\//.test(address) && !address.startsWith('test/bench/index'))
      expect(found[0]).to.match(/^(?:docs\/(?!decisions)|index|SECURITY|CHANGELOG|test\/bench\/index)/)
      if (inner >= 0) for (const address of found.slice(inner)) expect(address).to.match(/^(?:docs\/decisions|src|test)\//)
    })
  it('finds a troubleshooting page by an error message', () => {
    for (const words of ['no space left', 'is in use by another server', 'unknown flag', 'is a file, not a directory', 'waiting for etcd'])
      expect(
        resultsFor(words.replace(',', ''))
          .slice(0, 3)
          .some(address => address.startsWith('docs/how-to/troubleshooting.html')),
        words,
      ).to.equal(true)
  })
})
